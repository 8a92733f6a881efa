// Package static hands out fixed keys from configuration, for stores that cannot make
// short-lived ones.
//
// Fixed keys are too wide. They open all that their owner can open, cannot be narrowed to a
// location, and do not end when the credential says so: whoever may read one table
// holds the keys to all of them. So this is for development and for a store with a single
// tenant, and for nothing else.
package static

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"time"

	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/types"
)

// A Config holds the keys and says what they are for. It prints without the keys.
type Config struct {
	// Prefix is the location, in normal form, beyond which the keys are not handed out:
	// s3://bucket or a folder. Required. It does not limit what the keys can open.
	Prefix string

	// Keys are the keys of Credential.Config for the cloud of Prefix, all that
	// clients of it need and none of another. Required.
	Keys map[string]string

	// ReadKeys, if not nil, are handed out instead of Keys for reading, so that the storage itself
	// refuses a reader's writes. Without them Keys must do for both.
	ReadKeys map[string]string

	// TTL is the lifetime that a credential claims, so that clients come back and are
	// checked again; 0: an hour.
	TTL time.Duration

	// Now is the clock; nil: time.Now.
	Now func() time.Time
}

// Format prints the Config without its keys, whatever the verb.
func (c Config) Format(s fmt.State, _ rune) { fmt.Fprintf(s, "fixed keys for %q", c.Prefix) }

// LogValue logs the Config without its keys.
func (c Config) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(c)) }

// A Vendor hands out the keys of a Config for locations within its Prefix, and refuses all
// others. It cannot narrow the keys to the location asked for (see the package comment), so it
// is for development and single-tenant stores only. It prints without the keys.
type Vendor struct{ c Config }

// New makes a Vendor, or says what is wrong with c without repeating a key.
func New(c Config) (*Vendor, error) {
	if len(c.Keys) == 0 {
		return nil, errors.New("fixed keys: there are none")
	}
	if c.TTL < 0 {
		return nil, fmt.Errorf("fixed keys: lifetime %s is below zero", c.TTL)
	}
	if c.TTL == 0 {
		c.TTL = time.Hour
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.ReadKeys == nil {
		c.ReadKeys = c.Keys
	}
	c.Keys, c.ReadKeys = maps.Clone(c.Keys), maps.Clone(c.ReadKeys) // the caller keeps its own
	v := &Vendor{c}
	for _, op := range []types.Operation{types.Read, types.ReadWrite} {
		if err := v.check(op); err != nil {
			return nil, fmt.Errorf("fixed keys: %w", err)
		}
	}
	return v, nil
}

// check tries the widest answer that v can give.
func (v *Vendor) check(op types.Operation) error {
	req := credentials.Request{Location: v.c.Prefix, Operation: op}
	if err := req.Validate(); err != nil {
		return err
	}
	now := v.c.Now()
	return credentials.Verify(req, v.credential(req, now), now)
}

// Vend hands the keys out for a location at or below Prefix. Any other location is
// types.NotImplemented.
func (v *Vendor) Vend(ctx context.Context, req credentials.Request) (types.Credential, error) {
	if err := ctx.Err(); err != nil {
		return types.Credential{}, err
	}
	if err := req.Validate(); err != nil {
		return types.Credential{}, err
	}
	if !credentials.Within(v.c.Prefix, req.Location) {
		return types.Credential{}, types.NotImplemented.Errorf("location of scheme %s is not below %s, for which there are fixed keys",
			credentials.Scheme(req.Location), v.c.Prefix)
	}
	return v.credential(req, v.c.Now()), nil
}

func (v *Vendor) credential(req credentials.Request, now time.Time) types.Credential {
	keys, life := v.c.Keys, v.c.TTL
	if req.Operation == types.Read {
		keys = v.c.ReadKeys
	}
	if req.TTL > 0 {
		life = min(life, req.TTL)
	}
	return types.Credential{
		Prefix:     credentials.Prefix(req.Location),
		Operation:  req.Operation,
		Expiration: now.Add(life),
		Config:     maps.Clone(keys),
	}
}

// Format prints the Vendor without its keys, whatever the verb.
func (v *Vendor) Format(s fmt.State, verb rune) { v.c.Format(s, verb) }

// LogValue logs the Vendor without its keys.
func (v *Vendor) LogValue() slog.Value { return v.c.LogValue() }
