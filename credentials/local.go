package credentials

import (
	"context"
	"time"

	"github.com/leveelake/catalog/types"
)

// LocalLife is how long a credential claims to hold. Files need none, so nothing ends; but
// clients renew by the number, and one that is near or missing keeps them renewing.
const LocalLife = 24 * time.Hour

// Local is the vendor for files on the catalog's own machine, the scheme file. There is nothing
// to hand out: who may read a file the operating system decides, and a credential only says
// so, with an empty Config. The zero value is ready for use.
type Local struct {
	Now func() time.Time // the clock; nil: time.Now
}

// Vend answers for a file location with a credential that holds for LocalLife, or for req.TTL if
// that is shorter. Any other scheme is types.NotImplemented.
func (v Local) Vend(ctx context.Context, req Request) (types.Credential, error) {
	if err := ctx.Err(); err != nil {
		return types.Credential{}, err
	}
	if err := req.Validate(); err != nil {
		return types.Credential{}, err
	}
	if scheme := Scheme(req.Location); scheme != "file" {
		return types.Credential{}, types.NotImplemented.Errorf("local files have no scheme %s", scheme)
	}
	now, life := time.Now, LocalLife
	if v.Now != nil {
		now = v.Now
	}
	if req.TTL > 0 {
		life = min(life, req.TTL)
	}
	return types.Credential{
		Prefix:     Prefix(req.Location),
		Operation:  req.Operation,
		Expiration: now().Add(life),
		Config:     map[string]string{},
	}, nil
}
