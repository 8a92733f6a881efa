package catalog

import (
	"context"
	"strings"

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

// permitOf is the permit for the files of the table n; one that is unvouched for is refused.
func (c *Catalog) permitOf(ctx context.Context, tx storage.ReadTx, n storage.Node, op types.Operation) (permit, error) {
	t, err := c.table(n)
	if err != nil {
		return permit{}, err
	}
	if t.record.Unvouched && c.authorizer != nil {
		refusal := types.PermissionDenied.Errorf("table %q was registered where there was no external location; drop it and register it again in one", n.Name).About(types.KindTable)
		return permit{n.Location, op, n.ID, refusal}, nil
	}
	return c.permitTable(ctx, tx, n.Location, op, n.ID)
}

// permitTable is the permit for the files of a table or staging table, to which the caller has the right.
func (c *Catalog) permitTable(ctx context.Context, tx storage.ReadTx, location string, op types.Operation, id types.ID) (permit, error) {
	at, err := covering(ctx, tx, location)
	if err != nil {
		return permit{}, err
	}
	// Without an external location, nobody has said that the server's keys may be used there.
	if at == nil && c.authorizer != nil && !isInManaged(location) && !isLocal(location) {
		refusal := types.PermissionDenied.Errorf("no external location covers %q; ask an admin to create one", location).About(types.KindExternalLocation)
		return permit{location, op, id, refusal}, nil
	}
	return c.permitAt(ctx, tx, at, permit{location, op, id, nil})
}

// permitPath is the permit for a location that is no table's.
func (c *Catalog) permitPath(ctx context.Context, tx storage.ReadTx, location string, op types.Operation) (permit, error) {
	at, err := covering(ctx, tx, location)
	if err != nil {
		return permit{}, err
	}
	if c.authorizer != nil {
		if at == nil {
			return permit{}, types.PermissionDenied.Errorf("no external location covers %q; ask an admin to create one", location).About(types.KindExternalLocation)
		}
		act := ActReadFiles
		if op == types.ReadWrite {
			act = ActWriteFiles
		}
		if err := c.may(ctx, tx, act, at.ID); err != nil {
			return permit{}, err
		}
	}
	return c.permitAt(ctx, tx, at, permit{location, op, "", nil})
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
		p.refusal = types.PermissionDenied.Errorf("external location %q, in which %q lies, or its storage credential is read-only", at.Name, p.location).About(types.KindExternalLocation)
	case credential == nil:
		p.refusal = types.FailedPrecondition.Errorf("the storage credential of external location %q was deleted; give it another", at.Name).About(types.KindExternalLocation)
	}
	return p, nil
}

func isLocal(location string) bool { return strings.HasPrefix(location, "file://") }

// checkCovered refuses an external table in an external location in which the caller may not create tables.
// Outside of all external locations a table may be registered, unvouched for: nothing is vended for it, not
// even when an external location covers it later, for nobody has allowed its owner to read there.
func (c *Catalog) checkCovered(ctx context.Context, tx storage.ReadTx, location string) (unvouched bool, err error) {
	if c.authorizer == nil {
		return false, nil
	}
	at, err := covering(ctx, tx, location)
	if err != nil || at == nil {
		return !isLocal(location), err
	}
	return false, c.may(ctx, tx, ActCreateExternalTable, at.ID)
}

// checkRootCovered refuses a storage root outside of the external locations in which the caller may have some.
// In it, the server hands out keys for the tables of whoever may create them.
func (c *Catalog) checkRootCovered(ctx context.Context, tx storage.ReadTx, root string) error {
	if c.authorizer == nil {
		return nil
	}
	at, err := covering(ctx, tx, root)
	if err != nil {
		return err
	}
	if at == nil {
		return types.PermissionDenied.Errorf("no external location covers storage_root %q; ask an admin to create one", root).About(types.KindExternalLocation)
	}
	return c.may(ctx, tx, ActCreateStorageRoot, at.ID)
}

// StorageCredentialOf returns the name of the storage credential for a location in normal form: that of the
// external location in which it lies. "" means that there is none.
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
		return credential.Name, nil
	})
}
