package credentials

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/leveelake/catalog/types"
)

// A CacheConfig says what a [Cache] is in front of and how much it keeps.
type CacheConfig struct {
	Vendor  Vendor           // required
	Now     func() time.Time // the clock; nil: time.Now
	Size    int              // credentials kept, about 2 KiB each; 0 or less: 10,000
	Timeout time.Duration    // how long Vendor may take; 0 or less: 30 s
}

// A Cache is a Vendor that gives a credential out again until half of its lifetime is
// left, so that a client always gets at least half of what the vendor grants. Requests
// share a credential only if they are equal in every field: nobody receives what was vended
// for another principal, operation, location or TTL.
//
// Equal requests that arrive while the vendor works wait for the one answer. The work does not
// belong to any of them: it goes on, up to Timeout, when they are cancelled, with the context
// values of the first. Errors are not kept, and a credential that [Verify] refuses becomes
// an error.
type Cache struct {
	vendor  Vendor
	now     func() time.Time
	timeout time.Duration
	kept    *shelf
	flights singleflight.Group
}

// NewCache makes an empty Cache. It panics without a Vendor.
func NewCache(c CacheConfig) *Cache {
	if c.Vendor == nil {
		panic("credentials: a cache needs a vendor")
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Size <= 0 {
		c.Size = 10_000
	}
	if c.Timeout <= 0 {
		c.Timeout = 30 * time.Second
	}
	return &Cache{vendor: c.Vendor, now: c.Now, timeout: c.Timeout, kept: newShelf(c.Size)}
}

// Vend answers from what is kept, or else asks the vendor once for all who wait.
func (c *Cache) Vend(ctx context.Context, req Request) (types.Credential, error) {
	if err := ctx.Err(); err != nil {
		return types.Credential{}, err
	}
	if err := req.Validate(); err != nil {
		return types.Credential{}, err
	}
	if cred, ok := c.kept.get(req, c.clock()); ok {
		return own(cred), nil
	}
	// %q leaves no two requests the same text, whatever their fields hold.
	key := fmt.Sprintf("%q %q %q %q %d", req.Principal, req.Location, req.Operation, req.Table, req.TTL)
	answer := c.flights.DoChan(key, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.timeout)
		defer cancel()
		return c.fetch(ctx, req)
	})
	select {
	case <-ctx.Done():
		return types.Credential{}, ctx.Err()
	case r := <-answer:
		if r.Err != nil {
			return types.Credential{}, r.Err
		}
		return own(r.Val.(types.Credential)), nil
	}
}

// fetch asks the vendor and keeps the answer. It runs on a goroutine of its own, where
// nobody would recover a panic of the vendor: it becomes an error, without the panic's
// value, which may hold a secret.
func (c *Cache) fetch(ctx context.Context, req Request) (cred types.Credential, err error) {
	defer func() {
		if p := recover(); p != nil {
			cred, err = types.Credential{}, fmt.Errorf("vendor for %s panicked with a %T\n%s", bucket(req.Location), p, debug.Stack())
		}
	}()
	// The flight before this one may have landed since the caller looked.
	if cred, ok := c.kept.get(req, c.clock()); ok {
		return cred, nil
	}
	cred, err = c.vendor.Vend(ctx, req)
	if err != nil {
		return types.Credential{}, err
	}
	now := c.clock()
	if err := Verify(req, cred, now); err != nil {
		return types.Credential{}, err
	}
	cred = own(cred) // the vendor may still hold its map
	c.kept.put(req, cred, now.Add(cred.Expiration.Sub(now)/2))
	return cred, nil
}

// Format prints the Cache without what it holds. Printed field by field it would race
// with those who use it.
func (c *Cache) Format(s fmt.State, _ rune) { fmt.Fprint(s, "credential cache") }

// clock is the wall clock. The monotonic reading is dropped because it stands still while the
// machine sleeps, and the credential ages all the same.
func (c *Cache) clock() time.Time { return c.now().Round(0) }

// own returns cred with a Config that nobody else holds.
func own(cred types.Credential) types.Credential {
	cred.Config = maps.Clone(cred.Config)
	return cred
}
