package server_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// What the documents say in words only, and the validator cannot know.

var (
	upper      = regexp.MustCompile(`[A-Z]`)
	underscore = regexp.MustCompile(`_[a-z0-9]`)
)

func snake(name string) string {
	return upper.ReplaceAllStringFunc(name, func(s string) string { return "_" + strings.ToLower(s) })
}

func camel(name string) string {
	return underscore.ReplaceAllStringFunc(name, func(s string) string { return strings.ToUpper(s[1:]) })
}

// asked is r as the document has it, whatever it says in words of other spellings: of paths, and of the names in a query.
func (d *document) asked(r *http.Request) *http.Request {
	r = r.Clone(r.Context())
	path := r.URL.EscapedPath()
	if rest, ok := strings.CutPrefix(path, unityAlias+"/"); ok {
		path = unity + "/" + rest
	}
	if d.spell != nil {
		if path == "/oauth2/token" {
			path = unity + path
		}
		if len(path) > 1 {
			path = strings.TrimSuffix(path, "/")
		}
		segments := strings.Split(strings.TrimPrefix(path, d.root+"/"), "/")
		switch {
		case segments[0] == "external-locations" && d.root == "", segments[0] == "external_locations" && d.root != "":
			segments[0] = map[string]string{"": "external_locations", unity: "external-locations"}[d.root]
		case strings.HasSuffix(segments[0], "permissions") && len(segments) > 1:
			segments[1] = strings.ReplaceAll(strings.ToLower(segments[1]), "-", "_")
		}
		if strings.HasPrefix(path, d.root+"/") {
			path = d.root + "/" + strings.Join(segments, "/")
		}
	}
	r.URL.RawPath = path
	r.URL.Path, _ = url.PathUnescape(path)
	if d.spell == nil {
		return r
	}
	query := r.URL.Query()
	for name, values := range query {
		if spelled := d.spell(name); spelled != name {
			query[spelled] = values
			query.Del(name)
		}
	}
	r.URL.RawQuery = query.Encode()
	return r
}

// spelled is a body as the document has it.
func (d *document) spelled(body []byte) []byte {
	var v any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if d.spell == nil || decoder.Decode(&v) != nil {
		return body
	}
	var spell func(v any)
	spell = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				spell(e)
			}
		case object:
			for name, value := range maps.Clone(v) {
				if spelled := d.spell(name); spelled != name && value != nil {
					v[spelled] = value
				}
				if name != "properties" {
					spell(value)
				}
			}
		}
	}
	spell(v)
	out, _ := json.Marshal(v)
	return out
}

// elsewhere are the statuses that d tells in words, for what is none of its operations.
func (d *document) elsewhere() []int {
	if d.root == unity && d.spell != nil { // volumes and the like
		return []int{http.StatusUnauthorized, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented}
	}
	return []int{http.StatusUnauthorized, http.StatusNotFound, http.StatusMethodNotAllowed}
}
