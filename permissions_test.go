package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/storage/sqlite"
	"github.com/leveelake/catalog/types"
)

// guarded makes a catalog with rights, the admin root and, of ann, catalog c1 and schema s1.
func guarded(t testing.TB, store storage.Store, cfg catalog.Config) *catalog.Catalog {
	t.Helper()
	cfg.Store, cfg.Authorizer, cfg.ManagedRoot, cfg.Logger = store, catalog.Grants{}, "file:///managed", quiet()
	c, err := catalog.New(cfg)
	check(t, err)
	check(t, c.SetAdmin(t.Context(), "root"))
	_, err = c.UpdatePermissions(as(t, "root"), onMetastore, []types.PermissionsChange{{Principal: "ann", Add: []types.Privilege{types.PrivilegeCreateCatalog}}})
	check(t, err)
	_, err = c.CreateCatalog(as(t, "ann"), types.CreateCatalog{Name: "c1"})
	check(t, err)
	_, err = c.CreateSchema(as(t, "ann"), types.CreateSchema{Name: s1})
	check(t, err)
	return c
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func as(t testing.TB, name string, groups ...string) context.Context {
	return catalog.WithPrincipal(t.Context(), name, groups...)
}

var (
	onMetastore = types.Securable{Kind: types.KindMetastore, Name: "metastore"}
	onCatalog   = types.Securable{Kind: types.KindCatalog, Name: "c1"}
	onSchema    = types.Securable{Kind: types.KindSchema, Name: "c1.s1"}
	onTable     = types.Securable{Kind: types.KindTable, Name: "c1.s1.t1"}
)

func allow(t testing.TB, c *catalog.Catalog, on types.Securable, principal string, p ...types.Privilege) {
	t.Helper()
	_, err := c.UpdatePermissions(as(t, "ann"), on, []types.PermissionsChange{{Principal: principal, Add: p}})
	check(t, err)
}

func wantCode(t testing.TB, what string, err error, code types.Code) {
	t.Helper()
	if code == "" && err != nil || code != "" && !errors.Is(err, code) {
		t.Errorf("%s: got %v, want %q", what, err, code)
	}
}

func stores(t *testing.T) map[string]storage.Store {
	db, err := sqlite.Open(t.TempDir() + "/catalog.db")
	check(t, err)
	t.Cleanup(func() { db.Close() })
	return map[string]storage.Store{"memory": memory.New(), "sqlite": db}
}

func externalTable(name string) types.CreateTable {
	return types.CreateTable{Name: name, Type: types.External, Location: "file:///data/" + name, Columns: longColumn}
}

// TestHidden: what lies beneath what one may not use is told exactly as if nothing were there.
func TestHidden(t *testing.T) {
	for name, store := range stores(t) {
		t.Run(name, func(t *testing.T) {
			c := guarded(t, store, catalog.Config{})
			table, err := c.CreateTable(as(t, "ann"), s1, externalTable("t1"))
			check(t, err)
			bob := as(t, "bob")
			load := func(n types.TableName) error { _, err := c.LoadTable(bob, n); return err }
			byID := func() error { _, err := c.TableCredentialsByID(bob, table.ID, types.Read); return err }
			same := func(what string, there, missing error) {
				t.Helper()
				if there == nil || missing == nil || types.CodeOf(there) != types.CodeOf(missing) {
					t.Errorf("%s: %v, but if it is missing: %v", what, there, missing)
				}
			}
			nowhere := types.TableName{Catalog: "cx", Schema: "s1", Table: "t1"}
			wantCode(t, "no rights", load(t1), types.NoSuchCatalog)
			same("in a hidden catalog", load(t1), load(nowhere))
			wantCode(t, "no rights, by ID", byID(), types.NoSuchTable)
			_, err = c.CreateSchema(bob, types.CreateSchema{Name: types.SchemaName{Catalog: "c1", Schema: "new"}})
			wantCode(t, "create in a hidden catalog", err, types.NoSuchCatalog)
			_, _, err = c.ListSchemas(bob, "c1", types.Page{})
			wantCode(t, "list a hidden catalog", err, types.NoSuchCatalog)

			allow(t, c, onCatalog, "bob", types.PrivilegeUseCatalog)
			wantCode(t, "USE CATALOG", load(t1), types.NoSuchSchema)
			_, _, err = c.ListTables(bob, s1, false, types.Page{})
			wantCode(t, "list a hidden schema", err, types.NoSuchSchema)
			wantCode(t, "by ID in a hidden schema", byID(), types.NoSuchTable)

			allow(t, c, onSchema, "bob", types.PrivilegeUseSchema)
			wantCode(t, "USE both", load(t1), types.PermissionDenied)
			wantCode(t, "missing", load(s1.Table("tx")), types.NoSuchTable)
			wantCode(t, "by ID", byID(), types.PermissionDenied)
			list, _, err := c.ListTables(bob, s1, false, types.Page{})
			if err != nil || len(list) != 0 {
				t.Errorf("list: %v, %v", list, err)
			}

			allow(t, c, onTable, "readers", types.PrivilegeSelect)
			wantCode(t, "SELECT of a group, not in it", load(t1), types.PermissionDenied)
			bob = as(t, "bob", "others", "readers")
			wantCode(t, "SELECT of a group", load(t1), "")
			wantCode(t, "SELECT, by ID", byID(), "")
			list, _, err = c.ListTables(bob, s1, false, types.Page{})
			if err != nil || len(list) != 1 {
				t.Errorf("list: %v, %v", list, err)
			}
			wantCode(t, "delete with SELECT", c.DeleteTable(bob, t1), types.PermissionDenied)
			wantCode(t, "delete by an admin alone", c.DeleteTable(as(t, "root"), t1), types.PermissionDenied)
			wantCode(t, "nobody", func() error { _, err := c.LoadTable(t.Context(), t1); return err }(), types.NoSuchCatalog)
			wantCode(t, "delete", c.DeleteTable(as(t, "ann"), t1), "")
		})
	}
}

func TestPermissions(t *testing.T) {
	for name, store := range stores(t) {
		t.Run(name, func(t *testing.T) {
			c := guarded(t, store, catalog.Config{})
			_, err := c.CreateTable(as(t, "ann"), s1, externalTable("t1"))
			check(t, err)
			same := func(what string, got, want any) {
				t.Helper()
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
			got, err := c.UpdatePermissions(as(t, "ann"), onTable, []types.PermissionsChange{
				{Principal: "bob", Add: []types.Privilege{types.PrivilegeSelect, types.PrivilegeModify}},
				{Principal: "bob", Remove: []types.Privilege{types.PrivilegeModify, types.PrivilegeManage}},
				{Principal: "al", Add: []types.Privilege{types.PrivilegeSelect}},
			})
			check(t, err)
			bobs := types.PrivilegeAssignment{Principal: "bob", Privileges: []types.Privilege{types.PrivilegeSelect}}
			als := types.PrivilegeAssignment{Principal: "al", Privileges: []types.Privilege{types.PrivilegeSelect}}
			same("answer", got, []types.PrivilegeAssignment{als, bobs})
			got, err = c.Permissions(as(t, "ann"), onTable, "bob")
			check(t, err)
			same("of bob", got, []types.PrivilegeAssignment{bobs})

			allow(t, c, onCatalog, "bob", types.PrivilegeUseCatalog)
			allow(t, c, onSchema, "bob", types.PrivilegeUseSchema, types.PrivilegeSelect, types.PrivilegeCreateTable)
			got, err = c.Permissions(as(t, "bob"), onTable, "")
			check(t, err)
			same("bob sees his own", got, []types.PrivilegeAssignment{bobs})
			effective, err := c.EffectivePermissions(as(t, "bob"), onTable, "")
			check(t, err)
			same("effective", effective, []types.EffectivePrivilegeAssignment{{Principal: "bob", Privileges: []types.EffectivePrivilege{{Privilege: types.PrivilegeSelect}}}})
			effective, err = c.EffectivePermissions(as(t, "ann"), onSchema, "bob")
			check(t, err)
			same("effective on the schema", effective, []types.EffectivePrivilegeAssignment{{Principal: "bob", Privileges: []types.EffectivePrivilege{
				{Privilege: types.PrivilegeCreateTable}, {Privilege: types.PrivilegeSelect}, {Privilege: types.PrivilegeUseSchema},
			}}})

			update := func(who string, on types.Securable, ch ...types.PermissionsChange) error {
				_, err := c.UpdatePermissions(as(t, who), on, ch)
				return err
			}
			add := func(p ...types.Privilege) types.PermissionsChange {
				return types.PermissionsChange{Principal: "bob", Add: p}
			}
			wantCode(t, "grant without a right", update("bob", onTable, add(types.PrivilegeModify)), types.PermissionDenied)
			wantCode(t, "grant on what is hidden", update("eve", onTable, add(types.PrivilegeModify)), types.NoSuchCatalog)
			wantCode(t, "of another kind", update("ann", onTable, add(types.PrivilegeUseSchema)), types.InvalidParameterValue)
			wantCode(t, "unknown", update("ann", onTable, add("FLY")), types.InvalidParameterValue)
			wantCode(t, "nobody", update("ann", onTable, types.PermissionsChange{Add: []types.Privilege{types.PrivilegeSelect}}), types.InvalidParameterValue)
			wantCode(t, "added and removed", update("ann", onTable, types.PermissionsChange{Principal: "x", Add: []types.Privilege{types.PrivilegeSelect}, Remove: []types.Privilege{types.PrivilegeSelect}}), types.InvalidParameterValue)
			wantCode(t, "missing", update("ann", types.Securable{Kind: types.KindTable, Name: "c1.s1.tx"}, add(types.PrivilegeSelect)), types.NoSuchTable)
			wantCode(t, "name", update("ann", types.Securable{Kind: types.KindTable, Name: "c1.s1"}, add(types.PrivilegeSelect)), types.InvalidParameterValue)
			wantCode(t, "kind", update("ann", types.Securable{Kind: "cat", Name: "c1.s1"}, add(types.PrivilegeSelect)), types.InvalidParameterValue)

			// MANAGE stands in for ownership: not for what is above, and not for data.
			allow(t, c, onSchema, "mia", types.PrivilegeManage)
			wantCode(t, "MANAGE without USE", update("mia", onTable, add(types.PrivilegeModify)), types.NoSuchCatalog)
			allow(t, c, onCatalog, "mia", types.PrivilegeUseCatalog)
			allow(t, c, onSchema, "mia", types.PrivilegeUseSchema)
			wantCode(t, "MANAGE", update("mia", onTable, add(types.PrivilegeModify)), "")
			_, err = c.TableCredentials(as(t, "mia"), t1, types.Read)
			wantCode(t, "MANAGE and data", err, types.PermissionDenied)
			wantCode(t, "MANAGE and drop", c.DeleteTable(as(t, "mia"), t1), "")
		})
	}
}

// TestGrantsTogether: many who grant the same principal for the first time lose nothing.
func TestGrantsTogether(t *testing.T) {
	for name, store := range stores(t) {
		t.Run(name, func(t *testing.T) {
			c := guarded(t, store, catalog.Config{})
			all := []types.Privilege{types.PrivilegeUseCatalog, types.PrivilegeUseSchema, types.PrivilegeSelect, types.PrivilegeModify, types.PrivilegeCreateSchema, types.PrivilegeCreateTable, types.PrivilegeManage}
			var wg sync.WaitGroup
			for _, p := range all {
				wg.Go(func() {
					_, err := c.UpdatePermissions(as(t, "ann"), onCatalog, []types.PermissionsChange{{Principal: "bob", Add: []types.Privilege{p}}})
					if err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			got, err := c.Permissions(as(t, "ann"), onCatalog, "bob")
			if err != nil || len(got) != 1 || len(got[0].Privileges) != len(all) {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}

// TestUpdateNamespaces: who may change what, and that names, owners and times follow.
func TestUpdateNamespaces(t *testing.T) {
	for name, store := range stores(t) {
		t.Run(name, func(t *testing.T) {
			c := guarded(t, store, catalog.Config{})
			_, err := c.CreateTable(as(t, "ann"), s1, externalTable("t1"))
			check(t, err)
			allow(t, c, onCatalog, "bob", types.PrivilegeUseCatalog)
			allow(t, c, onSchema, "bob", types.PrivilegeUseSchema)
			before, err := c.GetCatalog(as(t, "ann"), "c1")
			check(t, err)

			catalogAs := func(who string, u types.UpdateCatalog) error {
				_, err := c.UpdateCatalog(as(t, who), "c1", u)
				return err
			}
			schemaAs := func(who string, u types.UpdateSchema) error {
				_, err := c.UpdateSchema(as(t, who), s1, u)
				return err
			}
			wantCode(t, "comment by a user", catalogAs("bob", types.UpdateCatalog{Comment: new("x")}), types.PermissionDenied)
			wantCode(t, "comment by the admin", catalogAs("root", types.UpdateCatalog{Comment: new("x")}), types.PermissionDenied)
			wantCode(t, "owner and comment by the admin", catalogAs("root", types.UpdateCatalog{Comment: new("x"), Owner: new("bob")}), types.PermissionDenied)
			wantCode(t, "no owner", catalogAs("ann", types.UpdateCatalog{Owner: new("")}), types.InvalidParameterValue)
			wantCode(t, "no name", catalogAs("ann", types.UpdateCatalog{NewName: new("a b")}), types.InvalidParameterValue)
			wantCode(t, "nothing", catalogAs("ann", types.UpdateCatalog{NewName: new("c1"), Properties: map[string]string{}}), "")
			after, err := c.GetCatalog(as(t, "ann"), "c1")
			check(t, err)
			if diff := cmp.Diff(before, after); diff != "" {
				t.Error(diff)
			}
			wantCode(t, "owner by the admin", catalogAs("root", types.UpdateCatalog{Owner: new("cat")}), "")
			wantCode(t, "owner of the schema", schemaAs("root", types.UpdateSchema{Owner: new("sam")}), "")
			wantCode(t, "schema hidden from its owner", schemaAs("sam", types.UpdateSchema{Comment: new("x")}), types.NoSuchCatalog)
			_, err = c.UpdatePermissions(as(t, "cat"), onCatalog, []types.PermissionsChange{{Principal: "sam", Add: []types.Privilege{types.PrivilegeUseCatalog}}})
			check(t, err)
			wantCode(t, "comment by its owner", schemaAs("sam", types.UpdateSchema{Comment: new("x")}), "")
			wantCode(t, "rename by its owner", schemaAs("sam", types.UpdateSchema{NewName: new("s2")}), types.PermissionDenied)
			_, err = c.UpdatePermissions(as(t, "cat"), onCatalog, []types.PermissionsChange{{Principal: "sam", Add: []types.Privilege{types.PrivilegeCreateSchema}}})
			check(t, err)
			wantCode(t, "rename with CREATE SCHEMA", schemaAs("sam", types.UpdateSchema{NewName: new("s2")}), "")
			wantCode(t, "catalog rename", catalogAs("cat", types.UpdateCatalog{NewName: new("c2")}), "")
			table, err := c.LoadTable(as(t, "cat"), types.TableName{Catalog: "c2", Schema: "s2", Table: "t1"})
			if err != nil || table.Owner != "ann" {
				t.Errorf("%v, %v", table.Owner, err)
			}
			wantCode(t, "drop", c.DeleteCatalog(as(t, "ann"), "c2", true), types.PermissionDenied)
			wantCode(t, "drop", c.DeleteCatalog(as(t, "root"), "c2", true), "")
		})
	}
}

// TestSummaries: over schemas, in order, in pages, by patterns, and only what may be seen.
func TestSummaries(t *testing.T) {
	for name, store := range stores(t) {
		t.Run(name, func(t *testing.T) {
			c := guarded(t, store, catalog.Config{})
			for _, s := range []string{"a", "a-", "a1", "s_", "sx"} {
				in := types.SchemaName{Catalog: "c1", Schema: s}
				_, err := c.CreateSchema(as(t, "ann"), types.CreateSchema{Name: in})
				check(t, err)
				for i := range 3 {
					req := externalTable(fmt.Sprintf("t%d", i))
					req.Location += s
					_, err := c.CreateTable(as(t, "ann"), in, req)
					check(t, err)
				}
			}
			names := func(who string, like types.TablePatterns, size int) (out []string) {
				for page := (types.Page{Size: size}); ; {
					list, next, err := c.ListTableSummaries(as(t, who), "c1", like, page)
					check(t, err)
					for _, l := range list {
						out = append(out, l.Name.Schema+"."+l.Name.Table)
					}
					if len(list) == 0 && next != "" {
						t.Fatal("an empty page with a next one")
					}
					if page.Token = next; next == "" {
						return out
					}
				}
			}
			all := []string{"a.t0", "a.t1", "a.t2", "a-.t0", "a-.t1", "a-.t2", "a1.t0", "a1.t1", "a1.t2", "s_.t0", "s_.t1", "s_.t2", "sx.t0", "sx.t1", "sx.t2"}
			for _, size := range []int{0, 1, 2, 3, 4, 14, 15, 16} {
				if diff := cmp.Diff(all, names("ann", types.TablePatterns{}, size)); diff != "" {
					t.Errorf("pages of %d: %s", size, diff)
				}
			}
			if diff := cmp.Diff([]string{"s_.t1"}, names("ann", types.TablePatterns{Schema: `s\_`, Table: "_1"}, 1)); diff != "" {
				t.Error(diff)
			}
			allow(t, c, onCatalog, "bob", types.PrivilegeUseCatalog)
			allow(t, c, types.Securable{Kind: types.KindSchema, Name: "c1.a1"}, "bob", types.PrivilegeUseSchema)
			allow(t, c, types.Securable{Kind: types.KindSchema, Name: "c1.sx"}, "bob", types.PrivilegeSelect)
			allow(t, c, types.Securable{Kind: types.KindTable, Name: "c1.a1.t1"}, "bob", types.PrivilegeModify)
			if diff := cmp.Diff([]string{"a1.t1"}, names("bob", types.TablePatterns{}, 1)); diff != "" {
				t.Error(diff)
			}
			_, next, err := c.ListTableSummaries(as(t, "ann"), "c1", types.TablePatterns{}, types.Page{Size: 1})
			check(t, err)
			_, _, err = c.ListTableSummaries(as(t, "ann"), "c1", types.TablePatterns{Table: "%"}, types.Page{Token: next})
			wantCode(t, "token of other patterns", err, types.InvalidParameterValue)
		})
	}
}
