package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// kindKey is the kind of the one object that remembers the key in use.
const kindKey types.Kind = "key"

// keyInUse is the body of that object.
type keyInUse struct {
	Fingerprint string `json:"fingerprint"`
}

// AdoptKeys makes sure that Config.Keys are those which the store's secrets and tokens were made with. The first
// call makes the store remember the newest key, by its fingerprint; from then on that key must be among Keys, and
// a newer one takes its place. A server calls AdoptKeys before it answers requests.
//
// Errors: FailedPrecondition (the store was made with another key).
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

func (c *Catalog) adoptKeys(ctx context.Context, tx storage.Tx, id types.ID) error {
	path := []storage.Step{{Kind: kindKey, Name: "key"}}
	chain, err := tx.Lookup(ctx, path, storage.Want{})
	if err != nil {
		return err
	}
	ours, now := c.keys.Fingerprints(), c.now()
	if len(chain) <= len(path) {
		if len(ours) == 0 {
			return nil
		}
		return tx.Insert(ctx, storage.Object{
			ID: id, Kind: kindKey, Parent: last(chain).ID, Name: path[0].Name, Revision: 1, Created: now, Updated: now,
			Body: plainJSON(keyInUse{ours[0]}),
		})
	}
	old := last(chain)
	var used keyInUse
	if err := json.Unmarshal(old.Body, &used); err != nil {
		return corrupt(old, "body", err)
	}
	switch at := slices.Index(ours, used.Fingerprint); {
	case at == 0:
		return nil
	case at > 0:
		next := old
		next.Body = plainJSON(keyInUse{ours[0]})
		touch(&next, now)
		return tx.Replace(ctx, old, next)
	case len(ours) == 0:
		return types.FailedPrecondition.Errorf("Config.Keys are not those that this store was made with: it needs the key %s, and there is none", used.Fingerprint)
	}
	return types.FailedPrecondition.Errorf("Config.Keys are not those that this store was made with: it needs the key %s, not %q", used.Fingerprint, ours)
}
