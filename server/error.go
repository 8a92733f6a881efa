package server

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/leveelake/catalog/types"
)

// fail is the one way in which errors leave. What has no code of the API is a fault of
// ours: it is logged whole, and the client learns only that it happened.
func (f *face) fail(s *Server, w http.ResponseWriter, r *http.Request, err error) {
	code := types.CodeOf(err)
	status := code.Status()
	shown, ok := errors.AsType[*types.Error](err)
	gone := errors.Is(r.Context().Err(), context.Canceled) // the client has left, or the server stops
	switch {
	case code == types.CommitStateUnknown && !ok:
		shown = code.Errorf("it is not known whether the request was carried out; send the same request again")
	case code == types.Internal && (gone || errors.Is(err, context.DeadlineExceeded)):
		code = types.Unavailable
		status, shown = code.Status(), code.Errorf("the request was cut short; retry")
	case code == types.Internal:
		shown = code.Errorf("internal error")
	case !ok: // a bare code
		shown = code.Errorf("%s", code)
	}
	if status >= http.StatusInternalServerError && code != types.NotImplemented && !gone {
		log := s.log.With("method", r.Method, "path", r.URL.EscapedPath(), "status", status, "err", err)
		if shown.Err != nil {
			log = log.With("cause", shown.Err) // which err does not say, for it may be shown
		}
		log.ErrorContext(r.Context(), "request failed")
	}
	if code == types.TooManyRequests || code == types.Unavailable {
		w.Header().Set("Retry-After", "1")
	}
	if m, ok := errors.AsType[*methodError](err); ok {
		status = http.StatusMethodNotAllowed
		w.Header().Set("Allow", strings.Join(m.allow, ", "))
	}
	told := *shown
	told.Message = clip(told.Message)
	_ = write(w, status, f.failure(&told, status))
}

// clip shortens a message that repeats what a client sent at length.
func clip(message string) string {
	const most = 1000
	if len(message) <= most {
		return message
	}
	return strings.ToValidUTF8(message[:most], "") + "…"
}

// deltaFace spells errors as the UC Delta API does (DeltaErrorResponse).
var deltaFace = &face{jsonOnly: true, failure: func(err *types.Error, status int) any {
	type model struct {
		Message string     `json:"message"`
		Type    types.Code `json:"type"`
		Code    int        `json:"code"`
	}
	code := err.Code
	switch code {
	case types.FailedPrecondition:
		code = types.InvalidParameterValue
	case types.Unavailable:
		code = types.Internal
	}
	return struct {
		Error model `json:"error"`
	}{model{err.Message, code, status}}
}}

// unityFace spells errors as the Unity Catalog REST API does.
var unityFace = &face{failure: func(err *types.Error, _ int) any {
	type detail struct {
		Type   string `json:"@type"`
		Reason string `json:"reason"`
	}
	reason := unityCode(err)
	return struct {
		Code    string   `json:"error_code"`
		Message string   `json:"message"`
		Details []detail `json:"details"`
	}{reason, err.Message, []detail{{"type.googleapis.com/google.rpc.ErrorInfo", reason}}}
}}

// unityCodes are the Unity Catalog REST API's names for codes.
var unityCodes = map[types.Code]string{
	types.BadRequest:                "INVALID_ARGUMENT",
	types.InvalidParameterValue:     "INVALID_ARGUMENT",
	types.UnsupportedTableFormat:    "INVALID_ARGUMENT",
	types.FailedPrecondition:        "FAILED_PRECONDITION",
	types.NotAuthorized:             "UNAUTHENTICATED",
	types.PermissionDenied:          "PERMISSION_DENIED",
	types.NotFound:                  "NOT_FOUND",
	types.NoSuchCatalog:             "CATALOG_NOT_FOUND",
	types.NoSuchSchema:              "SCHEMA_NOT_FOUND",
	types.NoSuchTable:               "TABLE_NOT_FOUND",
	types.AlreadyExists:             "RESOURCE_ALREADY_EXISTS",
	types.CommitVersionConflict:     "COMMIT_VERSION_CONFLICT",
	types.UpdateRequirementConflict: "ABORTED",
	types.ResourceExhausted:         "RESOURCE_EXHAUSTED",
	types.TooManyRequests:           "RESOURCE_EXHAUSTED",
	types.CommitStateUnknown:        "COMMIT_STATE_UNKNOWN",
	types.Internal:                  "INTERNAL",
	types.NotImplemented:            "UNIMPLEMENTED",
	types.Unavailable:               "INTERNAL",
}

// unityCode is the name of err's code, which for a taken name says whose it is.
func unityCode(err *types.Error) string {
	if err.Code == types.AlreadyExists {
		switch err.Kind {
		case types.KindCatalog, types.KindSchema, types.KindTable:
			return strings.ToUpper(string(err.Kind)) + "_ALREADY_EXISTS"
		}
	}
	return unityCodes[err.Code]
}
