package catalog

import (
	"context"
	"encoding/json"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// How operations get at objects. Each way takes the action that the object is wanted for, so no
// operation can forget to ask whether it is allowed.
//
// Who may not use a catalog or a schema is told, of all beneath it, that it does not exist. Below what
// one may use, a missing object is told as missing, and one without the right to it as denied.

// kindGrant is the kind of the object that says what a principal is granted on its parent. Its name is
// the principal, its body a list of privileges.
const kindGrant types.Kind = "grant"

// reach looks up a path that must exist, for act on its end, and names the first level that is missing. The
// chain it returns begins with the root.
func (c *Catalog) reach(ctx context.Context, tx storage.ReadTx, act Action, path []storage.Step, w storage.Want) ([]storage.Node, error) {
	chain, err := tx.Lookup(ctx, path, c.withGrants(ctx, w))
	if err != nil {
		return nil, err
	}
	if err := c.checkHidden(ctx, tx, path, chain); err != nil {
		return nil, err
	}
	if len(chain) <= len(path) {
		return nil, missing(path, chain)
	}
	return chain, c.check(ctx, tx, act, chain)
}

// vacancy looks up a path whose last name must be free, in a parent that must exist and on which
// create is allowed. The chain that it returns ends with the parent.
func (c *Catalog) vacancy(ctx context.Context, tx storage.ReadTx, create Action, path []storage.Step) ([]storage.Node, error) {
	chain, err := tx.Lookup(ctx, path, c.withGrants(ctx, storage.Want{}))
	if err != nil {
		return nil, err
	}
	if err := c.checkHidden(ctx, tx, path, chain); err != nil {
		return nil, err
	}
	if len(chain) < len(path) {
		return nil, missing(path, chain)
	}
	if err := c.check(ctx, tx, create, chain[:len(path)]); err != nil {
		return nil, err
	}
	if len(chain) > len(path) {
		return nil, taken(path)
	}
	return chain, nil
}

// reachID is reach for an object of a kind by its ID. What is hidden is missing.
func (c *Catalog) reachID(ctx context.Context, tx storage.ReadTx, act Action, id types.ID, kind types.Kind, w storage.Want) ([]storage.Node, error) {
	absent := missingID(kind, id)
	chain, err := tx.Get(ctx, id, c.withGrants(ctx, w))
	if err != nil {
		return nil, err
	}
	if len(chain) == 0 || last(chain).Kind != kind {
		return nil, absent
	}
	if err := c.checkHidden(ctx, tx, nil, chain); err != nil {
		if types.CodeOf(err) == types.Internal {
			return nil, err
		}
		return nil, absent
	}
	return chain, c.check(ctx, tx, act, chain)
}

// missingID is the error for an ID that is no object's of this kind.
func missingID(kind types.Kind, id types.ID) error {
	code := types.NotFound
	if kind == types.KindTable || kind == types.KindStagingTable {
		code, kind = types.NoSuchTable, types.KindTable
	}
	return code.Errorf("there is no %s with ID %q", kind, id).About(kind)
}

// may checks act on the object with an ID, which was found by other means than its name.
func (c *Catalog) may(ctx context.Context, tx storage.ReadTx, act Action, id types.ID) error {
	if c.authorizer == nil {
		return nil
	}
	chain, err := tx.Get(ctx, id, c.withGrants(ctx, storage.Want{}))
	if err != nil {
		return err
	}
	if len(chain) == 0 {
		return storage.ErrStale
	}
	return c.check(ctx, tx, act, chain)
}

// withGrants makes a Want bring along what the caller is granted.
func (c *Catalog) withGrants(ctx context.Context, w storage.Want) storage.Want {
	if c.authorizer == nil {
		return w
	}
	who := callerOf(ctx)
	steps := make([]storage.Step, 0, len(w.Beside)+1+len(who.groups))
	steps = append(append(steps, w.Beside...), storage.Step{Kind: kindGrant, Name: who.name})
	for _, g := range who.groups {
		steps = append(steps, storage.Step{Kind: kindGrant, Name: g})
	}
	w.Beside = steps
	return w
}

// check refuses act on the last of chain if it is not allowed.
func (c *Catalog) check(ctx context.Context, tx storage.ReadTx, act Action, chain []storage.Node) error {
	ok, err := c.allows(ctx, tx, act, chain)
	if err != nil || ok {
		return err
	}
	o := last(chain)
	return denied(act, o.Kind, nameOf(chain))
}

func denied(act Action, kind types.Kind, name string) error {
	return types.PermissionDenied.Errorf("you may not %s %q", act, name).About(kind)
}

// checkHidden answers for a catalog or schema on the way that the caller may not use: it is missing, and
// so is what is beneath.
func (c *Catalog) checkHidden(ctx context.Context, tx storage.ReadTx, path []storage.Step, chain []storage.Node) error {
	if c.authorizer == nil {
		return nil
	}
	above := len(chain) - 1 // what is at the end of the path is not on the way
	if path != nil {
		above = min(len(chain), len(path))
	}
	for i := 1; i < above; i++ {
		use := ActUseCatalog
		switch chain[i].Kind {
		case types.KindCatalog:
		case types.KindSchema:
			use = ActUseSchema
		default:
			continue
		}
		ok, err := c.allows(ctx, tx, use, chain[:i+1])
		if err != nil {
			return err
		}
		if !ok {
			return missing(stepsTo(chain[:i+1]), chain[:i])
		}
	}
	return nil
}

// stepsTo is the path to the end of a chain.
func stepsTo(chain []storage.Node) []storage.Step {
	path := make([]storage.Step, 0, len(chain))
	for _, n := range chain[1:] {
		path = append(path, storage.Step{Kind: n.Kind, Name: n.Name})
	}
	return path
}

// nameOf is the full name of the end of a chain.
func nameOf(chain []storage.Node) string {
	if len(chain) == 1 {
		return chain[0].Name
	}
	return fullName(stepsTo(chain))
}

// allows asks the authorizer about act on the last of chain.
func (c *Catalog) allows(ctx context.Context, tx storage.ReadTx, act Action, chain []storage.Node) (bool, error) {
	if c.authorizer == nil {
		return true, nil
	}
	levels, err := c.levels(tx, chain)
	if err != nil {
		return false, err
	}
	return c.authorizer.Allows(ctx, accessOf(ctx, act, levels)), nil
}

func accessOf(ctx context.Context, act Action, on []Level) Access {
	who := callerOf(ctx)
	return Access{Principal: who.name, Groups: who.groups, Action: act, On: on}
}

// levels is a chain as rights see it.
func (c *Catalog) levels(tx storage.ReadTx, chain []storage.Node) ([]Level, error) {
	out := make([]Level, len(chain))
	for i, n := range chain {
		var err error
		if out[i], err = c.level(tx, n); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (c *Catalog) level(tx storage.ReadTx, n storage.Node) (Level, error) {
	owner, err := c.ownerOf(tx, n.Object)
	if err != nil {
		return Level{}, err
	}
	l := Level{Kind: n.Kind, ID: n.ID, Name: n.Name, Owner: owner}
	for _, o := range n.Beside {
		if o.Kind != kindGrant {
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

// ownerOf is the owner that stands in the body of an object.
func (c *Catalog) ownerOf(tx storage.ReadTx, o storage.Object) (string, error) {
	owner := func() (string, error) {
		var body struct {
			Owner string `json:"owner"`
		}
		err := json.Unmarshal(o.Body, &body)
		return body.Owner, err
	}
	if o.Kind != types.KindTable {
		return remembered(c, tx, o, owner)
	}
	// There are many tables, in a list each is asked: they are not worth a place of their own.
	if known, ok := c.cache.get(revision{o.ID, types.KindTable, o.Revision}).(*table); ok {
		return known.record.Owner, nil
	}
	return owner()
}

// A grant is the body of a grant's object.
type grant struct {
	Privileges []types.Privilege `json:"privileges"`
}

func (c *Catalog) grantIn(tx storage.ReadTx, o storage.Object) (grant, error) {
	return remembered(c, tx, o, func() (g grant, err error) {
		err = json.Unmarshal(o.Body, &g)
		return g, err
	})
}

// remembered is what decode makes of the body of o. What an Update reads is not yet durable for sure, and not
// remembered.
func remembered[T any](c *Catalog, tx storage.ReadTx, o storage.Object, decode func() (T, error)) (T, error) {
	key := revision{o.ID, "rights", o.Revision}
	if v, ok := c.cache.get(key).(T); ok {
		return v, nil
	}
	v, err := decode()
	if err != nil {
		return v, corrupt(o, "body", err)
	}
	if _, writes := tx.(storage.Tx); !writes {
		c.cache.put(key, v, 0)
	}
	return v, nil
}

// adminOnly refuses all but the metastore's admins.
func (c *Catalog) adminOnly(ctx context.Context, tx storage.ReadTx) error {
	if c.authorizer == nil {
		return nil
	}
	chain, err := tx.Lookup(ctx, nil, c.withGrants(ctx, storage.Want{}))
	if err != nil {
		return err
	}
	if len(chain) == 0 {
		return types.PermissionDenied.Errorf("there is no admin yet")
	}
	if c.check(ctx, tx, ActAdminister, chain) != nil {
		return types.PermissionDenied.Errorf("only admins of the metastore may do that")
	}
	return nil
}
