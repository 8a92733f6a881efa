package catalog

import (
	"context"
	"encoding/json"

	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A locationRecord is the body of an external location's object, whose Location is the URL.
type locationRecord struct {
	Credential types.ID `json:"credential"` // of a storage credential that may be gone
	ReadOnly   bool     `json:"read-only,omitempty"`
	Comment    string   `json:"comment,omitempty"`
	Owner      string   `json:"owner,omitempty"`
	CreatedBy  string   `json:"created-by,omitempty"`
	UpdatedBy  string   `json:"updated-by,omitempty"`
}

func decodeLocation(o storage.Object) (locationRecord, error) {
	var r locationRecord
	if err := json.Unmarshal(o.Body, &r); err != nil {
		return r, corrupt(o, "body", err)
	}
	return r, nil
}

func locationPath(name string) []storage.Step {
	return []storage.Step{{Kind: types.KindExternalLocation, Name: name}}
}

// A boundLocation is an external location and the credential that it names, nil if that is gone.
type boundLocation struct {
	object     storage.Object
	credential *storage.Object
}

func (b boundLocation) public() (types.ExternalLocation, error) {
	name := ""
	if b.credential != nil {
		name = b.credential.Name
	}
	return publicLocation(b.object, name)
}

func publicLocation(o storage.Object, credential string) (types.ExternalLocation, error) {
	r, err := decodeLocation(o)
	return types.ExternalLocation{
		ID: o.ID, Name: o.Name, URL: o.Location, CredentialID: r.Credential, CredentialName: credential, ReadOnly: r.ReadOnly, Comment: r.Comment,
		Owner: r.Owner, Created: o.Created, CreatedBy: r.CreatedBy, Updated: o.Updated, UpdatedBy: r.UpdatedBy,
	}, err
}

// credentialOf is the credential that an external location names, nil if it is gone.
func credentialOf(ctx context.Context, tx storage.ReadTx, location storage.Object) (*storage.Object, error) {
	r, err := decodeLocation(location)
	if err != nil {
		return nil, err
	}
	chain, err := tx.Get(ctx, r.Credential, storage.Want{})
	if err != nil || len(chain) == 0 {
		return nil, err
	}
	o := last(chain)
	return &o, nil
}

// CreateExternalLocation makes an external location, which the caller owns. When it returns, the location is
// durable. No external location overlaps with another.
//
// Errors: InvalidParameterValue (name, URL, a credential that is not for storage, an overlap), NotFound (no such
// credential), AlreadyExists, PermissionDenied.
func (c *Catalog) CreateExternalLocation(ctx context.Context, req types.CreateExternalLocation) (types.ExternalLocation, error) {
	var none types.ExternalLocation
	if err := c.rules.checkName("name", req.Name); err != nil {
		return none, err
	}
	url, err := c.locationURL(req.URL)
	if err != nil {
		return none, err
	}
	if err := c.rules.checkName("credential_name", req.CredentialName); err != nil {
		return none, err
	}
	if err := checkText("comment", req.Comment); err != nil {
		return none, err
	}
	if _, err := c.ensureMetastore(ctx); err != nil {
		return none, err
	}
	who, id, now, path := Principal(ctx), newID(), c.now(), locationPath(req.Name)
	b, err := update(ctx, c, func(tx storage.Tx) (boundLocation, error) {
		var none boundLocation
		parents, err := c.vacancy(ctx, tx, ActCreateLocation, path)
		if err != nil {
			return none, err
		}
		credential, err := c.bind(ctx, tx, req.CredentialName)
		if err != nil {
			return none, err
		}
		if err := c.checkApart(ctx, tx, url, id); err != nil {
			return none, err
		}
		o := storage.Object{
			ID: id, Kind: types.KindExternalLocation, Parent: last(parents).ID, Name: req.Name, Location: url, Revision: 1, Created: now, Updated: now,
		}
		o.Body, err = recordBody(locationRecord{
			Credential: credential.ID, ReadOnly: req.ReadOnly, Comment: req.Comment, Owner: who, CreatedBy: who, UpdatedBy: who,
		})
		if err != nil {
			return none, err
		}
		return boundLocation{o, credential}, tx.Insert(ctx, o)
	})
	if err != nil {
		return none, claimed(err, path)
	}
	return b.public()
}

// locationURL checks the URL of an external location, but for other external locations.
func (c *Catalog) locationURL(raw string) (string, error) {
	url, err := clientLocation("url", raw)
	if err != nil {
		return "", err
	}
	if url == "file://" {
		return "", types.InvalidParameterValue.Errorf("url %q is a whole file system; give a folder in it", raw)
	}
	// A location at or above the server's managed root may be wanted for its credential. Within the root it
	// would be good for nothing: clients may put no table there.
	if c.managedRoot != "" && url != c.managedRoot && credentials.Within(c.managedRoot, url) {
		return "", types.InvalidParameterValue.Errorf("url %q lies inside the managed root of the catalog", raw)
	}
	return url, nil
}

// bind looks up the credential that an external location is to use.
func (c *Catalog) bind(ctx context.Context, tx storage.ReadTx, name string) (*storage.Object, error) {
	chain, err := c.reach(ctx, tx, ActUseCredential, credentialPath(name), storage.Want{})
	if err != nil {
		return nil, err
	}
	o := last(chain)
	r, err := decodeCredential(o)
	if err != nil {
		return nil, err
	}
	if r.Purpose != types.PurposeStorage {
		return nil, types.InvalidParameterValue.Errorf("storage credential %q has purpose %s; external locations need one with %s", name, r.Purpose, types.PurposeStorage)
	}
	return &o, nil
}

// checkApart refuses a URL that overlaps with that of any external location but the one with this ID, lies in a table, or
// has the server's managed root in it, unless an admin gives it. In Update, what it found is held.
func (c *Catalog) checkApart(ctx context.Context, tx storage.ReadTx, url string, id types.ID) error {
	if c.managedRoot != "" && credentials.Within(url, c.managedRoot) {
		if err := c.adminOnly(ctx, tx); err != nil {
			return err
		}
	}
	around, err := tx.Overlap(ctx, url, []types.Kind{types.KindTable}, 0)
	if err != nil {
		return err
	}
	for _, o := range around {
		if o.Location != url {
			return types.InvalidParameterValue.Errorf("url %q lies inside the location of a table", url).About(types.KindExternalLocation)
		}
	}
	found, err := tx.Overlap(ctx, url, []types.Kind{types.KindExternalLocation}, 2) // one may be itself
	if err != nil {
		return err
	}
	for _, o := range found {
		if o.ID != id {
			return types.InvalidParameterValue.Errorf("url %q overlaps with another external location", url).About(types.KindExternalLocation)
		}
	}
	return nil
}

// GetExternalLocation returns an external location.
//
// Errors: NotFound, PermissionDenied.
func (c *Catalog) GetExternalLocation(ctx context.Context, name string) (types.ExternalLocation, error) {
	b, err := view(ctx, c, func(tx storage.ReadTx) (boundLocation, error) {
		chain, err := c.reach(ctx, tx, ActGetLocation, locationPath(name), storage.Want{})
		if err != nil {
			return boundLocation{}, err
		}
		credential, err := credentialOf(ctx, tx, last(chain))
		return boundLocation{last(chain), credential}, err
	})
	if err != nil {
		return types.ExternalLocation{}, err
	}
	return b.public()
}

// ListExternalLocations returns a page of the external locations that the caller may see and the token of the
// next page, "" after the last.
//
// Errors: InvalidParameterValue (page).
func (c *Catalog) ListExternalLocations(ctx context.Context, page types.Page) ([]types.ExternalLocation, string, error) {
	var names map[types.ID]string
	l := listing{kind: types.KindExternalLocation, act: ActGetLocation, page: page}
	l.begin = func(tx storage.ReadTx, root storage.Object) error { // all at once, not one for each location
		all, err := tx.List(ctx, storage.ListQuery{Parent: root.ID, Kind: types.KindCredential}, storage.Want{})
		names = make(map[types.ID]string, len(all))
		for _, n := range all {
			names[n.ID] = n.Name
		}
		return err
	}
	return listPage(ctx, c, l, func(_ storage.ReadTx, n storage.Node) (types.ExternalLocation, bool, error) {
		r, err := decodeLocation(n.Object)
		if err != nil {
			return types.ExternalLocation{}, false, err
		}
		out, err := publicLocation(n.Object, names[r.Credential])
		return out, true, err
	})
}
