package static_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/credentials/static"
	"github.com/leveelake/catalog/credentials/vendortest"
	"github.com/leveelake/catalog/types"
)

var (
	noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	keys = map[string]string{types.S3AccessKeyID: "id-hunter2", types.S3SecretAccessKey: "key-hunter2"}
)

// lab is a good Config.
func lab() static.Config {
	return static.Config{Prefix: "s3://lab/team", Keys: maps.Clone(keys), Now: func() time.Time { return noon }}
}

func TestConformance(t *testing.T) {
	for name, c := range map[string]static.Config{
		"s3":    lab(),
		"gs":    {Prefix: "gs://lab", Keys: map[string]string{types.GCSOAuthToken: "ya29.hunter2"}},
		"abfss": {Prefix: "abfss://lab@acc.dfs.core.windows.net/x", Keys: map[string]string{types.AzureSASToken: "sv=2025&sig=hunter2%2B"}},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := static.New(c)
			if err != nil {
				t.Fatal(err)
			}
			vendortest.Run(t, v, vendortest.Config{Location: c.Prefix, Now: c.Now})
		})
	}
}

func TestVend(t *testing.T) {
	c := lab()
	c.ReadKeys = map[string]string{types.S3AccessKeyID: "reader", types.S3SecretAccessKey: "reader-key"}
	v, err := static.New(c)
	if err != nil {
		t.Fatal(err)
	}
	c.Keys[types.S3AccessKeyID] = "changed later"
	for _, tt := range []struct {
		op   types.Operation
		ttl  time.Duration
		life time.Duration
		keys map[string]string
	}{
		{types.ReadWrite, 0, time.Hour, keys},
		{types.ReadWrite, time.Minute, time.Minute, keys},
		{types.Read, 2 * time.Hour, time.Hour, c.ReadKeys},
	} {
		got, err := v.Vend(t.Context(), credentials.Request{Location: "s3://lab/team/t", Operation: tt.op, TTL: tt.ttl})
		want := types.Credential{Prefix: "s3://lab/team/t/", Operation: tt.op, Expiration: noon.Add(tt.life), Config: tt.keys}
		if err != nil || !cmp.Equal(want, got) {
			t.Errorf("%s with lifetime %s: not what was configured, error %v", tt.op, tt.ttl, err)
		}
	}
	for _, location := range []string{"s3://lab", "s3://lab/team2", "s3://other/team", "gs://lab/team/t"} {
		_, err := v.Vend(t.Context(), credentials.Request{Location: location, Operation: types.Read})
		if !errors.Is(err, types.NotImplemented) {
			t.Errorf("%s is beyond the prefix: %v", location, err)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*static.Config){
		"no prefix":     func(c *static.Config) { c.Prefix = "" },
		"scheme only":   func(c *static.Config) { c.Prefix = "s3://" },
		"slash":         func(c *static.Config) { c.Prefix = "s3://lab/team/" },
		"wildcard":      func(c *static.Config) { c.Prefix = "s3://*" },
		"no keys":       func(c *static.Config) { c.Keys = nil },
		"half a key":    func(c *static.Config) { delete(c.Keys, types.S3AccessKeyID) },
		"empty key":     func(c *static.Config) { c.Keys[types.S3SecretAccessKey] = "" },
		"unknown key":   func(c *static.Config) { c.Keys["s3.endpoint"] = "hunter2" },
		"two clouds":    func(c *static.Config) { c.Keys[types.AzureSASToken] = "hunter2" },
		"another cloud": func(c *static.Config) { c.Prefix = "gs://lab" },
		"files":         func(c *static.Config) { c.Prefix, c.Keys = "file:///t", nil },
		"unknown cloud": func(c *static.Config) { c.Prefix = "x-nobody://lab" },
		"no read keys":  func(c *static.Config) { c.ReadKeys = map[string]string{} },
		"lifetime":      func(c *static.Config) { c.TTL = -time.Second },
	} {
		c := lab()
		spoil(&c)
		if _, err := static.New(c); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The suite looks at the Vendor; the Config is what programs tend to print.
func TestConfigKeepsSecrets(t *testing.T) {
	c := lab()
	var b bytes.Buffer
	slog.New(slog.NewTextHandler(&b, nil)).Info("m", "c", c)
	slog.New(slog.NewJSONHandler(&b, nil)).Info("m", "c", c)
	all := struct{ Config static.Config }{c}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
		fmt.Fprintf(&b, verb+" "+verb+" "+verb+"\n", c, &c, all)
	}
	if s := b.String(); strings.Contains(s, "hunter2") || strings.Contains(s, "68756e74657232") {
		t.Error(s)
	}
}
