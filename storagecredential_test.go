package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leveelake/catalog/storage"
	memorystore "github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/storage/sqlite"
	"github.com/leveelake/catalog/storage/storagetest"
	"github.com/leveelake/catalog/types"
)

// onStores runs a test on the store of the model, on one that runs each transaction twice, and on one with a
// database.
func onStores(t *testing.T, test func(t *testing.T, s storage.Store)) {
	t.Run("memory", func(t *testing.T) { test(t, memorystore.New()) })
	t.Run("twice", func(t *testing.T) { test(t, storagetest.Rerun(memorystore.New(), nil)) })
	t.Run("sqlite", func(t *testing.T) {
		s, err := sqlite.Open(filepath.Join(t.TempDir(), "levee.db"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		test(t, s)
	})
}

func keysForTest(t testing.TB) Keys {
	t.Helper()
	keys, err := ParseKeys(NewKey())
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func catalogOn(t testing.TB, cfg Config) *Catalog {
	t.Helper()
	if cfg.Store == nil {
		cfg.Store = memorystore.New()
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// objectsOf are the children of the metastore.
func objectsOf(t testing.TB, c *Catalog, kind types.Kind) map[string]storage.Object {
	t.Helper()
	out, err := view(t.Context(), c, func(tx storage.ReadTx) (map[string]storage.Object, error) {
		root, err := tx.Lookup(t.Context(), nil, storage.Want{})
		if err != nil || len(root) == 0 {
			return nil, err
		}
		all, err := tx.List(t.Context(), storage.ListQuery{Parent: last(root).ID, Kind: kind}, storage.Want{})
		out := map[string]storage.Object{}
		for _, n := range all {
			out[n.Name] = n.Object
		}
		return out, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const hush = "hush-hush/+=" // in each secret of these tests

func roleIdentity(arn string) types.CloudIdentity {
	return types.CloudIdentity{AWSIAMRole: &types.AWSIAMRole{RoleARN: arn}}
}

func storageKey(account string, key types.Secret) types.CloudIdentity {
	return types.CloudIdentity{AzureStorageKey: &types.AzureStorageKey{AccountName: account, AccountKey: key}}
}

const someRole = "arn:aws:iam::123456789012:role/levee"

// identities are valid ones, of all kinds.
func identities() map[string]types.CloudIdentity {
	return map[string]types.CloudIdentity{
		"principal": {AzureServicePrincipal: &types.AzureServicePrincipal{DirectoryID: "d", ApplicationID: "a", ClientSecret: hush + "1"}},
		"federated": {AzureServicePrincipal: &types.AzureServicePrincipal{DirectoryID: "d", ApplicationID: "a", FederatedTokenFile: "/tokens/azure/t"}},
		"managed":   {AzureManagedIdentity: &types.AzureManagedIdentity{MSIResourceID: "/subscriptions/x"}},
		"key":       storageKey("acc", hush+"2"),
		"role":      roleIdentity(someRole),
		"access":    {AWSAccessKey: &types.AWSAccessKey{AccessKeyID: "AKIA", SecretAccessKey: hush + "3"}},
		"gcp":       {GCPServiceAccountKey: &types.GCPServiceAccountKey{Email: "a@b", PrivateKeyID: "p", PrivateKey: "-----BEGIN\n" + hush + "\r\n-----END\n"}},
	}
}

// TestSecretsStayInside: what a credential holds comes back to a vendor alone. No answer, no log line and no
// byte of the store has a secret.
func TestSecretsStayInside(t *testing.T) {
	onStores(t, func(t *testing.T, s storage.Store) {
		var shown bytes.Buffer
		log := slog.New(slog.NewJSONHandler(&shown, &slog.HandlerOptions{Level: slog.LevelDebug}))
		c := catalogOn(t, Config{Store: s, Keys: keysForTest(t), TokenFiles: "/tokens", Logger: log})
		ctx := WithPrincipal(t.Context(), "ann")
		show := func(v any, err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			encoded, _ := json.Marshal(v)
			fmt.Fprintf(&shown, "%v %+v %#v %s\n", v, v, v, encoded)
			log.Info("shown", "v", v)
			if sc, ok := v.(types.StorageCredential); ok {
				for _, s := range shapesOf(sc.Identity) {
					if s.secret != nil && *s.secret != "" && *s.secret != types.HiddenSecret {
						t.Errorf("%s comes with its secret", sc.Name)
					}
				}
			}
		}
		for name, i := range identities() {
			got, err := c.CreateStorageCredential(ctx, types.CreateStorageCredential{Name: name, Purpose: types.PurposeStorage, Identity: i})
			show(got, err)
			if got.Owner != "ann" || got.CreatedBy != "ann" || got.UpdatedBy != "ann" || got.Created.IsZero() || got.Created != got.Updated {
				t.Errorf("%+v", got)
			}
			again, err := c.GetStorageCredential(ctx, name)
			show(again, err)
			if d := cmp.Diff(got, again); d != "" {
				t.Error(d)
			}
			updated, err := c.UpdateStorageCredential(ctx, name, types.UpdateStorageCredential{Comment: new("n")})
			show(updated, err)
		}
		all, _, err := c.ListStorageCredentials(ctx, "", types.Page{})
		show(all, err)
		if k := all[3].Identity.AzureStorageKey; k == nil || string(k.AccountKey) != types.HiddenSecret || k.AccountName != "acc" {
			t.Errorf("%+v", all[3])
		}
		for name, want := range identities() {
			o := objectsOf(t, c, types.KindCredential)[name]
			shown.Write(o.Body)
			got, err := c.identity(o)
			if err != nil {
				t.Fatal(err)
			}
			if r := got.AWSIAMRole; r != nil {
				if _, err := types.ParseID(r.ExternalID); err != nil {
					t.Error(err)
				}
				r.ExternalID = ""
			}
			for i, s := range shapesOf(want) {
				if g := shapesOf(got)[i]; g.secret != nil && string(*g.secret) != string(*s.secret) {
					t.Errorf("%s: the secret is another", name)
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s: %s", name, d)
			}
		}
		if strings.Contains(shown.String(), "hush") {
			t.Error("a secret is shown")
		}
	})
}

// TestSealedSecretsAreBound: a secret opens nowhere but in the credential that it was given to.
func TestSealedSecretsAreBound(t *testing.T) {
	c := catalogOn(t, Config{Keys: keysForTest(t)})
	for _, name := range []string{"a", "b"} {
		if _, err := c.CreateStorageCredential(t.Context(), types.CreateStorageCredential{Name: name, Purpose: types.PurposeStorage, Identity: storageKey("x", hush)}); err != nil {
			t.Fatal(err)
		}
	}
	objects := objectsOf(t, c, types.KindCredential)
	moved := objects["a"]
	if _, err := c.identity(moved); err != nil {
		t.Fatal(err)
	}
	moved.Body = objects["b"].Body
	if _, err := c.identity(moved); err == nil || types.CodeOf(err) != types.Internal {
		t.Errorf("another's secret opens: %v", err)
	}
	as := objects["a"]
	as.Body = bytes.Replace(as.Body, []byte("azure_storage_key"), []byte("aws_access_key"), 1)
	if _, err := c.identity(as); err == nil {
		t.Error("it opens as that of another kind")
	}
	for name, keys := range map[string]Keys{"other": keysForTest(t), "no": {}} {
		if _, err := catalogOn(t, Config{Keys: keys}).identity(objects["a"]); err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s keys open it: %v", name, err)
		}
	}
}

// ticking is a clock that goes on whenever it is looked at.
func ticking() func() time.Time {
	now := time.Unix(1e9, 0)
	return func() time.Time {
		now = now.Add(time.Minute)
		return now
	}
}
