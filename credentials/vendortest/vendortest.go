// Package vendortest proves that a vendor keeps the contract of package credentials.
//
// It proves what can be seen from outside: what the vendor answers. What the keys that it hands
// out can open, only their cloud can tell, so a vendor for a cloud tests its policies
// itself.
package vendortest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/types"
)

// A Config tells Run what the vendor can do. Only Location is required.
type Config struct {
	// Location is a folder, in normal form, for which the vendor has credentials, and for
	// all below it.
	Location string

	// Secrets are the texts that the vendor holds and must not show, such as the keys with
	// which it asks its cloud. What it hands out is looked for in any case.
	Secrets []string

	// TTLs are lifetimes to ask for, beside 0; nil: 15 minutes and 1 hour.
	TTLs []time.Duration

	// Now is the clock of the vendor; nil: time.Now.
	Now func() time.Time
}

// Run tests v, each duty in a subtest. With the race detector it finds more. A vendor that
// limits how often it may be asked must allow for about a hundred requests.
func Run(t *testing.T, v credentials.Vendor, c Config) {
	t.Helper()
	if c.Location == "" {
		t.Fatal("vendortest: Config.Location is required")
	}
	c = c.complete()
	for _, d := range duties {
		t.Run(d.name, func(t *testing.T) {
			if err := d.check(t.Context(), v, c); err != nil {
				t.Error(err)
			}
		})
	}
}

func (c Config) complete() Config {
	if c.TTLs == nil {
		c.TTLs = []time.Duration{15 * time.Minute, time.Hour}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

// requests are good requests of all sorts, each different from the others.
func (c Config) requests() []credentials.Request {
	var all []credentials.Request
	folders := []string{"", "/t", "/t2", "/p=a%20b/ü+&;~", "/__unitystorage/tables/7f0c"}
	if credentials.Scheme(c.Location) != "file" {
		folders = append(folders, "/a b") // not in the normal form of a file
	}
	for _, below := range folders {
		for _, op := range []types.Operation{types.Read, types.ReadWrite} {
			for _, ttl := range append([]time.Duration{0}, c.TTLs...) {
				all = append(all, credentials.Request{Location: c.Location + below, Operation: op, TTL: ttl, Principal: "ann@example.com"})
			}
		}
	}
	table := c.request()
	table.Table = "f5a1c1d2-6e3e-4c0b-9d0e-1c2f3a4b5c6d"
	return append(all, table, c.request())
}

// request is one good request.
func (c Config) request() credentials.Request {
	return credentials.Request{Location: c.Location + "/t", Operation: types.Read}
}

// verify holds an answer that arrived just now against all that can be seen from outside.
func (c Config) verify(req credentials.Request, cred types.Credential) error {
	now := c.Now()
	if err := credentials.Verify(req, cred, now); err != nil {
		return describe(req, err)
	}
	if left := cred.Expiration.Sub(now); req.TTL > 0 && left > req.TTL {
		return describe(req, fmt.Errorf("credential holds for %s, asked for was %s at most", left, req.TTL))
	}
	return nil
}

// describe puts the request before err.
func describe(req credentials.Request, err error) error {
	return fmt.Errorf("%s of %s with lifetime %s: %w", req.Operation, req.Location, req.TTL, err)
}

// refused says what is wrong if err is not of code. An empty code stands for any error.
func refused(req credentials.Request, err error, code types.Code) error {
	switch {
	case err == nil:
		return describe(req, errors.New("a credential was handed out"))
	case code != "" && !errors.Is(err, code):
		return describe(req, fmt.Errorf("refused with a %s, want %s", types.CodeOf(err), code))
	}
	return nil
}
