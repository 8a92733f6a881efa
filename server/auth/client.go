package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
)

const (
	fetchTimeout = 10 * time.Second
	maxResponse  = 1 << 20 // bytes
)

// A client asks issuers. It waits neither long nor for much, and does not go where it was not sent.
type client struct{ http *http.Client }

func newTransport() http.RoundTripper { return http.DefaultTransport.(*http.Transport).Clone() }

func newClient(t http.RoundTripper) *client {
	return &client{&http.Client{
		Timeout:   fetchTimeout,
		Transport: bounded{t},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if r.URL.Scheme != via[0].URL.Scheme || r.URL.Host != via[0].URL.Host || len(via) > 3 {
				return fmt.Errorf("%s redirects to another host, or too often", via[0].URL)
			}
			return nil
		},
	}}
}

// bounded cuts long responses off.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = http.MaxBytesReader(nil, resp.Body, maxResponse)
	}
	return resp, err
}

// discover finds where an issuer has its keys.
func (c *client) discover(ctx context.Context, issuer string) (string, error) {
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, c.http), issuer)
	if err != nil {
		return "", fmt.Errorf("discovery: %.500s", err) // it may quote the whole answer
	}
	var found struct {
		JWKS string `json:"jwks_uri"`
	}
	if err := provider.Claims(&found); err != nil {
		return "", fmt.Errorf("discovery: %.500s", err) // it may quote the whole answer
	}
	from, _ := url.Parse(issuer) // as OIDC has checked
	to, err := url.Parse(found.JWKS)
	if err != nil || !secure(to) || from.Scheme == "https" && to.Scheme != "https" {
		return "", fmt.Errorf("discovery: jwks_uri is %q, where keys cannot be had safely", found.JWKS)
	}
	return found.JWKS, nil
}

// keys fetches the keys at a URL. Those of kinds that this package does not know are left out, and if none is left,
// the issuer has none.
func (c *client) keys(ctx context.Context, at string) ([]jose.JSONWebKey, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", at, resp.Status)
	}
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(data, &set); err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	if set.Keys == nil {
		return nil, errors.New(at + " answers with something else than keys")
	}
	var out []jose.JSONWebKey
	for _, raw := range set.Keys {
		var k jose.JSONWebKey
		if json.Unmarshal(raw, &k) == nil && usable(k) {
			out = append(out, k)
		}
	}
	return out, nil
}
