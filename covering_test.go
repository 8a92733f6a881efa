package catalog

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/storage"
	memorystore "github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

// anyCloud vends for whatever it is asked.
var anyCloud = credentials.VendorFunc(func(_ context.Context, req credentials.Request) (types.Credential, error) {
	config := map[string]string{}
	if !isLocal(req.Location) {
		config = map[string]string{types.S3AccessKeyID: "a", types.S3SecretAccessKey: "b"}
	}
	return types.Credential{
		Prefix: credentials.Prefix(req.Location), Operation: req.Operation, Expiration: time.Now().Add(time.Hour), Config: config,
	}, nil
})

// A listener is an authorizer that refuses some actions, and notes which are asked for on credentials and
// external locations.
type listener struct {
	refused map[Action]bool
	said    []string
}

func (a *listener) Allows(_ context.Context, access Access) (bool, error) {
	if l := access.On[len(access.On)-1]; l.Kind == types.KindCredential || l.Kind == types.KindExternalLocation {
		a.said = append(a.said, fmt.Sprintf("%s %s", access.Action, l.Name))
	}
	return !a.refused[access.Action], nil
}

// TestCoveredPlaces: what an external location and its credential say holds for tables, staging tables and paths.
func TestCoveredPlaces(t *testing.T) {
	onStores(t, func(t *testing.T, s storage.Store) {
		c := withCredentials(t, Config{Store: s, Vendor: anyCloud})
		ctx := t.Context()
		managed := types.SchemaName{Catalog: "c", Schema: "managed"}
		if _, err := c.CreateSchema(ctx, types.CreateSchema{Name: managed, StorageRoot: "s3://b/root"}); err != nil {
			t.Fatal(err)
		}
		staged, err := c.CreateStagingTable(ctx, managed, types.CreateStagingTable{Name: "m"})
		if err != nil || len(staged.Credentials) != 1 {
			t.Fatal(staged, err)
		}
		table := register(t, c, "t", "s3://b/t")
		check := func(what string, read, write types.Code) {
			t.Helper()
			byName := func(op types.Operation) error { _, err := c.TableCredentials(ctx, table.Name, op); return err }
			byID := func(op types.Operation) error { _, err := c.TableCredentialsByID(ctx, table.ID, op); return err }
			path := func(op types.Operation) error { _, err := c.PathCredentials(ctx, "s3://b/new", op); return err }
			for name, vend := range map[string]func(types.Operation) error{"table": byName, "ID": byID, "path": path} {
				for op, want := range map[types.Operation]types.Code{types.Read: read, types.ReadWrite: write} {
					err := vend(op)
					if types.CodeOf(err) != want || want == types.PermissionDenied && !strings.Contains(err.Error(), "read-only") {
						t.Errorf("%s: %s, %s: %v", what, name, op, err)
					}
				}
			}
			if _, err := c.StagingTableCredentials(ctx, staged.ID); types.CodeOf(err) != write {
				t.Errorf("%s: staging table: %v", what, err)
			}
			again, err := c.CreateStagingTable(ctx, managed, types.CreateStagingTable{Name: "m"})
			if err != nil || again.Credentials == nil || (len(again.Credentials) == 1) != (write == "") {
				t.Errorf("%s: to stage: %v, %v", what, again.Credentials, err)
			}
		}
		location := func(u types.UpdateExternalLocation) {
			t.Helper()
			if _, err := c.UpdateExternalLocation(ctx, "l", u); err != nil {
				t.Fatal(err)
			}
		}
		credential := func(u types.UpdateStorageCredential) {
			t.Helper()
			u.Force = true
			if _, err := c.UpdateStorageCredential(ctx, "k", u); err != nil {
				t.Fatal(err)
			}
		}
		check("not covered", "", "")
		locate(t, c, "l", "s3://b")
		check("covered", "", "")
		location(types.UpdateExternalLocation{ReadOnly: new(true)})
		check("read-only location", "", types.PermissionDenied)
		location(types.UpdateExternalLocation{ReadOnly: new(false)})
		credential(types.UpdateStorageCredential{ReadOnly: new(true)})
		check("read-only credential", "", types.PermissionDenied)
		credential(types.UpdateStorageCredential{ReadOnly: new(false)})
		check("neither", "", "")
		if err := c.DeleteStorageCredential(ctx, "k", true); err != nil {
			t.Fatal(err)
		}
		check("no credential", types.FailedPrecondition, types.FailedPrecondition)
		location(types.UpdateExternalLocation{CredentialName: new("k2")})
		check("another credential", "", "")
		location(types.UpdateExternalLocation{ReadOnly: new(true), URL: new("s3://b/elsewhere"), Force: true})
		check("covered no longer", "", "")
	})
}

// TestRightsToPlaces: with rights, what is not managed needs an external location, and the right to it.
func TestRightsToPlaces(t *testing.T) {
	store, rights := memorystore.New(), &listener{refused: map[Action]bool{}}
	ctx := t.Context()
	open := withCredentials(t, Config{Store: store, Vendor: anyCloud, ManagedRoot: "s3://server/managed"})
	c := catalogOn(t, Config{Store: store, Vendor: anyCloud, ManagedRoot: "s3://server/managed", Authorizer: rights})
	locate(t, open, "l", "s3://b/l")
	locate(t, open, "files", "file:///l")
	tables := map[string]types.Table{}
	for name, location := range map[string]string{"in": "s3://b/l/t", "out": "s3://b/out", "local": "file:///out"} {
		tables[name] = register(t, open, name, location)
	}
	vendTable := func(name string, op types.Operation) func() error {
		return func() error { _, err := c.TableCredentials(ctx, tables[name].Name, op); return err }
	}
	vendPath := func(location string, op types.Operation) func() error {
		return func() error { _, err := c.PathCredentials(ctx, location, op); return err }
	}
	n := 0
	root := func(location string) func() error {
		return func() error {
			n++
			_, err := c.CreateCatalog(ctx, types.CreateCatalog{Name: fmt.Sprint("r", n), StorageRoot: location})
			return err
		}
	}
	table := func(location string) func() error {
		return func() error {
			n++
			_, err := c.CreateTable(ctx, locationSchema, types.CreateTable{Name: fmt.Sprint("t", n), Type: types.External, Location: location})
			return err
		}
	}
	stage := func() error {
		staged, err := c.CreateStagingTable(ctx, locationSchema, types.CreateStagingTable{Name: "m"})
		if err == nil && len(staged.Credentials) == 1 {
			_, err = c.StagingTableCredentials(ctx, staged.ID)
		}
		return err
	}
	for name, test := range map[string]struct {
		do     func() error
		asks   string // on external locations, separated by ", "
		want   types.Code
		refuse Action // gives PermissionDenied
	}{
		"read table":             {vendTable("in", types.Read), "", "", ActReadTableFiles},
		"write table":            {vendTable("in", types.ReadWrite), "", "", ActWriteTableFiles},
		"table out of all":       {vendTable("out", types.Read), "", types.PermissionDenied, ""},
		"local table":            {vendTable("local", types.ReadWrite), "", "", ActWriteTableFiles},
		"managed table":          {stage, "", "", ActCreateTable},
		"read path":              {vendPath("s3://b/l/new", types.Read), "read files in external location l", "", ActReadFiles},
		"write path":             {vendPath("s3://b/l/new", types.ReadWrite), "write files in external location l", "", ActWriteFiles},
		"local path":             {vendPath("file:///l/new", types.Read), "read files in external location files", "", ActReadFiles},
		"path out of all":        {vendPath("s3://b/lx", types.Read), "", types.PermissionDenied, ""},
		"local path out of all":  {vendPath("file:///lx", types.Read), "", types.PermissionDenied, ""},
		"path above":             {vendPath("file:///", types.Read), "", types.InvalidParameterValue, ""},
		"path of a table":        {vendPath("s3://b/l/t", types.Read), "read files in external location l", types.PermissionDenied, ""},
		"new table":              {table("s3://b/l/new1"), "create tables in external location l", "", ActCreateExternalTable},
		"new table out of all":   {table("s3://b/new2"), "", "", ""},
		"root":                   {root("s3://b/l"), "create storage roots in external location l", "", ActCreateStorageRoot},
		"root below":             {root("s3://b/l/r"), "create storage roots in external location l", "", ActCreateStorageRoot},
		"root out of all":        {root("s3://b/r"), "", types.PermissionDenied, ""},
		"root above":             {root("s3://b"), "", types.PermissionDenied, ""},
		"local root out of all":  {root("file:///r"), "", types.PermissionDenied, ""},
		"catalog without a root": {root(""), "", "", ActCreateCatalog},
	} {
		rights.said, rights.refused = nil, map[Action]bool{}
		if test.refuse != "" {
			rights.refused[test.refuse] = true
			if err := test.do(); types.CodeOf(err) != types.PermissionDenied {
				t.Errorf("%s without the right: %v", name, err)
			}
			rights.said, rights.refused = nil, map[Action]bool{}
		}
		if err := test.do(); types.CodeOf(err) != test.want {
			t.Errorf("%s: %v", name, err)
		}
		if said := strings.Join(rights.said, ", "); said != test.asks {
			t.Errorf("%s asks %s", name, said)
		}
	}
}

// TestManagedRootIsCovered: an external location may be the server's managed root, to say with what it is opened.
func TestManagedRootIsCovered(t *testing.T) {
	c := withCredentials(t, Config{Vendor: anyCloud, ManagedRoot: "s3://server/managed"})
	staged, err := c.CreateStagingTable(t.Context(), locationSchema, types.CreateStagingTable{Name: "m"})
	if err != nil {
		t.Fatal(err)
	}
	locate(t, c, "l", "s3://server/managed")
	if name, err := c.StorageCredentialOf(t.Context(), staged.Location); err != nil || name != "k" {
		t.Errorf("%q, %v", name, err)
	}
	if _, err := c.UpdateExternalLocation(t.Context(), "l", types.UpdateExternalLocation{ReadOnly: new(true)}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.StagingTableCredentials(t.Context(), staged.ID); types.CodeOf(err) != types.PermissionDenied {
		t.Error(err)
	}
	if err := c.DeleteExternalLocation(t.Context(), "l", false); types.CodeOf(err) != types.InvalidParameterValue {
		t.Error(err)
	}
}
