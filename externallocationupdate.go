package catalog

import (
	"bytes"
	"context"

	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// UpdateExternalLocation changes an external location, all of the request or nothing, and returns it as it is
// then. What changes nothing leaves its times alone. To move the URL away from tables and storage roots needs
// Force; these stay what they are. Who gives it another URL or credential must have the right to use the
// credential, and for another place that to make locations. With Adopt, all tables and storage roots at the URL count as
// allowed by the location, whoever allowed them before. When it returns, the change is durable.
//
// Errors: InvalidParameterValue (names, URL, a credential that is not for storage, an overlap, tables at the
// old URL), NotFound (it, or the credential), AlreadyExists (the new name), PermissionDenied.
func (c *Catalog) UpdateExternalLocation(ctx context.Context, name string, u types.UpdateExternalLocation) (types.ExternalLocation, error) {
	var none types.ExternalLocation
	path, target := locationPath(name), locationPath(name)
	if err := checkChange(c.rules, u.NewName, u.Owner, u.Comment); err != nil {
		return none, err
	}
	if u.NewName != nil {
		target = locationPath(*u.NewName)
	}
	if u.CredentialName != nil {
		if err := c.rules.checkName("credential_name", *u.CredentialName); err != nil {
			return none, err
		}
	}
	var url *string
	if u.URL != nil {
		normal, err := c.locationURL(*u.URL)
		if err != nil {
			return none, err
		}
		url = &normal
	}
	now := c.now()
	b, err := update(ctx, c, func(tx storage.Tx) (boundLocation, error) {
		var none boundLocation
		chain, err := c.reach(ctx, tx, ActUpdateLocation, path, storage.Want{})
		if err != nil {
			return none, err
		}
		if err := c.free(ctx, tx, path, target); err != nil {
			return none, err
		}
		old := last(chain)
		was, err := decodeLocation(old)
		if err != nil {
			return none, err
		}
		renewed := old
		renewed.Name, renewed.Location = target[0].Name, orElse(url, old.Location)
		credential, err := c.rebind(ctx, tx, old, renewed.Location, u.CredentialName)
		if err != nil {
			return none, err
		}
		if err := c.checkMove(ctx, tx, old, renewed.Location, u.Force); err != nil {
			return none, err
		}
		var adopted []exchange
		if u.Adopt {
			if adopted, err = c.adopted(ctx, tx, old.ID, renewed.Location, now); err != nil {
				return none, err
			}
		}
		r := was
		r.Comment, r.Owner, r.ReadOnly = orElse(u.Comment, was.Comment), orElse(u.Owner, was.Owner), orElse(u.ReadOnly, was.ReadOnly)
		if credential != nil {
			r.Credential = credential.ID
		}
		if renewed.Name == old.Name && renewed.Location == old.Location && bytes.Equal(plainJSON(r), plainJSON(was)) {
			return boundLocation{old, credential}, replaceAll(ctx, tx, adopted)
		}
		r.UpdatedBy = Principal(ctx)
		if renewed.Body, err = recordBody(r); err != nil {
			return none, err
		}
		touch(&renewed, now)
		if err := tx.Replace(ctx, old, renewed); err != nil {
			return none, err
		}
		return boundLocation{renewed, credential}, replaceAll(ctx, tx, adopted)
	})
	if err != nil {
		return none, claimed(err, target)
	}
	return b.public()
}

// rebind is the credential that an external location uses once it has this URL and the credential with this
// name, nil for the one that it has; nil if that is gone.
func (c *Catalog) rebind(ctx context.Context, tx storage.ReadTx, old storage.Object, url string, name *string) (*storage.Object, error) {
	has, err := credentialOf(ctx, tx, old)
	if err != nil {
		return nil, err
	}
	switch {
	case name != nil && (has == nil || has.Name != *name):
		if !credentials.Within(old.Location, url) {
			if err := c.may(ctx, tx, ActCreateLocation, old.Parent); err != nil {
				return nil, err
			}
		}
		return c.bind(ctx, tx, *name)
	case url != old.Location && has == nil:
		return nil, types.InvalidParameterValue.Errorf("external location %q has lost its storage credential; give it another with the new url", old.Name).About(types.KindExternalLocation)
	case !credentials.Within(old.Location, url):
		// It is another place, as that of a new location would be.
		if err := c.may(ctx, tx, ActCreateLocation, old.Parent); err != nil {
			return nil, err
		}
		return has, c.may(ctx, tx, ActUseCredential, has.ID)
	case url != old.Location:
		// It opens another place with the credential, as a new location would.
		return has, c.may(ctx, tx, ActUseCredential, has.ID)
	}
	return has, nil
}

// checkMove refuses a URL for an external location that it must not have.
func (c *Catalog) checkMove(ctx context.Context, tx storage.ReadTx, old storage.Object, url string, force bool) error {
	if url == old.Location {
		return nil
	}
	if err := c.checkApart(ctx, tx, url, old.ID); err != nil {
		return err
	}
	if force || credentials.Within(url, old.Location) { // all that it covers stays covered
		return nil
	}
	return checkVacated(ctx, tx, old)
}

// checkVacated refuses to take an external location away from tables, staging tables and folders for managed
// tables. Which those are is not said: the caller may have no right to know of them.
func checkVacated(ctx context.Context, tx storage.ReadTx, location storage.Object) error {
	found, err := tx.Overlap(ctx, location.Location, []types.Kind{types.KindTable, types.KindStagingTable, types.KindCatalog, types.KindSchema}, 1)
	if err != nil {
		return err
	}
	for _, o := range found {
		if credentials.Within(location.Location, o.Location) {
			return types.InvalidParameterValue.Errorf("there are tables or storage roots in external location %q; move them first, or force", location.Name).About(types.KindExternalLocation)
		}
	}
	return nil
}

// DeleteExternalLocation removes an external location. With force it does so although tables or storage roots
// lie in it; these stay. When it returns, the removal is durable.
//
// Errors: NotFound, InvalidParameterValue (in use), PermissionDenied.
func (c *Catalog) DeleteExternalLocation(ctx context.Context, name string, force bool) error {
	_, err := update(ctx, c, func(tx storage.Tx) (none struct{}, err error) {
		chain, err := c.reach(ctx, tx, ActDeleteLocation, locationPath(name), storage.Want{})
		if err != nil {
			return none, err
		}
		if !force {
			if err := checkVacated(ctx, tx, last(chain)); err != nil {
				return none, err
			}
		}
		return none, tx.Delete(ctx, last(chain))
	})
	return err
}
