package types

import (
	"errors"
	"fmt"
	"net/http"
)

// A Code says why a request was refused. A code is an error itself and serves as
// the sentinel: errors.Is(err, types.NoSuchTable).
//
// The first seventeen are spelled as on the wire of the Delta API (DeltaErrorType of
// its document). The others are ours: other faces of the catalog may have a code of
// their own for them, the Delta API shows FailedPrecondition as InvalidParameterValueException
// and Unavailable as InternalServerErrorException.
type Code string

// The codes, each with its HTTP status and what it asks of the caller.
const (
	BadRequest                Code = "BadRequestException"                // 400: not parseable; do not retry
	InvalidParameterValue     Code = "InvalidParameterValueException"     // 400: parseable but against a rule; do not retry
	UnsupportedTableFormat    Code = "UnsupportedTableFormatException"    // 400: not a Delta table; use the Unity Catalog REST API
	NotAuthorized             Code = "NotAuthorizedException"             // 401: authenticate again
	PermissionDenied          Code = "PermissionDeniedException"          // 403: ask for the privilege
	NotFound                  Code = "NotFoundException"                  // 404: no more exact code applies
	NoSuchCatalog             Code = "NoSuchCatalogException"             // 404
	NoSuchSchema              Code = "NoSuchSchemaException"              // 404
	NoSuchTable               Code = "NoSuchTableException"               // 404: tables and staging tables
	AlreadyExists             Code = "AlreadyExistsException"             // 409: the name is taken
	CommitVersionConflict     Code = "CommitVersionConflictException"     // 409: another commit has this version; reload, rebuild, retry
	UpdateRequirementConflict Code = "UpdateRequirementConflictException" // 409: the table is not as asserted; reload, rebuild, retry
	ResourceExhausted         Code = "ResourceExhaustedException"         // 429: backfill, then retry
	TooManyRequests           Code = "TooManyRequestsException"           // 429: retry later
	CommitStateUnknown        Code = "CommitStateUnknownException"        // 500: done or not; send the same request again
	Internal                  Code = "InternalServerErrorException"       // 500: not the caller's fault
	NotImplemented            Code = "NotImplementedException"            // 501
	FailedPrecondition        Code = "FailedPrecondition"                 // 400: not empty, in use, no storage root
	Unavailable               Code = "Unavailable"                        // 503: nothing happened; retry later
)

// statuses gives each code its one HTTP status.
var statuses = map[Code]int{
	BadRequest:                http.StatusBadRequest,
	InvalidParameterValue:     http.StatusBadRequest,
	UnsupportedTableFormat:    http.StatusBadRequest,
	NotAuthorized:             http.StatusUnauthorized,
	PermissionDenied:          http.StatusForbidden,
	NotFound:                  http.StatusNotFound,
	NoSuchCatalog:             http.StatusNotFound,
	NoSuchSchema:              http.StatusNotFound,
	NoSuchTable:               http.StatusNotFound,
	AlreadyExists:             http.StatusConflict,
	CommitVersionConflict:     http.StatusConflict,
	UpdateRequirementConflict: http.StatusConflict,
	ResourceExhausted:         http.StatusTooManyRequests,
	TooManyRequests:           http.StatusTooManyRequests,
	CommitStateUnknown:        http.StatusInternalServerError,
	Internal:                  http.StatusInternalServerError,
	NotImplemented:            http.StatusNotImplemented,
	FailedPrecondition:        http.StatusBadRequest,
	Unavailable:               http.StatusServiceUnavailable,
}

// Error makes a code usable as a sentinel error.
func (c Code) Error() string { return string(c) }

// Status is the HTTP status of c; an unknown code counts as [Internal].
func (c Code) Status() int {
	if s, ok := statuses[c]; ok {
		return s
	}
	return http.StatusInternalServerError
}

// Errorf makes an error of code c. The text is shown to the caller, so it names the
// thing and the place and holds no secret. A %w verb keeps its operand for
// errors.Is and for the log.
func (c Code) Errorf(format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: c, Message: err.Error(), Err: errors.Unwrap(err)}
}

// An Error is a refusal: what every operation of the catalog returns when it does
// not do what was asked. An error that holds no Error is a fault of the catalog or
// its store; callers are shown only that it happened.
type Error struct {
	Code    Code
	Kind    Kind   // what the refusal is about, where that is one kind of object; else ""
	Message string // for the caller
	Err     error  // cause, or nil; for the log only
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Is reports whether target is e's code.
func (e *Error) Is(target error) bool {
	c, ok := target.(Code)
	return ok && c == e.Code
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// About returns e with its Kind set; it reads well behind [Code.Errorf].
func (e *Error) About(k Kind) *Error {
	e.Kind = k
	return e
}

// Because returns e with its cause set, of which the message says nothing.
func (e *Error) Because(cause error) *Error {
	e.Err = cause
	return e
}

// CodeOf returns the code of the first [Error] or [Code] in err's tree, [Internal]
// if it has none, and "" if err is nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	if c, ok := errors.AsType[Code](err); ok {
		return c
	}
	return Internal
}
