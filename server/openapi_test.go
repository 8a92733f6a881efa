package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/config"
	"github.com/pb33f/libopenapi-validator/errors"
	"github.com/pb33f/libopenapi-validator/responses"
	"github.com/pb33f/libopenapi-validator/schema_validation"
	"github.com/pb33f/libopenapi/datamodel/high/base"
	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"
	"github.com/pb33f/libopenapi/orderedmap"

	openapi "github.com/leveelake/catalog/api"
	"github.com/leveelake/catalog/storage/memory"
)

// A document is one of the documents of package api.
type document struct {
	*v3.Document
	root     string // of its paths
	version  float32
	failure  string              // the schema of an error of any kind
	spell    func(string) string // how it spells names that may be spelled otherwise; nil if none may
	requests validator.Validator // and the document itself
	answers  responses.ResponseBodyValidator
	closed   *v3.Paths // of a document whose answers have no other members than it names
}

func compile(data []byte, root string, version float32, failure string, spell func(string) string) (*document, error) {
	open, model, err := read(data)
	if err != nil {
		return nil, err
	}
	// The document leaves its answers open, so that a later server may say more.
	_, shut, err := read(answers.ReplaceAll(data, []byte("$0      additionalProperties: false\n")))
	if err != nil {
		return nil, err
	}
	requests, errs := validator.NewValidator(open, config.WithoutSecurityValidation())
	if len(errs) > 0 {
		return nil, fmt.Errorf("%v", errs)
	}
	return &document{model, root, version, failure, spell, requests, responses.NewResponseBodyValidator(shut), shut.Paths}, nil
}

func read(data []byte) (libopenapi.Document, *v3.Document, error) {
	parsed, err := libopenapi.NewDocument(data)
	if err != nil {
		return nil, nil, err
	}
	model, err := parsed.BuildV3Model()
	if err != nil {
		return nil, nil, err
	}
	return parsed, &model.Model, nil
}

// answers finds the schemas of what the server says.
var answers = regexp.MustCompile(`(?m)^    (DeltaCatalogConfig|DeltaStagingTableResponse|Features|DeltaProtocol|DeltaListTablesResponse|DeltaTableSummary|` +
	`DeltaLoadTableResponse|DeltaTableMetadata|Delta(Struct|Array|Map)Type|DeltaStructField|DeltaCommit|DeltaUniformMetadata|` +
	`DeltaCredentialsResponse|DeltaStorageCredential|TableMetrics|CommitReport|FileSizeHistogram|DeltaGetCommitsResponse|DeltaCommitInfo|` +
	`(Catalog|Schema|Table|Column|StagingTable|Credential|ExternalLocation|Token)Info|List(Catalogs|Schemas|Tables|TableSummaries|Credentials|ExternalLocations|Tokens)Response|` +
	`TableSummary|GetTableExistsResponse|Azure(ServicePrincipal|ManagedIdentity|StorageKey)|Aws(IamRole|AccessKey)|GcpServiceAccountKey|ValidateCredentialResponse|` +
	`TemporaryCredentials|(Effective)?PermissionsList|(Effective)?PrivilegeAssignment|EffectivePrivilege|IssuedToken|AccessToken|TokenError|MetastoreSummary|No(Volumes|Functions|Models)):\n`)

// documents are those of a path and, if it ends in a slash, of all below it; the first that fits counts. They are
// compiled once for all tests.
var documents = []struct {
	prefix   string
	compiled func() (*document, error)
}{
	{delta + "/", sync.OnceValues(func() (*document, error) {
		return compile(openapi.Delta, unity, 3.1, "DeltaErrorResponse", nil)
	})},
	{unity + "/delta/preview/commits", olderDocument},
	{unityAlias + "/delta/preview/commits", olderDocument},
	{unity + "/openapi.yaml", nil},
	{unityAlias + "/openapi.yaml", nil},
	{"/openapi.yaml", nil},
	{unity + "/delta", nil},
	{unity + "/delta/", nil},
	{"/api", managementDocument},
	{"/api/", managementDocument},
	{"/oauth2/token", managementDocument},
	{"/", sync.OnceValues(func() (*document, error) { return compile(openapi.Root, "", 3.1, "Error", camel) })},
}

const unityAlias = "/api/2.0/unity-catalog"

var (
	olderDocument      = sync.OnceValues(func() (*document, error) { return compile(openapi.Commits, unity, 3.0, "Error", nil) })
	managementDocument = sync.OnceValues(func() (*document, error) { return compile(openapi.Management, unity, 3.1, "Error", snake) })
)

// documentOf is the document that a path belongs to, or nil.
func documentOf(t testing.TB, path string) *document {
	t.Helper()
	for _, of := range documents {
		if path == of.prefix || strings.HasSuffix(of.prefix, "/") && strings.HasPrefix(path, of.prefix) {
			if of.compiled == nil {
				return nil
			}
			d, err := of.compiled()
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
	}
	return nil
}

// oneAtATime guards the validator, which keeps what it has rendered without a lock.
var oneAtATime sync.Mutex

// fits holds a value to a schema of d.
func (d *document) fits(schema *base.SchemaProxy, value any) error {
	oneAtATime.Lock()
	defer oneAtATime.Unlock()
	return d.holds(schema, value)
}

func (d *document) holds(schema *base.SchemaProxy, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if string(data) == "null" {
		return fmt.Errorf("it is null") // no schema of ours allows it, but the validator lets it pass
	}
	_, errs := schema_validation.NewSchemaValidator().ValidateSchemaBytesWithVersion(schema.Schema(), data, d.version)
	return problems(errs)
}

func problems(errs []*errors.ValidationError) error {
	if len(errs) == 0 {
		return nil
	}
	var text []string
	for _, e := range errs {
		text = append(text, e.Message+": "+e.Reason)
		for _, s := range e.SchemaValidationErrors {
			text = append(text, s.FieldPath+": "+s.Reason)
		}
	}
	return fmt.Errorf("%s", strings.Join(text, "\n\t"))
}

// maxValidated is the longest body that is validated: longer ones are many times the same.
const maxValidated = 1 << 20

// validated is h under the eyes of the documents: each answer must be one of those that the
// document has for the operation, in every member, and who sends what the document forbids
// must be refused.
func validated(t testing.TB, h http.Handler) http.Handler {
	for _, of := range documents {
		documentOf(t, of.prefix) // here, where a test may end
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d := documentOf(t, r.URL.EscapedPath())
		if d == nil || d != documentOf(t, r.URL.Path) { // the prefix itself is escaped
			h.ServeHTTP(w, r)
			return
		}
		sent, _ := io.ReadAll(io.LimitReader(r.Body, maxValidated+1)) // an error comes to h, too
		asked := d.asked(r)
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(sent), r.Body), r.Body}

		got := httptest.NewRecorder()
		h.ServeHTTP(got, r)
		maps.Copy(w.Header(), got.Header())
		w.WriteHeader(got.Code)
		_, _ = w.Write(got.Body.Bytes())

		if err := d.judge(asked, sent, got); err != nil {
			t.Errorf("%s %s %.500s\n\tanswered with %d %.1000s\n\t%v", r.Method, r.URL, sent, got.Code, got.Body, err)
		}
	})
}

// judge tells what is wrong with an answer by the document.
func (d *document) judge(asked *http.Request, sent []byte, got *httptest.ResponseRecorder) error {
	oneAtATime.Lock()
	defer oneAtATime.Unlock()
	body := got.Body.Bytes()
	item, pattern, op := d.operation(asked)
	var declared *v3.Response
	if op != nil {
		declared = op.Responses.Codes.GetOrZero(fmt.Sprint(got.Code))
	}
	switch {
	case op == nil && asked.Method == http.MethodHead:
		return nil // HTTP lets HEAD be where GET is
	case op == nil && slices.Contains(d.elsewhere(), got.Code):
		return d.holds(d.Components.Schemas.GetOrZero(d.failure), json.RawMessage(body))
	case op == nil:
		return fmt.Errorf("the document has no such operation")
	case declared == nil:
		return fmt.Errorf("the document has no such status")
	case asked.Method == http.MethodHead || len(body) > maxValidated:
	case (declared.Content != nil) != (len(body) > 0):
		return fmt.Errorf("the document has another opinion of whether there is a body")
	case string(bytes.TrimSpace(body)) == "null":
		return fmt.Errorf("the body is null") // which the validator lets pass
	case len(body) > 0:
		if _, errs := d.answers.ValidateResponseBodyWithPathItem(asked, got.Result(), d.closed.PathItems.GetOrZero(pattern), pattern); len(errs) > 0 {
			return problems(errs)
		}
	}
	if got.Code/100 != 2 || len(sent) > maxValidated {
		return nil
	}
	query := asked.URL.Query()
	for name, values := range query {
		query[name] = values[:1] // the only one that counts
	}
	for _, p := range op.Parameters {
		switch v := query.Get(p.Name); {
		case p.AllowEmptyValue && v == "":
			query.Del(p.Name) // the validator does not know of it
		case v != "" && slices.Contains(p.Schema.Schema().Type, "boolean"):
			query.Set(p.Name, strings.ToLower(v)) // as the document says in words
		}
	}
	asked.URL.RawQuery = query.Encode()
	if op.RequestBody != nil {
		for kind := range op.RequestBody.Content.KeysFromOldest() {
			asked.Header.Set("Content-Type", kind) // the document says in words what else will do
		}
	}
	asked.Body = io.NopCloser(bytes.NewReader(d.spelled(sent)))
	if _, errs := d.requests.ValidateHttpRequestSyncWithPathItem(asked, item, pattern); len(errs) > 0 {
		return fmt.Errorf("the document forbids the request: %w", problems(errs))
	}
	return nil
}

// operation finds what a request asks for, and the path in the document's spelling. A
// path is taken as it came, since an escaped slash separates nothing.
func (d *document) operation(r *http.Request) (*v3.PathItem, string, *v3.Operation) {
	for pattern, item := range d.Paths.PathItems.FromOldest() {
		glob := placeholder.ReplaceAllLiteralString(d.root+pattern, "*")
		if ok, _ := path.Match(glob, r.URL.EscapedPath()); ok {
			if r.Method != strings.ToUpper(r.Method) {
				return item, pattern, nil // get is another method than GET
			}
			return item, pattern, item.GetOperations().GetOrZero(strings.ToLower(r.Method))
		}
	}
	return nil, "", nil
}

var placeholder = regexp.MustCompile(`{\w+}`)

func TestOpenAPIDocuments(t *testing.T) {
	for _, of := range documents {
		d := documentOf(t, of.prefix)
		if d == nil {
			continue
		}
		prefix := of.prefix
		if _, errs := d.requests.ValidateDocument(); len(errs) > 0 {
			t.Errorf("%s: %v", prefix, problems(errs))
		}
		d.checkExamples(t)
	}
	broken := bytes.Replace(openapi.Delta, []byte("in: path"), []byte("in: nowhere"), 1)
	d, err := compile(broken, unity, 3.1, "DeltaErrorResponse", nil)
	if err != nil {
		t.Fatal(err)
	}
	if ok, _ := d.requests.ValidateDocument(); ok {
		t.Error("a parameter that is nowhere is valid")
	}
}

// checkExamples holds each example to the schema beside it.
func (d *document) checkExamples(t *testing.T) {
	t.Helper()
	used := map[string]bool{}
	check := func(where string, schema *base.SchemaProxy, examples *orderedmap.Map[string, *base.Example]) {
		for name, e := range examples.FromOldest() {
			used[name] = true
			if err := d.fits(schema, plain(t, e.Value)); err != nil {
				t.Errorf("%s: example %s: %v", where, name, err)
			}
		}
	}
	for pattern, item := range d.Paths.PathItems.FromOldest() {
		for method, op := range item.GetOperations().FromOldest() {
			where := method + " " + pattern
			for _, p := range slices.Concat(item.Parameters, op.Parameters) {
				check(where, p.Schema, p.Examples)
				if p.Example == nil {
					continue
				}
				if err := d.fits(p.Schema, plain(t, p.Example)); err != nil {
					t.Errorf("%s: example of %s: %v", where, p.Name, err)
				}
			}
			contents := []*orderedmap.Map[string, *v3.MediaType]{}
			if op.RequestBody != nil {
				contents = append(contents, op.RequestBody.Content)
			}
			for _, r := range op.Responses.Codes.FromOldest() {
				contents = append(contents, r.Content)
			}
			for _, content := range contents {
				for _, m := range content.FromOldest() {
					check(where, m.Schema, m.Examples)
				}
			}
		}
	}
	for name := range d.Components.Examples.KeysFromOldest() {
		if !used[name] {
			t.Errorf("example %s is that of nothing", name)
		}
	}
}

// plain is what an example says.
func plain(t testing.TB, n interface{ Decode(any) error }) any {
	t.Helper()
	var v any
	if err := n.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestOpenAPIRoutes holds the document to have what GET config tells, and nothing else.
func TestOpenAPIRoutes(t *testing.T) {
	a := newAPI(t, memory.New())
	served := []string{"GET /v1/config"}
	for _, e := range a.ok("GET", delta+"/config?catalog=c1&protocol-versions=1.0", "")["endpoints"].([]any) {
		served = append(served, e.(string))
	}
	var documented []string
	for pattern, item := range documentOf(t, delta+"/").Paths.PathItems.FromOldest() {
		for method := range item.GetOperations().KeysFromOldest() {
			documented = append(documented, strings.ToUpper(method)+" "+strings.TrimPrefix(pattern, "/delta"))
		}
	}
	slices.Sort(served)
	slices.Sort(documented)
	if diff := cmp.Diff(served, documented); diff != "" {
		t.Errorf("what is served (-) and what the document has (+) differ:\n%s", diff)
	}
}

// TestOpenAPIValidated shows what validated finds.
func TestOpenAPIValidated(t *testing.T) {
	const (
		load  = `{"metadata":{"etag":"e","table-type":"MANAGED","table-uuid":"8f14e45f-ceea-467f-ab3d-6f2b5a1c9d07","location":"s3://a/b","created-time":1,"updated-time":1,"columns":{"type":"struct","fields":[{"name":"a","type":{"type":"array","element-type":"long","contains-null":true},"nullable":true,"metadata":{}}]},"partition-columns":[],"properties":{}},"commits":[],"latest-table-version":0}`
		gone  = `{"error":{"message":"m","type":"NoSuchTableException","code":404}}`
		stage = s1 + "/staging-tables"

		summary       = `{"metastore_id":"8f14e45f-ceea-467f-ab3d-6f2b5a1c9d07","name":"m","owner":null}`
		catalogOfRoot = `{"id":"8f14e45f-ceea-467f-ab3d-6f2b5a1c9d07","name":"c","catalogType":1,"properties":{},"createdAt":"5","updatedAt":"6"}`
	)
	for _, c := range []struct {
		request, body string
		status        int
		answer        string
		found         string // in the complaint; "" for none
	}{
		{"GET " + t1 + "/t", "", 200, load, ""},
		{"GET " + t1 + "/t", "", 404, gone, ""},
		{"HEAD " + t1 + "/t", "", 204, "", ""},
		{"POST " + stage, `{"name":"a b"}`, 400, `{"error":{"message":"m","type":"InvalidParameterValueException","code":400}}`, ""},
		{"GET " + delta + "/nope", "", 404, `{"error":{"message":"m","type":"NotFoundException","code":404}}`, ""},
		{"GET " + unity + "/delta/openapi.yaml", "", 200, `[]`, ""}, // of no document

		{"GET " + t1 + "/t", "", 200, strings.Replace(load, `,"latest-table-version":0`, "", 1), "latest-table-version"},
		{"GET " + t1 + "/t", "", 200, strings.Replace(load, "element-type", "elementType", 1), "element"},
		{"GET " + t1 + "/t", "", 200, strings.Replace(load, `"long"`, `"bigint"`, 1), "type"},
		{"GET " + t1 + "/t", "", 200, strings.Replace(load, `"etag":"e"`, `"etag":null`, 1), "etag"},
		{"GET " + t1 + "/t", "", 200, strings.Replace(load, `"etag"`, `"comment":"c","etag"`, 1), "comment"},
		{"GET " + t1 + "/t", "", 200, strings.Replace(load, `"s3://a/b"`, `"s3://a/b/"`, 1), "location"},
		{"GET " + t1 + "/t", "", 200, "", "body"},
		{"GET " + t1 + "/t", "", 200, "null", "null"},
		{"GET " + t1 + "/t", "", 201, load, "201"},
		{"GET " + t1 + "/t", "", 404, strings.Replace(gone, "404", "400", 1), "404"},
		{"GET " + t1 + "/t", "", 404, strings.Replace(gone, "NoSuchTable", "AlreadyExists", 1), "type"},
		{"GET " + t1 + "/t", "", 404, strings.Replace(gone, `"code"`, `"stack":[],"code"`, 1), "stack"},
		{"HEAD " + t1 + "/t", "", 200, "", "200"},
		{"DELETE " + t1 + "/t", "", 204, "", ""},
		{"POST " + t1 + "/t/rename", `{"new-name":"a b"}`, 204, "", "new-name"},
		{"POST " + t1 + "/t/rename", ``, 204, "", "body"},
		{"GET " + t1 + "/t/credentials?operation=read", "", 200, `{"storage-credentials":[{"prefix":"file:///a/","operation":"READ","expiration-time-ms":1,"config":{}}]}`, "operation"},
		{"GET " + t1 + "/a%2Eb", "", 200, load, "table"},
		{"GET " + t1 + "?max-results=&page-token=", "", 200, `{"tables":[]}`, ""},
		{"GET " + t1 + "?max-results=x", "", 200, `{"tables":[]}`, "max-results"},
		{"GET " + delta + "/nope", "", 200, "{}", "no such operation"},
		{"GET " + delta + "/nope", "", 404, "{}", "error"},
		{"get " + t1 + "/t", "", 405, `{"error":{"message":"m","type":"BadRequestException","code":405}}`, ""},
		{"PUT " + t1 + "/t", "", 405, `{"error":{"message":"m","type":"Nope","code":405}}`, "type"},

		{"GET " + unity + "/metastore_summary", "", 200, summary, ""},
		{"GET " + unity + "/metastore_summary/", "", 200, summary, ""},
		{"GET " + unityAlias + "/metastore_summary", "", 200, summary, ""},
		{"GET " + unity + "/metastore_summary", "", 200, strings.Replace(summary, `"owner"`, `"x":1,"owner"`, 1), "x"},
		{"GET " + unityAlias + "/metastore_summary", "", 200, strings.Replace(summary, `,"owner":null`, "", 1), "owner"},
		{"GET /metastore_summary", "", 200, summary, "no such operation"},
		{"GET " + unity + "/tables/c.s.t/exists", "", 200, `{"table_exists":false}`, ""},
		{"GET " + unity + "/tables/c.s.t/exists", "", 200, `{"tableExists":false}`, "tableExists"},
		{"GET /tables/c.s.t/exists", "", 200, `{"tableExists":false}`, ""},
		{"GET /tables/c.s.t/exists", "", 200, `{"table_exists":false}`, "table_exists"},
		{"GET /tables/c.s/exists", "", 200, `{"tableExists":false}`, "fullName"},
		{"GET /external-locations", "", 200, `{"externalLocations":[]}`, ""},
		{"GET " + unity + "/external_locations", "", 200, `{"external_locations":[]}`, ""},
		{"GET /catalogs?max_results=-1", "", 200, `{"catalogs":[]}`, "maxResults"},
		{"GET " + unity + "/schemas?catalogName=c", "", 200, `{"schemas":[]}`, ""},
		{"GET " + unity + "/schemas", "", 200, `{"schemas":[]}`, "catalog_name"},
		{"DELETE " + unity + "/catalogs/c?force=TRUE", "", 200, `{}`, ""},
		{"DELETE " + unity + "/catalogs/c?force=yes", "", 200, `{}`, "force"},
		{"DELETE /catalogs/c", "", 200, `{"a":1}`, "a"},
		{"POST /catalogs", `{"name":"c"}`, 200, catalogOfRoot, ""},
		{"POST /catalogs", `{"name":"c"}`, 200, strings.Replace(catalogOfRoot, `"5"`, `5`, 1), "createdAt"},
		{"POST /catalogs", `{"name":"c"}`, 200, strings.Replace(catalogOfRoot, `"catalogType":1`, `"catalogType":"MANAGED_CATALOG"`, 1), "catalogType"},
		{"POST /catalogs", `{"name":"c"}`, 200, strings.Replace(catalogOfRoot, `"id"`, `"owner":null,"id"`, 1), "owner"},
		{"POST /catalogs", `{"name":"c"}`, 201, catalogOfRoot, "201"},
		{"POST /credentials", `{"name":"c","purpose":9,"aws_access_key":{"accessKeyId":"a","secretAccessKey":"b"}}`, 200, "{}", "purpose"},
		{"GET /catalogs/c", "", 404, `{"code":5,"message":"m","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"CATALOG_NOT_FOUND","domain":"unitycatalog"}]}`, ""},
		{"GET /catalogs/c", "", 404, `{"code":6,"message":"m","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"CATALOG_NOT_FOUND","domain":"unitycatalog"}]}`, "code"},
		{"GET /catalogs/c", "", 404, `{"error_code":"CATALOG_NOT_FOUND","message":"m","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"CATALOG_NOT_FOUND"}]}`, "error_code"},
		{"POST " + unity + "/volumes", "{}", 501, `{"error_code":"UNIMPLEMENTED","message":"m","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"UNIMPLEMENTED"}]}`, ""},
	} {
		found := &complaints{TB: t}
		a := &api{TB: t, handler: validated(found, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.answer)
		}))}
		method, path, _ := strings.Cut(c.request, " ")
		a.call(method, path, c.body)
		if text := strings.Join(found.list, "\n"); (text == "") != (c.found == "") || !strings.Contains(text, c.found) {
			t.Errorf("%s answered with %d %s: found %q, want %q", c.request, c.status, c.answer, text, c.found)
		}
	}
}

// complaints keeps what a test would complain of.
type complaints struct {
	testing.TB
	list []string
}

func (c *complaints) Errorf(format string, args ...any) {
	c.list = append(c.list, fmt.Sprintf(format, args...))
}
