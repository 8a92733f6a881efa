package catalog

import (
	"bytes"
	"context"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// UpdateStorageCredential changes a storage credential, all of the request or nothing, and returns it as it is
// then. What changes nothing leaves its times alone. External locations follow it under a new name. Another
// identity, and what may no longer write, needs Force while external locations use the credential. When it
// returns, the change is durable.
//
// Errors: InvalidParameterValue (anything about the request: each is named), NotFound, AlreadyExists (the new
// name), FailedPrecondition (in use; no key to encrypt a secret with), PermissionDenied.
func (c *Catalog) UpdateStorageCredential(ctx context.Context, name string, u types.UpdateStorageCredential) (types.StorageCredential, error) {
	var none types.StorageCredential
	path, target := credentialPath(name), credentialPath(name)
	if err := checkChange(c.rules, u.NewName, u.Owner, u.Comment); err != nil {
		return none, err
	}
	if u.NewName != nil {
		target = credentialPath(*u.NewName)
	}
	var given *shape
	if u.Identity != nil {
		var err error
		if given, err = c.checkIdentity(*u.Identity); err != nil {
			return none, err
		}
	}
	now, external := c.now(), newID()
	o, err := update(ctx, c, func(tx storage.Tx) (storage.Object, error) {
		chain, err := c.reach(ctx, tx, ActUpdateCredential, path, storage.Want{})
		if err != nil {
			return storage.Object{}, err
		}
		if err := c.free(ctx, tx, path, target); err != nil {
			return storage.Object{}, err
		}
		old := last(chain)
		was, err := decodeCredential(old)
		if err != nil {
			return storage.Object{}, err
		}
		r := was
		r.Comment, r.Owner, r.ReadOnly = orElse(u.Comment, was.Comment), orElse(u.Owner, was.Owner), orElse(u.ReadOnly, was.ReadOnly)
		if err := checkPurpose(r.Purpose, r.ReadOnly); err != nil {
			return storage.Object{}, err
		}
		if given != nil {
			if r.Identity, err = c.replaceIdentity(old.ID, was.Identity, given, external); err != nil {
				return storage.Object{}, err
			}
		}
		other := !bytes.Equal(plainJSON(r.Identity), plainJSON(was.Identity))
		if (other || r.ReadOnly && !was.ReadOnly) && !u.Force {
			if err := checkUnbound(ctx, tx, old, types.FailedPrecondition); err != nil {
				return storage.Object{}, err
			}
		}
		renewed := old
		renewed.Name = target[0].Name
		if renewed.Name == old.Name && bytes.Equal(plainJSON(r), plainJSON(was)) {
			return old, nil
		}
		r.UpdatedBy = Principal(ctx)
		if renewed.Body, err = recordBody(r); err != nil {
			return storage.Object{}, err
		}
		touch(&renewed, now)
		return renewed, tx.Replace(ctx, old, renewed)
	})
	if err != nil {
		return none, claimed(err, target)
	}
	return publicCredential(o)
}

// checkChange checks what updates of credentials and of external locations have in common.
func checkChange(r rules, newName, owner, comment *string) error {
	if newName != nil {
		if err := r.checkName("new_name", *newName); err != nil {
			return err
		}
	}
	if owner != nil {
		if err := checkPrincipal("owner", *owner); err != nil {
			return err
		}
	}
	if comment != nil {
		return checkText("comment", *comment)
	}
	return nil
}

// orElse is what p points to, or old if it is nil.
func orElse[T any](p *T, old T) T {
	if p == nil {
		return old
	}
	return *p
}

// DeleteStorageCredential removes a storage credential and its secret. With force it does so although external
// locations use it; nothing is vended in these until they get another. When it returns, the removal is
// durable.
//
// Errors: NotFound, InvalidParameterValue (in use), PermissionDenied.
func (c *Catalog) DeleteStorageCredential(ctx context.Context, name string, force bool) error {
	_, err := update(ctx, c, func(tx storage.Tx) (none struct{}, err error) {
		chain, err := c.reach(ctx, tx, ActDeleteCredential, credentialPath(name), storage.Want{})
		if err != nil {
			return none, err
		}
		if !force {
			if err := checkUnbound(ctx, tx, last(chain), types.InvalidParameterValue); err != nil {
				return none, err
			}
		}
		return none, tx.Delete(ctx, last(chain))
	})
	return err
}

// checkUnbound refuses, with a code, what must not happen to a credential that external locations use. Which
// those are is not said: the caller may have no right to know of them.
func checkUnbound(ctx context.Context, tx storage.ReadTx, credential storage.Object, code types.Code) error {
	root, err := tx.Lookup(ctx, nil, storage.Want{}) // a List wants its parent read
	if err != nil {
		return err
	}
	locations, err := tx.List(ctx, storage.ListQuery{Parent: last(root).ID, Kind: types.KindExternalLocation}, storage.Want{})
	if err != nil {
		return err
	}
	users := 0
	for _, n := range locations {
		l, err := decodeLocation(n.Object)
		if err != nil {
			return err
		}
		if l.Credential == credential.ID {
			users++
		}
	}
	if users > 0 {
		return code.Errorf("storage credential %q is used by %d external location(s); change them first, or force", credential.Name, users).About(types.KindCredential)
	}
	return nil
}
