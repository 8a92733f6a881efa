package server

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/leveelake/catalog"
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
	_, known := errors.AsType[logged](err)
	if status >= http.StatusInternalServerError && code != types.NotImplemented && !gone && !known {
		log := s.log.With("method", r.Method, "path", r.URL.EscapedPath(), "status", status, "request", catalog.RequestID(r.Context()), "err", err)
		if shown.Err != nil {
			log = log.With("cause", shown.Err) // which err does not say, for it may be shown
		}
		log.ErrorContext(r.Context(), "request failed")
	}
	if code == types.NotAuthorized {
		challenge(w.Header(), r)
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
	_ = f.write(w, status, f.failure(&told, status))
}

// clip shortens a message that repeats what a client sent at length.
func clip(message string) string {
	const most = 1000
	if len(message) <= most {
		return message
	}
	return strings.ToValidUTF8(message[:most], "") + "…"
}
