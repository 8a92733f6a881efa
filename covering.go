package catalog

import (
	"context"
	"strings"

	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// What external locations say of the places that they cover.

// covering is the external location that location is or lies in; nil if there is none. There is one at most, for
// external locations do not overlap.
func covering(ctx context.Context, tx storage.ReadTx, location string) (*storage.Object, error) {
	found, err := tx.Overlap(ctx, location, []types.Kind{types.KindExternalLocation}, 0)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// A permit says to what vend is to make a credential, or why it must not. It is made in the transaction that looks
// up what the credential is for, so that all of it is of one instant.
type permit struct {
	location string
	op       types.Operation
	id       types.ID // of the table, "" for a path
	refusal  error
}

// A vouch says who allowed files to lie where they lie. Whoever has an external location for a place later has
// allowed nothing of what was put there before.
type vouch struct {
	server bool     // the server itself: it is its own managed root
	by     types.ID // this external location; "": nobody
}

// permitOf is the permit for the files of the table at the end of chain, to which the caller has the right.
func (c *Catalog) permitOf(ctx context.Context, tx storage.ReadTx, chain []storage.Node, op types.Operation) (permit, error) {
	t, err := c.table(chain[len(chain)-1])
	if err != nil {
		return permit{}, err
	}
	v := vouch{by: t.record.VouchedBy}
	if t.record.Type == types.Managed {
		if v, err = managedVouch(chain); err != nil {
			return permit{}, err
		}
	}
	return c.permitTable(ctx, tx, v, permit{location: t.object.Location, op: op, id: t.object.ID})
}

// managedVouch is the vouch for managed tables of the schema in chain: that for the storage root where they go.
func managedVouch(chain []storage.Node) (vouch, error) {
	o := managedBy(chain)
	if o == nil {
		return vouch{server: true}, nil
	}
	body, err := decodeNamespace(*o)
	return vouch{by: body.VouchedBy}, err
}

// permitTable is p, for the files of a table or staging table, refused if there are rights and no external location
// says that they may be read there.
func (c *Catalog) permitTable(ctx context.Context, tx storage.ReadTx, v vouch, p permit) (permit, error) {
	at, err := covering(ctx, tx, p.location)
	if err != nil {
		return permit{}, err
	}
	if c.authorizer != nil && !v.server && !isLocal(p.location) {
		switch {
		case at == nil:
			p.refusal = uncovered("location", p.location)
			return p, nil
		case v.by != at.ID:
			p.refusal = types.PermissionDenied.Errorf("%q was put to use before there was the external location that covers it; the owner of the location can adopt what lies in it", p.location).About(types.KindExternalLocation)
			return p, nil
		}
	}
	return c.permitAt(ctx, tx, at, p)
}

// uncovered is the error for a place outside of all external locations that the caller may use. Whether there are
// others is not said.
func uncovered(field, location string) *types.Error {
	return types.PermissionDenied.Errorf("no external location that you may use so covers %s %q; ask an admin for one", field, location).About(types.KindExternalLocation)
}

// mayIn checks act on the external location that covers a place; at is nil if none does.
func (c *Catalog) mayIn(ctx context.Context, tx storage.ReadTx, act Action, at *storage.Object, field, location string) error {
	if at == nil {
		return uncovered(field, location)
	}
	err := c.may(ctx, tx, act, at.ID)
	if types.CodeOf(err) == types.PermissionDenied {
		return uncovered(field, location)
	}
	return err
}

// permitPath is the permit for a location that is no table's.
func (c *Catalog) permitPath(ctx context.Context, tx storage.ReadTx, location string, op types.Operation) (permit, error) {
	at, err := covering(ctx, tx, location)
	if err != nil {
		return permit{}, err
	}
	if c.authorizer != nil {
		act := ActReadFiles
		if op == types.ReadWrite {
			act = ActWriteFiles
		}
		if err := c.mayIn(ctx, tx, act, at, "location", location); err != nil {
			return permit{}, err
		}
	}
	return c.permitAt(ctx, tx, at, permit{location: location, op: op})
}

// permitAt is p, refused if the external location at, or its credential, does not allow it.
func (c *Catalog) permitAt(ctx context.Context, tx storage.ReadTx, at *storage.Object, p permit) (permit, error) {
	if at == nil {
		return p, nil
	}
	l, err := decodeLocation(*at)
	if err != nil {
		return p, err
	}
	credential, err := credentialOf(ctx, tx, *at)
	if err != nil {
		return p, err
	}
	readOnly := l.ReadOnly
	if credential != nil && !readOnly {
		r, err := decodeCredential(*credential)
		if err != nil {
			return p, err
		}
		readOnly = r.ReadOnly
	}
	switch {
	case readOnly && p.op != types.Read:
		p.refusal = types.PermissionDenied.Errorf("the external location in which %q lies, or its storage credential, is read-only", p.location).About(types.KindExternalLocation)
	case credential == nil:
		p.refusal = types.FailedPrecondition.Errorf("the storage credential of the external location in which %q lies was deleted; it needs another", p.location).About(types.KindExternalLocation)
	}
	return p, nil
}

func isLocal(location string) bool { return strings.HasPrefix(location, "file://") }

// checkCovered refuses an external table in an external location in which the caller may not create tables, and one
// around an external location, which it would take from its owner. It returns the one that vouches for the table, "" for
// none: outside of all, a table may be registered.
func (c *Catalog) checkCovered(ctx context.Context, tx storage.ReadTx, location string) (by types.ID, err error) {
	found, err := tx.Overlap(ctx, location, []types.Kind{types.KindExternalLocation}, 1)
	if err != nil || len(found) == 0 {
		return "", err
	}
	at, beneath := &found[0], !credentials.Within(found[0].Location, location)
	switch {
	case beneath && c.authorizer == nil:
		return "", nil
	case beneath:
		return "", uncovered("location", location)
	case c.authorizer == nil:
		return at.ID, nil
	}
	return at.ID, c.mayIn(ctx, tx, ActCreateExternalTable, at, "location", location)
}

// checkRootCovered refuses a storage root outside of the external locations in which the caller may have some.
// In it, the server hands out keys for the tables of whoever may create them. It returns the one that vouches for the root.
func (c *Catalog) checkRootCovered(ctx context.Context, tx storage.ReadTx, root string) (by types.ID, err error) {
	at, err := covering(ctx, tx, root)
	if err != nil {
		return "", err
	}
	if at != nil {
		by = at.ID
	}
	if c.authorizer == nil {
		return by, nil
	}
	return by, c.mayIn(ctx, tx, ActCreateStorageRoot, at, "storage_root", root)
}

// StorageCredentialOf returns the name of the storage credential for a location in normal form: that of the
// external location in which it lies. "" means that there is none that the caller may see.
func (c *Catalog) StorageCredentialOf(ctx context.Context, location string) (string, error) {
	return view(ctx, c, func(tx storage.ReadTx) (string, error) {
		at, err := covering(ctx, tx, location)
		if err != nil || at == nil {
			return "", err
		}
		credential, err := credentialOf(ctx, tx, *at)
		if err != nil || credential == nil {
			return "", err
		}
		err = c.may(ctx, tx, ActGetCredential, credential.ID)
		if types.CodeOf(err) == types.PermissionDenied {
			return "", nil
		}
		return credential.Name, err
	})
}
