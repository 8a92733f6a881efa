package vendortest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/types"
)

// A duty is one part of the contract. Its check returns what v does wrong instead of
// failing a test, so that the suite can be tested on vendors that are wrong.
type duty struct {
	name  string
	check func(ctx context.Context, v credentials.Vendor, c Config) error
}

var duties = []duty{
	{"Answer", answer},
	{"Refuse", refuse},
	{"Scheme", scheme},
	{"Context", obey},
	{"Copy", isolate},
	{"Secret", secret},
	{"Concurrent", concurrent},
}

// answer: scope, operation, lifetime and keys of every answer.
func answer(ctx context.Context, v credentials.Vendor, c Config) error {
	var errs []error
	for _, req := range c.requests() {
		cred, err := v.Vend(ctx, req)
		if err == nil {
			err = c.verify(req, cred)
		} else {
			err = describe(req, err)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// bad are requests that nobody may answer.
func (c Config) bad() []credentials.Request {
	var all []credentials.Request
	for _, op := range []types.Operation{"", "WRITE", "read", "READ_WRITE "} {
		all = append(all, credentials.Request{Location: c.Location + "/t", Operation: op})
	}
	for _, below := range []string{"/", "/t/", "/*", "/t*", "/t?", "/t//x", "/..", "/t/../x", "/./t", "/t'", "/${aws:username}", "/t\n"} {
		all = append(all, credentials.Request{Location: c.Location + below, Operation: types.Read})
	}
	return append(all, credentials.Request{Location: c.Location, Operation: types.Read, TTL: -time.Second})
}

// refuse: a request that makes no sense gets an error that says so, not a guess.
func refuse(ctx context.Context, v credentials.Vendor, c Config) error {
	var errs []error
	for _, req := range c.bad() {
		_, err := v.Vend(ctx, req)
		err = refused(req, err, "")
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// foreign is of a scheme that no vendor serves.
var foreign = credentials.Request{Location: "x-nobody://bucket/t", Operation: types.Read}

// scheme: a scheme that is not served has a code of its own, so that the caller knows it
// is not a fault.
func scheme(ctx context.Context, v credentials.Vendor, _ Config) error {
	_, err := v.Vend(ctx, foreign)
	return refused(foreign, err, types.NotImplemented)
}

// obey: nothing is done for a caller who has left. The request is one of those that were answered
// before, so that a vendor with a memory is found out as well.
func obey(ctx context.Context, v credentials.Vendor, c Config) error {
	if _, err := v.Vend(ctx, c.request()); err != nil {
		return describe(c.request(), err)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	late, cancel := context.WithTimeout(ctx, -time.Second)
	defer cancel()
	var errs []error
	for _, ctx := range []context.Context{gone, late} {
		if _, err := v.Vend(ctx, c.request()); !errors.Is(err, ctx.Err()) {
			errs = append(errs, fmt.Errorf("with a context that is done the answer is not its error, %q", ctx.Err()))
		}
	}
	return errors.Join(errs...)
}

// isolate: what one caller does to an answer no other sees.
func isolate(ctx context.Context, v credentials.Vendor, c Config) error {
	const mark = "vendortest.scribble"
	for range 2 {
		cred, err := v.Vend(ctx, c.request())
		if err != nil {
			return describe(c.request(), err)
		}
		if _, ok := cred.Config[mark]; ok {
			return errors.New("two answers share one Config map")
		}
		if cred.Config != nil {
			cred.Config[mark] = "x"
		}
	}
	return nil
}

// concurrent: many callers at once, each with an answer to its own question.
func concurrent(ctx context.Context, v credentials.Vendor, c Config) error {
	var (
		wg   sync.WaitGroup
		reqs = c.requests()
		errs = make([]error, 2*len(reqs))
	)
	for i := range errs {
		wg.Go(func() {
			req := reqs[i%len(reqs)]
			req.Principal = fmt.Sprintf("user-%d", i%3)
			cred, err := v.Vend(ctx, req)
			if err != nil {
				errs[i] = describe(req, err)
				return
			}
			errs[i] = c.verify(req, cred)
			if cred.Config != nil {
				cred.Config["vendortest.concurrent"] = "x" // a race if the map is shared
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
