package server_test

import (
	"regexp"
	"strings"
)

// An operation is what the page has a row for: its requests on each face, one a line, that all come to the
// same. The root mount is asked as the Unity Catalog REST API is, but in its own spelling.
type operation struct {
	delta, unity, commits string
	shows                 string // names, one at least, that a list has or has not
	spoils                bool   // the world is not what it was when it is done
}

const (
	inDelta     = "/catalogs/{c}/schemas/{s}/tables"
	inUnity     = `"catalog_name":"{c}","schema_name":"{s}"`
	fullM       = "{c}.{s}.{m}"
	fullX       = "{c}.{s}.{x}"
	newExternal = `{"name":"{n}","location":"$","table-type":"EXTERNAL","columns":{"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}}]},"protocol":{"min-reader-version":1,"min-writer-version":2},"last-commit-timestamp-ms":1}`
	newTable    = `{"name":"{n}",` + inUnity + `,"table_type":"EXTERNAL","data_source_format":"DELTA","storage_location":"$","columns":[{"name":"id","type_name":"LONG","type_text":"bigint","position":0}]}`
	newKey      = `{"name":"{n}","purpose":"STORAGE","aws_iam_role":{"role_arn":"arn:aws:iam::123456789012:role/r"}}`
	oneCommit   = `{"version":1,"timestamp":1001,"file-name":"f1","file-size":1,"file-modification-timestamp":1}`
)

func externalAt(location string) operation {
	return operation{
		delta: "POST " + inDelta + " " + strings.Replace(newExternal, "$", location, 1),
		unity: "POST /tables " + strings.Replace(newTable, "$", location, 1),
	}
}

func updateOf(table, id, action string) string {
	return "POST " + inDelta + "/" + table + ` {"requirements":[{"type":"assert-table-uuid","uuid":"` + id + `"}],"updates":[` + action + `]}`
}

func patching(path, body string) operation {
	return operation{unity: "PATCH " + path + " " + body, spoils: !strings.Contains(body, "comment")}
}

func removing(path string) operation { return operation{unity: "DELETE " + path, spoils: true} }

func grantsOf(on string) operation {
	return operation{unity: "GET /permissions/" + on + "\nGET /effective-permissions/" + on + "\nGET /permissions/" + on + "?principal=joe"}
}

func grantOn(on, privilege string) operation {
	return operation{unity: "PATCH /permissions/" + on + ` {"changes":[{"principal":"zoe","add":["` + privilege + `"]}]}`}
}

// pathKeys is where keys to a path are asked for; each is one of the Unity Catalog REST API's names for it.
func pathKeys(location, op string, each ...string) operation {
	o := operation{delta: "GET /temporary-path-credentials?location=" + percent(location) + "&operation=" + op}
	for _, e := range each {
		o.unity += "POST /temporary-path-credentials " + body(object{"url": location, "operation": e}) + "\n"
	}
	return o
}

// fileKeys is where keys to a table are asked for.
func fileKeys(table, id, op string) operation {
	return operation{
		delta: "GET " + inDelta + "/" + table + "/credentials?operation=" + op,
		unity: `POST /temporary-table-credentials {"table_id":"` + id + `","operation":"` + op + `"}`,
	}
}

func together(a, b operation) operation {
	return operation{delta: a.delta + "\n" + b.delta, unity: a.unity + "\n" + b.unity}
}

// only is an operation on one of its faces.
func (o operation) only(face byte) operation {
	if face == 'D' {
		return operation{delta: o.delta, spoils: o.spoils}
	}
	return operation{unity: o.unity, spoils: o.spoils}
}

var operations = map[string]operation{
	"list catalogs":  {unity: "GET /catalogs", shows: "{c}"},
	"get catalog":    {unity: "GET /catalogs/{c}"},
	"config":         {delta: "GET /config?catalog={c}&protocol-versions=1.0"},
	"create catalog": {unity: `POST /catalogs {"name":"{n}"}`},
	"update catalog": patching("/catalogs/{c}", `{"comment":"{n}"}`),
	"rename catalog": patching("/catalogs/{c}", `{"new_name":"{n}"}`),
	"give catalog":   patching("/catalogs/{c}", `{"owner":"zoe"}`),
	"delete catalog": removing("/catalogs/{c}?force=true"),
	"list schemas":   {unity: "GET /schemas?catalog_name={c}", shows: "{s}"},
	"get schema":     {unity: "GET /schemas/{c}.{s}"},
	"create schema":  {unity: `POST /schemas {"name":"{n}","catalog_name":"{c}"}`},
	"update schema":  patching("/schemas/{c}.{s}", `{"comment":"{n}"}`),
	"rename schema":  patching("/schemas/{c}.{s}", `{"new_name":"{n}"}`),
	"give schema":    patching("/schemas/{c}.{s}", `{"owner":"zoe"}`),
	"delete schema":  removing("/schemas/{c}.{s}?force=true"),

	"list tables":     {delta: "GET " + inDelta, unity: "GET /tables?catalog_name={c}&schema_name={s}", shows: "{m} {x}"},
	"summaries":       {unity: "GET /table-summaries?catalog_name={c}", shows: "{c}.{s}.{m} {c}.{s}.{x}"},
	"load table":      {delta: "GET " + inDelta + "/{m}\nHEAD " + inDelta + "/{m}", unity: "GET /tables/" + fullX + "\nGET /tables/" + fullM},
	"exists":          {unity: "GET /tables/" + fullM + "/exists"},
	"stage":           {delta: "POST /catalogs/{c}/schemas/{s}/staging-tables {\"name\":\"{n}\"}", unity: `POST /staging-tables {"name":"{n}",` + inUnity + `}`},
	"create external": externalAt("file:///ext/{n}"),
	"create managed":  {delta: "POST " + inDelta + " {createD}", unity: "POST /tables {create}"},
	"update table":    {delta: updateOf("{x}", "{xid}", `{"action":"set-table-comment","comment":"{n}"}`)},
	"commit":          {delta: updateOf("{m}", "{mid}", `{"action":"add-commit","commit":`+oneCommit+`}`), spoils: true},
	"commit by ID":    {commits: `POST /delta/preview/commits {"table_id":"{mid}","table_uri":"{at}","commit_info":` + strings.ReplaceAll(oneCommit, "-", "_") + `}`, spoils: true},
	"commits by ID":   {commits: `GET /delta/preview/commits {"table_id":"{mid}","table_uri":"{at}","start_version":0}`},
	"report metrics":  {delta: "POST " + inDelta + `/{m}/metrics {"table-id":"{mid}","report":{"commit-report":{"num-files-added":1}}}`},
	"get metrics":     {delta: "GET " + inDelta + "/{m}/metrics"},
	"rename table":    {delta: "POST " + inDelta + `/{x}/rename {"new-name":"{n}"}`, spoils: true},
	"delete table":    {delta: "DELETE " + inDelta + "/{m}", unity: "DELETE /tables/" + fullX, spoils: true},
	"read files":      fileKeys("{m}", "{mid}", "READ").only('D'),
	"write files":     fileKeys("{m}", "{mid}", "READ_WRITE").only('D'),
	"read by ID":      fileKeys("{x}", "{xid}", "READ").only('U'),
	"write by ID":     fileKeys("{x}", "{xid}", "READ_WRITE").only('U'),
	"own staging":     {delta: "GET /staging-tables/{own}/credentials"},
	"staging":         {delta: "GET /staging-tables/{theirs}/credentials"},

	"grants of M": grantsOf("metastore/M"), "grant on M": grantOn("metastore/M", "CREATE CATALOG"),
	"grants of c": grantsOf("catalog/{c}"), "grant on c": grantOn("catalog/{c}", "USE CATALOG"),
	"grants of s": grantsOf("schema/{c}.{s}"), "grant on s": grantOn("schema/{c}.{s}", "USE SCHEMA"),
	"grants of t": grantsOf("table/" + fullX), "grant on t": grantOn("table/"+fullX, "SELECT"),
	"grants of k": grantsOf("credential/{k}"), "grant on k": grantOn("credential/{k}", "CREATE EXTERNAL LOCATION"),
	"grants of l": grantsOf("external_location/{l}"), "grant on l": grantOn("external_location/{l}", "READ FILES"),
	"tokens":  {unity: "GET /tokens\nPOST /tokens {\"principal\":\"zoe\"}\nDELETE /tokens/{token}", spoils: true},
	"summary": {unity: "GET /metastore_summary"},

	"create credential": {unity: "POST /credentials " + newKey},
	"list credentials":  {unity: "GET /credentials", shows: "{k}"},
	"get credential":    {unity: "GET /credentials/{k}\nPOST /validate-credentials {\"credential_name\":\"{k}\"}"},
	"update credential": patching("/credentials/{k}", `{"comment":"{n}"}`),
	"rename credential": patching("/credentials/{k}", `{"new_name":"{n}"}`),
	"give credential":   patching("/credentials/{k}", `{"owner":"zoe"}`),
	"delete credential": removing("/credentials/{k}?force=true"),
	"create location":   {unity: `POST /external-locations {"name":"{n}","url":"s3://bkt/{n}","credential_name":"{k}"}`},
	"list locations":    {unity: "GET /external-locations", shows: "{l}"},
	"get location":      {unity: "GET /external-locations/{l}\nPOST /validate-credentials {\"external_location_name\":\"{l}\"}"},
	"update location":   patching("/external-locations/{l}", `{"comment":"{n}"}`),
	"rename location":   patching("/external-locations/{l}", `{"new_name":"{n}"}`),
	"give location":     patching("/external-locations/{l}", `{"owner":"zoe"}`),
	"rebind location":   patching("/external-locations/{l}", `{"credential_name":"{k2}"}`),
	"delete location":   removing("/external-locations/{l}?force=true"),

	"read path":      pathKeys("s3://bkt/loc/new", "READ", "PATH_READ"),
	"write path":     pathKeys("s3://bkt/loc/new", "READ_WRITE", "PATH_READ_WRITE", "PATH_CREATE_TABLE"),
	"free path":      together(pathKeys("s3://bkt/free", "READ", "PATH_READ"), pathKeys("file:///free", "READ_WRITE", "PATH_READ_WRITE")),
	"create in l":    externalAt("s3://bkt/loc/{n}"),
	"create outside": together(externalAt("s3://bkt/free-{n}"), externalAt("file:///free/{n}/2")),
	"root in l":      rootAt("s3://bkt/loc/{n}"),
	"root outside":   rootAt("s3://bkt/free-{n}"),
	"read in l":      fileKeys("{in}", "{inid}", "READ"),
	"write in l":     fileKeys("{in}", "{inid}", "READ_WRITE"),
	"read outside":   fileKeys("{out}", "{outid}", "READ"),
	"write outside":  fileKeys("{out}", "{outid}", "READ_WRITE"),
}

// rootAt makes a catalog and a schema that have a storage root.
func rootAt(location string) operation {
	return operation{unity: `POST /catalogs {"name":"{n}","storage_root":"` + location + `"}` + "\n" + `POST /schemas {"name":"{n}","catalog_name":"{c}","storage_root":"` + location + `-2"}`}
}

// An ask is a request of an operation on a face.
type ask struct {
	face               byte
	method, path, body string
}

// asks are the requests of an operation on some faces.
func (o operation) asks(faces string) []ask {
	var out []ask
	for i := range faces {
		prefix, lines := unity, o.unity
		switch faces[i] {
		case 'D':
			prefix, lines = delta, o.delta
		case 'P':
			lines = o.commits
		case 'R':
			prefix, lines = "", camels.ReplaceAllStringFunc(strings.ReplaceAll(lines, "{create}", "{createR}"), camelFunc)
		}
		for line := range strings.SplitSeq(lines, "\n") {
			if line == "" {
				continue
			}
			method, rest, _ := strings.Cut(line, " ")
			path, body, _ := strings.Cut(rest, " ")
			out = append(out, ask{faces[i], method, prefix + path, strings.ReplaceAll(body, "{create}", "{createU}")})
		}
	}
	return out
}

// camels are the names of fields and parameters of more than one word.
var camels = regexp.MustCompile(`["?&][a-z]+(_[a-z]+)+["=]`)

func camelFunc(s string) string {
	return words.ReplaceAllStringFunc(s, func(w string) string { return strings.ToUpper(w[1:]) })
}

var words = regexp.MustCompile(`_[a-z]`)
