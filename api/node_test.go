package api_test

import (
	"slices"

	"github.com/pb33f/go-yaml"
)

type entry struct{ key, value *yaml.Node }

// entries are those of a mapping.
func entries(n *yaml.Node) []entry {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	var out []entry
	for i := 0; i < len(n.Content); i += 2 {
		out = append(out, entry{n.Content[i], n.Content[i+1]})
	}
	return out
}

// at is what lies below n at a path of names and indices, or nil.
func at(n *yaml.Node, path ...any) *yaml.Node {
	for _, step := range path {
		var next *yaml.Node
		switch s := step.(type) {
		case string:
			for _, e := range entries(n) {
				if e.key.Value == s {
					next = e.value
				}
			}
		case int:
			if n != nil && n.Kind == yaml.SequenceNode && s < len(n.Content) {
				next = n.Content[s]
			}
		}
		n = next
	}
	return n
}

// drop removes the entries of a mapping for which gone says so.
func drop(n *yaml.Node, gone func(key, value *yaml.Node) bool) {
	var kept []*yaml.Node
	for _, e := range entries(n) {
		if !gone(e.key, e.value) {
			kept = append(kept, e.key, e.value)
		}
	}
	if n != nil && n.Kind == yaml.MappingNode {
		n.Content = kept
	}
}

func text(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }

func integer(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: s} }

func flow(kind yaml.Kind, content ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: kind, Style: yaml.FlowStyle, Content: content}
}

// wrap is n within mappings of these names.
func wrap(n *yaml.Node, names ...string) *yaml.Node {
	for _, name := range slices.Backward(names) {
		n = flow(yaml.MappingNode, text(name), n)
	}
	return n
}

// merge puts what other has into n; null takes away.
func merge(n, other *yaml.Node) {
	for _, e := range entries(other) {
		old := at(n, e.key.Value)
		switch {
		case e.value.Tag == "!!null":
			drop(n, func(key, _ *yaml.Node) bool { return key.Value == e.key.Value })
		case old == nil:
			n.Content = append(n.Content, e.key, e.value)
		case old.Kind == yaml.MappingNode && e.value.Kind == yaml.MappingNode:
			merge(old, e.value)
		default:
			*old = *e.value
		}
	}
}

// prune removes the components that nothing refers to, and reports whether there were any.
func prune(doc *yaml.Node) (found bool) {
	used := map[string]bool{}
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		for _, e := range entries(n) {
			if e.key.Value == "$ref" {
				used[e.value.Value] = true
			}
		}
		for _, c := range n.Content {
			walk(c)
		}
	}
	walk(doc)
	for _, kind := range entries(at(doc, "components")) {
		drop(kind.value, func(key, _ *yaml.Node) bool {
			unused := kind.key.Value != "securitySchemes" && !used["#/components/"+kind.key.Value+"/"+key.Value]
			found = found || unused
			return unused
		})
	}
	return found
}
