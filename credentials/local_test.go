package credentials_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/credentials/vendortest"
	"github.com/leveelake/catalog/types"
)

func TestLocalConformance(t *testing.T) {
	vendortest.Run(t, credentials.Local{}, vendortest.Config{Location: "file:///data"})
}

func TestLocalVend(t *testing.T) {
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	v := credentials.Local{Now: func() time.Time { return noon }}
	req := credentials.Request{Location: "file:///data/t", Operation: types.ReadWrite}
	want := types.Credential{
		Prefix:     "file:///data/t/",
		Operation:  types.ReadWrite,
		Expiration: noon.Add(24 * time.Hour),
		Config:     map[string]string{}, // {} in JSON, not null
	}
	got, err := v.Vend(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got.Config == nil {
		t.Error("Config is nil")
	}
}
