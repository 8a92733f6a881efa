package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// Why a database is refused. Each comes wrapped in an error that names the database.
var (
	ErrURL         = errors.New("the connection string is not valid")
	ErrUnreachable = errors.New("it cannot be reached")
	ErrRefused     = errors.New("it refuses us")
	ErrForeign     = errors.New("it is not a database of this catalog")
	ErrNewer       = errors.New("it was written by a newer version of this catalog")
	ErrUnsupported = errors.New("it is of a kind that is not supported")
)

// A fault is an error of PostgreSQL or of the way to it, with the database it is about.
type fault struct {
	where string
	text  string
	err   error // cause; nil if its fields hold the password, or if callers would take it for their own end
	is    error // one of the errors above, or nil

	passing bool // it may go away by itself
}

func (f *fault) Error() string { return "postgres: " + f.where + ": " + f.text }

func (f *fault) Unwrap() []error {
	var all []error
	if f.passing {
		all = append(all, storage.ErrUnavailable)
	}
	for _, err := range []error{f.is, f.err} {
		if err != nil {
			all = append(all, err)
		}
	}
	return all
}

// faultIn is faultOf, unless ctx, which is the caller's, has ended: that is what the caller is
// told then. An error cannot tell by itself whose time it was that ran out.
func faultIn(ctx context.Context, where string, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return faultOf(where, err)
}

// faultOf says in one line what err, which came from the database where, means.
func faultOf(where string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*fault](err); ok {
		return err
	}
	f := &fault{where: where, err: err, passing: isPassing(err)}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		f.err, f.text = e, fmt.Sprintf("%s (SQLSTATE %s)", e.Message, e.Code)
		if isDenial(e.Code) {
			f.is, f.text = ErrRefused, ErrRefused.Error()+": "+f.text
		}
		return f.oneLine()
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		// That error holds the configuration, and so the password; what is beneath it does not.
		f.is, f.err = ErrUnreachable, nil
		text := err.Error()
		if e, ok := errors.AsType[net.Error](err); ok {
			text = e.Error()
			if !isContext(e) {
				f.err = e
			}
		}
		f.text = ErrUnreachable.Error() + ": " + text
		return f.oneLine()
	}
	if isContext(err) { // a time of ours has run out, not the caller's
		f.err = nil
	}
	f.text = err.Error()
	return f.oneLine()
}

func (f *fault) oneLine() *fault {
	f.text = strings.Join(strings.Fields(f.text), " ")
	return f
}

// isDenial tells whether a SQLSTATE is about who we are and what we may: a wrong password or role,
// a database that is not there, a missing right.
func isDenial(code string) bool {
	return strings.HasPrefix(code, "28") || code == "3D000" || code == "42501"
}

// errBusy is the answer to who has waited for a connection for as long as the patience lasts.
var errBusy = fmt.Errorf("no connection was free: %w", storage.ErrUnavailable)

// errNotReplicated is about writes whose wait for a standby was cancelled: they are in this database,
// and gone if the standby takes over.
var errNotReplicated = errors.New("the wait for a standby was cancelled; the standby may not have the change")

// stateStarting is the SQLSTATE cannot_connect_now.
const stateStarting = "57P03"

// SQLSTATEs that levee_require raises.
const (
	stateChanged = "LV001" // something that was read is not as it was
	stateStale   = "LV002" // something that is to be written, but was not read, is not as given
)

// A verdict is what the failure of something sent to the database means for it.
type verdict int

const (
	failed   verdict = iota // nothing happened, and trying again would not help
	changed                 // nothing happened; what fn read is not so any more, or a lock was not to be had
	stale                   // nothing happened; what fn did not read is not as it was given
	taken                   // nothing happened; a name or an ID is taken
	orphaned                // nothing happened; what a row belongs to is gone
	repeated                // nothing happened; there is a commit of this version
	unsent                  // nothing happened; there is no connection now
	unknown                 // nobody knows whether it happened
)

// errUnsent marks an error that came before anything was sent.
type errUnsent struct{ error }

func (e errUnsent) Unwrap() error { return e.error }

// judge says what err, of a write, means. An ERROR of the server undoes all of the
// transaction it is in, so nothing happened; after a FATAL one or a broken
// connection nobody knows, unless nothing was sent.
func judge(err error) verdict {
	if unsentErr, ok := errors.AsType[errUnsent](err); ok {
		switch {
		case errors.Is(err, errContradiction):
			return changed
		case !isPassing(unsentErr.error):
			return failed
		}
		return unsent
	}
	if pgconn.SafeToRetry(err) {
		return unsent
	}
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return unknown
	}
	if severity(e) != "ERROR" {
		return unknown
	}
	switch e.Code {
	case stateChanged,
		"40001", // serialization_failure
		"40P01", // deadlock_detected
		"55P03", // lock_not_available: lock_timeout
		"0A000", // feature_not_supported: a prepared statement whose result has changed
		"26000": // invalid_sql_statement_name: a prepared statement that is gone
		return changed
	case stateStale:
		return stale
	case "23503": // foreign_key_violation
		return orphaned
	case "23505": // unique_violation
		switch e.TableName {
		case "commit":
			return repeated
		case "log":
			return stale
		}
		return taken
	case "25006": // read_only_sql_transaction: it has become a standby
		return unsent
	}
	return failed
}

// isStateChanged tells whether writes were refused because others have written.
func isStateChanged(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == stateChanged || errors.Is(err, errContradiction)
}

func severity(e *pgconn.PgError) string {
	if e.SeverityUnlocalized != "" {
		return e.SeverityUnlocalized
	}
	return e.Severity
}

// isPassing tells whether err, of a connection or of a read, may go away by itself: the
// server restarts, another takes over, too many are connected.
func isPassing(err error) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch {
		case e.Code == "25006", e.Code == "57P01", e.Code == "57P02", e.Code == "57P03", e.Code == "57P05", e.Code == "53300",
			strings.HasPrefix(e.Code, "08"), e.Code == "0A000", e.Code == "26000", e.Code == "40001", e.Code == "40P01", e.Code == "55P03":
			return true
		}
		return false
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	return pgconn.SafeToRetry(err) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, pgconn.ErrConnClosed)
}

// isBreak tells whether err is the end of a connection that was there, or says that it is of no use any
// more: those that idle are likely to be so, too. What keeps a new one from being made, and what only
// a statement has met, says nothing of them.
func isBreak(err error) bool {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return false
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch e.Code {
		case "25006", "0A000", "26000": // the last two: prepared statements that no connection prepares anew
			return true
		}
		return severity(e) != "ERROR"
	}
	return isPassing(err)
}

// isContext tells whether err is, or says that it is, the end of a context: of the caller's or of one of ours.
func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// lost is the answer to those whose writes were on their way when the connection went.
func lost(where string, err error) error {
	cause := faultOf(where, err)
	if f, ok := errors.AsType[*fault](cause); ok {
		f.passing = false // which would say that nothing happened
	}
	return &types.Error{
		Code:    types.CommitStateUnknown,
		Message: "the store failed while it made the change durable; it may or may not have happened",
		Err:     cause,
	}
}
