package catalog

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/leveelake/catalog/types"
)

// An EventSink is told what was done: every change, and each credential that was vended.
type EventSink interface {
	// Event is called once what it tells is durable, or the store cannot tell whether it is (Uncertain), and before the
	// caller gets the answer. It should return soon; what goes wrong in it is its own affair. Of what is removed beneath a catalog or schema it is not told by
	// itself, nor of totals of metrics.
	Event(ctx context.Context, e types.Event)
}

// An EventLog is an EventSink that logs each event as one line, at level info.
type EventLog struct{ Logger *slog.Logger }

// Event logs e; fields that say nothing are left out.
func (l EventLog) Event(ctx context.Context, e types.Event) {
	attrs := make([]slog.Attr, 0, 16)
	text := func(key, value string) {
		if value != "" {
			attrs = append(attrs, slog.String(key, value))
		}
	}
	number := func(key string, value int64) { attrs = append(attrs, slog.Int64(key, value)) }
	text("request", e.RequestID)
	text("principal", e.Principal)
	text("action", string(e.Action))
	text("kind", string(e.Kind))
	text("id", string(e.ID))
	text("name", e.Name)
	if e.Uncertain {
		attrs = append(attrs, slog.Bool("uncertain", true))
	}
	if e.Before != 0 {
		number("before", e.Before)
	}
	if e.After != 0 {
		number("after", e.After)
	}
	if e.Version != nil {
		number("version", *e.Version)
	}
	if e.Backfilled != nil {
		number("backfilled", *e.Backfilled)
	}
	text("owner", e.Owner)
	text("grantee", e.Grantee)
	if len(e.Groups) > 0 {
		attrs = append(attrs, slog.Any("groups", e.Groups))
	}
	if e.Kind == types.KindGrant {
		attrs = append(attrs, slog.Any("privileges", e.Privileges))
	}
	text("location", e.Location)
	text("operation", string(e.Operation))
	if !e.Expires.IsZero() {
		attrs = append(attrs, slog.Time("expires", e.Expires))
	}
	l.Logger.LogAttrs(ctx, slog.LevelInfo, "audit", attrs...)
}

// tell hands an event to the sink, whose panic is no reason to tell the caller that nothing was done.
func (c *Catalog) tell(ctx context.Context, e types.Event) {
	if c.events == nil {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			c.log.ErrorContext(ctx, "the event sink panicked", "err", fmt.Sprint(v), "action", e.Action, "id", e.ID)
		}
	}()
	e.Time, e.RequestID, e.Principal = c.clock().UTC(), RequestID(ctx), Principal(ctx)
	c.events.Event(ctx, e)
}

// tellVend tells of a credential, but nothing that is secret in it.
func (c *Catalog) tellVend(ctx context.Context, id types.ID, location string, cred types.Credential) {
	kind := types.KindTable
	if id == "" {
		kind = types.KindExternalLocation
	}
	c.tell(ctx, types.Event{Action: types.EventVend, Kind: kind, ID: id, Location: location, Operation: cred.Operation, Expires: cred.Expiration.Truncate(time.Millisecond)})
}
