// Package credentials is the contract between the catalog and whatever can hand out
// short-lived keys to a storage.
//
// [Mux] chooses among vendors by location and [Cache] saves a vendor work; both are vendors
// themselves, so they nest. Implementations are in the packages below this one; vendortest
// proves any other.
package credentials

import (
	"context"
	"time"

	"github.com/leveelake/catalog/types"
)

// A Request asks for a credential to everything at and below Location, and to nothing
// else.
type Request struct {
	Location  string          // storage URL in normal form, no trailing slash
	Operation types.Operation // Read never writes
	TTL       time.Duration   // longest life wanted; 0: the vendor's choice
	Principal string          // who asks; "" without authentication
	Table     types.ID        // for whose files; "" if for a path
}

// A Vendor trades the right to use a location for a credential.
//
// The credential must reach no further than Location and end at a folder boundary
// (…/t/*, never …/t*), must not write if Operation is types.Read, and must have an
// Expiration. A scheme the vendor does not serve is types.NotImplemented. Errors hold no secret.
//
// The answer must depend on req alone, because a [Cache] gives it to whoever asks the same.
// A vendor refuses what [Request.Validate] refuses, and what [Verify] refuses it never
// returns. It must end soon after ctx does, at once and with its error if ctx is done already,
// and serves many callers at once. The keys of a credential are the constants of package
// types, types.S3AccessKeyID and so on.
type Vendor interface {
	Vend(ctx context.Context, req Request) (types.Credential, error)
}

// A VendorFunc is a function as a Vendor.
type VendorFunc func(ctx context.Context, req Request) (types.Credential, error)

// Vend calls f.
func (f VendorFunc) Vend(ctx context.Context, req Request) (types.Credential, error) {
	return f(ctx, req)
}
