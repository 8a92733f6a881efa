package vendortest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/types"
)

var config = Config{Location: "s3://b/w", Secrets: []string{"root-hunter2"}}

var keys = map[string]string{types.S3AccessKeyID: "id-hunter2", types.S3SecretAccessKey: "key&hunter2", types.S3SessionToken: "token-hunter2"}

// good keeps the contract.
func good(ctx context.Context, req credentials.Request) (types.Credential, error) {
	if err := ctx.Err(); err != nil {
		return types.Credential{}, err
	}
	if err := req.Validate(); err != nil {
		return types.Credential{}, err
	}
	return careless(ctx, req)
}

// careless does not look at the context, nor whether the request makes sense.
func careless(_ context.Context, req credentials.Request) (types.Credential, error) {
	if credentials.Scheme(req.Location) != "s3" {
		return types.Credential{}, types.NotImplemented.Errorf("scheme %s", credentials.Scheme(req.Location))
	}
	life := time.Hour
	if req.TTL > 0 {
		life = min(life, req.TTL)
	}
	return types.Credential{
		Prefix:     credentials.Prefix(req.Location),
		Operation:  req.Operation,
		Expiration: time.Now().Add(life),
		Config:     maps.Clone(keys),
	}, nil
}

// spoiled is good but for what spoil does to its answers.
func spoiled(spoil func(credentials.Request, *types.Credential)) credentials.VendorFunc {
	return func(ctx context.Context, req credentials.Request) (types.Credential, error) {
		cred, err := good(ctx, req)
		if err == nil {
			spoil(req, &cred)
		}
		return cred, err
	}
}

// failing is good but for what it says when it refuses.
func failing(say func(credentials.Request, error) error) credentials.VendorFunc {
	return func(ctx context.Context, req credentials.Request) (types.Credential, error) {
		cred, err := good(ctx, req)
		if err != nil {
			err = say(req, err)
		}
		return cred, err
	}
}

// A talker is a vendor that prints its own secret.
type talker struct {
	credentials.VendorFunc
	Key string
}

func TestGood(t *testing.T) { Run(t, credentials.VendorFunc(good), config) }

// Each vendor breaks one duty, and the suite must name that one. Others may fail with it.
func TestBroken(t *testing.T) {
	shared := maps.Clone(keys)
	for name, tt := range map[string]struct {
		duty   string
		vendor credentials.Vendor
	}{
		"always an error": {"Answer", credentials.VendorFunc(func(ctx context.Context, req credentials.Request) (types.Credential, error) {
			return types.Credential{}, errors.New("not today")
		})},
		"the bucket": {"Answer", spoiled(func(_ credentials.Request, c *types.Credential) { c.Prefix = "s3://b/" })},
		"the parent": {"Answer", spoiled(func(_ credentials.Request, c *types.Credential) {
			c.Prefix = c.Prefix[:strings.LastIndexByte(strings.TrimSuffix(c.Prefix, "/"), '/')+1]
		})},
		"no folder boundary": {"Answer", spoiled(func(_ credentials.Request, c *types.Credential) { c.Prefix = strings.TrimSuffix(c.Prefix, "/") })},
		"a sibling":          {"Answer", spoiled(func(_ credentials.Request, c *types.Credential) { c.Prefix = strings.TrimSuffix(c.Prefix, "/") + "2/" })},
		"writes for READ":    {"Answer", spoiled(func(_ credentials.Request, c *types.Credential) { c.Operation = types.ReadWrite })},
		"no operation":       {"Answer", spoiled(func(_ credentials.Request, c *types.Credential) { c.Operation = "" })},
		"no expiration":      {"Answer", spoiled(func(_ credentials.Request, c *types.Credential) { c.Expiration = time.Time{} })},
		"expired":            {"Answer", spoiled(func(_ credentials.Request, c *types.Credential) { c.Expiration = time.Now() })},
		"beyond the TTL":     {"Answer", spoiled(func(r credentials.Request, c *types.Credential) { c.Expiration = time.Now().Add(r.TTL + time.Hour) })},
		"two clouds":         {"Answer", spoiled(func(_ credentials.Request, c *types.Credential) { c.Config[types.GCSOAuthToken] = "x" })},
		"another cloud": {"Answer", spoiled(func(_ credentials.Request, c *types.Credential) {
			c.Config = map[string]string{types.GCSOAuthToken: "x"}
		})},
		"no keys":      {"Answer", spoiled(func(_ credentials.Request, c *types.Credential) { c.Config = nil })},
		"no questions": {"Refuse", credentials.VendorFunc(careless)},
		"no context":   {"Context", credentials.VendorFunc(careless)},
		"context lost": {"Context", failing(func(_ credentials.Request, err error) error {
			if errors.Is(err, context.Canceled) {
				return errors.New("request stopped")
			}
			return err
		})},
		"code lost": {"Scheme", failing(func(_ credentials.Request, err error) error { return errors.New(err.Error()) })},
		"any scheme": {"Scheme", credentials.VendorFunc(func(ctx context.Context, req credentials.Request) (types.Credential, error) {
			req.Location = strings.Replace(req.Location, "x-nobody", "s3", 1)
			return good(ctx, req)
		})},
		"one map":           {"Copy", spoiled(func(_ credentials.Request, c *types.Credential) { c.Config = shared })},
		"secret in error":   {"Secret", failing(func(_ credentials.Request, err error) error { return fmt.Errorf("asked as root-hunter2: %w", err) })},
		"keys in error":     {"Secret", failing(func(_ credentials.Request, err error) error { return fmt.Errorf("%w: %q", err, keys) })},
		"secret in vendor":  {"Secret", talker{good, "root-hunter2"}},
		"first caller wins": {"Concurrent", firstWins()},
	} {
		t.Run(name, func(t *testing.T) {
			for _, d := range duties {
				if d.name == tt.duty {
					err := d.check(t.Context(), tt.vendor, config.complete())
					if err == nil {
						t.Fatalf("%s passed", d.name)
					}
					if strings.Contains(err.Error(), "hunter2") && name != "keys in error" && name != "secret in error" {
						t.Errorf("the suite itself shows a secret: %v", err)
					}
					return
				}
			}
			t.Fatalf("there is no duty %s", tt.duty)
		})
	}
}

// firstWins answers everybody with its first answer: what a cache without a key does.
func firstWins() credentials.VendorFunc {
	req := config.request()
	return func(ctx context.Context, _ credentials.Request) (types.Credential, error) { return good(ctx, req) }
}

// A credential that has no ways to hide its keys must be found out in each way of printing.
func TestShows(t *testing.T) {
	type bare types.Credential // without the methods
	thing := bare{Config: map[string]string{types.S3SecretAccessKey: `a&b"hunter2`}}
	err := shows(named{"it", thing}, []string{`a&b"hunter2`})
	for _, way := range []string{"%v", "%+v", "%#v", "%s", "%q", "slog as text", "slog as JSON"} {
		if err == nil || !strings.Contains(err.Error(), "with "+way) {
			t.Errorf("a bare credential printed with %s was not noticed: %v", way, err)
		}
	}
}
