package server

import (
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/leveelake/catalog/types"
)

// A request is one for an endpoint. It knows its face, which says how to read it.
type request struct {
	*http.Request
	face *face
}

// body reads and decodes the body of a request.
func body[T any](r *request) (T, error) {
	var v T
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return v, unreadable(err)
	}
	if r.face.codec != nil {
		return v, r.face.codec.decode(data, &v)
	}
	return v, types.DecodeJSON(data, &v)
}

// sameName refuses a body whose copy of a name in the path is another.
func (r *request) sameName(field, copied, name string) error {
	if copied != "" && copied != name {
		return types.InvalidParameterValue.Errorf("%s is %q in the body, but %q in the path", r.face.codec.spell(field), clip(copied), clip(name))
	}
	return nil
}

// missing refuses a request without a field.
func (r *request) missing(field string) error {
	return types.InvalidParameterValue.Errorf("%s is missing", r.face.codec.spell(field))
}

// params are the parameters of a query. The first refusal stays in err.
type params struct {
	face   *face
	values url.Values
	err    error
}

func (r *request) params() *params { return &params{face: r.face, values: r.URL.Query()} }

func (p *params) refuse(name, format string, args ...any) {
	if p.err == nil {
		e := types.InvalidParameterValue.Errorf(format, args...)
		e.Message = "query parameter " + p.face.codec.spell(name) + " " + e.Message
		p.err = e
	}
}

// text is a parameter, "" if it is absent. Of a repeated one the first counts.
func (p *params) text(name string) string {
	values := p.values[name]
	if p.face.codec != nil && !p.face.codec.strict {
		if camel := p.values[camelOf(name)]; len(values) == 0 {
			values = camel
		} else if len(camel) > 0 && camel[0] != values[0] {
			p.refuse(name, "is given in two spellings, %s and %s, that differ", name, camelOf(name))
		}
	}
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// need is a parameter that must be there and not be blank.
func (p *params) need(name string) string {
	v := p.text(name)
	if strings.TrimSpace(v) == "" {
		p.refuse(name, "is missing")
	}
	return v
}

// flag is an optional boolean parameter.
func (p *params) flag(name string) bool {
	switch v := p.text(name); strings.ToLower(v) {
	case "", "false":
		return false
	case "true":
		return true
	default:
		p.refuse(name, "is %q; it must be true or false", v)
		return false
	}
}

// ignored are flags that change nothing, but must be flags.
func (p *params) ignored(names ...string) {
	for _, n := range names {
		p.flag(n)
	}
}

// number is an optional number, nil if it is absent.
func (p *params) number(name string) *int64 {
	text := p.text(name)
	if text == "" {
		return nil
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		p.refuse(name, "is %q; it must be a number", text)
	}
	return &v
}

// Most items on a page of the root mount.
const (
	mostListed     = 1000
	mostSummarized = 10_000
)

// page is the page that a list request of the mounts asks for, on the root mount of no more than most items.
func (p *params) page(most int) types.Page {
	page := p.sized("max_results", "page_token")
	switch {
	case page.Size == 0:
		page.Size = p.face.page
	case p.face.codec.camel:
		page.Size = min(page.Size, most)
	}
	return page
}

// sized reads a page by the names of its parameters.
func (p *params) sized(size, token string) types.Page {
	page := types.Page{Token: p.text(token)}
	if v := p.text(size); v != "" {
		n, err := strconv.ParseInt(v, 10, 32)
		if err != nil || n < 0 {
			p.refuse(size, "is %q; it must be a number, 0 or more", v)
		}
		page.Size = int(max(n, 0))
	}
	return page
}

// fullName splits the dotted name in the path into n parts. %1F stands for a dot in some clients.
func (r *request) fullName(n int) ([]string, error) { return parts(r.PathValue("full_name"), n) }

func parts(full string, n int) ([]string, error) {
	full = undotted.Replace(full)
	parts := strings.Split(full, ".")
	for _, p := range parts {
		if len(parts) != n || p == "" {
			return nil, types.InvalidParameterValue.Errorf("name %q must have %d parts, separated by dots", clip(full), n)
		}
	}
	return parts, nil
}

var undotted = strings.NewReplacer("\x1f", ".")

// idOf reads an ID that stands in the field or parameter of this name.
func idOf(name, text string) (types.ID, error) {
	id, err := types.ParseID(text)
	if err != nil {
		return "", types.BadRequest.Errorf("%s is %q; it must be a UUID", name, text)
	}
	return id, nil
}
