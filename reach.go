package catalog

import (
	"context"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// How operations get at objects. Each way takes the action that the object is wanted for, so no
// operation can forget to ask whether it is allowed.
//
// Who may not use a catalog or a schema is told, of all beneath it, that it does not exist. Below what
// one may use, a missing object is told as missing, and one without the right to it as denied.

// reach looks up a path that must exist, for act on its end, and names the first level that is missing. The
// chain it returns begins with the root.
func (c *Catalog) reach(ctx context.Context, tx storage.ReadTx, act Action, path []storage.Step, w storage.Want) ([]storage.Node, error) {
	chain, on, err := c.lookup(ctx, tx, path, w)
	if err != nil {
		return nil, err
	}
	if len(chain) <= len(path) {
		return nil, missing(path, chain)
	}
	return chain, c.check(ctx, on, act)
}

// vacancy looks up a path whose last name must be free, in a parent that must exist and on which
// create is allowed. The chain that it returns ends with the parent.
func (c *Catalog) vacancy(ctx context.Context, tx storage.ReadTx, create Action, path []storage.Step) ([]storage.Node, error) {
	chain, on, err := c.lookup(ctx, tx, path, storage.Want{})
	if err != nil {
		return nil, err
	}
	if len(chain) < len(path) {
		return nil, missing(path, chain)
	}
	if err := c.check(ctx, on[:min(len(path), len(on))], create); err != nil {
		return nil, err
	}
	if len(chain) > len(path) {
		return nil, taken(path)
	}
	return chain, nil
}

// inside looks up a path that must exist and all of which the caller may use, so that its children can be listed.
func (c *Catalog) inside(ctx context.Context, tx storage.ReadTx, path []storage.Step) ([]storage.Node, []Level, error) {
	chain, on, err := c.lookup(ctx, tx, path, storage.Want{})
	if err != nil {
		return nil, nil, err
	}
	if len(chain) <= len(path) && len(path) > 0 { // of what is not made yet, nothing is in the metastore
		return nil, nil, missing(path, chain)
	}
	return chain, on, c.checkHidden(ctx, on)
}

// lookup looks up a path as far as it exists, unless something on the way to its end is hidden. The levels are
// nil where there are no rights.
func (c *Catalog) lookup(ctx context.Context, tx storage.ReadTx, path []storage.Step, w storage.Want) ([]storage.Node, []Level, error) {
	chain, err := tx.Lookup(ctx, path, c.withGrants(ctx, w))
	if err != nil || c.authorizer == nil {
		return chain, nil, err
	}
	on, err := c.levels(ctx, tx, chain)
	if err == nil {
		err = c.checkHidden(ctx, on[:min(len(on), len(path))])
	}
	return chain, on, err
}

// reachID is reach for an object of a kind by its ID. What is hidden is missing.
func (c *Catalog) reachID(ctx context.Context, tx storage.ReadTx, act Action, id types.ID, kind types.Kind, w storage.Want) ([]storage.Node, error) {
	chain, on, err := c.find(ctx, tx, id, w)
	if err != nil {
		return nil, err
	}
	if len(chain) == 0 || last(chain).Kind != kind {
		return nil, missingID(kind, id)
	}
	return chain, c.check(ctx, on, act)
}

// find is the chain to the object with an ID, nil if there is none or something on the way to it is hidden.
func (c *Catalog) find(ctx context.Context, tx storage.ReadTx, id types.ID, w storage.Want) ([]storage.Node, []Level, error) {
	chain, err := tx.Get(ctx, id, c.withGrants(ctx, w))
	if err != nil || c.authorizer == nil || len(chain) == 0 {
		return chain, nil, err
	}
	on, err := c.levels(ctx, tx, chain)
	if err != nil {
		return nil, nil, err
	}
	if err := c.checkHidden(ctx, on[:len(on)-1]); err != nil {
		if types.CodeOf(err) == types.Internal {
			return nil, nil, err
		}
		return nil, nil, nil
	}
	return chain, on, nil
}

// missingID is the error for an ID that is no object's of this kind.
func missingID(kind types.Kind, id types.ID) error {
	code := types.NotFound
	if kind == types.KindTable || kind == types.KindStagingTable {
		code = types.NoSuchTable
	}
	return code.Errorf("there is no %s with ID %q", title(kind), id).About(kind)
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
	return c.checkOn(ctx, tx, chain, act)
}

// adminOnly refuses all but the metastore's admins.
func (c *Catalog) adminOnly(ctx context.Context, tx storage.ReadTx) error {
	if c.authorizer == nil {
		return nil
	}
	_, on, err := c.lookup(ctx, tx, nil, storage.Want{})
	if err != nil {
		return err
	}
	if len(on) == 0 {
		return types.PermissionDenied.Errorf("there is no admin yet")
	}
	return c.check(ctx, on, ActAdminister)
}

// check refuses those of acts on the last of a chain that are not allowed.
func (c *Catalog) check(ctx context.Context, on []Level, acts ...Action) error {
	for _, act := range acts {
		ok, err := c.allows(ctx, act, on)
		if err != nil {
			return err
		}
		if !ok {
			return types.PermissionDenied.Errorf("you may not %s %q", act, nameOf(on)).About(on[len(on)-1].Kind)
		}
	}
	return nil
}

// checkHidden answers for a catalog or schema in a chain that the caller may not use: it is missing, and so is what
// is beneath.
func (c *Catalog) checkHidden(ctx context.Context, on []Level) error {
	for i, l := range on {
		use := ActUseCatalog
		switch l.Kind {
		case types.KindCatalog:
		case types.KindSchema:
			use = ActUseSchema
		default:
			continue
		}
		ok, err := c.allows(ctx, use, on[:i+1])
		if err != nil {
			return err
		}
		if !ok {
			return absent(l.Kind, nameOf(on[:i+1]))
		}
	}
	return nil
}

// checkOn is check for a chain that was found otherwise.
func (c *Catalog) checkOn(ctx context.Context, tx storage.ReadTx, chain []storage.Node, acts ...Action) error {
	if c.authorizer == nil || len(acts) == 0 {
		return nil
	}
	on, err := c.levels(ctx, tx, chain)
	if err != nil {
		return err
	}
	return c.check(ctx, on, acts...)
}

// allows asks the authorizer about act on the last of a chain.
func (c *Catalog) allows(ctx context.Context, act Action, on []Level) (bool, error) {
	if c.authorizer == nil {
		return true, nil
	}
	who := callerOf(ctx)
	return c.authorizer.Allows(ctx, Access{Principal: who.name, Groups: who.groups, Action: act, On: on})
}
