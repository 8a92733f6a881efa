package catalog

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

var locationSchema = types.SchemaName{Catalog: "c", Schema: "s"}

// withCredentials makes a catalog that has storage credentials k and k2, a service credential and a schema.
func withCredentials(t testing.TB, cfg Config) *Catalog {
	t.Helper()
	c := catalogOn(t, cfg)
	for name, p := range map[string]types.Purpose{"k": types.PurposeStorage, "k2": types.PurposeStorage, "service": types.PurposeService} {
		if _, err := c.CreateStorageCredential(t.Context(), types.CreateStorageCredential{Name: name, Purpose: p, Identity: roleIdentity(someRole)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.CreateCatalog(t.Context(), types.CreateCatalog{Name: "c"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CreateSchema(t.Context(), types.CreateSchema{Name: locationSchema}); err != nil {
		t.Fatal(err)
	}
	return c
}

func locate(t testing.TB, c *Catalog, name, url string) types.ExternalLocation {
	t.Helper()
	out, err := c.CreateExternalLocation(t.Context(), types.CreateExternalLocation{Name: name, URL: url, CredentialName: "k"})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func register(t testing.TB, c *Catalog, name, location string) types.Table {
	t.Helper()
	out, err := c.CreateTable(t.Context(), locationSchema, types.CreateTable{Name: name, Type: types.External, Location: location})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCreateExternalLocation(t *testing.T) {
	onStores(t, func(t *testing.T, s storage.Store) {
		c := withCredentials(t, Config{Store: s, ManagedRoot: "s3://server/managed", Now: ticking()})
		ctx := WithPrincipal(t.Context(), "ann")
		locate(t, c, "p", "s3://b1/p")
		locate(t, c, "deep", "s3://deep/a/b/c")
		register(t, c, "t", "s3://tables/t")
		for _, test := range []struct {
			url  string
			want types.Code
		}{
			{"s3://b1/p", types.InvalidParameterValue},
			{"s3://b1/p/", types.InvalidParameterValue},
			{"s3://b1//x/../p", types.InvalidParameterValue},
			{"s3://b1/p/child", types.InvalidParameterValue},
			{"s3://b1", types.InvalidParameterValue},
			{"s3://b1/", types.InvalidParameterValue},
			{"s3://deep/a", types.InvalidParameterValue},
			{"s3://deep/a/b/c/d/e", types.InvalidParameterValue},
			{"s3a://b1/q", types.InvalidParameterValue},
			{"hdfs://b1/q", types.InvalidParameterValue},
			{"", types.InvalidParameterValue},
			{"b1", types.InvalidParameterValue},
			{"file:///", types.InvalidParameterValue},
			{"s3://b2/__unitystorage", types.InvalidParameterValue},
			{"s3://b2/__unitystorage/x", types.InvalidParameterValue},
			{"s3://server/managed/x", types.InvalidParameterValue},
			{"s3://b2/" + strings.Repeat("x", 2048), types.InvalidParameterValue},
			{"s3://b1/pq", ""},
			{"s3://b1/p-x", ""},
			{"s3://deep/a/b/cd", ""},
			{"s3://tables", ""}, // tables may lie in it
			{"s3://server", ""}, // for the credential
			{"gs://b1/p", ""},
			{"abfss://c@acc/", ""},
			{"file:///data", ""},
			{"s3://b2/my__unitystorage_x", ""},
		} {
			name := "n" + strings.NewReplacer(":", "_", "/", "_", ".", "_").Replace(test.url)
			got, err := c.CreateExternalLocation(ctx, types.CreateExternalLocation{Name: name[:min(len(name), 100)], URL: test.url, CredentialName: "k", Comment: "c", ReadOnly: true})
			if types.CodeOf(err) != test.want {
				t.Errorf("%s: %v", test.url, err)
			}
			if err != nil {
				continue
			}
			if got.CredentialName != "k" || got.CredentialID != get(t, c, "k").ID || got.Owner != "ann" || got.CreatedBy != "ann" || got.UpdatedBy != "ann" ||
				got.Created != got.Updated || got.Created.IsZero() || !got.ReadOnly || got.Comment != "c" {
				t.Errorf("%+v", got)
			}
			again, err := c.GetExternalLocation(ctx, got.Name)
			if d := cmp.Diff(got, again); err != nil || d != "" {
				t.Errorf("%v %s", err, d)
			}
		}
		for name, test := range map[string]struct {
			req  types.CreateExternalLocation
			want types.Code
		}{
			"bad name":      {types.CreateExternalLocation{Name: "a.b", URL: "s3://x/y", CredentialName: "k"}, types.InvalidParameterValue},
			"taken name":    {types.CreateExternalLocation{Name: "p", URL: "s3://x/y", CredentialName: "k"}, types.AlreadyExists},
			"no credential": {types.CreateExternalLocation{Name: "x", URL: "s3://x/y"}, types.InvalidParameterValue},
			"unknown":       {types.CreateExternalLocation{Name: "x", URL: "s3://b1/p", CredentialName: "unknown"}, types.NotFound},
			"service":       {types.CreateExternalLocation{Name: "x", URL: "s3://x/y", CredentialName: "service"}, types.InvalidParameterValue},
			"comment":       {types.CreateExternalLocation{Name: "x", URL: "s3://x/y", CredentialName: "k", Comment: "\xff"}, types.InvalidParameterValue},
		} {
			if _, err := c.CreateExternalLocation(ctx, test.req); types.CodeOf(err) != test.want {
				t.Errorf("%s: %v", name, err)
			} else if e, ok := errors.AsType[*types.Error](err); test.want == types.NotFound && (!ok || e.Kind != types.KindCredential) {
				t.Errorf("%s: about %v", name, err)
			}
		}
	})
}

// TestUpdateExternalLocation: one update after the other, on one location.
func TestUpdateExternalLocation(t *testing.T) {
	onStores(t, func(t *testing.T, s storage.Store) {
		c := withCredentials(t, Config{Store: s, Now: ticking()})
		ann, bob := WithPrincipal(t.Context(), "ann"), WithPrincipal(t.Context(), "bob")
		if _, err := c.CreateExternalLocation(ann, types.CreateExternalLocation{Name: "l", URL: "s3://b/p", CredentialName: "k"}); err != nil {
			t.Fatal(err)
		}
		locate(t, c, "other", "s3://b/q/r")
		register(t, c, "above", "s3://b/p2")
		name := "l"
		for _, step := range []struct {
			what    string
			u       types.UpdateExternalLocation
			want    types.Code
			changes bool
		}{
			{what: "nothing"},
			{what: "what it is", u: types.UpdateExternalLocation{NewName: new("l"), URL: new("s3://b/p/"), CredentialName: new("k"), ReadOnly: new(false), Owner: new("ann"), Comment: new("")}},
			{what: "another's child", u: types.UpdateExternalLocation{URL: new("s3://b/q/r/s")}, want: types.InvalidParameterValue},
			{what: "above another", u: types.UpdateExternalLocation{URL: new("s3://b")}, want: types.InvalidParameterValue},
			{what: "managed storage", u: types.UpdateExternalLocation{URL: new("s3://b/p/__unitystorage")}, want: types.InvalidParameterValue},
			{what: "scheme", u: types.UpdateExternalLocation{URL: new("s3a://b/p")}, want: types.InvalidParameterValue},
			{what: "unknown credential", u: types.UpdateExternalLocation{CredentialName: new("unknown")}, want: types.NotFound},
			{what: "service credential", u: types.UpdateExternalLocation{CredentialName: new("service")}, want: types.InvalidParameterValue},
			{what: "no credential", u: types.UpdateExternalLocation{CredentialName: new("")}, want: types.InvalidParameterValue},
			{what: "taken name", u: types.UpdateExternalLocation{NewName: new("other")}, want: types.AlreadyExists},
			{what: "bad owner", u: types.UpdateExternalLocation{Owner: new("")}, want: types.InvalidParameterValue},
			{what: "below itself", u: types.UpdateExternalLocation{URL: new("s3://b/p/x")}, changes: true},
			{what: "above itself", u: types.UpdateExternalLocation{URL: new("s3://b/p")}, changes: true},
			{what: "credential", u: types.UpdateExternalLocation{CredentialName: new("k2")}, changes: true},
			{what: "read-only", u: types.UpdateExternalLocation{ReadOnly: new(true)}, changes: true},
			{what: "owner", u: types.UpdateExternalLocation{Owner: new("carl")}, changes: true},
			{what: "all", u: types.UpdateExternalLocation{NewName: new("l2"), URL: new("s3://b3"), CredentialName: new("k"), ReadOnly: new(false), Comment: new("c")}, changes: true},
		} {
			before, err := c.GetExternalLocation(ann, name)
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.UpdateExternalLocation(bob, name, step.u)
			if types.CodeOf(err) != step.want {
				t.Fatalf("%s: %v", step.what, err)
			}
			if err == nil {
				name = got.Name
			}
			after, err2 := c.GetExternalLocation(ann, name)
			if err2 != nil {
				t.Fatal(err2)
			}
			if d := cmp.Diff(got, after); err == nil && d != "" {
				t.Errorf("%s: the answer is not what is there: %s", step.what, d)
			}
			if d := cmp.Diff(before, after); (d != "") != step.changes || after.Updated.After(before.Updated) != step.changes || step.changes && after.UpdatedBy != "bob" {
				t.Errorf("%s: %s", step.what, d)
			}
		}
		if got, err := c.GetExternalLocation(ann, "l2"); err != nil || got.URL != "s3://b3" || got.CredentialName != "k" || got.Comment != "c" || got.Owner != "carl" || got.ReadOnly {
			t.Errorf("%+v, %v", got, err)
		}
	})
}
