package server

import (
	"strings"

	"github.com/leveelake/catalog/types"
)

// How each face spells errors.

// deltaFailure is DeltaErrorResponse of the UC Delta API.
func deltaFailure(err *types.Error, status int) any {
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
}

// An errorInfo is google.rpc.ErrorInfo.
type errorInfo struct {
	Type   string `json:"@type"`
	Reason string `json:"reason"`
	Domain string `json:"domain,omitempty"`
}

const errorInfoType = "type.googleapis.com/google.rpc.ErrorInfo"

// unityFailure is the error of the Unity Catalog REST API.
func unityFailure(err *types.Error, _ int) any {
	reason := unityCode(err)
	return struct {
		Code    string      `json:"error_code"`
		Message string      `json:"message"`
		Details []errorInfo `json:"details"`
	}{reason, err.Message, []errorInfo{{Type: errorInfoType, Reason: reason}}}
}

// rootFailure is google.rpc.Status.
func rootFailure(err *types.Error, _ int) any {
	code, ok := rpcCodes[err.Code]
	if !ok {
		code = rpcCodes[types.Internal]
	}
	return struct {
		Code    int         `json:"code"`
		Message string      `json:"message"`
		Details []errorInfo `json:"details"`
	}{code, err.Message, []errorInfo{{errorInfoType, unityCode(err), "unitycatalog"}}}
}

// rpcCodes are the numbers of google.rpc.Code.
var rpcCodes = map[types.Code]int{
	types.BadRequest:                3,
	types.InvalidParameterValue:     3,
	types.UnsupportedTableFormat:    9,
	types.FailedPrecondition:        9,
	types.NotAuthorized:             16,
	types.PermissionDenied:          7,
	types.NotFound:                  5,
	types.NoSuchCatalog:             5,
	types.NoSuchSchema:              5,
	types.NoSuchTable:               5,
	types.AlreadyExists:             6,
	types.CommitVersionConflict:     10,
	types.UpdateRequirementConflict: 10,
	types.ResourceExhausted:         8,
	types.TooManyRequests:           8,
	types.CommitStateUnknown:        13,
	types.Internal:                  13,
	types.NotImplemented:            12,
	types.Unavailable:               14,
}

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
	name := ""
	switch err.Kind {
	case types.KindCatalog, types.KindSchema, types.KindTable:
		name = strings.ToUpper(string(err.Kind))
	case types.KindCredential:
		name = "STORAGE_CREDENTIAL"
	case types.KindExternalLocation:
		name = "EXTERNAL_LOCATION"
	}
	if err.Code == types.AlreadyExists && name != "" {
		return name + "_ALREADY_EXISTS"
	}
	return unityCodes[err.Code]
}
