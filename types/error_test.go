package types_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/leveelake/catalog/types"
)

func TestCodes(t *testing.T) {
	for code, status := range map[types.Code]int{
		types.BadRequest:                400,
		types.InvalidParameterValue:     400,
		types.UnsupportedTableFormat:    400,
		types.NotAuthorized:             401,
		types.PermissionDenied:          403,
		types.NotFound:                  404,
		types.NoSuchCatalog:             404,
		types.NoSuchSchema:              404,
		types.NoSuchTable:               404,
		types.AlreadyExists:             409,
		types.CommitVersionConflict:     409,
		types.UpdateRequirementConflict: 409,
		types.ResourceExhausted:         429,
		types.TooManyRequests:           429,
		types.CommitStateUnknown:        500,
		types.Internal:                  500,
		types.NotImplemented:            501,
		types.FailedPrecondition:        400,
		types.Unavailable:               503,
		"ofAnotherWorld":                500,
	} {
		if got := code.Status(); got != status {
			t.Errorf("%s: status %d, want %d", code, got, status)
		}
		if string(code) != code.Error() {
			t.Errorf("%s: error text %q", code, code.Error())
		}
	}
}

func TestErrorThroughWrapping(t *testing.T) {
	cause := errors.New("the disk is full")
	err := error(types.NoSuchTable.Errorf("table %q: %w", "c.s.t", cause).About(types.KindTable))
	wrapped := fmt.Errorf("load: %w", err)

	if !errors.Is(wrapped, types.NoSuchTable) || errors.Is(wrapped, types.NoSuchSchema) {
		t.Error("errors.Is does not find the code alone")
	}
	if !errors.Is(wrapped, cause) {
		t.Error("errors.Is does not find the cause")
	}
	e, ok := errors.AsType[*types.Error](wrapped)
	if !ok || e.Kind != types.KindTable || e.Message != `table "c.s.t": the disk is full` {
		t.Errorf("errors.AsType: %+v", e)
	}
	if got, want := err.Error(), `NoSuchTableException: table "c.s.t": the disk is full`; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	if types.BadRequest.Errorf("plain").Unwrap() != nil {
		t.Error("an error without %w has a cause")
	}
}

func TestCodeOf(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want types.Code
	}{
		{nil, ""},
		{errors.New("no code"), types.Internal},
		{types.NotFound, types.NotFound},
		{fmt.Errorf("wrapped: %w", types.AlreadyExists), types.AlreadyExists},
		{types.BadRequest.Errorf("outer: %w", types.NotFound.Errorf("inner")), types.BadRequest},
		{errors.Join(errors.New("first"), types.NotFound.Errorf("second")), types.NotFound},
	} {
		if got := types.CodeOf(tt.err); got != tt.want {
			t.Errorf("%v: code %q, want %q", tt.err, got, tt.want)
		}
	}
}
