package server_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/server"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// bearer is an Authenticator that believes a token, Bearer name+group+group, what it says.
type bearer struct{}

func (bearer) Authenticate(r *http.Request) (string, []string, error) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	names := strings.Split(token, "+")
	if !ok || names[0] == "" {
		return "", nil, types.NotAuthorized.Errorf("there is no token")
	}
	return names[0], names[1:], nil
}

// s3Keys is a Vendor that has keys for all of S3.
func s3Keys(_ context.Context, r credentials.Request) (types.Credential, error) {
	return types.Credential{
		Prefix: r.Location + "/", Operation: r.Operation, Expiration: time.Now().Add(time.Hour),
		Config: map[string]string{types.S3AccessKeyID: "a", types.S3SecretAccessKey: "b", types.S3SessionToken: "c"},
	}, nil
}

// A world is a server with rights and all that the operations of the page are on. It belongs to ann, but for
// what is joe's, who asks.
type world struct {
	testing.TB
	handler http.Handler
	vars    map[string]string // what stands for a name in braces
	serial  int
}

const joe = "joe+g+h"

// newGuarded makes an empty server with rights, whose admin is root, and who may ask ann for the rest.
func newGuarded(t testing.TB, store storage.Store) (*world, *catalog.Catalog) {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	c, err := catalog.New(catalog.Config{
		Store: store, ManagedRoot: "file:///managed", Authorizer: catalog.Grants{}, Logger: quiet,
		Vendor: credentials.Mux{"s3": credentials.VendorFunc(s3Keys), "file": credentials.Local{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, handler: server.New(c, server.Config{Logger: quiet, Auth: bearer{}}), vars: map[string]string{}}
	w.admin(c, "root")
	w.grant("root", "metastore/M", "ann", "CREATE CATALOG", "CREATE STORAGE CREDENTIAL", "CREATE EXTERNAL LOCATION")
	return w, c
}

func (w *world) admin(c *catalog.Catalog, name string) {
	w.Helper()
	if err := c.SetAdmin(w.Context(), name); err != nil {
		w.Fatal(err)
	}
}

// send sends a request with its names filled in.
func (w *world) send(who, method, path, body string) (int, http.Header, string) {
	fill := w.filler()
	body = fill.Replace(fill.Replace(body)) // some stand for what has names in it
	r := httptest.NewRequest(method, "http://x"+fill.Replace(path), strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+who)
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	data, _ := io.ReadAll(rec.Result().Body)
	return rec.Code, rec.Result().Header, string(data)
}

func (w *world) filler() *strings.Replacer {
	list := make([]string, 0, 2*len(w.vars))
	for k, v := range w.vars {
		list = append(list, "{"+k+"}", v)
	}
	return strings.NewReplacer(list...)
}

// must sends a request that has to succeed.
func (w *world) must(who, method, path, body string) object {
	w.Helper()
	status, _, data := w.send(who, method, path, body)
	if status/100 != 2 {
		w.Fatalf("%s: %s %s %s: %d %s", who, method, path, body, status, data)
	}
	if data == "" {
		return nil
	}
	return (&api{TB: w}).decode([]byte(data))
}

func (w *world) change(who, on, change, principal string, privileges []string) {
	w.Helper()
	w.must(who, "PATCH", unity+"/permissions/"+on, body(object{"changes": []any{object{"principal": principal, change: privileges}}}))
}

func (w *world) grant(who, on, principal string, privileges ...string) {
	w.Helper()
	w.change(who, on, "add", principal, privileges)
}

// securables are what the page's short names of things are in paths. Of t there are several.
var securables = map[string][]string{
	"M": {"metastore/M"}, "c": {"catalog/{c}"}, "s": {"schema/{c}.{s}"}, "c2": {"catalog/{c2}"}, "s2": {"schema/{c}.{s2}"},
	"t": {"table/{c}.{s}.{m}", "table/{c}.{s}.{x}", "table/{c}.{s}.{in}", "table/{c}.{s}.{out}"},
	"k": {"credential/{k}"}, "k2": {"credential/{k2}"}, "l": {"external_location/{l}"},
}

// homes are where the owners of things are changed.
var homes = map[string]string{
	"c": "/catalogs/{c}", "s": "/schemas/{c}.{s}", "c2": "/catalogs/{c2}", "s2": "/schemas/{c}.{s2}",
	"k": "/credentials/{k}", "k2": "/credentials/{k2}", "l": "/external-locations/{l}",
}

const deltaTables = delta + "/catalogs/{c}/schemas/{s}/tables"

// newWorld makes a world in which joe has rights.
func newWorld(t testing.TB, store storage.Store, has []clause) *world {
	t.Helper()
	w, c := newGuarded(t, store)
	for k, v := range map[string]string{
		"c": "thecat", "s": "thesch", "c2": "cat2", "s2": "sch2", "m": "mtab", "x": "xtab", "in": "intab", "out": "outtab", "k": "thekey", "k2": "key2", "l": "theloc",
	} {
		w.vars[k] = v
	}
	role := object{"role_arn": "arn:aws:iam::123456789012:role/r"}
	w.must("ann", "POST", unity+"/catalogs", `{"name":"{c}"}`)
	w.must("ann", "POST", unity+"/catalogs", `{"name":"{c2}"}`)
	w.must("ann", "POST", unity+"/schemas", `{"name":"{s}","catalog_name":"{c}"}`)
	w.must("ann", "POST", unity+"/schemas", `{"name":"{s2}","catalog_name":"{c}"}`)
	w.must("ann", "POST", unity+"/credentials", body(object{"name": "{k}", "purpose": "STORAGE", "aws_iam_role": role}))
	w.must("ann", "POST", unity+"/credentials", body(object{"name": "{k2}", "purpose": "STORAGE", "aws_iam_role": role}))
	w.must("ann", "POST", unity+"/external-locations", `{"name":"{l}","url":"s3://bkt/loc","credential_name":"{k}"}`)

	maker, theirs := ownerOf(has, "t") // of the tables, which cannot be given away
	if !theirs {
		maker = "ann"
	}
	passing := []string{"USE CATALOG", "USE SCHEMA", "CREATE TABLE"}
	for _, who := range []string{"joe", maker} {
		w.grant("ann", "catalog/{c}", who, passing...)
		w.grant("ann", "external_location/{l}", who, "CREATE EXTERNAL TABLE")
	}
	w.tables(maker)
	for _, who := range []string{"joe", maker} {
		w.change("ann", "catalog/{c}", "remove", who, passing)
		w.change("ann", "external_location/{l}", "remove", who, []string{"CREATE EXTERNAL TABLE"})
	}
	w.vars["token"] = w.must("root", "POST", unity+"/tokens", `{"principal":"zoe"}`)["token_id"].(string)
	for _, r := range has {
		grantor := "ann"
		if r.on == "M" {
			grantor = "root"
		}
		for _, on := range securables[r.on] {
			if r.privilege != "" {
				w.grant(grantor, on, r.holder(), r.privilege)
			}
		}
	}
	for _, on := range []string{"s", "s2", "c", "c2", "k", "k2", "l"} { // from below: ann needs what is above
		if who, ok := ownerOf(has, on); ok {
			w.must("ann", "PATCH", unity+homes[on], body(object{"owner": who}))
		}
	}
	if who, ok := ownerOf(has, "M"); ok {
		w.admin(c, who)
	}
	return w
}

// tables makes the tables t, and what joe and ann have staged.
func (w *world) tables(maker string) {
	w.Helper()
	stage := func(who string) object {
		return w.must(who, "POST", strings.TrimSuffix(deltaTables, "tables")+"staging-tables", `{"name":"new"}`)
	}
	made := w.must(maker, "POST", deltaTables, body(createBody("{m}", stage(maker))))
	w.vars["mid"], w.vars["at"] = at(made, "metadata", "table-uuid").(string), at(made, "metadata", "location").(string)
	for name, location := range map[string]string{"x": "file:///data/x", "in": "s3://bkt/loc/in", "out": "s3://bkt/outside"} {
		made := w.must(maker, "POST", deltaTables, body(edited(externalBody("{"+name+"}"), put(location, "location"))))
		w.vars[name+"id"] = at(made, "metadata", "table-uuid").(string)
	}
	w.vars["own"], w.vars["theirs"] = stage("joe")["table-id"].(string), stage("ann")["table-id"].(string)
	w.vars["createD"] = body(createBody("{n}", stage("joe")))
	for _, face := range []string{"U", "R"} {
		table := (&fixture{}).classic("{n}", stage("joe"))
		table["catalog_name"], table["schema_name"] = "{c}", "{s}"
		w.vars["create"+face] = body(table)
	}
	w.vars["createR"] = camels.ReplaceAllStringFunc(w.vars["createR"], camelFunc)
}

// fresh makes {n} a name that nothing has.
func (w *world) fresh() {
	w.serial++
	w.vars["n"] = fmt.Sprint("new", w.serial)
}
