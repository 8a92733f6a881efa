package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What the tests of cases share, beside the harness. A case runs as a subtest, whose
// name begins with its number, and makes its own tables.

// Types of errors of the Delta API.
const (
	badRequest     = "BadRequestException"
	badValue       = "InvalidParameterValueException"
	badInput       = badRequest + "|" + badValue // for what may count as either
	unsupported    = "UnsupportedTableFormatException"
	denied         = "PermissionDeniedException"
	notFound       = "NotFoundException"
	noCatalog      = "NoSuchCatalogException"
	noSchema       = "NoSuchSchemaException"
	noTable        = "NoSuchTableException"
	exists         = "AlreadyExistsException"
	versionTaken   = "CommitVersionConflictException"
	requirement    = "UpdateRequirementConflictException"
	exhausted      = "ResourceExhaustedException"
	notImplemented = "NotImplementedException"
)

const (
	maxInt64  = json.Number("9223372036854775807")
	overInt64 = json.Number("9223372036854775808")
	absentID  = "00000000-0000-4000-8000-000000000000"
)

// run runs a case.
func (a *api) run(name string, fn func(a *api)) {
	a.TB.(*testing.T).Run(name, func(t *testing.T) {
		fn(&api{TB: t, handler: a.handler, log: a.log})
	})
}

// serve sends a request with headers, given as name and value in turn.
func (a *api) serve(method, path, body string, header ...string) *http.Response {
	r := httptest.NewRequest(method, "http://x"+path, strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	a.handler.ServeHTTP(w, r)
	return w.Result()
}

// leaks are marks of the inside of the server, which no message may show.
var leaks = []string{"json: cannot", "Go ", "sql", "SQL", "types.", ".go:", "goroutine", "%!"}

// fails sends a request that must be refused in the shape of its API with this status
// and one of the codes, separated by |, in a message that names places.
func (a *api) fails(method, path, body string, status int, codes string, places ...string) {
	a.Helper()
	res := a.serve(method, path, body)
	if method == "HEAD" {
		if res.StatusCode != status {
			a.Errorf("HEAD %s: got %d, want %d", path, res.StatusCode, status)
		}
		return
	}
	a.refusedAs(res, method+" "+path+" "+body, status, codes, places...)
}

func (a *api) refusedAs(res *http.Response, request string, status int, codes string, places ...string) {
	a.Helper()
	if len(request) > 400 {
		request = request[:400] + "…"
	}
	var data json.RawMessage
	d := json.NewDecoder(res.Body)
	if err := d.Decode(&data); err != nil || res.Header.Get("Content-Type") != "application/json" {
		a.Errorf("%s: got %d %s with no JSON (%v), want %d %s", request, res.StatusCode, res.Header.Get("Content-Type"), err, status, codes)
		return
	}
	code, message := refusal(data)
	if res.StatusCode != status || !slices.Contains(strings.Split(codes, "|"), code) || message == "" {
		a.Errorf("%s: got %d %.300s, want %d %s", request, res.StatusCode, data, status, codes)
		return
	}
	if len(message) > 2000 {
		a.Errorf("%s: the message has %d bytes", request, len(message))
	}
	for _, p := range places {
		if !strings.Contains(message, p) {
			a.Errorf("%s: the message %q does not name %q", request, message, p)
		}
	}
	for _, l := range leaks {
		if strings.Contains(message, l) {
			a.Errorf("%s: the message %q shows the inside of the server", request, message)
		}
	}
}

// refusal reads an error of either API. The code is "" if the shape is that of none.
func refusal(data []byte) (code, message string) {
	var v struct {
		Error *struct {
			Message, Type string
			Code          int
		}
		Code    string `json:"error_code"`
		RPC     int    `json:"code"`
		Message string
		Details []struct {
			Type   string `json:"@type"`
			Reason string
		}
	}
	if json.Unmarshal(data, &v) != nil {
		return "", ""
	}
	if v.Error != nil {
		if v.Error.Code < 400 || v.Code != "" {
			return "", ""
		}
		return v.Error.Type, v.Error.Message
	}
	if v.RPC != 0 && v.Code == "" && len(v.Details) > 0 { // of the root mount
		v.Code = v.Details[0].Reason
	}
	if len(v.Details) == 0 || v.Details[0].Reason != v.Code || v.Details[0].Type != "type.googleapis.com/google.rpc.ErrorInfo" {
		return "", ""
	}
	return v.Code, v.Message
}

// parallel sends n requests at once and counts the answers by status and code.
func (a *api) parallel(n int, request func(i int) (method, path, body string)) map[string]int {
	got := make([]string, n)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		method, path, body := request(i)
		wg.Go(func() {
			<-start
			status, data, _ := a.call(method, path, body)
			code, _ := refusal(data)
			got[i] = strings.TrimSpace(fmt.Sprint(status, " ", code))
		})
	}
	close(start)
	wg.Wait()
	count := map[string]int{}
	for _, g := range got {
		count[g]++
	}
	return count
}

// An edit changes decoded JSON, such as a request.
type edit func(v object)

// put sets the value at a path, which is one of function at.
func put(value any, path ...any) edit {
	last := len(path) - 1
	return func(v object) {
		switch parent := at(v, path[:last]...).(type) {
		case object:
			parent[path[last].(string)] = value
		case []any:
			parent[path[last].(int)] = value
		}
	}
}

// cut removes what is at a path.
func cut(path ...any) edit {
	return func(v object) {
		delete(at(v, path[:len(path)-1]...).(object), path[len(path)-1].(string))
	}
}

// add appends to the list at a path, and makes it if there is none; drop removes from it.
func add(value any, path ...any) edit {
	return func(v object) {
		list, _ := at(v, path...).([]any)
		put(append(slices.Clone(list), value), path...)(v)
	}
}

func drop(value any, path ...any) edit {
	return func(v object) {
		put(slices.DeleteFunc(slices.Clone(at(v, path...).([]any)), func(x any) bool { return x == value }), path...)(v)
	}
}

// edited applies edits to v, and returns it.
func edited(v object, edits ...edit) object {
	for _, e := range edits {
		e(v)
	}
	return v
}

func both(edits ...edit) edit { return func(v object) { edited(v, edits...) } }

var serial atomic.Int64

// fresh is a name that no table had.
func (a *api) fresh() string { return "t" + strconv.FormatInt(serial.Add(1), 10) }

// table makes a managed table of a fresh name.
func (a *api) table(edits ...edit) *tab {
	a.Helper()
	return a.managed(a.fresh(), both(edits...))
}

// externalBody is a valid create request for an external table.
func externalBody(name string) object {
	return object{
		"name": name, "location": "s3://bkt/" + name, "table-type": "EXTERNAL", "columns": columns(field("id", "long")),
		"protocol": object{"min-reader-version": 1, "min-writer-version": 2}, "last-commit-timestamp-ms": 1000,
	}
}

// external makes an external table of a fresh name.
func (a *api) external(edits ...edit) *tab {
	a.Helper()
	req := edited(externalBody(a.fresh()), edits...)
	v := a.ok("POST", t1, body(req))
	return &tab{a, at(v, "metadata", "table-uuid").(string), at(v, "metadata", "location").(string), t1 + "/" + req["name"].(string)}
}

func field(name, kind any) object {
	return object{"name": name, "type": kind, "nullable": true, "metadata": object{}}
}

func columns(fields ...any) object { return object{"type": "struct", "fields": fields} }

func (t *tab) load() object {
	t.Helper()
	return t.ok("GET", t.path, "")
}

// do sends an update that must succeed.
func (t *tab) do(actions ...object) object {
	t.Helper()
	return t.ok("POST", t.path, t.update(actions...))
}

// with is an update with one more requirement.
func (t *tab) with(require object, actions ...object) string {
	return body(object{"requirements": []any{require, object{"type": "assert-table-uuid", "uuid": t.id}}, "updates": actions})
}

func etagIs(etag any) object { return object{"type": "assert-etag", "etag": etag} }

// refuses sends an update that must be refused and change nothing.
func (t *tab) refuses(status int, codes string, action object, more ...object) {
	t.Helper()
	t.refusesBody(t.update(append([]object{action}, more...)...), status, codes)
}

func (t *tab) refusesBody(body string, status int, codes string, places ...string) {
	t.Helper()
	before := t.load()
	t.fails("POST", t.path, body, status, codes, places...)
	if diff := cmp.Diff(before, t.load()); diff != "" {
		t.Errorf("%s: refused, but the table changed:\n%s", body, diff)
	}
}

// same reports a difference between decoded JSON and Go values of the same JSON.
func (a *api) same(what string, got, want any) {
	a.Helper()
	if diff := cmp.Diff(a.decode([]byte(body(object{"": want}))), a.decode([]byte(body(object{"": got})))); diff != "" {
		a.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// has compares some members of decoded JSON.
func (a *api) has(got, want object) {
	a.Helper()
	for k, w := range want {
		a.same(k, got[k], w)
	}
}

func metadata(v object, name string) any { return at(v, "metadata", name) }

func property(v object, name string) any { return at(v, "metadata", "properties", name) }
