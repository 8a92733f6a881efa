package api_test

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pb33f/go-yaml"
)

// derive makes the document of the root mount. What other has is merged into it.
func derive(t *testing.T, doc, other *yaml.Node) []byte {
	d := &derivation{doc: doc, names: map[string]string{}, numbers: map[string]map[string]string{}}
	strip(doc)
	d.learn(doc)
	for _, name := range numbered {
		d.number(name)
	}
	d.examples(doc, map[*yaml.Node]bool{})
	d.rename(doc)
	for _, e := range entries(at(doc, "components", "schemas")) {
		schema(e.value)
	}
	merge(doc, other)
	for prune(doc) {
	}
	out := bytes.NewBufferString(head)
	e, err := yaml.NewDumper(out, yaml.WithIndent(2), yaml.WithLineWidth(-1), yaml.WithCompactSeqIndent(false))
	if err == nil {
		err = e.Dump(doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	return paths.ReplaceAll(out.Bytes(), []byte("\n$0"))
}

// paths finds what a blank line is put before.
var paths = regexp.MustCompile(`(?m)^(  /|    # )`)

type derivation struct {
	doc     *yaml.Node
	names   map[string]string            // of members and parameters, in both spellings
	numbers map[string]map[string]string // of enums: that of each name
}

// strip removes what only the Unity Catalog REST API has.
func strip(n *yaml.Node) {
	drop(n, func(_, value *yaml.Node) bool { return at(value, "x-unity-only") != nil })
	for _, c := range n.Content {
		strip(c)
	}
}

var (
	snake   = regexp.MustCompile(`^[a-z0-9]+(_[a-z0-9]+)+$`)
	letter  = regexp.MustCompile(`_[a-z0-9]`)
	quoted  = regexp.MustCompile("`[a-z0-9_]+`")
	braced  = regexp.MustCompile(`{\w+}`)
	pointer = regexp.MustCompile(`^\$(request|response)\.body#/`)
)

func (d *derivation) learn(n *yaml.Node) {
	note := func(name string) {
		if snake.MatchString(name) {
			d.names[name] = letter.ReplaceAllStringFunc(name, func(s string) string { return strings.ToUpper(s[1:]) })
		}
	}
	for _, e := range entries(n) {
		switch e.key.Value {
		case "properties":
			for _, p := range entries(e.value) {
				note(p.key.Value)
			}
		case "in":
			note(at(n, "name").Value)
		case "example", "value":
			continue // of an example
		}
		d.learn(e.value)
	}
	if n.Kind == yaml.SequenceNode {
		for _, c := range n.Content {
			d.learn(c)
		}
	}
}

// rename spells names otherwise wherever the document itself has them.
func (d *derivation) rename(n *yaml.Node) {
	for _, e := range entries(n) {
		key := e.key.Value
		switch {
		case key == "value":
			continue // of an example
		case key == "/external-locations" || strings.HasPrefix(key, "/external-locations/"):
			e.key.Value = strings.Replace(key, "-", "_", 1)
		}
		e.key.Value = braced.ReplaceAllStringFunc(e.key.Value, func(s string) string { return "{" + d.camel(s[1:len(s)-1]) + "}" })
		if of, name, ok := strings.Cut(e.key.Value, "."); ok { // of a link, such as path.full_name
			e.key.Value = of + "." + d.camel(name)
		} else {
			e.key.Value = d.camel(of)
		}
		switch {
		case key == "required" && e.value.Kind == yaml.SequenceNode:
			for _, c := range e.value.Content {
				c.Value = d.camel(c.Value)
			}
		case key == "name" && at(n, "in") != nil:
			e.value.Value = d.camel(e.value.Value)
		case key == "description" || key == "summary":
			e.value.Value = quoted.ReplaceAllStringFunc(e.value.Value, func(s string) string { return "`" + d.camel(s[1:len(s)-1]) + "`" })
		case e.value.Kind == yaml.ScalarNode && pointer.MatchString(e.value.Value):
			start := pointer.FindString(e.value.Value)
			e.value.Value = start + d.camel(e.value.Value[len(start):])
		}
		d.rename(e.value)
	}
	if n.Kind == yaml.SequenceNode {
		for _, c := range n.Content {
			d.rename(c)
		}
	}
}

func (d *derivation) camel(name string) string {
	if camel, ok := d.names[name]; ok {
		return camel
	}
	return name
}

// numbered are the enums whose values are numbers in Protocol Buffers.
var numbered = []string{"CatalogType", "Purpose", "TableType", "DataSourceFormat", "ColumnTypeName"}

// rpcCodes are the numbers of google.rpc.Code.
var rpcCodes = map[string]string{
	"INVALID_ARGUMENT": "3", "FAILED_PRECONDITION": "9", "UNAUTHENTICATED": "16", "PERMISSION_DENIED": "7", "ABORTED": "10",
	"RESOURCE_EXHAUSTED": "8", "COMMIT_STATE_UNKNOWN": "13", "INTERNAL": "13", "UNIMPLEMENTED": "12",
}

func rpcCode(reason string) string {
	switch {
	case strings.HasSuffix(reason, "NOT_FOUND"):
		return "5"
	case strings.HasSuffix(reason, "_ALREADY_EXISTS"):
		return "6"
	}
	return rpcCodes[reason]
}

// schema changes a schema to what the root mount has in its place.
func schema(n *yaml.Node) {
	if code := at(n, "allOf", 1, "properties", "errorCode"); code != nil {
		reasons, codes := at(code, "enum"), flow(yaml.SequenceNode)
		for _, r := range reasons.Content {
			if c := rpcCode(r.Value); !slices.ContainsFunc(codes.Content, func(n *yaml.Node) bool { return n.Value == c }) {
				codes.Content = append(codes.Content, integer(c))
			}
		}
		reasons.Style = yaml.FlowStyle
		*at(n, "allOf", 1, "properties") = *flow(yaml.MappingNode, text("code"), flow(yaml.MappingNode, text("enum"), codes),
			text("details"), wrap(reasons, "items", "properties", "reason", "enum"))
	}
	if required, members := at(n, "required"), at(n, "properties"); members != nil && required != nil {
		required.Content = slices.DeleteFunc(required.Content, func(r *yaml.Node) bool {
			ref := at(members, r.Value, "$ref")
			return at(members, r.Value) == nil || ref != nil && strings.HasSuffix(ref.Value, "/MaybePrincipal")
		})
	}
}

// number makes an enum of names one of numbers from 1.
func (d *derivation) number(name string) {
	n := at(d.doc, "components", "schemas", name)
	if n == nil {
		return
	}
	d.numbers[name] = map[string]string{}
	var list []string
	values := at(n, "enum")
	values.Style = yaml.FlowStyle
	for i, v := range values.Content {
		number := strconv.Itoa(i + 1)
		list = append(list, number+" "+v.Value)
		d.numbers[name][v.Value] = number
		*v = *integer(number)
	}
	at(n, "type").Value = "integer"
	says := strings.Join(list, ", ") + "."
	if was := at(n, "description"); was != nil {
		was.Value = strings.TrimSpace(was.Value) + " " + says
	} else {
		n.Content = append(n.Content, text("description"), text(says))
	}
}
