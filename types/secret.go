package types

import (
	"fmt"
	"log/slog"
)

// A Secret is text that must not be shown. However it is printed, logged or encoded, it
// comes out as [HiddenSecret]; string(s) is the text itself.
type Secret string

// HiddenSecret stands for a secret where one is shown. As a value in a request it means the
// one that is stored.
const HiddenSecret = "***"

func (s Secret) shown() string {
	if s == "" {
		return ""
	}
	return HiddenSecret
}

func (s Secret) String() string   { return s.shown() }
func (s Secret) GoString() string { return s.shown() }

// Format makes every verb of package fmt print what String returns.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.shown())) }

// LogValue makes package slog log what String returns.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.shown()) }

// MarshalText makes package encoding/json write what String returns.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.shown()), nil }
