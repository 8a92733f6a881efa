package credentials_test

import (
	"context"
	"testing"
	"time"

	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/credentials/vendortest"
	"github.com/leveelake/catalog/types"
)

// Mux and Cache keep the contract if the vendor below them does, and need nothing of it
// for the duties that they see to themselves.
func TestConformance(t *testing.T) {
	plain := credentials.VendorFunc(func(ctx context.Context, req credentials.Request) (types.Credential, error) {
		life := time.Hour
		if req.TTL > 0 {
			life = min(life, req.TTL)
		}
		return grant(req, time.Now(), life), ctx.Err()
	})
	mux := credentials.Mux{"s3": plain, "s3://b/t": plain}
	c := vendortest.Config{Location: "s3://b/w"}
	t.Run("Mux", func(t *testing.T) { vendortest.Run(t, mux, c) })
	t.Run("Cache", func(t *testing.T) {
		vendortest.Run(t, credentials.NewCache(credentials.CacheConfig{Vendor: mux}), c)
	})
	t.Run("Mux of Cache", func(t *testing.T) {
		cache := credentials.NewCache(credentials.CacheConfig{Vendor: plain, Size: 5})
		vendortest.Run(t, credentials.Mux{"s3": cache}, c)
	})
}
