package catalog

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// TestLocationInUse: what lies in a location keeps it where it is, and what uses a credential keeps the credential,
// unless it is forced.
func TestLocationInUse(t *testing.T) {
	for name, use := range map[string]func(c *Catalog) error{
		"table":      func(c *Catalog) error { register(t, c, "t", "s3://b/p/x/t"); return nil },
		"at the url": func(c *Catalog) error { register(t, c, "t", "s3://b/p/x"); return nil },
		"root": func(c *Catalog) error {
			_, err := c.CreateCatalog(t.Context(), types.CreateCatalog{Name: "r", StorageRoot: "s3://b/p/x"})
			return err
		},
		"root of schema": func(c *Catalog) error {
			_, err := c.CreateSchema(t.Context(), types.CreateSchema{Name: types.SchemaName{Catalog: "c", Schema: "r"}, StorageRoot: "s3://b/p/x/y"})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := withCredentials(t, Config{})
			ctx := t.Context()
			locate(t, c, "l", "s3://b/p/x")
			register(t, c, "beside", "s3://b/p/x2")
			move := func(url string, force bool) error {
				_, err := c.UpdateExternalLocation(ctx, "l", types.UpdateExternalLocation{URL: &url, Force: force})
				return err
			}
			if err := move("s3://b/p/x/y/z", false); err != nil {
				t.Error(err)
			}
			if err := move("s3://b/p/x", false); err != nil {
				t.Error(err)
			}
			if err := use(c); err != nil {
				t.Fatal(err)
			}
			for _, url := range []string{"s3://b/elsewhere", "s3://b/p/x/y/z"} {
				if err := move(url, false); types.CodeOf(err) != types.InvalidParameterValue {
					t.Errorf("%s: %v", url, err)
				}
			}
			if err := move("s3://b/p", false); err != nil {
				t.Errorf("what it covers stays covered: %v", err)
			}
			if err := c.DeleteExternalLocation(ctx, "l", false); types.CodeOf(err) != types.InvalidParameterValue {
				t.Error(err)
			}
			if err := move("s3://b/elsewhere", true); err != nil {
				t.Error(err)
			}
			if err := move("s3://b/p", true); err != nil {
				t.Error(err)
			}
			if err := c.DeleteExternalLocation(ctx, "l", true); err != nil {
				t.Error(err)
			}
			if err := c.DeleteExternalLocation(ctx, "l", true); types.CodeOf(err) != types.NotFound {
				t.Error(err)
			}
			if err := c.TableExists(ctx, locationSchema.Table("beside")); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestCredentialInUse(t *testing.T) {
	onStores(t, func(t *testing.T, s storage.Store) {
		c := withCredentials(t, Config{Store: s})
		ctx := t.Context()
		locate(t, c, "l", "s3://b/p")
		update := func(u types.UpdateStorageCredential) error {
			_, err := c.UpdateStorageCredential(ctx, "k", u)
			return err
		}
		other := roleIdentity(someRole + "2")
		for what, u := range map[string]types.UpdateStorageCredential{"identity": {Identity: &other}, "read-only": {ReadOnly: new(true)}} {
			if err := update(u); types.CodeOf(err) != types.FailedPrecondition {
				t.Errorf("%s: %v", what, err)
			}
			u.Force = true
			if err := update(u); err != nil {
				t.Errorf("%s, forced: %v", what, err)
			}
		}
		for what, u := range map[string]types.UpdateStorageCredential{"same identity": {Identity: &other}, "read-only as it is": {ReadOnly: new(true)}, "comment": {Comment: new("c")}} {
			if err := update(u); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
		if err := update(types.UpdateStorageCredential{ReadOnly: new(false)}); err != nil {
			t.Errorf("to let it write: %v", err)
		}
		names := func() (string, string) {
			got, err := c.GetExternalLocation(ctx, "l")
			if err != nil {
				t.Fatal(err)
			}
			all, _, err := c.ListExternalLocations(ctx, types.Page{})
			if d := cmp.Diff([]types.ExternalLocation{got}, all); err != nil || d != "" {
				t.Errorf("%v %s", err, d)
			}
			of, err := c.StorageCredentialOf(ctx, "s3://b/p/x")
			if err != nil {
				t.Error(err)
			}
			return got.CredentialName, of
		}
		if err := update(types.UpdateStorageCredential{NewName: new("renamed")}); err != nil {
			t.Fatal(err)
		}
		if a, b := names(); a != "renamed" || b != "renamed" {
			t.Errorf("%s, %s", a, b)
		}
		if err := c.DeleteStorageCredential(ctx, "renamed", false); types.CodeOf(err) != types.InvalidParameterValue {
			t.Error(err)
		}
		if err := c.DeleteStorageCredential(ctx, "renamed", true); err != nil {
			t.Error(err)
		}
		if a, b := names(); a != "" || b != "" {
			t.Errorf("%s, %s", a, b)
		}
		if _, err := c.UpdateExternalLocation(ctx, "l", types.UpdateExternalLocation{Comment: new("x")}); err != nil {
			t.Error(err)
		}
		if _, err := c.UpdateExternalLocation(ctx, "l", types.UpdateExternalLocation{CredentialName: new("k2")}); err != nil {
			t.Error(err)
		}
		if a, b := names(); a != "k2" || b != "k2" {
			t.Errorf("%s, %s", a, b)
		}
		if of, err := c.StorageCredentialOf(ctx, "s3://b/px"); err != nil || of != "" {
			t.Error(of, err)
		}
		if err := c.DeleteExternalLocation(ctx, "l", false); err != nil {
			t.Error(err)
		}
		if err := c.DeleteStorageCredential(ctx, "k2", false); err != nil {
			t.Error(err)
		}
	})
}

// TestRacesOfLocations: of two that may not both be, one is.
func TestRacesOfLocations(t *testing.T) {
	onStores(t, func(t *testing.T, s storage.Store) {
		c := withCredentials(t, Config{Store: s})
		ctx := t.Context()
		both := func(calls ...func() error) (refused []error) {
			t.Helper()
			errs := make([]error, len(calls))
			var group sync.WaitGroup
			for i, call := range calls {
				group.Go(func() { errs[i] = call() })
			}
			group.Wait()
			for _, err := range errs {
				if err != nil {
					refused = append(refused, err)
				}
			}
			return refused
		}
		create := func(name, url, credential string) func() error {
			return func() error {
				_, err := c.CreateExternalLocation(ctx, types.CreateExternalLocation{Name: name, URL: url, CredentialName: credential})
				return err
			}
		}
		for i := range 10 {
			bucket := fmt.Sprintf("s3://b%d", i)
			refused := both(create(fmt.Sprint("a", i), bucket, "k"), create(fmt.Sprint("b", i), bucket+"/x/y", "k"))
			if len(refused) != 1 || types.CodeOf(refused[0]) != types.InvalidParameterValue {
				t.Errorf("overlapping: %v", refused)
			}
			name := fmt.Sprint("n", i)
			refused = both(create(name, bucket+"x", "k"), create(name, bucket+"y", "k"))
			if len(refused) != 1 || types.CodeOf(refused[0]) != types.AlreadyExists {
				t.Errorf("of one name: %v", refused)
			}
			// A credential goes while a location comes: never is a location left without one.
			short := types.CreateStorageCredential{Name: fmt.Sprint("short", i), Purpose: types.PurposeStorage, Identity: roleIdentity(someRole)}
			if _, err := c.CreateStorageCredential(ctx, short); err != nil {
				t.Fatal(err)
			}
			refused = both(create(fmt.Sprint("s", i), bucket+"z", short.Name), func() error { return c.DeleteStorageCredential(ctx, short.Name, false) })
			if code := types.CodeOf(errors.Join(refused...)); len(refused) != 1 || code != types.NotFound && code != types.InvalidParameterValue {
				t.Errorf("a credential goes: %v", refused)
			}
		}
	})
}
