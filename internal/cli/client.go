// Package cli is the side of the commands of levee that talk to a server: a small client of its REST API, refusals
// that say what to do next, and answers as tables for people.
package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/leveelake/catalog/types"
)

// Prefix is where the API begins on each server.
const Prefix = "/api/2.1/unity-catalog"

const (
	timeout   = time.Minute // of one request
	maxAnswer = 256 << 20   // bytes
	pageSize  = 1000
	maxPages  = 10_000
)

// Config says which server to talk to, and as whom.
type Config struct {
	Server       string // URL, such as http://127.0.0.1:8080
	Token        string // "": none is shown
	InsecureHTTP bool   // shows the token even where others may read it on the way

	// Transport carries requests and answers; nil means the network.
	Transport http.RoundTripper
}

// A Client asks one server. It may be used from many goroutines.
type Client struct {
	base  string // of the API
	path  string // of that URL
	token string
	http  http.Client
}

// New makes a client. It refuses to show a token where it would be sent in the clear.
func New(cfg Config) (*Client, error) {
	u, err := url.Parse(cfg.Server)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.ContainsAny(cfg.Server, "?#") {
		return nil, fmt.Errorf("server %q: want a URL like http://127.0.0.1:8080", cfg.Server)
	}
	if strings.ContainsFunc(cfg.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("the token has blanks or other characters that no token has; it is one word")
	}
	if cfg.Token != "" && u.Scheme == "http" && !isLoopback(u.Hostname()) && !cfg.InsecureHTTP {
		return nil, fmt.Errorf("server %q: the token would be sent in the clear: use https://, or give --insecure-http", cfg.Server)
	}
	if cfg.Transport == nil {
		cfg.Transport = network()
	}
	return &Client{
		base:  strings.TrimSuffix(cfg.Server, "/") + Prefix,
		path:  strings.TrimSuffix(u.Path, "/") + Prefix,
		token: cfg.Token,
		http: http.Client{
			Timeout:   timeout,
			Transport: cfg.Transport,
			// Wherever a redirect leads, the token was not meant for it.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

func network() http.RoundTripper {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = func(r *http.Request) (*url.URL, error) {
		if r.URL.Scheme != "https" { // a proxy would see the token
			return nil, nil
		}
		return http.ProxyFromEnvironment(r)
	}
	return transport
}

// Base is the URL that the paths of requests begin with.
func (c *Client) Base() string { return c.base }

// HasToken reports whether requests show a token.
func (c *Client) HasToken() bool { return c.token != "" }

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Path joins segments, whatever characters they have in them, to a path.
func Path(segments ...string) string {
	var b strings.Builder
	for _, s := range segments {
		b.WriteByte('/')
		if s == "." || s == ".." { // else a server or proxy takes it for a step
			s = strings.ReplaceAll(s, ".", "%2E")
		} else {
			s = url.PathEscape(s)
		}
		b.WriteString(s)
	}
	return b.String()
}

// Do sends body as JSON, nil for none, and returns status and body of the answer. Its error is an [*Error] if the
// server refused or cannot be reached.
func (c *Client) Do(ctx context.Context, method, path string, query url.Values, body any) (int, json.RawMessage, error) {
	var sent io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return 0, nil, err
		}
		sent = bytes.NewReader(data)
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, sent)
	if err != nil {
		return 0, nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return 0, nil, c.unreachable(ctx, err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case err != nil:
		return 0, nil, c.unreachable(ctx, err)
	case len(data) > maxAnswer:
		return 0, nil, fmt.Errorf("the answer has more than %d bytes", maxAnswer)
	case res.StatusCode >= 300:
		return res.StatusCode, nil, c.refused(res, data)
	case len(data) == 0:
		return res.StatusCode, nil, nil
	}
	if data, err = types.CheckJSON(data); err != nil || data[0] != '{' {
		return res.StatusCode, nil, &Error{Status: res.StatusCode, Message: noAnswer, next: notOurs}
	}
	return res.StatusCode, data, nil
}

// List returns all pages of a list, joined as if they were one answer: {"key": […]}.
func (c *Client) List(ctx context.Context, path, key string, query url.Values) (json.RawMessage, error) {
	all := url.Values{"max_results": {strconv.Itoa(pageSize)}}
	for name, values := range query {
		all[name] = values
	}
	name, err := json.Marshal(key)
	if err != nil {
		return nil, err
	}
	out := append(append([]byte{'{'}, name...), ":["...)
	empty := len(out)
	for range maxPages {
		_, page, err := c.Do(ctx, http.MethodGet, path, all, nil)
		if err != nil {
			return nil, err
		}
		for _, item := range items(page, key) {
			if len(out) > empty {
				out = append(out, ',')
			}
			out = append(out, item...)
		}
		next := text(member(page, "next_page_token"))
		if next == "" {
			return append(out, "]}"...), nil
		}
		if next == all.Get("page_token") { // else this would never end
			return nil, errors.New("the server answers with the same page again and again")
		}
		all.Set("page_token", next)
	}
	return nil, fmt.Errorf("the list does not end: it has more than %d pages", maxPages)
}
