package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/leveelake/catalog/storage"
	memorystore "github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

func keysOf(t testing.TB, lines ...string) Keys {
	t.Helper()
	k, err := ParseKeys(strings.Join(lines, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestParseKeys(t *testing.T) {
	a, b := NewKey(), NewKey()
	k := keysOf(t, "# comment", "", "  "+a+"\r", "\t# another", b, "")
	if got := k.Fingerprints(); len(got) != 2 || got[0] != keysOf(t, a).Fingerprints()[0] || got[1] != keysOf(t, b).Fingerprints()[0] {
		t.Errorf("fingerprints %q", got)
	}
	if k.IsZero() || !(Keys{}).IsZero() || len((Keys{}).Fingerprints())+len((Keys{}).Derive("x")) != 0 {
		t.Error("IsZero")
	}
	for _, text := range []string{
		"", "# nothing\n", "secret", a + "\n" + a, a + "x", a[:len(a)-1], strings.TrimPrefix(a, keyPrefix), a + " " + b,
		keyPrefix + "!" + a[len(keyPrefix)+1:], keyPrefix, a + "=",
	} {
		_, err := ParseKeys(text)
		if err == nil {
			t.Errorf("%q: accepted", text)
			continue
		}
		if text != "" && (strings.Contains(err.Error(), a[len(keyPrefix):][:8]) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%q: the error repeats it: %v", text, err)
		}
	}
}

func TestKeysAreNotShown(t *testing.T) {
	a := NewKey()
	k := keysOf(t, a)
	c, err := New(Config{Store: memorystore.New(), Keys: k})
	if err != nil {
		t.Fatal(err)
	}
	master := k.all()[0].master
	var logged bytes.Buffer
	slog.New(slog.NewTextHandler(&logged, nil)).Info("x", "keys", k, "in", Config{Keys: k})
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("x", "keys", k, "in", struct{ K Keys }{k})
	encoded, err := json.Marshal(struct{ K Keys }{k})
	if err != nil {
		t.Fatal(err)
	}
	out := logged.String() + string(encoded)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%q", "%d"} {
		for _, v := range []any{k, &k, Config{Keys: k}, []Keys{k}, struct{ hidden Keys }{k}, c.rules, c.keys} {
			out += fmt.Sprintf(verb, v)
		}
	}
	for _, secret := range []string{a, a[len(keyPrefix):], fmt.Sprintf("%x", master), fmt.Sprintf("%d", master[:6])[1:16], string(master)} {
		if strings.Contains(out, secret) {
			t.Errorf("a key is shown: %.40q in %q", secret, out)
		}
	}
}

func TestDerive(t *testing.T) {
	a, b := NewKey(), NewKey()
	k := keysOf(t, a, b)
	signing, other := k.Derive("signing"), k.Derive("other")
	seen := map[string]bool{}
	for _, key := range slices.Concat(signing, other) {
		if len(key) != 32 || seen[string(key)] {
			t.Errorf("a key of %d bytes, or one twice", len(key))
		}
		seen[string(key)] = true
	}
	if again := keysOf(t, b, a).Derive("signing"); !bytes.Equal(again[0], signing[1]) || !bytes.Equal(again[1], signing[0]) {
		t.Error("the derived keys change with the order")
	}
}

func TestSeal(t *testing.T) {
	a, b := NewKey(), NewKey()
	old, rotated, other := keysOf(t, a), keysOf(t, b, a), keysOf(t, b)
	for _, plain := range []string{"", "hunter2", strings.Repeat("x", 10_000)} {
		sealed, err := old.seal([]byte(plain), "id/field")
		if err != nil || plain != "" && strings.Contains(sealed, plain) {
			t.Fatal(err)
		}
		if again, _ := old.seal([]byte(plain), "id/field"); again == sealed {
			t.Error("the same text is sealed twice alike")
		}
		for _, k := range []Keys{old, rotated} {
			if got, err := k.open(sealed, "id/field"); err != nil || string(got) != plain {
				t.Errorf("%v: %q, %v", k, got, err)
			}
			for _, context := range []string{"", "id/other", "other/field", "id/field "} {
				if _, err := k.open(sealed, context); err == nil {
					t.Errorf("opens as %q", context)
				}
			}
		}
		for _, k := range []Keys{other, {}} {
			if _, err := k.open(sealed, "id/field"); err == nil {
				t.Errorf("%v opens it", k)
			}
		}
		for i := range min(len(sealed), 100) {
			broken := []byte(sealed)
			broken[i] ^= 1
			if got, err := old.open(string(broken), "id/field"); err == nil {
				t.Fatalf("changed at %d: %q", i, got)
			}
			if _, err := old.open(sealed[:i], "id/field"); err == nil {
				t.Fatalf("cut at %d", i)
			}
		}
	}
	if sealed, _ := rotated.seal([]byte("x"), "c"); func() bool { _, err := old.open(sealed, "c"); return err == nil }() {
		t.Error("the older key seals")
	}
	if _, err := (Keys{}).seal([]byte("x"), "c"); !errors.Is(err, types.FailedPrecondition) {
		t.Errorf("sealed without keys: %v", err)
	}
}

func TestAdoptKeys(t *testing.T) {
	a, b, x := NewKey(), NewKey(), NewKey()
	store := memorystore.New()
	adopt := func(k Keys) error {
		c, err := New(Config{Store: store, Keys: k})
		if err != nil {
			t.Fatal(err)
		}
		return c.AdoptKeys(t.Context())
	}
	for i, step := range []struct {
		keys Keys
		ok   bool
	}{
		{Keys{}, true}, // a store without secrets
		{keysOf(t, a), true},
		{keysOf(t, a), true},
		{Keys{}, false},
		{keysOf(t, b), false},
		{keysOf(t, x, b), false},
		{keysOf(t, a, b), true},
		{keysOf(t, b, a), true}, // rotated
		{keysOf(t, a), false},
		{keysOf(t, b), true},
	} {
		err := adopt(step.keys)
		if (err == nil) != step.ok || err != nil && !errors.Is(err, types.FailedPrecondition) {
			t.Errorf("step %d: %v", i, err)
		}
	}
}

// TestAdoptKeysSecrets: the keys of stored secrets are needed, and after each start only the first.
func TestAdoptKeysSecrets(t *testing.T) {
	a, b, x := NewKey(), NewKey(), NewKey()
	store := memorystore.New()
	open := func(keys ...string) (*Catalog, error) {
		c, err := New(Config{Store: store, Keys: keysOf(t, keys...)})
		if err != nil {
			t.Fatal(err)
		}
		return c, c.AdoptKeys(t.Context())
	}
	makeSecret := func(c *Catalog, name string) {
		t.Helper()
		_, err := c.CreateStorageCredential(t.Context(), types.CreateStorageCredential{Name: name, Purpose: types.PurposeStorage, Identity: types.CloudIdentity{
			AWSAccessKey: &types.AWSAccessKey{AccessKeyID: "AKIA", SecretAccessKey: types.Secret("secret of " + name)},
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	check := func(c *Catalog, names ...string) {
		t.Helper()
		for _, name := range names {
			chain, err := view(t.Context(), c, func(tx storage.ReadTx) ([]storage.Node, error) {
				return tx.Lookup(t.Context(), credentialPath(name), storage.Want{})
			})
			if err != nil {
				t.Fatal(err)
			}
			if got, err := c.identity(last(chain)); err != nil || string(got.AWSAccessKey.SecretAccessKey) != "secret of "+name {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	old, err := open(a)
	if err != nil {
		t.Fatal(err)
	}
	makeSecret(old, "one")
	c, err := open(b, a)
	if err != nil {
		t.Fatal(err)
	}
	check(c, "one")
	makeSecret(old, "two") // of a server that has not been started again yet
	if _, err := open(b); !errors.Is(err, types.FailedPrecondition) {
		t.Errorf("without a key of a secret: %v", err)
	}
	if needs, err := c.NeedsKeys(t.Context()); err != nil || len(needs) != 2 {
		t.Errorf("needed are %v, %v", needs, err)
	}
	if _, err := open(x); !errors.Is(err, types.FailedPrecondition) {
		t.Errorf("with another key: %v", err)
	}
	if _, err := open(b, a); err != nil {
		t.Fatal(err)
	}
	if c, err = open(b); err != nil {
		t.Fatal(err)
	}
	check(c, "one", "two")
	if _, err := open(a, b); err != nil { // back
		t.Fatal(err)
	}
	if c, err = open(a); err != nil {
		t.Fatal(err)
	}
	check(c, "one", "two")
}

// TestAdoptKeysRace: of servers that start beside each other on an empty store, those with the same key all start.
func TestAdoptKeysRace(t *testing.T) {
	for range 20 {
		store := memorystore.New()
		keys := []Keys{keysOf(t, NewKey()), keysOf(t, NewKey())}
		errs := make([]error, 8)
		var wait sync.WaitGroup
		for i := range errs {
			wait.Go(func() {
				store := &raced{Store: store}
				c, err := New(Config{Store: store, Keys: keys[i/4]})
				if err == nil {
					_, err = c.ensureMetastore(t.Context())
				}
				if err == nil {
					store.lose = i % 2
					err = c.AdoptKeys(t.Context())
				}
				errs[i] = err
			})
		}
		wait.Wait()
		for half := range 2 {
			for i := range 4 {
				if (errs[4*half+i] == nil) != (errs[4*half] == nil) {
					t.Fatalf("of servers with the same key some start: %v", errs)
				}
			}
		}
		if (errs[0] == nil) == (errs[4] == nil) {
			t.Fatalf("both keys, or none: %v", errs)
		}
	}
}

// TestAdoptKeysFault: what a store says that is no refusal comes back as it is.
func TestAdoptKeysFault(t *testing.T) {
	store := memorystore.New()
	c, err := New(Config{Store: store, Keys: keysOf(t, NewKey())})
	if err != nil {
		t.Fatal(err)
	}
	root, err := c.ensureMetastore(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = update(t.Context(), c, func(tx storage.Tx) (none struct{}, err error) {
		if _, err := tx.Lookup(t.Context(), nil, storage.Want{}); err != nil {
			return none, err
		}
		return none, tx.Insert(t.Context(), storage.Object{ID: newID(), Kind: kindKey, Parent: root.ID, Name: "key", Revision: 1, Body: []byte("}")})
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.AdoptKeys(t.Context()); types.CodeOf(err) != types.Internal {
		t.Errorf("a broken body: %v", err)
	}
}
