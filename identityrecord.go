package catalog

import (
	"fmt"
	"maps"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// An identityRecord is an identity as a store keeps it.
type identityRecord struct {
	Kind   string            `json:"kind"`
	Plain  map[string]string `json:"plain"`
	Sealed string            `json:"sealed,omitempty"` // the secret
}

// sealContext binds the secret of an identity to the object that it is in, and to its place in it.
func (s *shape) sealContext(id types.ID) string {
	return "credential/" + string(id) + "/" + s.field(s.under)
}

// replaceIdentity is what becomes of the identity old of the credential with this ID when s is given for it;
// external is the ID for a new role.
func (c *Catalog) replaceIdentity(id types.ID, old identityRecord, s *shape, external types.ID) (identityRecord, error) {
	next := identityRecord{Kind: s.kind, Plain: s.plain()}
	same := old.Kind == next.Kind
	if s.alone.AWSIAMRole != nil {
		next.Plain[memberExternalID] = string(external)
		if same && old.Plain[memberRoleARN] == next.Plain[memberRoleARN] {
			next.Plain[memberExternalID] = old.Plain[memberExternalID]
		}
	}
	if s.secret == nil || *s.secret == "" {
		return next, nil
	}
	if *s.secret == types.HiddenSecret {
		// For another account or directory the secret must be given: else it would be shown to that one.
		if !same || old.Sealed == "" || !maps.Equal(next.Plain, old.Plain) {
			return next, types.InvalidParameterValue.Errorf("%s is %s, but no such secret is stored for this identity; give the secret itself", s.field(s.under), types.HiddenSecret)
		}
		next.Sealed = old.Sealed
		return next, nil
	}
	if same && old.Sealed != "" {
		// Whatever is sealed comes out different each time; what does not change is left as it is.
		if plain, err := c.keys.open(old.Sealed, s.sealContext(id)); err == nil && string(plain) == string(*s.secret) {
			next.Sealed = old.Sealed
			return next, nil
		}
	}
	var err error
	next.Sealed, err = c.keys.seal([]byte(*s.secret), s.sealContext(id))
	return next, err
}

// shape is the identity of a record taken apart, without its secret.
func (r identityRecord) shape() (shape, error) {
	for _, s := range allShapes() {
		if s.kind != r.Kind {
			continue
		}
		for _, m := range s.members {
			*m.text = r.Plain[m.name]
		}
		return s, nil
	}
	return shape{}, fmt.Errorf("the stored identity is of kind %q, which is none", r.Kind)
}

// identity is the identity of a storage credential with its secret, for a vendor. Its errors are faults.
func (c *Catalog) identity(o storage.Object) (types.CloudIdentity, error) {
	r, err := decodeCredential(o)
	if err != nil {
		return types.CloudIdentity{}, err
	}
	s, err := r.Identity.shape()
	if err == nil && s.secret != nil && r.Identity.Sealed != "" {
		var plain []byte
		plain, err = c.keys.open(r.Identity.Sealed, s.sealContext(o.ID))
		if err == nil {
			*s.secret = types.Secret(plain)
		}
	}
	if err != nil {
		return types.CloudIdentity{}, fmt.Errorf("storage credential %s: %w", o.ID, err)
	}
	return s.alone, nil
}
