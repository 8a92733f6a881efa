package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// kindKey is the kind of the one object that remembers the key in use.
const kindKey types.Kind = "key"

// keyInUse is the body of that object.
type keyInUse struct {
	Fingerprint string `json:"fingerprint"`
}

var keyPath = []storage.Step{{Kind: kindKey, Name: "key"}}

// AdoptKeys makes sure that Config.Keys has all keys that the store needs: the one it remembers to be in use, and those
// that its secrets are encrypted with. Then the first of Keys is in use: the store remembers it, by its fingerprint, and
// its secrets are encrypted with it anew, so that after AdoptKeys the store needs no other. A server calls it before
// it answers requests.
//
// Errors: FailedPrecondition (a key is missing).
func (c *Catalog) AdoptKeys(ctx context.Context) error {
	if !c.keys.IsZero() {
		if _, err := c.ensureMetastore(ctx); err != nil {
			return err
		}
	}
	id := newID()
	for {
		_, err := update(ctx, c, func(tx storage.Tx) (struct{}, error) { return struct{}{}, c.adoptKeys(ctx, tx, id) })
		if !errors.Is(err, storage.ErrExists) { // else another server was faster, with the same key or not
			return err
		}
	}
}

// NeedsKeys returns the fingerprints of the keys without which AdoptKeys refuses, in order; none if the store was never
// used with a key.
func (c *Catalog) NeedsKeys(ctx context.Context) ([]string, error) {
	return view(ctx, c, func(tx storage.ReadTx) ([]string, error) {
		_, _, needed, err := c.sealed(ctx, tx)
		return needed, err
	})
}

func (c *Catalog) adoptKeys(ctx context.Context, tx storage.Tx, id types.ID) error {
	root, credentials, needed, err := c.sealed(ctx, tx)
	if err != nil {
		return err
	}
	ours := c.keys.Fingerprints()
	for _, fp := range needed {
		if !slices.Contains(ours, fp) {
			return types.FailedPrecondition.Errorf("Config.Keys are not those that this store was made with: it needs the key %s; there are %q", fp, ours)
		}
	}
	if len(ours) == 0 {
		return nil
	}
	chain, err := tx.Lookup(ctx, keyPath, storage.Want{})
	if err != nil {
		return err
	}
	now, body := c.now(), plainJSON(keyInUse{ours[0]})
	switch old := last(chain); {
	case len(chain) <= len(keyPath):
		err = tx.Insert(ctx, storage.Object{
			ID: id, Kind: kindKey, Parent: root.ID, Name: keyPath[0].Name, Revision: 1, Created: now, Updated: now, Body: body,
		})
	case string(old.Body) != string(body):
		next := old
		next.Body = body
		touch(&next, now)
		err = tx.Replace(ctx, old, next)
	}
	if err != nil {
		return err
	}
	for _, o := range credentials {
		next, err := c.resealed(o)
		if c.leftOut(ctx, err) {
			continue
		}
		if err != nil {
			return err
		}
		if string(next.Body) == string(o.Body) {
			continue
		}
		touch(&next, now)
		if err := tx.Replace(ctx, o, next); err != nil {
			return err
		}
	}
	return nil
}

// sealed returns the root, nothing if there is none, the storage credentials, and the fingerprints of the keys that are
// needed.
func (c *Catalog) sealed(ctx context.Context, tx storage.ReadTx) (root storage.Object, credentials []storage.Object, needed []string, err error) {
	chain, err := tx.Lookup(ctx, keyPath, storage.Want{})
	if err != nil || len(chain) == 0 {
		return root, nil, nil, err
	}
	if len(chain) > len(keyPath) {
		var used keyInUse
		if err := json.Unmarshal(last(chain).Body, &used); err != nil {
			return root, nil, nil, corrupt(last(chain), "body", err)
		}
		needed = append(needed, used.Fingerprint)
	}
	if chain, err = tx.Lookup(ctx, nil, storage.Want{}); err != nil || len(chain) == 0 { // a List wants its parent read
		return root, nil, nil, err
	}
	root = chain[0].Object
	nodes, err := tx.List(ctx, storage.ListQuery{Parent: root.ID, Kind: types.KindCredential}, storage.Want{})
	if err != nil {
		return root, nil, nil, err
	}
	for _, n := range nodes {
		r, err := decodeCredential(n.Object)
		if c.leftOut(ctx, err) { // it can be deleted still
			continue
		}
		if err != nil {
			return root, nil, nil, err
		}
		credentials = append(credentials, n.Object)
		if parts := strings.Split(r.Identity.Sealed, "."); len(parts) == 3 {
			needed = append(needed, parts[1])
		}
	}
	slices.Sort(needed)
	return root, credentials, slices.Compact(needed), nil
}

// resealed is a storage credential with its secret encrypted with the key in use.
func (c *Catalog) resealed(o storage.Object) (storage.Object, error) {
	r, err := decodeCredential(o)
	if err != nil || r.Identity.Sealed == "" || strings.HasPrefix(r.Identity.Sealed, sealVersion+"."+c.keys.Fingerprints()[0]+".") {
		return o, err
	}
	s, err := r.Identity.shape()
	if err != nil {
		return o, corrupt(o, "identity", err)
	}
	plain, err := c.keys.open(r.Identity.Sealed, s.sealContext(o.ID))
	if err != nil {
		return o, corrupt(o, "secret", err)
	}
	if r.Identity.Sealed, err = c.keys.seal(plain, s.sealContext(o.ID)); err != nil {
		return o, err
	}
	o.Body, err = recordBody(r)
	return o, err
}
