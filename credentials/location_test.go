package credentials_test

import (
	"strings"
	"testing"
	"time"

	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/types"
)

func TestPrefix(t *testing.T) {
	for location, want := range map[string]string{
		"s3://b/t":  "s3://b/t/",
		"s3://b/t/": "s3://b/t/",
		"s3://b":    "s3://b/",
		"file:///t": "file:///t/",
	} {
		if got := credentials.Prefix(location); got != want {
			t.Errorf("Prefix(%q) = %q, want %q", location, got, want)
		}
	}
}

func TestWithin(t *testing.T) {
	for _, tt := range []struct {
		folder, location string
		want             bool
	}{
		{"s3://b/t", "s3://b/t", true},
		{"s3://b/t", "s3://b/t/", true},
		{"s3://b/t/", "s3://b/t", true},
		{"s3://b/t", "s3://b/t/x", true},
		{"s3://b", "s3://b/t", true},
		{"s3://b/t", "s3://b/t2", false},
		{"s3://b/t/x", "s3://b/t", false},
		{"s3://b", "s3://b2/t", false},
		{"s3://b/t", "gs://b/t", false},
		{"s3://b/t", "s3://b/T", false},
	} {
		if got := credentials.Within(tt.folder, tt.location); got != tt.want {
			t.Errorf("Within(%q, %q) = %t", tt.folder, tt.location, got)
		}
	}
}

func TestValidate(t *testing.T) {
	good := credentials.Request{Location: "s3://b/t", Operation: types.Read, TTL: time.Hour}
	with := func(change func(*credentials.Request)) credentials.Request {
		r := good
		change(&r)
		return r
	}
	at := func(location string) credentials.Request {
		return with(func(r *credentials.Request) { r.Location = location })
	}

	for _, req := range []credentials.Request{
		good,
		at("s3://b"),
		at("gs://b/a b/ü/%2F/x=1/..."),
		at("abfss://container@account.dfs.core.windows.net/t"),
		at("file:///t"),
		at("anything+1://b/t"),
		with(func(r *credentials.Request) { r.TTL = 0 }),
		with(func(r *credentials.Request) { r.Operation = types.ReadWrite }),
	} {
		if err := req.Validate(); err != nil {
			t.Errorf("%+v: %v", req, err)
		}
	}

	for _, tt := range []struct {
		req  credentials.Request
		code types.Code
	}{
		{at(""), types.InvalidParameterValue},
		{at("/t"), types.InvalidParameterValue},
		{at("S3://b/t"), types.InvalidParameterValue},
		{at("3s://b/t"), types.InvalidParameterValue},
		{at("://b/t"), types.InvalidParameterValue},
		{at("s3://"), types.InvalidParameterValue},
		{at("s3:///t"), types.InvalidParameterValue},
		{at("s3://b/"), types.InvalidParameterValue},
		{at("s3://b/t/"), types.InvalidParameterValue},
		{at("s3://b//t"), types.InvalidParameterValue},
		{at("s3://b/../t"), types.InvalidParameterValue},
		{at("s3://b/t/."), types.InvalidParameterValue},
		{at("s3://b/t*"), types.InvalidParameterValue},
		{at("s3://b/$t"), types.InvalidParameterValue},
		{at("s3://b/t\x7f"), types.InvalidParameterValue},
		{at("s3://b/\xff"), types.InvalidParameterValue},
		{at("file://host/t"), types.InvalidParameterValue},
		{at("file://"), types.InvalidParameterValue},
		{at("file:///"), types.InvalidParameterValue},
		{with(func(r *credentials.Request) { r.TTL = -1 }), types.InvalidParameterValue},
		{with(func(r *credentials.Request) { r.Operation = "" }), types.BadRequest},
		{with(func(r *credentials.Request) { r.Operation = "read" }), types.BadRequest},
	} {
		if code := types.CodeOf(tt.req.Validate()); code != tt.code {
			t.Errorf("%+v: code %q, want %q", tt.req, code, tt.code)
		}
	}
}

// People paste URLs with keys in them; the refusal must not pass them on to a log.
func TestValidateKeepsSecrets(t *testing.T) {
	for _, location := range []string{
		"s3://AKIA:hunter2@b/t",
		"s3://hunter2@b/t",
		"abfss://container:hunter2@account/t",
		"abfss://container@account/t?sig=hunter2",
		"hunter2",
	} {
		err := credentials.Request{Location: location, Operation: types.Read}.Validate()
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", location, err)
		}
	}
}
