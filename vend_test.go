package catalog_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/storage/storagetest"
	"github.com/leveelake/catalog/types"
)

// TestVendorIsNotBelieved: what a vendor hands out goes out only if it reaches no further
// than what was asked.
func TestVendorIsNotBelieved(t *testing.T) {
	const secret = "SECRET"
	good := func(req credentials.Request) types.Credential {
		return types.Credential{
			Prefix: credentials.Prefix(req.Location), Operation: req.Operation, Expiration: time.Now().Add(time.Hour),
			Config: map[string]string{types.S3AccessKeyID: "a", types.S3SecretAccessKey: secret, types.S3SessionToken: "t"},
		}
	}
	for name, test := range map[string]struct {
		vend func(req credentials.Request) (types.Credential, error)
		ok   bool
	}{
		"good": {func(r credentials.Request) (types.Credential, error) { return good(r), nil }, true},
		"too wide": {func(r credentials.Request) (types.Credential, error) {
			c := good(r)
			c.Prefix = "s3://b/"
			return c, nil
		}, false},
		"sibling": {func(r credentials.Request) (types.Credential, error) {
			c := good(r)
			c.Prefix = r.Location
			return c, nil
		}, false},
		"writes": {func(r credentials.Request) (types.Credential, error) {
			c := good(r)
			c.Operation = types.ReadWrite
			return c, nil
		}, false},
		"never ends": {func(r credentials.Request) (types.Credential, error) {
			c := good(r)
			c.Expiration = time.Time{}
			return c, nil
		}, false},
		"other cloud": {func(r credentials.Request) (types.Credential, error) {
			c := good(r)
			c.Config = map[string]string{types.GCSOAuthToken: "x"}
			return c, nil
		}, false},
		"zero":   {func(credentials.Request) (types.Credential, error) { return types.Credential{}, nil }, false},
		"panics": {func(credentials.Request) (types.Credential, error) { panic(secret) }, false},
		"fails":  {func(credentials.Request) (types.Credential, error) { return types.Credential{}, errors.New("down") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := open(t, catalog.Config{
				Store: memory.New(), ManagedRoot: "s3://b/managed",
				Vendor: credentials.VendorFunc(func(_ context.Context, r credentials.Request) (types.Credential, error) { return test.vend(r) }),
			})
			got, err := c.PathCredentials(t.Context(), "s3://b/x", types.Read)
			if (err == nil) != test.ok || len(got) == 1 != test.ok {
				t.Errorf("%v, %v", got, err)
			}
			if err != nil && (types.CodeOf(err) != types.Internal || strings.Contains(err.Error(), secret)) {
				t.Errorf("%v", err)
			}
			// A reservation stands, whatever becomes of the credentials that go with it.
			staged, err := c.CreateStagingTable(t.Context(), s1, types.CreateStagingTable{Name: "t"})
			if want := test.ok || name == "writes"; err != nil || len(staged.Credentials) == 1 != want || staged.Credentials == nil {
				t.Errorf("staging: %d credentials, %v", len(staged.Credentials), err)
			}
		})
	}
}

func TestCredentialsRefused(t *testing.T) {
	c := open(t, catalog.Config{Store: memory.New()})
	table := create(t, c, "t1")
	ctx := t.Context()
	for name, test := range map[string]struct {
		call func() ([]types.Credential, error)
		want types.Code
	}{
		"operation":         {func() ([]types.Credential, error) { return c.TableCredentials(ctx, t1, "WRITE") }, types.BadRequest},
		"no operation":      {func() ([]types.Credential, error) { return c.TableCredentialsByID(ctx, table.ID, "") }, types.BadRequest},
		"no table":          {func() ([]types.Credential, error) { return c.TableCredentials(ctx, s1.Table("x"), types.Read) }, types.NoSuchTable},
		"no ID":             {func() ([]types.Credential, error) { return c.TableCredentialsByID(ctx, "x", types.Read) }, types.NoSuchTable},
		"no staging table":  {func() ([]types.Credential, error) { return c.StagingTableCredentials(ctx, "x") }, types.NoSuchTable},
		"managed storage":   {func() ([]types.Credential, error) { return c.PathCredentials(ctx, table.Location, types.Read) }, types.PermissionDenied},
		"below a table":     {func() ([]types.Credential, error) { return c.PathCredentials(ctx, table.Location+"/x", types.Read) }, types.PermissionDenied},
		"above the root":    {func() ([]types.Credential, error) { return c.PathCredentials(ctx, "file:///managed", types.Read) }, types.PermissionDenied},
		"no such vendor":    {func() ([]types.Credential, error) { return c.PathCredentials(ctx, "s3://b/x", types.Read) }, types.NotImplemented},
		"whole file system": {func() ([]types.Credential, error) { return c.PathCredentials(ctx, "file:///", types.Read) }, types.InvalidParameterValue},
	} {
		if got, err := test.call(); types.CodeOf(err) != test.want || got != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for name, call := range map[string]func() ([]types.Credential, error){
		"by name": func() ([]types.Credential, error) { return c.TableCredentials(ctx, t1, types.Read) },
		"by ID":   func() ([]types.Credential, error) { return c.TableCredentialsByID(ctx, table.ID, types.ReadWrite) },
		"staging": func() ([]types.Credential, error) { return c.StagingTableCredentials(ctx, table.ID) },
	} {
		if got, err := call(); err != nil || len(got) != 1 || got[0].Prefix != table.Location+"/" {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// TestFirstUseRace: two processes that share a store may use it for the first time at once.
func TestFirstUseRace(t *testing.T) {
	store := memory.New()
	var other *catalog.Catalog
	c, err := catalog.New(catalog.Config{Logger: quiet(), Store: storagetest.Faulty(store, func(op storagetest.Op) storagetest.Fault {
		if op.Has("Insert", types.KindMetastore) {
			return storagetest.Fault{Err: storage.ErrExists}
		}
		return storagetest.Fault{}
	})})
	if err != nil {
		t.Fatal(err)
	}
	if other, err = catalog.New(catalog.Config{Store: store}); err != nil {
		t.Fatal(err)
	}
	want, err := other.Metastore(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.CreateCatalog(t.Context(), types.CreateCatalog{Name: "x"}); err != nil {
		t.Error(err)
	}
	if got, err := c.Metastore(t.Context()); err != nil || got != want {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}

// TestAnswersAreTheCallers: a request that is used again changes no earlier answer, and an
// answer that is changed changes no request.
func TestAnswersAreTheCallers(t *testing.T) {
	c := open(t, catalog.Config{Store: memory.New()})
	table := create(t, c, "t1")
	add := &types.AddCommit{Commit: commit(1, "f1")}
	req := types.UpdateTable{Require: types.Requirement{TableUUID: table.ID}, Update: types.Update{AddCommit: add, SetComment: new("c")}}
	first, err := c.UpdateTable(t.Context(), t1, req)
	if err != nil {
		t.Fatal(err)
	}
	add.Commit = commit(2, "f2")
	if _, err := c.UpdateTable(t.Context(), t1, req); err != nil {
		t.Fatal(err)
	}
	if *first.LastCommitVersion != 1 {
		t.Errorf("the first answer now says version %d", *first.LastCommitVersion)
	}
	*first.LastCommitVersion = 99
	if add.Commit.Version != 2 {
		t.Errorf("the request now says version %d", add.Commit.Version)
	}
}

// TestRootInsideTable: managed tables do not go where an external table was registered
// before the root was given.
func TestRootInsideTable(t *testing.T) {
	store := memory.New()
	c := open(t, catalog.Config{Store: store})
	if _, err := c.CreateTable(t.Context(), s1, types.CreateTable{Name: "x", Type: types.External, Location: "s3://b/x"}); err != nil {
		t.Fatal(err)
	}
	c, err := catalog.New(catalog.Config{Store: store, ManagedRoot: "s3://b/x/managed", Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.CreateStagingTable(t.Context(), s1, types.CreateStagingTable{Name: "t"}); !errors.Is(err, types.FailedPrecondition) {
		t.Error(err)
	}
	if _, err := c.CreateSchema(t.Context(), types.CreateSchema{Name: types.SchemaName{Catalog: "c1", Schema: "y"}, StorageRoot: "s3://b/x/y"}); !errors.Is(err, types.InvalidParameterValue) {
		t.Error(err)
	}
}
