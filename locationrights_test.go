package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	memorystore "github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

// TestRightsToLocations: the operations on credentials and external locations ask for just the rights that they need.
func TestRightsToLocations(t *testing.T) {
	type operation func(c *Catalog, ctx context.Context) error
	create := func(c *Catalog, ctx context.Context) error {
		_, err := c.CreateExternalLocation(ctx, types.CreateExternalLocation{Name: "n", URL: "s3://n", CredentialName: "k"})
		return err
	}
	update := func(u types.UpdateExternalLocation) operation {
		return func(c *Catalog, ctx context.Context) error {
			_, err := c.UpdateExternalLocation(ctx, "l", u)
			return err
		}
	}
	for name, test := range map[string]struct {
		do    operation
		needs []Action
	}{
		"create credential": {func(c *Catalog, ctx context.Context) error {
			_, err := c.CreateStorageCredential(ctx, types.CreateStorageCredential{Name: "n", Purpose: types.PurposeStorage, Identity: roleIdentity(someRole)})
			return err
		}, []Action{ActCreateCredential}},
		"get credential": {func(c *Catalog, ctx context.Context) error { _, err := c.GetStorageCredential(ctx, "k"); return err }, []Action{ActGetCredential}},
		"update credential": {func(c *Catalog, ctx context.Context) error {
			_, err := c.UpdateStorageCredential(ctx, "k", types.UpdateStorageCredential{Comment: new("x"), ReadOnly: new(true), Force: true})
			return err
		}, []Action{ActUpdateCredential}},
		"delete credential": {func(c *Catalog, ctx context.Context) error { return c.DeleteStorageCredential(ctx, "k", true) }, []Action{ActDeleteCredential}},
		"create location":   {create, []Action{ActCreateLocation, ActUseCredential}},
		"get location":      {func(c *Catalog, ctx context.Context) error { _, err := c.GetExternalLocation(ctx, "l"); return err }, []Action{ActGetLocation}},
		"update location":   {update(types.UpdateExternalLocation{Comment: new("x"), CredentialName: new("k"), URL: new("s3://b")}), []Action{ActUpdateLocation}},
		"other credential":  {update(types.UpdateExternalLocation{CredentialName: new("k2")}), []Action{ActUpdateLocation, ActUseCredential}},
		"other URL":         {update(types.UpdateExternalLocation{URL: new("s3://b/x")}), []Action{ActUpdateLocation, ActUseCredential}},
		"delete location":   {func(c *Catalog, ctx context.Context) error { return c.DeleteExternalLocation(ctx, "l", false) }, []Action{ActDeleteLocation}},
	} {
		store, rights := memorystore.New(), &listener{}
		locate(t, withCredentials(t, Config{Store: store}), "l", "s3://b")
		c := catalogOn(t, Config{Store: store, Authorizer: rights})
		for _, act := range test.needs {
			rights.refused = map[Action]bool{act: true}
			if err := test.do(c, t.Context()); types.CodeOf(err) != types.PermissionDenied {
				t.Errorf("%s without the right to %s: %v", name, act, err)
			}
		}
		rights.refused = map[Action]bool{}
		for _, act := range []Action{
			ActCreateCredential, ActGetCredential, ActUpdateCredential, ActDeleteCredential, ActUseCredential,
			ActCreateLocation, ActGetLocation, ActUpdateLocation, ActDeleteLocation, ActCreateExternalTable, ActReadFiles,
		} {
			rights.refused[act] = !slices.Contains(test.needs, act)
		}
		if err := test.do(c, t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestListsAreFiltered: a list has what the caller may get, and no more.
func TestListsAreFiltered(t *testing.T) {
	store, rights := memorystore.New(), &listener{}
	locate(t, withCredentials(t, Config{Store: store}), "l", "s3://b")
	c := catalogOn(t, Config{Store: store, Authorizer: rights})
	for _, refused := range []bool{false, true} {
		rights.refused = map[Action]bool{ActGetCredential: refused, ActGetLocation: refused}
		creds, _, err := c.ListStorageCredentials(t.Context(), "", types.Page{})
		if err != nil || (len(creds) == 0) != refused {
			t.Errorf("%v: %v, %v", refused, creds, err)
		}
		locations, _, err := c.ListExternalLocations(t.Context(), types.Page{})
		if err != nil || (len(locations) == 0) != refused {
			t.Errorf("%v: %v, %v", refused, locations, err)
		}
	}
}

// TestListExternalLocations: pages, and the names of credentials in one read, however many there are.
func TestListExternalLocations(t *testing.T) {
	store := &counting{Store: memorystore.New()}
	c := withCredentials(t, Config{Store: store})
	for i := range 7 {
		locate(t, c, fmt.Sprint("l", i), fmt.Sprint("s3://b", i))
	}
	if err := c.DeleteStorageCredential(t.Context(), "k2", false); err != nil {
		t.Fatal(err)
	}
	var names, token string
	for page := 0; page == 0 || token != ""; page++ {
		all, next, err := c.ListExternalLocations(t.Context(), types.Page{Size: 3, Token: token})
		if err != nil || page > 3 {
			t.Fatal(err, page)
		}
		for _, l := range all {
			names += l.Name
			if l.CredentialName != "k" {
				t.Errorf("%+v", l)
			}
		}
		token = next
		if reads := strings.Count(store.reads, "List"); reads != 2 {
			t.Errorf("%d reads: %s", reads, store.reads)
		}
	}
	if names != "l0l1l2l3l4l5l6" {
		t.Error(names)
	}
}
