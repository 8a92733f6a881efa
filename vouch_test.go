package catalog_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

// A lake is a catalog with rights, a vendor for all clouds, and joe, who may make tables in c1.s1.
type lake struct {
	*testing.T
	*catalog.Catalog
}

func newLake(t *testing.T) lake {
	vendor := credentials.VendorFunc(func(_ context.Context, r credentials.Request) (types.Credential, error) {
		return types.Credential{Prefix: credentials.Prefix(r.Location), Operation: r.Operation, Expiration: time.Now().Add(time.Hour), Config: map[string]string{
			types.S3AccessKeyID: "a", types.S3SecretAccessKey: "b", types.S3SessionToken: "c",
		}}, nil
	})
	c := guarded(t, memory.New(), catalog.Config{Vendor: vendor})
	allow(t, c, onCatalog, "joe", types.PrivilegeUseCatalog, types.PrivilegeCreateSchema)
	allow(t, c, onSchema, "joe", types.PrivilegeUseSchema, types.PrivilegeCreateTable)
	return lake{t, c}
}

// locate makes a storage credential and an external location, both of who and called name.
func (l lake) locate(who, name, url string) {
	l.Helper()
	_, err := l.CreateStorageCredential(as(l, who), types.CreateStorageCredential{
		Name: name, Purpose: types.PurposeStorage, Identity: types.CloudIdentity{AWSIAMRole: &types.AWSIAMRole{RoleARN: "arn:aws:iam::123456789012:role/levee"}},
	})
	check(l, err)
	_, err = l.CreateExternalLocation(as(l, who), types.CreateExternalLocation{Name: name, URL: url, CredentialName: name})
	check(l, err)
}

// grant has root grant joe privileges on an external location; revoke takes all from him.
func (l lake) grant(on types.Securable, p ...types.Privilege) {
	l.Helper()
	_, err := l.UpdatePermissions(as(l, "root"), on, []types.PermissionsChange{{Principal: "joe", Add: p}})
	check(l, err)
}

func (l lake) revoke(on types.Securable, p ...types.Privilege) {
	l.Helper()
	_, err := l.UpdatePermissions(as(l, "root"), on, []types.PermissionsChange{{Principal: "joe", Remove: p}})
	check(l, err)
}

func onLocation(name string) types.Securable {
	return types.Securable{Kind: types.KindExternalLocation, Name: name}
}

// register has joe register a table, and keys has him ask for keys to it.
func (l lake) register(name, url string) error {
	req := externalTable(name)
	req.Location = url
	_, err := l.CreateTable(as(l, "joe"), s1, req)
	return err
}

func (l lake) keys(name string) error {
	_, err := l.TableCredentials(as(l, "joe"), s1.Table(name), types.ReadWrite)
	return err
}

// TestSquatter: who registers a table where no external location is yet gets no keys to it when there is one.
func TestSquatter(t *testing.T) {
	l := newLake(t)
	wantCode(t, "register where no location is", l.register("early", "s3://secret/early"), "")
	wantCode(t, "keys where no location is", l.keys("early"), types.PermissionDenied)
	l.locate("root", "secret", "s3://secret")
	wantCode(t, "keys once a location is there", l.keys("early"), types.PermissionDenied)
	wantCode(t, "register in it without a right", l.register("late", "s3://secret/late"), types.PermissionDenied)
	l.grant(onLocation("secret"), types.PrivilegeCreateExternalTable)
	wantCode(t, "register in it", l.register("late", "s3://secret/late"), "")
	wantCode(t, "keys", l.keys("late"), "")
	wantCode(t, "keys of the one before", l.keys("early"), types.PermissionDenied)
	wantCode(t, "drop it", l.DeleteTable(as(t, "joe"), s1.Table("early")), "")
	wantCode(t, "and register it again", l.register("early", "s3://secret/early"), "")
	wantCode(t, "keys then", l.keys("early"), "")
}

// TestLaunderedTable: a table that one external location allowed is nothing to another at the same place.
func TestLaunderedTable(t *testing.T) {
	l := newLake(t)
	l.grant(onMetastore, types.PrivilegeCreateStorageCredential, types.PrivilegeCreateExternalLocation)
	l.locate("joe", "joel", "s3://victim")
	wantCode(t, "register", l.register("x", "s3://victim/payroll"), "")
	wantCode(t, "keys of one's own location", l.keys("x"), "")
	check(t, l.DeleteExternalLocation(as(t, "joe"), "joel", true))
	check(t, l.DeleteStorageCredential(as(t, "joe"), "joel", true))
	l.revoke(onMetastore, types.PrivilegeCreateStorageCredential, types.PrivilegeCreateExternalLocation)
	l.locate("root", "theirs", "s3://victim")
	wantCode(t, "keys of another's location", l.keys("x"), types.PermissionDenied)
}

// TestMovedLocation: a location without a credential goes nowhere, for it would need a right to one.
func TestMovedLocation(t *testing.T) {
	l := newLake(t)
	l.locate("root", "l", "s3://own")
	l.grant(onLocation("l"), types.PrivilegeManage, types.PrivilegeCreateExternalTable)
	move := func() error {
		_, err := l.UpdateExternalLocation(as(t, "joe"), "l", types.UpdateExternalLocation{URL: new("s3://victim"), Force: true})
		return err
	}
	wantCode(t, "without a right to the credential", move(), types.PermissionDenied)
	check(t, l.DeleteStorageCredential(as(t, "root"), "l", true))
	wantCode(t, "without a credential", move(), types.InvalidParameterValue)
}

// TestLaunderedRoot: managed tables of a storage root get keys only as the external location allows that allowed the root.
func TestLaunderedRoot(t *testing.T) {
	l := newLake(t)
	l.locate("root", "l", "s3://own")
	l.grant(onLocation("l"), types.PrivilegeManage, types.PrivilegeCreateManagedStorage)
	in := types.SchemaName{Catalog: "c1", Schema: "js"}
	_, err := l.CreateSchema(as(t, "joe"), types.CreateSchema{Name: in, StorageRoot: "s3://own/r"})
	check(t, err)
	stage := func() error {
		staged, err := l.CreateStagingTable(as(t, "joe"), in, types.CreateStagingTable{Name: "t"})
		check(t, err)
		_, err = l.StagingTableCredentials(as(t, "joe"), staged.ID)
		if (err == nil) != (len(staged.Credentials) == 1) {
			t.Errorf("keys that came along: %d, but asked for: %v", len(staged.Credentials), err)
		}
		return err
	}
	wantCode(t, "keys", stage(), "")
	_, err = l.UpdateExternalLocation(as(t, "root"), "l", types.UpdateExternalLocation{ReadOnly: new(true)})
	check(t, err)
	wantCode(t, "read-only", stage(), types.PermissionDenied)
	check(t, l.DeleteExternalLocation(as(t, "joe"), "l", true))
	wantCode(t, "without the location", stage(), types.PermissionDenied)
	l.locate("root", "theirs", "s3://own")
	wantCode(t, "in another location", stage(), types.PermissionDenied)
}

// TestAround: a table around an external location would take it from its owner.
func TestAround(t *testing.T) {
	l := newLake(t)
	l.locate("root", "finance", "s3://b/team/finance")
	wantCode(t, "in it", l.register("x", "s3://b/team/finance/x"), types.PermissionDenied)
	wantCode(t, "around it", l.register("x", "s3://b/team"), types.PermissionDenied)
	wantCode(t, "beside it", l.register("x", "s3://b/team/fin"), "")
}

// TestDroppedFolder: where managed tables were nobody can put a table, for their files may still be there.
func TestDroppedFolder(t *testing.T) {
	for _, what := range []string{"catalog", "schema", "schema of a dropped catalog"} {
		t.Run(what, func(t *testing.T) {
			l := newLake(t)
			l.locate("root", "l", "s3://b/loc")
			l.grant(onLocation("l"), types.PrivilegeCreateExternalTable)
			root, in := as(t, "root"), types.SchemaName{Catalog: "mc", Schema: "s"}
			catalogRoot, schemaRoot := "", "s3://b/loc/r"
			if what == "catalog" {
				catalogRoot, schemaRoot = schemaRoot, ""
			}
			_, err := l.CreateCatalog(root, types.CreateCatalog{Name: "mc", StorageRoot: catalogRoot})
			check(t, err)
			_, err = l.CreateSchema(root, types.CreateSchema{Name: in, StorageRoot: schemaRoot})
			check(t, err)
			_, err = l.CreateStagingTable(root, in, types.CreateStagingTable{Name: "t"})
			check(t, err)
			wantCode(t, "while it is there", l.register("x", "s3://b/loc/r"), types.InvalidParameterValue)
			if what == "schema" {
				check(t, l.DeleteSchema(root, in, true))
			} else {
				check(t, l.DeleteCatalog(root, "mc", true))
			}
			wantCode(t, "afterwards", l.register("x", "s3://b/loc/r"), types.InvalidParameterValue)
			_, err = l.PathCredentials(as(t, "joe"), "s3://b/loc/r", types.Read)
			wantCode(t, "keys to it", err, types.PermissionDenied)
			_, err = l.CreateCatalog(root, types.CreateCatalog{Name: "mc2", StorageRoot: "s3://b/loc/r"})
			wantCode(t, "another catalog there", err, "")
			wantCode(t, "beside it", l.register("x", "s3://b/loc/r2"), "")
		})
	}
}

// TestUntold: refusals do not name what the caller may not know of.
func TestUntold(t *testing.T) {
	l := newLake(t)
	l.locate("root", "merger", "s3://secret")
	texts := map[string]error{}
	_, texts["path"] = l.PathCredentials(as(t, "joe"), "s3://secret/x", types.Read)
	_, texts["path elsewhere"] = l.PathCredentials(as(t, "joe"), "s3://other/x", types.Read)
	texts["table"] = l.register("x", "s3://secret/x")
	_, texts["root"] = l.CreateSchema(as(t, "joe"), types.CreateSchema{Name: types.SchemaName{Catalog: "c1", Schema: "n"}, StorageRoot: "s3://secret/x"})
	allow(t, l.Catalog, onCatalog, "max", types.PrivilegeManage)
	texts["drop"] = l.DeleteCatalog(as(t, "max"), "c1", false)
	for what, err := range texts {
		if err == nil || strings.Contains(err.Error(), "merger") || strings.Contains(err.Error(), "s1") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if a, b := texts["path"], texts["path elsewhere"]; strings.ReplaceAll(a.Error(), "secret", "other") != b.Error() {
		t.Errorf("%v, but where no location is: %v", a, b)
	}
}

// TestEffectiveIsShown: effective permissions show of what is above no more than permissions do.
func TestEffectiveIsShown(t *testing.T) {
	l := newLake(t)
	check(t, l.register("x", "file:///x"))
	_, err := l.UpdatePermissions(as(t, "root"), onMetastore, []types.PermissionsChange{{Principal: "ceo", Add: []types.Privilege{types.PrivilegeSelect}}})
	check(t, err)
	allow(t, l.Catalog, onCatalog, "cfo", types.PrivilegeSelect)
	got, err := l.EffectivePermissions(as(t, "joe"), types.Securable{Kind: types.KindTable, Name: "c1.s1.x"}, "")
	if err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
	got, err = l.EffectivePermissions(as(t, "root"), types.Securable{Kind: types.KindTable, Name: "c1.s1.x"}, "")
	if err != nil || len(got) != 2 {
		t.Errorf("%v, %v", got, err)
	}
}

// TestOthersGrants: a request to grant somebody something has not that somebody's rights.
func TestOthersGrants(t *testing.T) {
	l := newLake(t)
	allow(t, l.Catalog, onCatalog, "mia", types.PrivilegeManage, types.PrivilegeUseCatalog)
	_, err := l.UpdatePermissions(as(t, "joe"), onCatalog, []types.PermissionsChange{{Principal: "mia"}, {Principal: "joe", Add: []types.Privilege{types.PrivilegeManage}}})
	wantCode(t, "grant", err, types.PermissionDenied)
}

// TestManyPrivileges: the work of a request to grant is bounded.
func TestManyPrivileges(t *testing.T) {
	l := newLake(t)
	many := slices.Repeat([]types.Privilege{types.PrivilegeSelect}, 200)
	_, err := l.UpdatePermissions(as(t, "ann"), onCatalog, []types.PermissionsChange{{Principal: "joe", Add: many}})
	wantCode(t, "many", err, types.InvalidParameterValue)
}

// TestMoveNeedsMore: to move an external location to another place needs the right to make one there.
func TestMoveNeedsMore(t *testing.T) {
	l := newLake(t)
	onCredential := types.Securable{Kind: types.KindCredential, Name: "l"}
	l.locate("root", "l", "s3://own/x")
	l.grant(onLocation("l"), types.PrivilegeManage)
	l.grant(onCredential, types.PrivilegeCreateExternalLocation)
	move := func(u types.UpdateExternalLocation) error {
		u.Force = true
		_, err := l.UpdateExternalLocation(as(t, "joe"), "l", u)
		return err
	}
	wantCode(t, "to another place", move(types.UpdateExternalLocation{URL: new("s3://victim")}), types.PermissionDenied)
	wantCode(t, "wider", move(types.UpdateExternalLocation{URL: new("s3://own")}), types.PermissionDenied)
	wantCode(t, "narrower", move(types.UpdateExternalLocation{URL: new("s3://own/x/y")}), "")
	l.grant(onMetastore, types.PrivilegeCreateExternalLocation)
	wantCode(t, "with the right to make one", move(types.UpdateExternalLocation{URL: new("s3://victim")}), "")
	_, err := l.UpdateExternalLocation(as(t, "joe"), "l", types.UpdateExternalLocation{URL: new("file:///")})
	wantCode(t, "over the managed root", err, types.InvalidParameterValue)
	_, err = l.UpdateExternalLocation(as(t, "joe"), "l", types.UpdateExternalLocation{URL: new("file:///managed")})
	wantCode(t, "at the managed root", err, types.PermissionDenied)
}

// TestAdopt: what was there before an external location gets keys once its owner says so, and nobody else's word does.
func TestAdopt(t *testing.T) {
	l := newLake(t)
	l.locate("root", "l", "s3://own")
	in := types.SchemaName{Catalog: "mc", Schema: "s"}
	_, err := l.CreateStagingTable(as(t, "joe"), s1, types.CreateStagingTable{Name: "x"}) // the server's root needs no location
	check(t, err)
	l.grant(onLocation("l"), types.PrivilegeCreateExternalTable)
	wantCode(t, "register", l.register("x", "s3://own/x"), "")
	_, err = l.CreateCatalog(as(t, "root"), types.CreateCatalog{Name: "mc"})
	check(t, err)
	_, err = l.UpdatePermissions(as(t, "root"), onLocation("l"), []types.PermissionsChange{{Principal: "root", Add: []types.Privilege{types.PrivilegeCreateManagedStorage}}})
	check(t, err)
	_, err = l.CreateSchema(as(t, "root"), types.CreateSchema{Name: in, StorageRoot: "s3://own/r"})
	check(t, err)
	staged, err := l.CreateStagingTable(as(t, "root"), in, types.CreateStagingTable{Name: "t"})
	check(t, err)
	stagedKeys := func() error {
		_, err := l.StagingTableCredentials(as(t, "root"), staged.ID)
		return err
	}
	wantCode(t, "staged", stagedKeys(), "")
	check(t, l.DeleteExternalLocation(as(t, "root"), "l", true))
	_, err = l.CreateExternalLocation(as(t, "root"), types.CreateExternalLocation{Name: "l", URL: "s3://own", CredentialName: "l"})
	check(t, err)
	wantCode(t, "table, made again", l.keys("x"), types.PermissionDenied)
	wantCode(t, "staged, made again", stagedKeys(), types.PermissionDenied)
	_, err = l.UpdateExternalLocation(as(t, "joe"), "l", types.UpdateExternalLocation{Adopt: true})
	wantCode(t, "adopted by who has a table in it", err, types.PermissionDenied)
	_, err = l.UpdateExternalLocation(as(t, "root"), "l", types.UpdateExternalLocation{Adopt: true})
	wantCode(t, "adopt", err, "")
	wantCode(t, "table, adopted", l.keys("x"), "")
	wantCode(t, "staged, adopted", stagedKeys(), "")
}

// TestBeforeRights: what was put somewhere while there were no rights is vouched for by nobody.
func TestBeforeRights(t *testing.T) {
	store := memory.New()
	open := func(a catalog.Authorizer) *catalog.Catalog {
		c, err := catalog.New(catalog.Config{Store: store, Authorizer: a, ManagedRoot: "s3://lake/old", Logger: quiet()})
		check(t, err)
		return c
	}
	free := open(nil)
	_, err := free.CreateCatalog(as(t, "joe"), types.CreateCatalog{Name: "c1"})
	check(t, err)
	_, err = free.CreateSchema(as(t, "joe"), types.CreateSchema{Name: s1})
	check(t, err)
	req := externalTable("t1")
	req.Location = "s3://future/t"
	_, err = free.CreateTable(as(t, "joe"), s1, req)
	check(t, err)
	check(t, free.SetAdmin(t.Context(), "root"))
	l := lake{t, open(catalog.Grants{})}
	l.locate("root", "later", "s3://future")
	wantCode(t, "keys", l.keys("t1"), types.PermissionDenied)
	_, err = l.UpdateExternalLocation(as(t, "root"), "later", types.UpdateExternalLocation{Adopt: true})
	check(t, err)
	wantCode(t, "adopted", l.keys("t1"), types.NotImplemented) // there is no vendor
}

// TestOldServerRoot: where the server once put managed tables nobody can put a table, though it puts them elsewhere now.
func TestOldServerRoot(t *testing.T) {
	store := memory.New()
	at := func(root string) *catalog.Catalog {
		c, err := catalog.New(catalog.Config{Store: store, ManagedRoot: root, Logger: quiet()})
		check(t, err)
		return c
	}
	old := open(t, catalog.Config{Store: store, ManagedRoot: "s3://lake/old"})
	for range 2 {
		_, err := old.CreateStagingTable(t.Context(), s1, types.CreateStagingTable{Name: "t"})
		check(t, err)
	}
	_, err := old.ExpireStaging(t.Context(), 0)
	check(t, err)
	c := at("s3://lake/new")
	req := externalTable("x")
	for _, location := range []string{"s3://lake/old", "s3://lake/old/x/.."} {
		req.Location = location
		_, err = c.CreateTable(t.Context(), s1, req)
		wantCode(t, location, err, types.InvalidParameterValue)
	}
	_, err = c.PathCredentials(t.Context(), "s3://lake/old", types.Read)
	wantCode(t, "keys", err, types.PermissionDenied)
	req.Location = "s3://lake/old2"
	_, err = c.CreateTable(t.Context(), s1, req)
	wantCode(t, "beside it", err, "")
}

// TestInsideTable: no external location is made within a table, where it would be of no use.
func TestInsideTable(t *testing.T) {
	l := newLake(t)
	wantCode(t, "register", l.register("x", "s3://b/team"), "")
	_, err := l.CreateStorageCredential(as(t, "root"), types.CreateStorageCredential{
		Name: "k", Purpose: types.PurposeStorage, Identity: types.CloudIdentity{AWSIAMRole: &types.AWSIAMRole{RoleARN: "arn:aws:iam::123456789012:role/levee"}},
	})
	check(t, err)
	_, err = l.CreateExternalLocation(as(t, "root"), types.CreateExternalLocation{Name: "l", URL: "s3://b/team/finance", CredentialName: "k"})
	wantCode(t, "inside", err, types.InvalidParameterValue)
	_, err = l.CreateExternalLocation(as(t, "root"), types.CreateExternalLocation{Name: "l", URL: "s3://b/team", CredentialName: "k"})
	wantCode(t, "at it", err, "")
}

// TestUntoldCredential: the name of a storage credential is told to those who may see it.
func TestUntoldCredential(t *testing.T) {
	l := newLake(t)
	l.locate("root", "merger", "s3://b")
	for who, want := range map[string]string{"joe": "", "root": "merger"} {
		if got, err := l.StorageCredentialOf(as(t, who), "s3://b/x"); got != want || err != nil {
			t.Errorf("%s: %q, %v", who, got, err)
		}
	}
}
