package history_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/storage/storagetest"
	"github.com/leveelake/catalog/types"
)

// A faultRow is an operation that meets with a fault in one of its transactions, and what the
// documents promise to a client that then sends the same request again.
type faultRow struct {
	method string // of Catalog
	name   string
	before []func(e *faultEnv) // what there is
	do     func(e *faultEnv) error

	// The transaction that does it makes this write. If it was applied, the second request
	// is answered with this code ("": with success). If it was not, or another transaction
	// of the operation failed, the second request succeeds.
	write string
	kind  types.Kind
	again types.Code

	// What others do before the second request, and the code of its answer if the first was
	// not applied; what there is in the end is then compared only if it was.
	meanwhile func(e *faultEnv)
	otherwise types.Code

	check func(e *faultEnv) // of the end, beside the comparison with a run without a fault
}

// A faultEnv is a catalog on a store whose faults are armed by the test.
type faultEnv struct {
	*testing.T
	c       *catalog.Catalog
	store   storage.Store
	calls   int // of the store, since armed
	at      int // which of them fails; 0: none
	fault   storagetest.Fault
	hit     *storagetest.Op // the one that failed
	staged  types.StagingTable
	table   types.Table
	removed []string
	token   types.IssuedToken
}

func newFaultEnv(t *testing.T, row faultRow, s storage.Store) *faultEnv {
	e := &faultEnv{T: t}
	e.store = storagetest.Faulty(s, func(op storagetest.Op) storagetest.Fault {
		e.calls++
		if e.at == 0 || e.calls != e.at {
			return storagetest.Fault{}
		}
		e.hit = &op
		return e.fault
	})
	e.open()
	for _, fn := range row.before {
		fn(e)
	}
	e.calls = 0
	return e
}

// open makes a catalog that remembers nothing but what is stored.
func (e *faultEnv) open() {
	var err error
	e.c, err = catalog.New(catalog.Config{
		Store: e.store, ManagedRoot: managedRoot, Remover: e, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Now: func() time.Time { return time.Unix(1e9, 0) }, Keys: faultKeys,
	})
	e.must(err)
}

// Remove makes e the remover of its catalog.
func (e *faultEnv) Remove(_ context.Context, location string) error {
	e.removed = append(e.removed, location)
	return nil
}

func (e *faultEnv) must(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}

func (e *faultEnv) wants(what string, err error, code types.Code) {
	e.Helper()
	if got := types.CodeOf(err); got != code {
		e.Errorf("%s: %v, want %q", what, err, code)
	}
}

// errDisk is a fault of which nobody knows the meaning.
var errDisk = errors.New("the disk is gone")

// TestFaults lets each transaction of each operation fail, applied and not, and repeats the
// request as a client would.
func TestFaults(t *testing.T) {
	stores := map[string]func(t *testing.T) storage.Store{
		"memory":            func(*testing.T) storage.Store { return memory.New() },
		"memory, run twice": func(*testing.T) storage.Store { return storagetest.Rerun(memory.New(), nil) },
		"sqlite":            func(t *testing.T) storage.Store { return openSQLite(t, 0) },
	}
	if testing.Short() || raceDetector {
		delete(stores, "sqlite") // for the time that its files take
	}
	rows := slices.Concat(writeRows(), manageRows(), readRows(), manageReadRows())
	for name, open := range stores {
		for _, row := range rows {
			t.Run(fmt.Sprintf("%s/%s %s", name, row.method, row.name), func(t *testing.T) { row.each(t, open) })
		}
	}
	for m := range reflect.TypeFor[*catalog.Catalog]().Methods() {
		if !slices.ContainsFunc(rows, func(r faultRow) bool { return r.method == m.Name }) {
			t.Errorf("no row is about Catalog.%s", m.Name)
		}
	}
}

// each lets one transaction after the other fail.
func (row faultRow) each(t *testing.T, open func(t *testing.T) storage.Store) {
	control := newFaultEnv(t, row, open(t))
	control.must(row.do(control))
	calls := control.calls
	if row.meanwhile != nil {
		row.meanwhile(control)
	}
	want := dump(control)
	if calls == 0 {
		t.Fatal("the operation does not use the store")
	}
	for at := 1; at <= calls; at++ {
		for _, persisted := range []bool{false, true} {
			for _, err := range []error{storagetest.FailedNotPersisted().Err, errDisk} {
				t.Run(fmt.Sprintf("%d/%t/%v", at, persisted, types.CodeOf(err)), func(t *testing.T) {
					row.run(t, newFaultEnv(t, row, open(t)), at, storagetest.Fault{Err: err, Persisted: persisted}, want)
				})
			}
		}
	}
}

func (row faultRow) run(t *testing.T, e *faultEnv, at int, fault storagetest.Fault, want string) {
	e.at, e.fault = at, fault
	e.wants("the request that fails", row.do(e), types.CodeOf(fault.Err))
	if e.hit == nil {
		t.Fatal("the fault did not happen")
	}
	e.at = 0
	if fault.Err == errDisk {
		e.open() // the process did not survive it
	}
	if row.meanwhile != nil {
		row.meanwhile(e)
	}
	done := fault.Persisted && row.write != "" && e.hit.Has(row.write, row.kind)
	code := row.otherwise
	if done {
		code = row.again
	}
	e.wants("the same request again", row.do(e), code)
	if got := dump(e); row.meanwhile == nil || done {
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("not as without a fault (-without +with):\n%s", d)
		}
	}
	if row.check != nil {
		row.check(e)
	}
}

var anyID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// text is a line with all of v, behind pointers, too.
func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data) + "\n"
}

// dump is all that can be read, but for IDs and what counts the changes.
func dump(e *faultEnv) string {
	ctx := context.Background()
	var out strings.Builder
	catalogs, _, err := e.c.ListCatalogs(ctx, types.Page{})
	e.must(err)
	for _, c := range catalogs {
		out.WriteString(text(c))
		schemas, _, err := e.c.ListSchemas(ctx, c.Name, types.Page{})
		e.must(err)
		for _, s := range schemas {
			out.WriteString(text(s))
			tables, _, err := e.c.ListTables(ctx, s.Name, false, types.Page{})
			e.must(err)
			for _, t := range tables {
				t.ETag, t.Updated = "", time.Time{}
				fmt.Fprintf(&out, "%s %q %+v\n", t.Name, t.Comment, t.Protocol)
				text, err := t.MarshalJSON()
				e.must(err)
				out.Write(append(text, '\n'))
			}
		}
	}
	credentials, _, err := e.c.ListStorageCredentials(ctx, "", types.Page{})
	e.must(err)
	for _, c := range credentials {
		out.WriteString(text(c))
	}
	locations, _, err := e.c.ListExternalLocations(ctx, types.Page{})
	e.must(err)
	for _, l := range locations {
		out.WriteString(text(l))
	}
	return anyID.ReplaceAllString(out.String(), "ID")
}
