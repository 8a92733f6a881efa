package vendortest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/leveelake/catalog/credentials"
)

// secret: neither an answer nor an error shows a secret when it is printed or logged. Nor does
// the vendor itself, which ends up in a %+v of somebody's configuration.
func secret(ctx context.Context, v credentials.Vendor, c Config) error {
	secrets := c.Secrets
	things := []named{{"vendor", v}}
	for _, req := range append([]credentials.Request{foreign, c.request()}, c.bad()...) {
		cred, err := v.Vend(ctx, req)
		if err != nil {
			things = append(things, named{"error", err})
			continue
		}
		for _, value := range cred.Config {
			secrets = append(secrets, value)
		}
		things = append(things, named{"credential", cred}, named{"pointer to a credential", &cred})
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := v.Vend(gone, c.request()); err != nil {
		things = append(things, named{"error of a done context", err})
	}
	var errs []error
	for _, thing := range things {
		errs = append(errs, shows(thing, secrets))
	}
	return errors.Join(errs...)
}

// A named value is something that people print.
type named struct {
	name  string
	value any
}

// shows reports the ways of printing thing that show one of the secrets.
func shows(thing named, secrets []string) error {
	var errs []error
	try := func(way, text string) {
		if slices.ContainsFunc(secrets, func(s string) bool { return contains(text, s) }) {
			errs = append(errs, fmt.Errorf("%s shows a secret when printed with %s", thing.name, way))
		}
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		try(verb, fmt.Sprintf(verb, thing.value))
	}
	var b bytes.Buffer
	for way, handler := range map[string]slog.Handler{
		"slog as text": slog.NewTextHandler(&b, nil),
		"slog as JSON": slog.NewJSONHandler(&b, nil),
	} {
		b.Reset()
		slog.New(handler).Info("m", "thing", thing.value)
		try(way, b.String())
	}
	return errors.Join(errs...)
}

// contains reports whether text holds secret as it is, or as a printer or JSON writes it: a
// token full of & and = would otherwise hide behind its escapes.
func contains(text, secret string) bool {
	if secret == "" {
		return false
	}
	inJSON, _ := json.Marshal(secret) // a string never errs
	for _, form := range []string{secret, unquoted(strconv.Quote(secret)), unquoted(string(inJSON))} {
		if strings.Contains(text, form) {
			return true
		}
	}
	return false
}

func unquoted(s string) string { return s[1 : len(s)-1] }
