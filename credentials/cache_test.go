package credentials_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/types"
)

// A bank vends what its field says and counts. Zero means: at once, for an hour.
type bank struct {
	calls atomic.Int64
	life  time.Duration
	vend  func(ctx context.Context, req credentials.Request) (types.Credential, error)
}

func (b *bank) Vend(ctx context.Context, req credentials.Request) (types.Credential, error) {
	b.calls.Add(1)
	if b.vend != nil {
		return b.vend(ctx, req)
	}
	life := b.life
	if life == 0 {
		life = time.Hour
	}
	if req.TTL > 0 {
		life = min(life, req.TTL)
	}
	return grant(req, time.Now(), life), nil
}

func (b *bank) want(t *testing.T, calls int64) {
	t.Helper()
	if got := b.calls.Load(); got != calls {
		t.Errorf("the vendor was asked %d times, want %d", got, calls)
	}
}

// mustVend fails the test if there is no credential; it may run beside others.
func mustVend(t *testing.T, v credentials.Vendor, req credentials.Request) types.Credential {
	t.Helper()
	cred, err := v.Vend(t.Context(), req)
	if err != nil {
		t.Errorf("%+v: %v", req, err)
	}
	return cred
}

var ask = credentials.Request{Location: "s3://b/t", Operation: types.Read, Principal: "ann"}

func TestCacheHalfLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bank{}
		c := credentials.NewCache(credentials.CacheConfig{Vendor: b})
		first := mustVend(t, c, ask)
		time.Sleep(30*time.Minute - time.Nanosecond)
		if again := mustVend(t, c, ask); again.Expiration != first.Expiration {
			t.Error("a credential with half of its life left was vended again")
		}
		b.want(t, 1)
		time.Sleep(time.Nanosecond)
		if next := mustVend(t, c, ask); time.Until(next.Expiration) != time.Hour {
			t.Errorf("%s left, want a fresh credential", time.Until(next.Expiration))
		}
		b.want(t, 2)
	})
}

// The half is of the life that was granted, not of the one that was asked for.
func TestCacheShortLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bank{life: 10 * time.Minute}
		c := credentials.NewCache(credentials.CacheConfig{Vendor: b})
		req := ask
		req.TTL = time.Hour
		mustVend(t, c, req)
		time.Sleep(4 * time.Minute)
		mustVend(t, c, req)
		b.want(t, 1)
		time.Sleep(time.Minute)
		mustVend(t, c, req)
		b.want(t, 2)
	})
}

func TestCacheClock(t *testing.T) {
	now := noon
	b := &bank{vend: func(_ context.Context, req credentials.Request) (types.Credential, error) {
		return grant(req, now, time.Hour), nil
	}}
	c := credentials.NewCache(credentials.CacheConfig{Vendor: b, Now: func() time.Time { return now }})
	mustVend(t, c, ask)
	now = now.Add(29 * time.Minute)
	mustVend(t, c, ask)
	b.want(t, 1)
	now = now.Add(time.Minute)
	mustVend(t, c, ask)
	b.want(t, 2)
}

// different are requests of which each differs from all others in something.
var different = []credentials.Request{
	ask,
	{Location: "s3://b/t2", Operation: types.Read, Principal: "ann"},
	{Location: "s3://b/t", Operation: types.ReadWrite, Principal: "ann"},
	{Location: "s3://b/t", Operation: types.Read, Principal: "bob"},
	{Location: "s3://b/t", Operation: types.Read},
	{Location: "s3://b/t", Operation: types.Read, Principal: "ann", Table: "1"},
	{Location: "s3://b/t", Operation: types.Read, Principal: "ann", TTL: time.Minute},
	{Location: "s3://b/t", Operation: types.Read, Principal: `ann" "s3://b/t`},
	{Location: "s3://b/t", Operation: types.Read, Principal: "ann\xff"},
	{Location: "s3://b/t", Operation: types.Read, Principal: "ann\xfe"},
}

// Whoever asks something else has a credential of their own: at the same moment, when a
// flight could be shared, and later, when an answer could be.
func TestCacheKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := func(req credentials.Request) string { return fmt.Sprintf("%q", fmt.Sprint(req)) }
		b := &bank{vend: func(_ context.Context, req credentials.Request) (types.Credential, error) {
			time.Sleep(time.Second)
			cred := grant(req, time.Now(), time.Minute)
			cred.Config[types.S3SessionToken] = text(req)
			return cred, nil
		}}
		c := credentials.NewCache(credentials.CacheConfig{Vendor: b})
		for range 2 {
			var wg sync.WaitGroup
			for _, req := range different {
				wg.Go(func() {
					if cred := mustVend(t, c, req); cred.Config[types.S3SessionToken] != text(req) {
						t.Errorf("%+v got the credential of %s", req, cred.Config[types.S3SessionToken])
					}
				})
			}
			wg.Wait()
			b.want(t, int64(len(different)))
		}
	})
}

// A vendor may go on using the map that it gave away.
func TestCacheVendorsMap(t *testing.T) {
	var last map[string]string
	b := &bank{vend: func(_ context.Context, req credentials.Request) (types.Credential, error) {
		cred := grant(req, time.Now(), time.Hour)
		last = cred.Config
		return cred, nil
	}}
	c := credentials.NewCache(credentials.CacheConfig{Vendor: b})
	want := mustVend(t, c, ask).Config[types.S3AccessKeyID]
	last[types.S3AccessKeyID] = "somebody else's"
	if got := mustVend(t, c, ask).Config[types.S3AccessKeyID]; got != want {
		t.Error("the vendor changed what the cache holds")
	}
}

func TestCacheForgetsErrors(t *testing.T) {
	b := &bank{}
	b.vend = func(_ context.Context, req credentials.Request) (types.Credential, error) {
		if b.calls.Load() == 1 {
			return types.Credential{}, types.TooManyRequests.Errorf("slow down")
		}
		return grant(req, time.Now(), time.Hour), nil
	}
	c := credentials.NewCache(credentials.CacheConfig{Vendor: b})
	if _, err := c.Vend(t.Context(), ask); !errors.Is(err, types.TooManyRequests) {
		t.Errorf("error %v, want the vendor's", err)
	}
	mustVend(t, c, ask)
	b.want(t, 2)
}

func TestCacheRefuses(t *testing.T) {
	for name, b := range map[string]*bank{
		"a credential that may write": {vend: func(_ context.Context, req credentials.Request) (types.Credential, error) {
			req.Operation = types.ReadWrite
			return grant(req, time.Now(), time.Hour), nil
		}},
		"a credential that is too wide": {vend: func(_ context.Context, req credentials.Request) (types.Credential, error) {
			req.Location = "s3://b"
			return grant(req, time.Now(), time.Hour), nil
		}},
		"an expired credential": {life: -time.Minute},
		"a panic": {vend: func(context.Context, credentials.Request) (types.Credential, error) {
			panic("hunter2")
		}},
	} {
		c := credentials.NewCache(credentials.CacheConfig{Vendor: b})
		for range 2 {
			cred, err := c.Vend(t.Context(), ask)
			if err == nil || strings.Contains(err.Error(), "hunter2") || cred.Config != nil {
				t.Errorf("%s: error %v", name, err)
			}
		}
		b.want(t, 2)
	}

	b := &bank{}
	c := credentials.NewCache(credentials.CacheConfig{Vendor: b})
	if _, err := c.Vend(t.Context(), credentials.Request{Location: "s3://b/t"}); !errors.Is(err, types.BadRequest) {
		t.Errorf("request without operation: %v", err)
	}
	mustVend(t, c, ask)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Vend(gone, ask); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled caller, credential at hand: %v", err)
	}
	b.want(t, 1)
}

func TestCacheOneFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bank{vend: func(_ context.Context, req credentials.Request) (types.Credential, error) {
			time.Sleep(time.Second)
			return grant(req, time.Now(), time.Hour), nil
		}}
		c := credentials.NewCache(credentials.CacheConfig{Vendor: b})
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				cred, err := c.Vend(t.Context(), ask)
				if err != nil {
					t.Error(err)
					return
				}
				cred.Config["scribble"] = "x" // a race if two callers hold one map
			})
		}
		wg.Wait()
		b.want(t, 1)
		if _, ok := mustVend(t, c, ask).Config["scribble"]; ok {
			t.Error("a caller changed what the cache holds")
		}
	})
}

func TestCacheCancelledCaller(t *testing.T) {
	type key struct{}
	synctest.Test(t, func(t *testing.T) {
		b := &bank{vend: func(ctx context.Context, req credentials.Request) (types.Credential, error) {
			if ctx.Value(key{}) != "first" {
				t.Error("the context values of the first caller are lost")
			}
			select {
			case <-ctx.Done():
				return types.Credential{}, ctx.Err()
			case <-time.After(10 * time.Second):
				return grant(req, time.Now(), time.Hour), nil
			}
		}}
		c := credentials.NewCache(credentials.CacheConfig{Vendor: b})
		var wg sync.WaitGroup
		wg.Go(func() { // this one starts the flight and leaves it
			ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), key{}, "first"), time.Second)
			defer cancel()
			start := time.Now()
			if _, err := c.Vend(ctx, ask); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
				t.Errorf("%v after %s, want the caller's own deadline", err, time.Since(start))
			}
		})
		synctest.Wait()
		wg.Go(func() {
			if _, err := c.Vend(t.Context(), ask); err != nil {
				t.Errorf("the patient caller got %v", err)
			}
		})
		wg.Wait()
		mustVend(t, c, ask)
		b.want(t, 1)
	})
}

func TestCacheTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bank{vend: func(ctx context.Context, _ credentials.Request) (types.Credential, error) {
			<-ctx.Done()
			return types.Credential{}, ctx.Err()
		}}
		c := credentials.NewCache(credentials.CacheConfig{Vendor: b, Timeout: 5 * time.Second})
		start := time.Now()
		if _, err := c.Vend(t.Context(), ask); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 5*time.Second {
			t.Errorf("%v after %s", err, time.Since(start))
		}
	})
}

func TestCacheSize(t *testing.T) {
	b := &bank{}
	c := credentials.NewCache(credentials.CacheConfig{Vendor: b, Size: 3})
	at := func(i int) credentials.Request {
		req := ask
		req.Location = fmt.Sprintf("s3://b/%d", i)
		return req
	}
	for i := range 3 {
		mustVend(t, c, at(i))
	}
	mustVend(t, c, at(0)) // used again, so 1 is the oldest now
	mustVend(t, c, at(3))
	b.want(t, 4)
	for _, i := range []int{0, 2, 3} {
		mustVend(t, c, at(i))
	}
	b.want(t, 4)
	mustVend(t, c, at(1))
	b.want(t, 5)
}

func TestCacheNeedsVendor(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic without a vendor")
		}
	}()
	credentials.NewCache(credentials.CacheConfig{})
}

func BenchmarkCacheHit(b *testing.B) {
	c := credentials.NewCache(credentials.CacheConfig{Vendor: &bank{}})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Vend(b.Context(), ask); err != nil {
			b.Fatal(err)
		}
	}
}
