package catalog

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// TestUpdateStorageCredential: one update after the other, on one credential.
func TestUpdateStorageCredential(t *testing.T) {
	onStores(t, func(t *testing.T, s storage.Store) {
		c := catalogOn(t, Config{Store: s, Keys: keysForTest(t), TokenFiles: "/tokens", Now: ticking()})
		ann, bob := WithPrincipal(t.Context(), "ann"), WithPrincipal(t.Context(), "bob")
		for name, i := range map[string]types.CloudIdentity{"k": storageKey("acc", hush), "taken": roleIdentity(someRole)} {
			if _, err := c.CreateStorageCredential(ann, types.CreateStorageCredential{Name: name, Purpose: types.PurposeStorage, Comment: "c", Identity: i}); err != nil {
				t.Fatal(err)
			}
		}
		name, secret := "k", hush
		principal := func(p types.AzureServicePrincipal) *types.CloudIdentity {
			p.DirectoryID, p.ApplicationID = "d", "a"
			return &types.CloudIdentity{AzureServicePrincipal: &p}
		}
		for _, step := range []struct {
			what    string
			u       types.UpdateStorageCredential
			want    types.Code
			changes bool
			secret  string // from now on; "" as before, "-" none
		}{
			{what: "nothing"},
			{what: "its own name", u: types.UpdateStorageCredential{NewName: new("k")}},
			{what: "what it is", u: types.UpdateStorageCredential{Comment: new("c"), Owner: new("ann"), ReadOnly: new(false)}},
			{what: "its own secret", u: types.UpdateStorageCredential{Identity: new(storageKey("acc", hush))}},
			{what: "hidden", u: types.UpdateStorageCredential{Identity: new(storageKey("acc", types.HiddenSecret))}},
			{what: "comment", u: types.UpdateStorageCredential{Comment: new("n")}, changes: true},
			{what: "no comment", u: types.UpdateStorageCredential{Comment: new("")}, changes: true},
			{what: "owner", u: types.UpdateStorageCredential{Owner: new("carl")}, changes: true},
			{what: "no owner", u: types.UpdateStorageCredential{Owner: new("")}, want: types.InvalidParameterValue},
			{what: "bad comment", u: types.UpdateStorageCredential{Comment: new("\xff")}, want: types.InvalidParameterValue},
			{what: "bad name", u: types.UpdateStorageCredential{NewName: new("a b")}, want: types.InvalidParameterValue},
			{what: "taken name", u: types.UpdateStorageCredential{NewName: new("taken")}, want: types.AlreadyExists},
			{what: "the secret for another account", u: types.UpdateStorageCredential{Identity: new(storageKey("acc2", types.HiddenSecret))}, want: types.InvalidParameterValue},
			{what: "secret", u: types.UpdateStorageCredential{Identity: new(storageKey("acc2", hush+"new"))}, changes: true, secret: hush + "new"},
			{what: "two", u: types.UpdateStorageCredential{Identity: &types.CloudIdentity{AWSIAMRole: &types.AWSIAMRole{RoleARN: someRole}, AzureStorageKey: &types.AzureStorageKey{}}}, want: types.InvalidParameterValue},
			{what: "none", u: types.UpdateStorageCredential{Identity: &types.CloudIdentity{}}, want: types.InvalidParameterValue},
			{what: "hidden, of another kind", u: types.UpdateStorageCredential{Identity: principal(types.AzureServicePrincipal{ClientSecret: types.HiddenSecret})}, want: types.InvalidParameterValue},
			{what: "kind", u: types.UpdateStorageCredential{Identity: principal(types.AzureServicePrincipal{ClientSecret: hush})}, changes: true, secret: hush},
			{what: "kind without secret", u: types.UpdateStorageCredential{Identity: principal(types.AzureServicePrincipal{FederatedTokenFile: "/tokens/t"})}, changes: true, secret: "-"},
			{what: "hidden, of none", u: types.UpdateStorageCredential{Identity: principal(types.AzureServicePrincipal{ClientSecret: types.HiddenSecret})}, want: types.InvalidParameterValue},
			{what: "read-only", u: types.UpdateStorageCredential{ReadOnly: new(true)}, changes: true},
			{what: "all at once", u: types.UpdateStorageCredential{NewName: new("k2"), Comment: new("x"), ReadOnly: new(false), Identity: new(storageKey("acc", hush))}, changes: true, secret: hush},
		} {
			before, stored := get(t, c, name), objectsOf(t, c, types.KindCredential)[name]
			got, err := c.UpdateStorageCredential(bob, name, step.u)
			if types.CodeOf(err) != step.want {
				t.Fatalf("%s: %v", step.what, err)
			}
			if err == nil {
				name = got.Name
				if d := cmp.Diff(got, get(t, c, name)); d != "" {
					t.Errorf("%s: the answer is not what is there: %s", step.what, d)
				}
			}
			after, now := get(t, c, name), objectsOf(t, c, types.KindCredential)[name]
			if changed := now.Revision != stored.Revision; changed != step.changes || changed != after.Updated.After(before.Updated) {
				t.Errorf("%s: revision %d, then %d; updated %s, then %s", step.what, stored.Revision, now.Revision, before.Updated, after.Updated)
			}
			if step.changes && after.UpdatedBy != "bob" || after.UpdatedBy != before.UpdatedBy && !step.changes || after.CreatedBy != "ann" || after.ID != before.ID || after.Created != before.Created {
				t.Errorf("%s: %+v", step.what, after)
			}
			if step.secret != "" {
				secret = step.secret
			}
			i, err := c.identity(now)
			if err != nil {
				t.Fatal(err)
			}
			if s := shapesOf(i)[0]; s.secret != nil && string(*s.secret) != secret && (secret != "-" || *s.secret != "") {
				t.Errorf("%s: the secret is not the one", step.what)
			}
		}
		if got := get(t, c, "k2"); got.Comment != "x" || got.Owner != "carl" || got.ReadOnly {
			t.Errorf("%+v", got)
		}
	})
}

func get(t *testing.T, c *Catalog, name string) types.StorageCredential {
	t.Helper()
	out, err := c.GetStorageCredential(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestExternalID: it stays as long as the role, and is never the client's choice.
func TestExternalID(t *testing.T) {
	c := catalogOn(t, Config{Keys: keysForTest(t)})
	chosen := roleIdentity(someRole)
	chosen.AWSIAMRole.ExternalID = "mine"
	first, err := c.CreateStorageCredential(t.Context(), types.CreateStorageCredential{Name: "r", Purpose: types.PurposeStorage, Identity: chosen})
	if err != nil || first.Identity.AWSIAMRole.ExternalID == "mine" {
		t.Fatal(first, err)
	}
	ids := map[string]bool{first.Identity.AWSIAMRole.ExternalID: true}
	for _, step := range []struct {
		identity types.CloudIdentity
		fresh    bool
	}{
		{chosen, false},
		{roleIdentity(someRole), false},
		{roleIdentity(someRole + "2"), true},
		{roleIdentity(someRole), true},
		{storageKey("a", hush), false},
		{roleIdentity(someRole), true},
	} {
		got, err := c.UpdateStorageCredential(t.Context(), "r", types.UpdateStorageCredential{Identity: &step.identity})
		if err != nil {
			t.Fatal(err)
		}
		if r := got.Identity.AWSIAMRole; r != nil {
			if _, err := types.ParseID(r.ExternalID); err != nil || ids[r.ExternalID] == step.fresh {
				t.Errorf("%+v: external ID %s", step, r.ExternalID)
			}
			ids[r.ExternalID] = true
		}
	}
	if chosen.AWSIAMRole.ExternalID != "mine" {
		t.Error("the request was changed")
	}
}

func TestListStorageCredentials(t *testing.T) {
	c := catalogOn(t, Config{})
	ctx := t.Context()
	if got, next, err := c.ListStorageCredentials(ctx, "", types.Page{}); err != nil || len(got) != 0 || next != "" {
		t.Errorf("%v, %s, %v", got, next, err)
	}
	for name, p := range map[string]types.Purpose{"a": types.PurposeService, "b": types.PurposeStorage, "c": types.PurposeService, "d": types.PurposeStorage, "e": types.PurposeService} {
		if _, err := c.CreateStorageCredential(ctx, types.CreateStorageCredential{Name: name, Purpose: p, Identity: roleIdentity(someRole)}); err != nil {
			t.Fatal(err)
		}
	}
	names := func(p types.Purpose, page types.Page) (string, string) {
		t.Helper()
		all, next, err := c.ListStorageCredentials(ctx, p, page)
		if err != nil {
			t.Fatal(err)
		}
		out := ""
		for _, sc := range all {
			out += sc.Name
		}
		return out, next
	}
	for p, want := range map[types.Purpose]string{"": "abcde", types.PurposeStorage: "bd", types.PurposeService: "ace"} {
		if got, next := names(p, types.Page{}); got != want || next != "" {
			t.Errorf("%s: %s, %s", p, got, next)
		}
	}
	got, next := names(types.PurposeService, types.Page{Size: 2})
	rest, end := names(types.PurposeService, types.Page{Size: 2, Token: next})
	if got != "ac" || rest != "e" || end != "" {
		t.Errorf("%s, then %s, then %s", got, rest, end)
	}
	for _, p := range []types.Purpose{types.PurposeStorage, "", "OTHER"} {
		if _, _, err := c.ListStorageCredentials(ctx, p, types.Page{Token: next}); types.CodeOf(err) != types.InvalidParameterValue {
			t.Errorf("%s: %v", p, err)
		}
	}
}
