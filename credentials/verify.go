package credentials

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/leveelake/catalog/types"
)

// Verify reports how cred breaks the contract as the answer to req, received at now:
// another operation, a Prefix that is wider than the location or not as [Prefix] writes
// it, no time left, or a Config that is not that of the location's cloud alone. What the
// keys themselves allow it cannot see. The errors hold no secret and have no code: a
// credential that fails is a fault of the vendor, not of the caller.
//
// TTL is not looked at, because the clock of the cloud need not agree with now to the
// second.
func Verify(req Request, cred types.Credential, now time.Time) error {
	if cred.Operation != req.Operation {
		return fmt.Errorf("credential for %s is for %q, asked for was %s", bucket(req.Location), cred.Operation, req.Operation)
	}
	if !Within(req.Location, cred.Prefix) || cred.Prefix != Prefix(cred.Prefix) ||
		checkLocation(strings.TrimSuffix(cred.Prefix, "/")) != nil {
		return fmt.Errorf("credential for %s has a prefix that is not a folder within the location asked for", bucket(req.Location))
	}
	if !cred.Expiration.After(now) {
		return fmt.Errorf("credential for %s has no time left", bucket(req.Location))
	}
	if err := checkConfig(Scheme(req.Location), cred.Config); err != nil {
		return fmt.Errorf("credential for %s: %w", bucket(req.Location), err)
	}
	return nil
}

// configs gives for each scheme the keys that a Config must have and those it may have.
var configs = map[string]struct{ must, may []string }{
	"s3":    {must: []string{types.S3AccessKeyID, types.S3SecretAccessKey}, may: []string{types.S3SessionToken}},
	"abfs":  {must: []string{types.AzureSASToken}},
	"abfss": {must: []string{types.AzureSASToken}},
	"gs":    {must: []string{types.GCSOAuthToken}},
	"file":  {},
}

// checkConfig refuses a Config that is not exactly what a client of the scheme needs.
func checkConfig(scheme string, config map[string]string) error {
	want, ok := configs[scheme]
	if !ok {
		return fmt.Errorf("no keys are known for scheme %q", scheme)
	}
	for _, key := range want.must {
		if config[key] == "" {
			return fmt.Errorf("%s is missing", key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(config)) {
		if !slices.Contains(want.must, key) && !slices.Contains(want.may, key) {
			return fmt.Errorf("%q is not a key of scheme %s", key, scheme)
		}
		if config[key] == "" {
			return fmt.Errorf("%s is empty", key)
		}
	}
	// Clients put the token behind a "?" of their own.
	if strings.HasPrefix(config[types.AzureSASToken], "?") {
		return errors.New(types.AzureSASToken + " starts with a question mark")
	}
	return nil
}
