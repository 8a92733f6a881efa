package catalog

import (
	"context"
	"encoding/json"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A credentialRecord is the body of a storage credential's object.
type credentialRecord struct {
	Purpose   types.Purpose  `json:"purpose"`
	Identity  identityRecord `json:"identity"`
	ReadOnly  bool           `json:"read-only,omitempty"`
	Comment   string         `json:"comment,omitempty"`
	Owner     string         `json:"owner,omitempty"`
	CreatedBy string         `json:"created-by,omitempty"`
	UpdatedBy string         `json:"updated-by,omitempty"`
}

func decodeCredential(o storage.Object) (credentialRecord, error) {
	var r credentialRecord
	if err := json.Unmarshal(o.Body, &r); err != nil {
		return r, corrupt(o, "body", err)
	}
	return r, nil
}

func credentialPath(name string) []storage.Step {
	return []storage.Step{{Kind: types.KindCredential, Name: name}}
}

// CreateStorageCredential makes a storage credential, which the caller owns. Its secret is kept encrypted, and
// no operation returns it. A role gets an external ID, which the role must trust. When it returns, the
// credential is durable.
//
// Errors: InvalidParameterValue (anything about the request: each is named), AlreadyExists,
// FailedPrecondition (the catalog has no key to encrypt a secret with), PermissionDenied.
func (c *Catalog) CreateStorageCredential(ctx context.Context, req types.CreateStorageCredential) (types.StorageCredential, error) {
	var none types.StorageCredential
	if err := c.rules.checkName("name", req.Name); err != nil {
		return none, err
	}
	if err := checkText("comment", req.Comment); err != nil {
		return none, err
	}
	if err := checkPurpose(req.Purpose, req.ReadOnly); err != nil {
		return none, err
	}
	s, err := c.checkIdentity(req.Identity)
	if err != nil {
		return none, err
	}
	who := Principal(ctx)
	r := credentialRecord{Purpose: req.Purpose, ReadOnly: req.ReadOnly, Comment: req.Comment, Owner: who, CreatedBy: who, UpdatedBy: who}
	id, now, path := newID(), c.now(), credentialPath(req.Name)
	if r.Identity, err = c.replaceIdentity(id, identityRecord{}, s, newID()); err != nil {
		return none, err
	}
	body, err := recordBody(r)
	if err != nil {
		return none, err
	}
	if _, err := c.ensureMetastore(ctx); err != nil {
		return none, err
	}
	o, err := update(ctx, c, func(tx storage.Tx) (storage.Object, error) {
		parents, err := c.vacancy(ctx, tx, ActCreateCredential, path)
		if err != nil {
			return storage.Object{}, err
		}
		o := storage.Object{
			ID: id, Kind: types.KindCredential, Parent: last(parents).ID, Name: req.Name, Revision: 1, Created: now, Updated: now, Body: body,
		}
		return o, tx.Insert(ctx, o)
	})
	if err != nil {
		return none, claimed(err, path)
	}
	return publicCredential(o)
}

// checkPurpose checks what a credential is for.
func checkPurpose(p types.Purpose, readOnly bool) error {
	switch {
	case p == "":
		return types.InvalidParameterValue.Errorf("purpose is missing")
	case p != types.PurposeStorage && p != types.PurposeService:
		return types.InvalidParameterValue.Errorf("purpose is %q; it must be %s or %s", p, types.PurposeStorage, types.PurposeService)
	case p == types.PurposeService && readOnly:
		return types.InvalidParameterValue.Errorf("a credential with purpose %s cannot be read-only: it opens no files", p)
	}
	return nil
}

// recordBody encodes the record of a credential or an external location.
func recordBody(record any) ([]byte, error) {
	body := plainJSON(record)
	if len(body) > maxRecord {
		return nil, types.InvalidParameterValue.Errorf("the comment and the rest have %d bytes; the limit is %d", len(body), maxRecord)
	}
	return body, nil
}

// ValidateStorageCredential checks an identity as [Catalog.CreateStorageCredential] does, and makes nothing. Whether
// the cloud knows it is not asked.
//
// Errors: InvalidParameterValue, PermissionDenied.
func (c *Catalog) ValidateStorageCredential(ctx context.Context, identity types.CloudIdentity) error {
	if _, err := c.checkIdentity(identity); err != nil {
		return err
	}
	if _, err := c.ensureMetastore(ctx); err != nil {
		return err
	}
	_, err := view(ctx, c, func(tx storage.ReadTx) ([]storage.Node, error) {
		return c.reach(ctx, tx, ActCreateCredential, nil, storage.Want{})
	})
	return err
}

// GetStorageCredential returns a storage credential, without its secret.
//
// Errors: NotFound, PermissionDenied.
func (c *Catalog) GetStorageCredential(ctx context.Context, name string) (types.StorageCredential, error) {
	chain, err := view(ctx, c, func(tx storage.ReadTx) ([]storage.Node, error) {
		return c.reach(ctx, tx, ActGetCredential, credentialPath(name), storage.Want{})
	})
	if err != nil {
		return types.StorageCredential{}, err
	}
	return publicCredential(last(chain))
}

// ListStorageCredentials returns a page of the storage credentials for a purpose, "" for all, that the caller may
// see, and the token of the next page, "" after the last.
//
// Errors: InvalidParameterValue (purpose, page).
func (c *Catalog) ListStorageCredentials(ctx context.Context, purpose types.Purpose, page types.Page) ([]types.StorageCredential, string, error) {
	if purpose != "" {
		if err := checkPurpose(purpose, false); err != nil {
			return nil, "", err
		}
	}
	l := listing{kind: types.KindCredential, act: ActGetCredential, filter: string(purpose), page: page}
	return listPage(ctx, c, l, func(_ storage.ReadTx, n storage.Node) (types.StorageCredential, bool, error) {
		out, err := publicCredential(n.Object)
		return out, purpose == "" || out.Purpose == purpose, err
	})
}

// publicCredential is a credential as callers see it: no secret is even opened for it.
func publicCredential(o storage.Object) (types.StorageCredential, error) {
	r, err := decodeCredential(o)
	if err != nil {
		return types.StorageCredential{}, err
	}
	s, err := r.Identity.shape()
	if err != nil {
		return types.StorageCredential{}, corrupt(o, "identity", err)
	}
	if k := s.alone.AzureStorageKey; k != nil {
		k.AccountKey = types.HiddenSecret // the API wants a value there
	}
	return types.StorageCredential{
		ID: o.ID, Name: o.Name, Purpose: r.Purpose, Identity: s.alone, ReadOnly: r.ReadOnly, Comment: r.Comment, Owner: r.Owner,
		Created: o.Created, CreatedBy: r.CreatedBy, Updated: o.Updated, UpdatedBy: r.UpdatedBy,
	}, nil
}
