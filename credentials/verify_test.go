package credentials_test

import (
	"strings"
	"testing"
	"time"

	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/types"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// grant is a right answer to req that holds for life.
func grant(req credentials.Request, now time.Time, life time.Duration) types.Credential {
	return types.Credential{
		Prefix:     credentials.Prefix(req.Location),
		Operation:  req.Operation,
		Expiration: now.Add(life),
		Config:     map[string]string{types.S3AccessKeyID: "id-hunter2", types.S3SecretAccessKey: "key-hunter2", types.S3SessionToken: "token-hunter2"},
	}
}

func TestVerify(t *testing.T) {
	req := credentials.Request{Location: "s3://b/t", Operation: types.Read}
	if err := credentials.Verify(req, grant(req, noon, 1), noon); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*types.Credential){
		"wider operation":  func(c *types.Credential) { c.Operation = types.ReadWrite },
		"no operation":     func(c *types.Credential) { c.Operation = "" },
		"bucket":           func(c *types.Credential) { c.Prefix = "s3://b/" },
		"sibling":          func(c *types.Credential) { c.Prefix = "s3://b/t2/" },
		"string prefix":    func(c *types.Credential) { c.Prefix = "s3://b/t" },
		"no prefix":        func(c *types.Credential) { c.Prefix = "" },
		"up and away":      func(c *types.Credential) { c.Prefix = "s3://b/t/../u/" },
		"other scheme":     func(c *types.Credential) { c.Prefix = "gs://b/t/" },
		"no expiration":    func(c *types.Credential) { c.Expiration = time.Time{} },
		"expired":          func(c *types.Credential) { c.Expiration = noon },
		"no keys":          func(c *types.Credential) { c.Config = nil },
		"half a key":       func(c *types.Credential) { delete(c.Config, types.S3SecretAccessKey) },
		"empty key":        func(c *types.Credential) { c.Config[types.S3SecretAccessKey] = "" },
		"empty token":      func(c *types.Credential) { c.Config[types.S3SessionToken] = "" },
		"two clouds":       func(c *types.Credential) { c.Config[types.GCSOAuthToken] = "hunter2" },
		"another cloud":    func(c *types.Credential) { c.Config = map[string]string{types.GCSOAuthToken: "hunter2"} },
		"unknown key":      func(c *types.Credential) { c.Config["s3.key"] = "hunter2" },
		"empty other keys": func(c *types.Credential) { c.Config[types.AzureSASToken] = "" },
	} {
		cred := grant(req, noon, time.Hour)
		spoil(&cred)
		if err := credentials.Verify(req, cred, noon); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestVerifyConfig(t *testing.T) {
	for _, tt := range []struct {
		location string
		config   map[string]string
		ok       bool
	}{
		{"s3://b/t", map[string]string{types.S3AccessKeyID: "a", types.S3SecretAccessKey: "b"}, true},
		{"gs://b/t", map[string]string{types.GCSOAuthToken: "a"}, true},
		{"abfs://c@a/t", map[string]string{types.AzureSASToken: "sv=1&sig=x"}, true},
		{"abfss://c@a/t", map[string]string{types.AzureSASToken: "sv=1&sig=x"}, true},
		{"abfss://c@a/t", map[string]string{types.AzureSASToken: "?sv=1&sig=x"}, false},
		{"file:///t", nil, true},
		{"file:///t", map[string]string{}, true},
		{"file:///t", map[string]string{types.GCSOAuthToken: "a"}, false},
		{"x-nobody://b/t", nil, false},
	} {
		req := credentials.Request{Location: tt.location, Operation: types.Read}
		cred := grant(req, noon, time.Hour)
		cred.Config = tt.config
		if err := credentials.Verify(req, cred, noon); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.location, err)
		}
	}
}
