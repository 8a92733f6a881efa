package auth

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"

	"github.com/leveelake/catalog/types"
)

const maxForm = 64 << 10 // bytes

// TokenEndpoint is the token endpoint of OAuth 2.0 (RFC 6749) for POST, which knows the grant of client credentials alone: for
// the secret of a token it gives a short-lived one, which ends with it. The client_id is the token's principal or
// its ID, the client_secret all of its secret; both come by HTTP Basic or in the form.
func (t *IssuedTokens) TokenEndpoint() http.Handler { return http.HandlerFunc(t.serveToken) }

// An oauthError is a refusal in the words of RFC 6749.
type oauthError struct {
	status      int
	Code        string `json:"error"`
	Description string `json:"error_description,omitempty"`
}

func (e *oauthError) Error() string { return e.Code + ": " + e.Description }

func invalidRequest(text string) error {
	return &oauthError{http.StatusBadRequest, "invalid_request", text}
}

func invalidClient() error {
	return &oauthError{http.StatusUnauthorized, "invalid_client", "there is no token of this client_id and client_secret, or it is expired or revoked"}
}

type grantedToken struct {
	AccessToken string `json:"access_token"`
	Type        string `json:"token_type"`
	ExpiresIn   int64  `json:"expires_in"` // seconds
}

func (t *IssuedTokens) serveToken(w http.ResponseWriter, r *http.Request) {
	var answer any
	status := http.StatusOK
	granted, err := t.grant(w, r)
	if err == nil {
		answer = granted
	} else {
		e := t.oauthError(err)
		answer, status = e, e.status
		switch status {
		case http.StatusUnauthorized:
			w.Header().Set("WWW-Authenticate", `Basic realm="levee"`)
		case http.StatusMethodNotAllowed:
			w.Header().Set("Allow", http.MethodPost)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Pragma", "no-cache")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) // the client is gone, if that fails
}

// oauthError is err in the words of RFC 6749.
func (t *IssuedTokens) oauthError(err error) *oauthError {
	if e, ok := errors.AsType[*oauthError](err); ok {
		return e
	}
	if code := types.CodeOf(err); code.Status() == http.StatusServiceUnavailable || code.Status() == http.StatusTooManyRequests {
		return &oauthError{http.StatusServiceUnavailable, "temporarily_unavailable", "retry later"}
	}
	t.opts.Logger.Error("the token endpoint failed", "error", err)
	return &oauthError{http.StatusInternalServerError, "server_error", ""}
}

func (t *IssuedTokens) grant(w http.ResponseWriter, r *http.Request) (grantedToken, error) {
	form, err := readForm(w, r)
	if err != nil {
		return grantedToken{}, err
	}
	id, secret, err := clientCredentials(r, form)
	switch {
	case err != nil:
		return grantedToken{}, err
	case form.Get("grant_type") == "":
		return grantedToken{}, invalidRequest("grant_type is missing")
	case form.Get("grant_type") != "client_credentials":
		return grantedToken{}, &oauthError{http.StatusBadRequest, "unsupported_grant_type", "the grant_type must be client_credentials"}
	case t.signer == nil:
		return grantedToken{}, &oauthError{http.StatusBadRequest, "unsupported_grant_type", "the server has no key to sign tokens with"}
	case id == "" || secret == "":
		return grantedToken{}, invalidClient()
	}
	k, err := t.catalog.CheckToken(r.Context(), secret)
	switch {
	case errors.Is(err, types.NotAuthorized):
		return grantedToken{}, invalidClient()
	case err != nil:
		return grantedToken{}, err
	case id != k.Principal && id != string(k.ID):
		return grantedToken{}, invalidClient()
	}
	text, lives, err := t.sign(k)
	if err != nil {
		return grantedToken{}, err
	}
	if lives <= 0 { // it ends within this second
		return grantedToken{}, invalidClient()
	}
	return grantedToken{AccessToken: text, Type: "Bearer", ExpiresIn: int64(lives / time.Second)}, nil
}

// readForm reads the parameters in the body of r, each of which may be there once. None may be in the URL, which
// is written to logs.
func readForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	if r.Method != http.MethodPost {
		return nil, &oauthError{http.StatusMethodNotAllowed, "invalid_request", "the method must be POST"}
	}
	if r.URL.RawQuery != "" {
		return nil, invalidRequest("parameters must be in the body, not in the URL")
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/x-www-form-urlencoded" {
		return nil, invalidRequest("the Content-Type must be application/x-www-form-urlencoded")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxForm))
	if err != nil {
		return nil, invalidRequest("the body cannot be read, or is too long")
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, invalidRequest("the body is not in the format of forms")
	}
	for _, values := range form {
		if len(values) > 1 {
			return nil, invalidRequest("a parameter is there twice")
		}
	}
	return form, nil
}

// clientCredentials are who asks, and the proof of it: from the Authorization header or from the form, not from both.
func clientCredentials(r *http.Request, form url.Values) (id, secret string, err error) {
	headers := r.Header.Values("Authorization")
	if len(headers) == 0 {
		return form.Get("client_id"), form.Get("client_secret"), nil
	}
	rawID, rawSecret, ok := r.BasicAuth()
	if !ok || len(headers) > 1 {
		return "", "", invalidRequest("the Authorization header must be one, of the scheme Basic")
	}
	id, err1 := url.QueryUnescape(rawID) // RFC 6749, 2.3.1
	secret, err2 := url.QueryUnescape(rawSecret)
	if err1 != nil || err2 != nil {
		return "", "", invalidRequest("user name and password of the Authorization header must be in the format of forms")
	}
	if form.Has("client_secret") || form.Has("client_id") && form.Get("client_id") != id {
		return "", "", invalidRequest("the client shows who it is twice: by the Authorization header and by the form")
	}
	return id, secret, nil
}
