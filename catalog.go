package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// Config is what a catalog is made of. Only Store is required; each other zero field
// means what its comment says.
type Config struct {
	// Store keeps the state. The catalog does not close it.
	Store storage.Store

	// Vendor hands out credentials. With nil, operations that vend answer
	// NotImplemented for anything but local files, which need none. Another vendor
	// is asked for local files, too: a [credentials.Mux] with [credentials.Local] keeps them.
	Vendor credentials.Vendor

	// ManagedRoot is a storage URL below which managed tables go whose schema and
	// catalog have no storage root of their own. "" means that these cannot be staged.
	ManagedRoot string

	// Files reads commit files, to check what clients say of them. nil means that they
	// are believed.
	Files Files

	// Remover removes the files of dropped managed tables, when [Catalog.Sweep] is
	// called. nil leaves them.
	Remover Remover

	// Metrics also gets the reports on commits. nil: the catalog only keeps its totals.
	Metrics MetricsSink

	// Authorizer decides who may do what; [Grants] does by owners and granted privileges. nil:
	// everybody may do everything.
	Authorizer Authorizer

	// Events gets what was done, for an audit log. nil: nobody is told.
	Events EventSink

	// Keys encrypts the secrets of storage credentials. With the zero value, credentials that have
	// secrets are refused.
	Keys Keys

	// TokenFiles is a folder of this machine, as an absolute path. Storage credentials may name files below it
	// as their token, which goes to the cloud then. "": none may.
	TokenFiles string

	// Limits bounds what clients may ask for.
	Limits Limits

	// Logger gets what goes wrong behind an answered request. nil means slog.Default.
	Logger *slog.Logger

	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Limits are numbers that bound what clients may ask for. Zero fields mean the defaults; a
// refusal names its limit. The depth of types is bounded by types.MaxDepth, the length
// of a request by the server.
type Limits struct {
	// NameLength bounds the names that clients choose, in bytes; 0 means 255.
	NameLength int

	// Columns bounds the columns of a table, not counting nested fields; 0 means 100,000.
	Columns int

	// Properties bounds the properties of a table, catalog or schema that clients set; 0
	// means 10,000.
	Properties int

	// Unbackfilled is how many commits of a table may wait for backfill; 0 means 10.
	// Clients of the Delta API expect 10.
	Unbackfilled int

	// Queued and QueuedPerTable are how many changes, in all and of one table, may wait for
	// the store or be in it; more are refused with TooManyRequests, of which nothing
	// happened. 0 means 4,096 and 512.
	Queued, QueuedPerTable int

	// RememberVersions and RememberFor say how long the catalog remembers from which
	// file a backfilled version came, so that a late retry of its commit is known as
	// such: the last so many versions and those of so long, whichever is more. 0
	// means 100,000 versions and 30 days. RememberFor counts in whole days.
	RememberVersions int64
	RememberFor      time.Duration
}

// A Catalog names Delta tables and decides which commit of a managed one wins. Its
// methods are safe for many goroutines.
type Catalog struct {
	store       storage.Store
	vendor      credentials.Vendor
	authorizer  Authorizer
	events      EventSink
	keys        Keys
	tokenFiles  string
	managedRoot string
	files       Files
	remover     Remover
	metrics     MetricsSink
	rules       rules
	log         *slog.Logger
	clock       func() time.Time
	cache       *revisionCache
	queue       *queue
	metastore   atomic.Pointer[storage.Object] // once known to exist; it never changes
}

// New makes a catalog. It does no I/O; it fails if the Config cannot work.
func New(cfg Config) (*Catalog, error) {
	if cfg.Store == nil {
		return nil, errors.New("catalog: Config.Store is missing")
	}
	c := &Catalog{
		store:      cfg.Store,
		vendor:     cfg.Vendor,
		authorizer: cfg.Authorizer,
		events:     cfg.Events,
		keys:       cfg.Keys,
		files:      cfg.Files,
		remover:    cfg.Remover,
		metrics:    cfg.Metrics,
		log:        cfg.Logger,
		clock:      cfg.Now,
		cache:      newRevisionCache(cacheBytes),
		queue:      newQueue(cmp.Or(cfg.Limits.Queued, 4096), cmp.Or(cfg.Limits.QueuedPerTable, 512)),
		rules: rules{
			nameLength:   cfg.Limits.NameLength,
			columns:      cfg.Limits.Columns,
			properties:   cfg.Limits.Properties,
			unbackfilled: int64(cfg.Limits.Unbackfilled),
			remember:     cfg.Limits.RememberVersions,
			rememberFor:  cfg.Limits.RememberFor,
			files:        cfg.Files != nil,
		},
	}
	if c.log == nil {
		c.log = slog.Default()
	}
	if c.clock == nil {
		c.clock = time.Now
	}
	r := &c.rules
	r.nameLength = cmp.Or(r.nameLength, 255)
	r.columns = cmp.Or(r.columns, 100_000)
	r.properties = cmp.Or(r.properties, 10_000)
	r.unbackfilled = cmp.Or(r.unbackfilled, 10)
	r.remember = cmp.Or(r.remember, 100_000)
	r.rememberFor = cmp.Or(r.rememberFor, 30*day)
	if min(r.nameLength, r.columns, r.properties, c.queue.most, c.queue.mostOfTable) < 0 || min(r.unbackfilled, r.remember) < 0 || r.rememberFor < 0 {
		return nil, errors.New("catalog: Config.Limits has a negative value")
	}
	if cfg.ManagedRoot != "" {
		root, err := storageRoot(cfg.ManagedRoot)
		if err != nil {
			return nil, fmt.Errorf("catalog: Config.ManagedRoot: %w", err)
		}
		c.managedRoot = root
	}
	if cfg.TokenFiles != "" {
		if !filepath.IsAbs(cfg.TokenFiles) {
			return nil, fmt.Errorf("catalog: Config.TokenFiles: %q is not an absolute path", cfg.TokenFiles)
		}
		c.tokenFiles = filepath.Clean(cfg.TokenFiles)
	}
	return c, nil
}

// cacheBytes bounds the memory for tables in use.
const cacheBytes = 32 << 20

// now is the time as objects keep it.
func (c *Catalog) now() time.Time { return c.clock().UTC().Truncate(time.Millisecond) }

func newID() types.ID { return types.ID(uuid.NewString()) }

// update is storage.Update with the store's errors in the catalog's words. It refuses if too many
// wait already.
func update[T any](ctx context.Context, c *Catalog, fn func(tx storage.Tx) (T, error)) (T, error) {
	if err := c.queue.enter(); err != nil {
		var none T
		return none, err
	}
	defer c.queue.leave()
	if c.events == nil {
		out, err := storage.Update(ctx, c.store, fn)
		return out, typed(err)
	}
	var done *recorder // of the last run
	out, err := storage.Update(ctx, c.store, func(tx storage.Tx) (T, error) {
		done = &recorder{Tx: tx}
		return fn(done)
	})
	if uncertain := errors.Is(err, types.CommitStateUnknown); err == nil || uncertain && done != nil {
		for _, e := range done.events() {
			e.Uncertain = uncertain
			c.tell(ctx, e)
		}
	}
	return out, typed(err)
}

// updateAgain is update that tries once more if another request has just inserted what fn wanted to insert, for
// an fn that finds it then.
func updateAgain[T any](ctx context.Context, c *Catalog, fn func(tx storage.Tx) (T, error)) (T, error) {
	out, err := update(ctx, c, fn)
	if errors.Is(err, storage.ErrExists) {
		out, err = update(ctx, c, fn)
	}
	return out, err
}

// view is storage.View likewise.
func view[T any](ctx context.Context, c *Catalog, fn func(tx storage.ReadTx) (T, error)) (T, error) {
	out, err := storage.View(ctx, c.store, fn)
	return out, typed(err)
}

// typed gives a code to the errors that a store returns on purpose. Errors of the
// catalog itself, and faults, stay as they are.
func typed(err error) error {
	switch {
	case err == nil, types.CodeOf(err) != types.Internal:
		return err
	case errors.Is(err, storage.ErrExists):
		return types.AlreadyExists.Errorf("the name is taken").Because(err)
	case errors.Is(err, storage.ErrConflict), errors.Is(err, storage.ErrStale):
		return types.UpdateRequirementConflict.Errorf("another request changed the same objects; reload and retry").Because(err)
	case errors.Is(err, storage.ErrUnavailable), errors.Is(err, storage.ErrClosed):
		return types.Unavailable.Errorf("the catalog's store cannot be reached now; retry later").Because(err)
	}
	return err
}
