package credentials_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/types"
)

// named answers with an error that says who was asked.
func named(name string) credentials.Vendor {
	return credentials.VendorFunc(func(context.Context, credentials.Request) (types.Credential, error) {
		return types.Credential{}, errors.New(name)
	})
}

func TestMux(t *testing.T) {
	m := credentials.Mux{
		"s3":               named("scheme"),
		"s3://b":           named("bucket"),
		"s3://b/team":      named("team"),
		"s3://b/team/x/y":  named("deep"),
		"s3://closed":      nil,
		"gs://b/only/here": named("gs"),
		"file":             named("file"),
	}
	for location, want := range map[string]string{
		"s3://other/t":      "scheme",
		"s3://b2":           "scheme",
		"s3://b":            "bucket",
		"s3://b/t":          "bucket",
		"s3://b/team2":      "bucket",
		"s3://b/tea":        "bucket",
		"s3://b/team":       "team",
		"s3://b/team/x":     "team",
		"s3://b/team/x/yy":  "team",
		"s3://b/team/x/y":   "deep",
		"s3://b/team/x/y/z": "deep",
		"gs://b/only/here":  "gs",
		"file:///t":         "file",
	} {
		_, err := m.Vend(t.Context(), credentials.Request{Location: location, Operation: types.Read})
		if err == nil || err.Error() != want {
			t.Errorf("%s: asked %v, want %s", location, err, want)
		}
	}

	for _, location := range []string{"gs://b/only", "gs://b/other", "abfss://c@a/t", "s3://closed/t", "x-nobody://b/t"} {
		_, err := m.Vend(t.Context(), credentials.Request{Location: location, Operation: types.Read})
		if !errors.Is(err, types.NotImplemented) || !strings.Contains(err.Error(), "scheme "+credentials.Scheme(location)) {
			t.Errorf("%s: %v, want NotImplemented with the scheme", location, err)
		}
	}

	// A location that is not in normal form could take a turn after the key was found.
	_, err := m.Vend(t.Context(), credentials.Request{Location: "s3://b/team/../secret", Operation: types.Read})
	if !errors.Is(err, types.InvalidParameterValue) {
		t.Errorf("location with dots: %v", err)
	}
	var none credentials.Mux
	_, err = none.Vend(t.Context(), credentials.Request{Location: "s3://b/t", Operation: types.Read})
	if !errors.Is(err, types.NotImplemented) {
		t.Errorf("nil Mux: %v", err)
	}
}

func TestMuxValidate(t *testing.T) {
	v := named("v")
	if err := (credentials.Mux{"s3": v, "s3://b": v, "abfss://c@a/t": v, "file:///t": v}).Validate(); err != nil {
		t.Error(err)
	}
	for _, key := range []string{"", "S3", "s3://", "s3:", "s3://b/", "s3://b//t", "s3://b/*", "file://", "b/t"} {
		if err := (credentials.Mux{"gs": v, key: v}).Validate(); err == nil {
			t.Errorf("key %q was accepted", key)
		}
	}
	err := credentials.Mux{"s3": nil, "s3://b/": v}.Validate()
	if err == nil || !strings.Contains(err.Error(), "key s3 has no vendor") || !strings.Contains(err.Error(), "ends in a slash") {
		t.Errorf("want both faults: %v", err)
	}
}
