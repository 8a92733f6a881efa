package credentials

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/leveelake/catalog/types"
)

// A Mux hands each request to one of several vendors. A key is a scheme ("s3") or a location
// in normal form ("s3://bucket/team"), which stands for itself and what is below it. The
// longest key that fits, by whole path segments, wins; its vendor's answer is final, also if it
// is a refusal. If no key fits, the answer is types.NotImplemented.
//
// A Mux must not be changed while it serves.
type Mux map[string]Vendor

// Vend asks the vendor with the longest key that fits.
func (m Mux) Vend(ctx context.Context, req Request) (types.Credential, error) {
	if err := req.Validate(); err != nil {
		return types.Credential{}, err
	}
	v := m.vendor(req.Location)
	if v == nil {
		return types.Credential{}, types.NotImplemented.Errorf("no credentials are configured for scheme %s at %s",
			Scheme(req.Location), bucket(req.Location))
	}
	return v.Vend(ctx, req)
}

// vendor looks the folders of location up from the longest to the bucket, then the
// scheme. A nil entry ends the search: falling through to a wider key would hand out more than
// was meant.
func (m Mux) vendor(location string) Vendor {
	scheme := Scheme(location)
	for at := location; len(at) > len(scheme)+len("://"); at = at[:strings.LastIndexByte(at, '/')] {
		if v, ok := m[at]; ok {
			return v
		}
	}
	return m[scheme]
}

// Validate reports every key that can never fit, or has no vendor. A key in another form
// than the normal one is silent at run time, and a wider key answers in its place: call
// it at start.
func (m Mux) Validate() error {
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if !isScheme(key) {
			if err := checkLocation(key); err != nil {
				errs = append(errs, fmt.Errorf("vendor key: %w", err))
				continue
			}
		}
		if m[key] == nil {
			errs = append(errs, fmt.Errorf("vendor key %s has no vendor", key))
		}
	}
	return errors.Join(errs...)
}
