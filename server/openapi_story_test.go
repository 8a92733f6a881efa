package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/credentials/static"
	"github.com/leveelake/catalog/server"
	"github.com/leveelake/catalog/storage/memory"
)

// A story sends the requests among the examples of a document to a server. Its answers must
// be the examples of answers, but for IDs.
type story struct {
	*api
	document *document
	root     string   // of the paths
	real     []string // each ID of the server with that of the document
	shown    []string // and the other way round
}

// tell begins a story with catalog main and schema sales.
func tell(t *testing.T, root, document string) *story {
	t.Helper()
	s := begin(t, root, document)
	s.ok("POST", unity+"/catalogs", `{"name":"main"}`)
	s.ok("POST", unity+"/schemas", `{"name":"sales","catalog_name":"main"}`)
	return s
}

// begin begins a story with nothing.
func begin(t *testing.T, root, document string) *story {
	t.Helper()
	now := func() time.Time { return time.UnixMilli(1764495000456) }
	keys := map[string]string{"s3.access-key-id": "EXAMPLEKEYID", "s3.secret-access-key": "example-secret", "s3.session-token": "example-token"}
	vendor, err := static.New(static.Config{Prefix: "s3://lake", Keys: keys, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	master, err := catalog.ParseKeys(catalog.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.New(catalog.Config{Store: memory.New(), Vendor: vendor, Keys: master, ManagedRoot: "s3://lake/managed", Now: now})
	if err != nil {
		t.Fatal(err)
	}
	a := &api{TB: t, handler: validated(t, server.New(c, server.Config{}))}
	return &story{api: a, document: documentOf(t, document), root: root}
}

func (s *story) example(name string) any {
	s.Helper()
	e := s.document.Components.Examples.GetOrZero(name)
	if e == nil {
		s.Fatalf("there is no example %s", name)
	}
	return plain(s, e.Value)
}

// know notes the ID of something, and which one the document has for it.
func (s *story) know(id, as string) {
	s.real = append(s.real, id, as, id[:8], as[:8])
	s.shown = append(s.shown, as, id, as[:8], id[:8])
}

// learn notes all IDs and secrets of an answer in which the document has others.
func (s *story) learn(got, want any) {
	switch got := got.(type) {
	case object:
		want, _ := want.(object)
		for name, v := range got {
			s.learn(v, want[name])
		}
	case []any:
		want, _ := want.([]any)
		for i := range min(len(got), len(want)) {
			s.learn(got[i], want[i])
		}
	case string:
		want, _ := want.(string)
		id, secret, _ := strings.Cut(got, ".")
		as, random, _ := strings.Cut(want, ".")
		if !uuidForm.MatchString(id) || !uuidForm.MatchString(as) {
			return
		}
		if !slices.Contains(s.real, id) {
			s.know(id, as)
		}
		if secret != "" {
			s.real, s.shown = append(s.real, secret, random), append(s.shown, random, secret)
		}
	}
}

// send sends an example, "" for no body, with some of its text replaced, and compares the
// answer with another, "" for none.
func (s *story) send(request, example string, status int, answer string, replace ...string) {
	s.Helper()
	method, path, _ := strings.Cut(request, " ")
	text := ""
	if example != "" {
		text = body(s.example(example))
	}
	text = strings.NewReplacer(append(replace, s.shown...)...).Replace(text)
	got, data, _ := s.call(method, s.root+strings.NewReplacer(s.shown...).Replace(path), text)
	if got != status {
		s.Fatalf("%s %s: %d %s", request, text, got, data)
	}
	if answer == "" {
		return
	}
	want, _ := s.example(answer).(object)
	switch v := s.decode(data); {
	case s.document.spell != nil:
		s.learn(v, want)
	case answer == "Staged":
		s.know(v["table-id"].(string), want["table-id"].(string))
	case answer == "LoadedExternal":
		s.know(metadata(v, "table-uuid").(string), metadata(want, "table-uuid").(string))
	}
	s.same(answer, s.decode([]byte(strings.NewReplacer(s.real...).Replace(string(data)))), want)
}

func TestOpenAPIDeltaStory(t *testing.T) {
	s := tell(t, delta, delta+"/")
	const (
		schema = "/catalogs/main/schemas/sales"
		tables = schema + "/tables"
		orders = tables + "/orders"
	)
	version := func(n int) []string {
		return []string{`"version":1`, fmt.Sprintf(`"version":%d`, n), "00000001", fmt.Sprintf("%08d", n)}
	}
	s.send("GET /config?catalog=main&protocol-versions=1.1,2.3", "", 200, "Config")
	s.send("POST "+schema+"/staging-tables", "Stage", 200, "Staged")
	id := s.example("Staged").(object)["table-id"].(string)
	s.send("GET /staging-tables/"+id+"/credentials", "", 200, "WriteCredentials")
	s.send("POST "+tables, "CreateManaged", 200, "Created")
	s.send("POST "+tables, "CreateManaged", 409, "Taken")
	s.send("POST "+orders, "Commit", 200, "Committed")
	s.send("POST "+orders, "Commit", 409, "VersionTaken", "0d4f4bd8", "00000000")
	s.send("POST "+orders, "Alter", 200, "Altered")
	s.send("POST "+orders, "Alter", 409, "Stale", `"version":2`, `"version":3`)
	s.send("POST "+orders, "Commit", 400, "Gap", version(4)...)
	s.send("POST "+orders, "Backfill", 200, "Loaded")
	s.send("GET "+orders, "", 200, "Loaded")
	s.send("GET "+orders+"s", "", 404, "NoSuchTable")
	s.send("POST "+schema+"/staging-tables", "Stage", 400, "BadName", "orders", "all orders")
	s.send("GET "+orders+"/credentials?operation=READ", "", 200, "ReadCredentials")
	s.send("POST "+orders+"/metrics", "Report", 204, "")
	s.send("GET "+orders+"/metrics", "", 200, "Metrics")
	s.send("GET /temporary-path-credentials?location=s3://lake/raw/clicks&operation=READ_WRITE", "", 200, "PathCredentials")
	s.send("POST "+tables, "CreateExternal", 200, "LoadedExternal")
	s.send("GET "+tables+"?max-results=2", "", 200, "Tables")
	for n := 3; n <= 12; n++ {
		s.send("POST "+orders, "Commit", 200, "", version(n)...)
	}
	s.send("POST "+orders, "Commit", 429, "CommitLimit", version(13)...)
	s.send("POST "+orders+"/rename", "Rename", 204, "")
}

func TestOpenAPICommitsStory(t *testing.T) {
	s := tell(t, unity, unity+"/delta/preview/commits")
	const schema = delta + "/catalogs/main/schemas/sales"
	staged := s.ok("POST", schema+"/staging-tables", `{"name":"orders"}`)
	s.ok("POST", schema+"/tables", body(createBody("orders", staged)))
	s.know(staged["table-id"].(string), s.example("Commit").(object)["table_id"].(string))

	s.send("POST /delta/preview/commits", "Commit", 200, "Done")
	s.send("POST /delta/preview/commits", "Commit", 409, "VersionTaken", "0d4f4bd8", "00000000")
	s.send("POST /delta/preview/commits", "Metadata", 200, "Done")
	s.send("GET /delta/preview/commits", "Ask", 200, "Commits")
	s.send("POST /delta/preview/commits", "Backfill", 200, "Done")
	s.send("GET /delta/preview/commits", "Ask", 200, "Published")
}
