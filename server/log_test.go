package server_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/server"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

// A failing store fails each Update.
type failing struct {
	storage.Store
	err error
}

func (f *failing) Update(context.Context, func(tx storage.Tx) error) error { return f.err }

// TestCauseIsLogged: what went wrong behind a reply is in the log, and not in the reply.
func TestCauseIsLogged(t *testing.T) {
	cause := errors.New("the disk is gone")
	for name, err := range map[string]error{
		"fault":         cause,
		"state unknown": &types.Error{Code: types.CommitStateUnknown, Message: "who knows", Err: cause},
		"unavailable":   errors.Join(storage.ErrUnavailable, cause),
	} {
		f := &failing{Store: memory.New()}
		var log bytes.Buffer
		c, newErr := catalog.New(catalog.Config{Store: f.Store})
		if newErr != nil {
			t.Fatal(newErr)
		}
		if _, err := c.Metastore(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.err = err
		if c, newErr = catalog.New(catalog.Config{Store: f}); newErr != nil {
			t.Fatal(newErr)
		}
		h := server.New(c, server.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		res := send(h, "POST", unity+"/catalogs", strings.NewReader(`{"name":"c"}`))
		body, _ := io.ReadAll(res.Body)
		if res.StatusCode < 500 || strings.Contains(string(body), cause.Error()) {
			t.Errorf("%s: %d %s", name, res.StatusCode, body)
		}
		if !strings.Contains(log.String(), cause.Error()) {
			t.Errorf("%s: the log says %s", name, &log)
		}
	}
}
