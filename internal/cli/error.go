package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/leveelake/catalog/types"
)

// An Error is a refusal of the server, or tells that there is none.
type Error struct {
	Status        int    // of HTTP; 0 if there was no answer
	Code, Message string // in the server's words
	next          string
	cause         error
}

// Error is one line. It shows nothing that could make a terminal do something.
func (e *Error) Error() string {
	out := printable(e.Message)
	if e.Code != "" {
		out += " (" + printable(e.Code) + ")"
	}
	return out
}

// Next says in one line what to do about it; "" if nothing is to be said.
func (e *Error) Next() string { return e.next }

// WithNext is e with another line of what to do.
func (e *Error) WithNext(next string) *Error {
	other := *e
	other.next = next
	return &other
}

func (e *Error) Unwrap() error { return e.cause }

const (
	noAnswer = "no answer of a Unity Catalog server"
	notOurs  = "check the address: --server or LEVEE_SERVER"
)

// unreachable tells of a request that got no answer.
func (c *Client) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	if u, ok := errors.AsType[*url.Error](err); ok { // which repeats URL and method
		err = u.Err
	}
	return &Error{
		Message: fmt.Sprintf("cannot reach the server at %s: %v", c.base[:len(c.base)-len(Prefix)], err), cause: err,
		next: "is levee serve running there? Another address: --server or LEVEE_SERVER",
	}
}

// refused reads an error in the words of either of the server's APIs.
func (c *Client) refused(res *http.Response, data []byte) error {
	e := &Error{Status: res.StatusCode}
	var body struct {
		Delta struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
		Code    string `json:"error_code"`
		Message string `json:"message"`
	}
	if json.Unmarshal(data, &body) == nil {
		e.Code, e.Message = body.Code, body.Message
		if body.Delta.Type != "" {
			e.Code, e.Message = body.Delta.Type, body.Delta.Message
		}
	}
	switch {
	case res.StatusCode < 400:
		e.Message, e.next = "the server sends us to another address: "+strconv.Quote(res.Header.Get("Location")), "if that is right, give it as --server"
	case e.Code == "":
		e.Message, e.next = fmt.Sprintf("%s: it answered %s", noAnswer, res.Status), notOurs
	default:
		e.next = c.next(e, res.Request)
	}
	return e
}

// next is what to do about a refusal.
func (c *Client) next(e *Error, r *http.Request) string {
	tokens := strings.HasPrefix(r.URL.Path+"/", c.path+"/tokens/")
	switch e.Code {
	case "CATALOG_NOT_FOUND", string(types.NoSuchCatalog):
		return "those that you may see: levee catalogs list" + c.hidden()
	case "SCHEMA_NOT_FOUND", string(types.NoSuchSchema):
		return "those that you may see: levee schemas list CATALOG" + c.hidden()
	case "TABLE_NOT_FOUND", string(types.NoSuchTable):
		return "those that you may see: levee tables list CATALOG.SCHEMA"
	}
	switch status := e.Status; {
	case status == http.StatusUnauthorized && c.token == "":
		return "set LEVEE_TOKEN, or give --token-file FILE; levee serve --admin NAME writes one to admin.token in its data folder"
	case status == http.StatusUnauthorized:
		return "get another token of the server's admin, who makes it with: levee token create --principal YOU"
	case tokens && status == http.StatusForbidden:
		return "only the server's admin makes, lists and revokes tokens"
	case tokens && r.Method == http.MethodDelete && status < 500 && status != http.StatusTooManyRequests:
		return "the IDs of the tokens: levee token list"
	case status == http.StatusForbidden:
		return "its owner, or an admin, can grant it, by levee grants add; see docs/rights.md for what each operation needs"
	case status == http.StatusNotFound:
		return "look for it with the command list; names are compared exactly"
	case status == http.StatusConflict:
		return "look at what there is with the command show, or take another name"
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		return "nothing was changed; try again in a moment"
	case status >= 500 && status != http.StatusNotImplemented:
		return "the log of the server says more"
	case e.Code == "FAILED_PRECONDITION" && r.Method == http.MethodPatch && strings.HasPrefix(r.URL.Path, c.path+"/credentials/"):
		return "see what uses it with levee locations list; update has --force"
	case status == http.StatusBadRequest && (e.Code == "FAILED_PRECONDITION" || r.Method == http.MethodDelete):
		return "see what is in it or uses it with the command list; delete has --force"
	}
	return "the command with --help says what it takes"
}

// hidden says why there may be what is not found. Without a token nothing is hidden.
func (c *Client) hidden() string {
	if c.token == "" {
		return ""
	}
	return "; or you may not use it: it takes USE CATALOG on the catalog and USE SCHEMA on the schema"
}
