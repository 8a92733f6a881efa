package catalog

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// metastore is the body of the root.
type metastore struct {
	Owner string `json:"owner,omitempty"`
}

// Metastore returns the root of the catalog. It is made durably when it is asked for,
// or a catalog is created, for the first time.
func (c *Catalog) Metastore(ctx context.Context) (types.Metastore, error) {
	if _, err := c.ensureMetastore(ctx); err != nil {
		return types.Metastore{}, err
	}
	return view(ctx, c, func(tx storage.ReadTx) (types.Metastore, error) {
		o, m, err := findMetastore(ctx, tx)
		return types.Metastore{ID: o.ID, Name: o.Name, Owner: m.Owner}, err
	})
}

// SetAdmin makes owner, a principal or a group, the owner of the metastore: its admin. It asks for no right: it
// is for the program that runs the catalog. When it returns, it is durable.
//
// Errors: InvalidParameterValue (name).
func (c *Catalog) SetAdmin(ctx context.Context, owner string) error {
	if err := checkPrincipal("the admin", owner); err != nil {
		return err
	}
	if _, err := c.ensureMetastore(ctx); err != nil {
		return err
	}
	now := c.now()
	_, err := update(ctx, c, func(tx storage.Tx) (none struct{}, err error) {
		o, m, err := findMetastore(ctx, tx)
		if err != nil || m.Owner == owner {
			return none, err
		}
		m.Owner = owner
		new := o
		new.Body = plainJSON(m)
		touch(&new, now)
		return none, tx.Replace(ctx, o, new)
	})
	return err
}

// findMetastore reads the root, which must exist.
func findMetastore(ctx context.Context, tx storage.ReadTx) (o storage.Object, m metastore, err error) {
	chain, err := tx.Lookup(ctx, nil, storage.Want{})
	if err != nil {
		return o, m, err
	}
	if len(chain) == 0 {
		return o, m, storage.ErrStale
	}
	o = chain[0].Object
	if err := json.Unmarshal(o.Body, &m); err != nil {
		return o, m, corrupt(o, "body", err)
	}
	return o, m, nil
}

// ensureMetastore returns the root as it was once: only what never changes of it is to be used.
func (c *Catalog) ensureMetastore(ctx context.Context) (storage.Object, error) {
	if o := c.metastore.Load(); o != nil {
		return *o, nil
	}
	find := func(tx storage.ReadTx) (*storage.Object, error) {
		nodes, err := tx.Lookup(ctx, nil, storage.Want{})
		if err != nil || len(nodes) == 0 {
			return nil, err
		}
		return &nodes[0].Object, nil
	}
	o, err := view(ctx, c, find)
	if err == nil && o == nil {
		id, now := newID(), c.now()
		o, err = update(ctx, c, func(tx storage.Tx) (*storage.Object, error) {
			if o, err := find(tx); err != nil || o != nil {
				return o, err
			}
			o := storage.Object{ID: id, Kind: types.KindMetastore, Name: metastoreName, Revision: 1, Created: now, Updated: now, Body: []byte("{}")}
			return &o, tx.Insert(ctx, o)
		})
		if errors.Is(err, types.AlreadyExists) { // another request was faster
			o, err = view(ctx, c, find)
		}
	}
	if err != nil {
		return storage.Object{}, err
	}
	c.metastore.Store(o)
	return *o, nil
}
