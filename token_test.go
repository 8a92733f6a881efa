package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/storage/sqlite"
	"github.com/leveelake/catalog/storage/storagetest"
	"github.com/leveelake/catalog/types"
)

// onStores runs f with a catalog on stores of several kinds, whose clock f may move.
func onStores(t *testing.T, f func(t *testing.T, c *catalog.Catalog, s storage.Store, now *time.Time)) {
	for name, newStore := range map[string]func(*testing.T) storage.Store{
		"memory": func(*testing.T) storage.Store { return memory.New() },
		"rerun":  func(*testing.T) storage.Store { return storagetest.Rerun(memory.New(), nil) },
		"sqlite": func(t *testing.T) storage.Store {
			s, err := sqlite.Open(filepath.Join(t.TempDir(), "levee.db"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
			s := newStore(t)
			c, err := catalog.New(catalog.Config{Store: s, Logger: quiet(), Now: func() time.Time { return now }})
			if err != nil {
				t.Fatal(err)
			}
			f(t, c, s, &now)
		})
	}
}

func TestTokens(t *testing.T) {
	onStores(t, func(t *testing.T, c *catalog.Catalog, _ storage.Store, now *time.Time) {
		ctx := catalog.WithPrincipal(t.Context(), "boss")
		got, err := c.CreateToken(ctx, types.CreateToken{Principal: "a b", Groups: []string{"g", "h"}, Comment: "line\nline", Lifetime: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		want := types.Token{
			ID: got.ID, Principal: "a b", Groups: []string{"g", "h"}, Comment: "line\nline", Created: *now, CreatedBy: "boss", Expires: now.Add(time.Hour),
		}
		if diff := cmp.Diff(want, got.Token); diff != "" {
			t.Error(diff)
		}
		secret := string(got.Secret)
		if id, random, _ := strings.Cut(secret, "."); id != string(got.ID) || len(random) != 43 {
			t.Errorf("the secret has %d characters", len(secret))
		}
		forever, err := c.CreateToken(ctx, types.CreateToken{Principal: "a b"})
		if err != nil || !forever.Expires.IsZero() {
			t.Fatal(forever, err)
		}
		checked, err := c.CheckToken(ctx, secret)
		if diff := cmp.Diff(want, checked); diff != "" || err != nil {
			t.Error(diff, err)
		}
		live, err := c.LiveToken(ctx, got.ID)
		if diff := cmp.Diff(want, live); diff != "" || err != nil {
			t.Error(diff, err)
		}

		var messages []string
		refused := func(what string, err error) {
			t.Helper()
			if !errors.Is(err, types.NotAuthorized) {
				t.Errorf("%s: %v", what, err)
				return
			}
			messages = append(messages, err.Error())
		}
		id, random, _ := strings.Cut(secret, ".")
		metastore, err := c.Metastore(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{
			"", ".", "x", id, id + ".", "." + random, id + "." + random[1:], id + "." + random + ".", id + "." + random + "=", " " + secret,
			strings.ToUpper(id) + "." + random, string(forever.ID) + "." + random, string(metastore.ID) + "." + random,
			"00000000-0000-0000-0000-000000000000." + random, random, id + ".." + random,
		} {
			_, err := c.CheckToken(ctx, bad)
			refused("the secret "+bad, err)
		}
		for _, bad := range []types.ID{"", "x", metastore.ID, "00000000-0000-0000-0000-000000000000"} {
			_, err := c.LiveToken(ctx, bad)
			refused("the ID "+string(bad), err)
		}
		*now = now.Add(time.Hour - time.Millisecond)
		if _, err := c.CheckToken(ctx, secret); err != nil {
			t.Errorf("a moment before it expires: %v", err)
		}
		*now = now.Add(time.Millisecond)
		_, err = c.CheckToken(ctx, secret)
		refused("expired", err)
		_, err = c.LiveToken(ctx, got.ID)
		refused("expired", err)

		if err := c.RevokeToken(ctx, forever.ID); err != nil {
			t.Fatal(err)
		}
		_, err = c.CheckToken(ctx, string(forever.Secret))
		refused("revoked", err)
		_, err = c.LiveToken(ctx, forever.ID)
		refused("revoked", err)
		if len(slices.Compact(messages)) != 1 {
			t.Errorf("refusals differ: %q", slices.Compact(messages))
		}
		for _, bad := range []types.ID{forever.ID, metastore.ID, "x", "\x00\xff"} {
			err := c.RevokeToken(ctx, bad)
			if e, ok := errors.AsType[*types.Error](err); !ok || e.Code != types.NotFound || e.Kind != types.KindToken {
				t.Errorf("revoke %s: %v", bad, err)
			}
		}
	})
}

func TestCreateTokenRefused(t *testing.T) {
	onStores(t, func(t *testing.T, c *catalog.Catalog, _ storage.Store, _ *time.Time) {
		long := strings.Repeat("x", 256)
		for _, req := range []types.CreateToken{
			{},
			{Principal: long},
			{Principal: "a\x00"},
			{Principal: "a\n"},
			{Principal: "a\xff"},
			{Principal: "a", Groups: []string{""}},
			{Principal: "a", Groups: []string{"g", long}},
			{Principal: "a", Groups: []string{"g\x7f"}},
			{Principal: "a", Groups: slices.Repeat([]string{"g"}, 101)},
			{Principal: "a", Lifetime: -1},
			{Principal: "a", Comment: strings.Repeat("x", 4097)},
			{Principal: "a", Comment: "\xff"},
		} {
			if _, err := c.CreateToken(t.Context(), req); !errors.Is(err, types.InvalidParameterValue) {
				t.Errorf("%.60q: %v", fmt.Sprint(req), err)
			}
		}
		most := types.CreateToken{Principal: long[:255], Groups: slices.Repeat([]string{long[:255]}, 100), Comment: strings.Repeat("x", 4096), Lifetime: 1<<63 - 1}
		got, err := c.CreateToken(t.Context(), most)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.CheckToken(t.Context(), string(got.Secret)); err != nil {
			t.Error(err)
		}
	})
}

// TestCreateTokenRace: the first tokens of a principal may be made at the same time.
func TestCreateTokenRace(t *testing.T) {
	onStores(t, func(t *testing.T, c *catalog.Catalog, _ storage.Store, _ *time.Time) {
		for round := range 10 {
			var wait sync.WaitGroup
			for range 8 {
				wait.Go(func() {
					got, err := c.CreateToken(t.Context(), types.CreateToken{Principal: fmt.Sprint(round)})
					if err == nil {
						_, err = c.CheckToken(t.Context(), string(got.Secret))
					}
					if err != nil {
						t.Error(err)
					}
				})
			}
			wait.Wait()
			if list, _, err := c.ListTokens(t.Context(), fmt.Sprint(round), types.Page{}); err != nil || len(list) != 8 {
				t.Errorf("%d tokens, %v", len(list), err)
			}
		}
	})
}

func TestListTokens(t *testing.T) {
	onStores(t, func(t *testing.T, c *catalog.Catalog, _ storage.Store, _ *time.Time) {
		ctx := t.Context()
		for _, principal := range []string{"", "a"} {
			if list, next, err := c.ListTokens(ctx, principal, types.Page{}); err != nil || list == nil || len(list) != 0 || next != "" {
				t.Fatalf("nothing: %v %q %v", list, next, err)
			}
		}
		want := map[string][]types.Token{}
		for _, principal := range []string{"c", "a", "b", "a", "d", "a", "c", "é"} {
			got, err := c.CreateToken(ctx, types.CreateToken{Principal: principal})
			if err != nil {
				t.Fatal(err)
			}
			if principal == "b" { // a client without tokens
				if err := c.RevokeToken(ctx, got.ID); err != nil {
					t.Fatal(err)
				}
				continue
			}
			want[principal] = append(want[principal], got.Token)
			want[""] = append(want[""], got.Token)
		}
		for principal, want := range want {
			slices.SortFunc(want, func(a, b types.Token) int {
				return strings.Compare(a.Principal+string(a.ID), b.Principal+string(b.ID))
			})
			for size := range len(want) + 2 {
				var got []types.Token
				page := types.Page{Size: size}
				for {
					list, next, err := c.ListTokens(ctx, principal, page)
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, list...)
					if next == "" {
						break
					}
					if len(list) != size {
						t.Fatalf("a page of %d instead of %d", len(list), size)
					}
					page.Token = next
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("%q by %d: %s", principal, size, diff)
				}
			}
		}
		_, ofA, err := c.ListTokens(ctx, "a", types.Page{Size: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []types.Page{{Size: -1}, {Token: "x"}, {Token: ofA}, {Token: "e30x"}} {
			if _, _, err := c.ListTokens(ctx, "c", bad); !errors.Is(err, types.InvalidParameterValue) {
				t.Errorf("%+v: %v", bad, err)
			}
		}
	})
}

// TestSecretIsNotStored looks at all bytes that a store is given.
func TestSecretIsNotStored(t *testing.T) {
	path := filepath.Join(t.TempDir(), "levee.db")
	s, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c, err := catalog.New(catalog.Config{Store: s, Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.CreateToken(t.Context(), types.CreateToken{Principal: "a"})
	if err != nil {
		t.Fatal(err)
	}
	_, random, _ := strings.Cut(string(got.Secret), ".")
	found := false
	err = s.View(t.Context(), func(tx storage.ReadTx) error {
		chain, err := tx.Get(t.Context(), got.ID, storage.Want{})
		for _, n := range chain {
			found = found || strings.Contains(fmt.Sprintf("%s %+v", n.Body, n), random)
		}
		return err
	})
	if err != nil || found {
		t.Errorf("the secret is in the store: %t, %v", found, err)
	}
	if strings.Contains(fmt.Sprintf("%v %+v %#v", got, got, got), random) {
		t.Error("the answer shows its secret when it is printed")
	}
}

// adminsOnly lets "boss" administer, and nobody else.
type adminsOnly struct{}

func (adminsOnly) Allows(_ context.Context, a catalog.Access) (bool, error) {
	return a.Action != catalog.ActAdminister || a.Principal == "boss", nil
}

func TestTokensAreForAdmins(t *testing.T) {
	c, err := catalog.New(catalog.Config{Store: memory.New(), Logger: quiet(), Authorizer: adminsOnly{}})
	if err != nil {
		t.Fatal(err)
	}
	boss, ann := catalog.WithPrincipal(t.Context(), "boss"), catalog.WithPrincipal(t.Context(), "ann")
	got, err := c.CreateToken(boss, types.CreateToken{Principal: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	for _, ctx := range []context.Context{ann, t.Context()} {
		_, create := c.CreateToken(ctx, types.CreateToken{Principal: "ann"})
		_, _, list := c.ListTokens(ctx, "ann", types.Page{})
		revoke, none := c.RevokeToken(ctx, got.ID), c.RevokeToken(ctx, "x")
		for _, err := range []error{create, list, revoke, none} {
			if !errors.Is(err, types.PermissionDenied) {
				t.Error(err)
			}
		}
		if _, err := c.CheckToken(ctx, string(got.Secret)); err != nil { // who shows it is not known yet
			t.Error(err)
		}
	}
	if list, _, err := c.ListTokens(boss, "", types.Page{}); err != nil || len(list) != 1 {
		t.Error(list, err)
	}
}
