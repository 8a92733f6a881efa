package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/leveelake/catalog/types"
)

const apiPrefix = "/api/2.1/unity-catalog"

// A client sends requests and shows them.
type client struct {
	http http.Client
	out  io.Writer
	base string
}

func newClient(w io.Writer, serverURL string) (*client, error) {
	u, err := url.Parse(serverURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("server %q: want a URL like http://127.0.0.1:8080", serverURL)
	}
	return &client{
		http: http.Client{Timeout: 30 * time.Second},
		out:  w,
		base: strings.TrimSuffix(serverURL, "/") + apiPrefix,
	}, nil
}

// A refusal is an answer that is not a success.
type refusal struct {
	status        int
	code, message string
}

func (r *refusal) Error() string {
	return fmt.Sprintf("the server answered %d %s: %s", r.status, r.code, r.message)
}

// call sends body as JSON (nil: none) and decodes the answer into answer (nil: it does
// not matter). note says what the body asks for.
func (c *client) call(ctx context.Context, method, path, note string, body, answer any) error {
	var sent io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, sent)
	if err != nil {
		return err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if note != "" {
		note = " {" + note + "}"
	}
	fmt.Fprintf(c.out, "   %s %s%s -> %d\n", method, path, note, res.StatusCode)
	if res.StatusCode >= 300 {
		return refused(res.StatusCode, data)
	}
	if answer == nil {
		return nil
	}
	return types.DecodeJSON(data, answer)
}

// refused reads an error in the words of either of the server's APIs.
func refused(status int, data []byte) error {
	var e struct {
		Delta struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
		Code    string `json:"error_code"`
		Message string `json:"message"`
	}
	switch err := json.Unmarshal(data, &e); {
	case err != nil:
		return &refusal{status: status, message: "no answer of a Unity Catalog server"}
	case e.Delta.Type != "":
		return &refusal{status, e.Delta.Type, e.Delta.Message}
	}
	return &refusal{status, e.Code, e.Message}
}
