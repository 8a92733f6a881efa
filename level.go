package catalog

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// How objects look to rights.

// A grant is the body of the object that says what a principal is granted on its parent. The object's name is the
// principal.
type grant struct {
	Privileges []types.Privilege `json:"privileges"`
}

// withGrants makes a Want bring along what the caller is granted.
func (c *Catalog) withGrants(ctx context.Context, w storage.Want) storage.Want {
	if c.authorizer == nil {
		return w
	}
	who := callerOf(ctx)
	steps := make([]storage.Step, 0, len(w.Beside)+1+len(who.groups))
	steps = append(append(steps, w.Beside...), storage.Step{Kind: types.KindGrant, Name: who.name})
	for _, g := range who.groups {
		steps = append(steps, storage.Step{Kind: types.KindGrant, Name: g})
	}
	w.Beside = steps
	return w
}

// levels is a chain as rights see it.
func (c *Catalog) levels(ctx context.Context, tx storage.ReadTx, chain []storage.Node) ([]Level, error) {
	out := make([]Level, len(chain))
	for i, n := range chain {
		var err error
		if out[i], err = c.level(ctx, tx, n); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (c *Catalog) level(ctx context.Context, tx storage.ReadTx, n storage.Node) (Level, error) {
	owner, err := c.ownerOf(tx, n.Object)
	if err != nil {
		return Level{}, err
	}
	l := Level{Kind: n.Kind, ID: n.ID, Name: n.Name, Owner: owner}
	who := callerOf(ctx)
	for _, o := range n.Beside {
		if o.Kind != types.KindGrant || !who.has(o.Name) { // others' grants may be there for other reasons
			continue
		}
		g, err := c.grantIn(tx, o)
		if err != nil {
			return Level{}, err
		}
		l.Granted = append(l.Granted, g.Privileges...)
	}
	return l, nil
}

// nameOf is the full name of the end of a chain.
func nameOf(on []Level) string {
	if len(on) == 1 {
		return on[0].Name
	}
	names := make([]string, 0, len(on))
	for _, l := range on[1:] {
		names = append(names, l.Name)
	}
	return strings.Join(names, ".")
}

// ownerOf is the owner that stands in the body of an object.
func (c *Catalog) ownerOf(tx storage.ReadTx, o storage.Object) (string, error) {
	if o.Kind == types.KindTable {
		// There are many tables, in a list each is asked: they are not worth a place of their own.
		if known, ok := c.cache.get(revision{o.ID, types.KindTable, o.Revision}).(*table); ok {
			return known.record.Owner, nil
		}
		return decodeOwner(o)
	}
	return remembered(c, tx, o, decodeOwner)
}

func decodeOwner(o storage.Object) (string, error) {
	var body struct {
		Owner string `json:"owner"`
	}
	if err := json.Unmarshal(o.Body, &body); err != nil {
		return "", corrupt(o, "body", err)
	}
	return body.Owner, nil
}

func (c *Catalog) grantIn(tx storage.ReadTx, o storage.Object) (grant, error) {
	return remembered(c, tx, o, func(o storage.Object) (g grant, err error) {
		if err := json.Unmarshal(o.Body, &g); err != nil {
			return g, corrupt(o, "body", err)
		}
		return g, nil
	})
}

// remembered is what decode makes of the body of o. What an Update reads is not yet durable for sure, and not
// remembered.
func remembered[T any](c *Catalog, tx storage.ReadTx, o storage.Object, decode func(storage.Object) (T, error)) (T, error) {
	key := revision{o.ID, decodedBody, o.Revision}
	if v, ok := c.cache.get(key).(T); ok {
		return v, nil
	}
	v, err := decode(o)
	if err != nil {
		return v, err
	}
	if _, writes := tx.(storage.Tx); !writes {
		c.cache.put(key, v, 0)
	}
	return v, nil
}
