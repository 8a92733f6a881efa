package api_test

import (
	"slices"
	"strings"

	"github.com/pb33f/go-yaml"
)

// examples changes all examples that stand beside a schema.
func (d *derivation) examples(n *yaml.Node, done map[*yaml.Node]bool) {
	if of := at(n, "schema"); of != nil {
		for _, e := range entries(at(n, "examples")) {
			if value := at(d.resolve(e.value), "value"); value != nil && !done[value] {
				done[value] = true
				d.example(value, of)
			}
		}
	}
	for _, c := range n.Content {
		d.examples(c, done)
	}
}

func (d *derivation) resolve(n *yaml.Node) *yaml.Node {
	ref := at(n, "$ref")
	if ref == nil {
		return n
	}
	target := d.doc
	for step := range strings.SplitSeq(strings.TrimPrefix(ref.Value, "#/"), "/") {
		target = at(target, step)
	}
	return target
}

// A shape is what a schema and all that it refers to say of a value.
type shape struct {
	refs    []string // names of schemas
	members map[string]*yaml.Node
	items   *yaml.Node
}

func (d *derivation) shape(of *yaml.Node, s *shape) {
	if ref := at(of, "$ref"); ref != nil {
		s.refs = append(s.refs, ref.Value[strings.LastIndex(ref.Value, "/")+1:])
		d.shape(d.resolve(of), s)
	}
	for _, e := range entries(at(of, "properties")) {
		if s.members[e.key.Value] == nil {
			s.members[e.key.Value] = e.value
		}
	}
	if items := at(of, "items"); items != nil {
		s.items = items
	}
	for _, several := range []string{"allOf", "anyOf", "oneOf"} {
		if list := at(of, several); list != nil {
			for _, c := range list.Content {
				d.shape(c, s)
			}
		}
	}
}

// example spells the value of an example otherwise.
func (d *derivation) example(n, of *yaml.Node) {
	if reason := at(n, "error_code"); reason != nil {
		drop(n, func(key, _ *yaml.Node) bool { return key.Value == "error_code" })
		n.Content = append([]*yaml.Node{text("code"), integer(rpcCode(reason.Value))}, n.Content...)
		details := at(n, "details", 0)
		details.Content = append(details.Content, text("domain"), text("unitycatalog"))
		return
	}
	s := shape{members: map[string]*yaml.Node{}}
	d.shape(of, &s)
	switch n.Kind {
	case yaml.SequenceNode:
		for _, c := range n.Content {
			d.example(c, s.items)
		}
	case yaml.MappingNode:
		if len(s.members) == 0 { // names are the user's own
			return
		}
		drop(n, func(key, value *yaml.Node) bool {
			member := at(s.members[key.Value], "$ref")
			nobody := member != nil && strings.HasSuffix(member.Value, "/MaybePrincipal") && value.Tag == "!!null"
			return s.members[key.Value] == nil || nobody
		})
		for _, e := range entries(n) {
			d.example(e.value, s.members[e.key.Value])
			e.key.Value = d.camel(e.key.Value)
		}
	default:
		if slices.Contains(s.refs, "Time") {
			*n = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: n.Value}
		}
		for _, ref := range s.refs {
			if number, ok := d.numbers[ref][n.Value]; ok {
				*n = *integer(number)
			}
		}
	}
}
