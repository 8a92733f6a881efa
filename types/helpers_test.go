package types_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/leveelake/catalog/types"
)

// refused checks that err is an Error of a code whose message holds text, and that the
// message shows nothing of Go.
func refused(t *testing.T, err error, code types.Code, text string) {
	t.Helper()
	e, ok := errors.AsType[*types.Error](err)
	if !ok {
		t.Fatalf("error %v, want a *types.Error with %q", err, text)
	}
	if e.Code != code || !strings.Contains(e.Message, text) {
		t.Errorf("error %v, want %s with %q", e, code, text)
	}
	if e.Kind != "" {
		t.Errorf("error %v is about %s, want nothing", e, e.Kind)
	}
	for _, word := range []string{"types.", "struct field", "Go value", "int64", "unmarshal"} {
		if strings.Contains(e.Message, word) {
			t.Errorf("message %q shows %q", e.Message, word)
		}
	}
}

func same(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmp.Comparer(types.Columns.Equal), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("wrong value (-want +got):\n%s", diff)
	}
}

func ptr[T any](v T) *T { return &v }

// equalJSON reports whether two documents are the same but for blanks and order.
func equalJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatalf("%s: %v", a, err)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return cmp.Equal(x, y)
}
