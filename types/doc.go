// Package types holds the vocabulary of the Unity Catalog Delta API: the values
// that callers of the catalog send and receive, each with its JSON, and the errors
// that the catalog answers with.
//
// Names follow the UC Delta API document without its Delta prefix:
// DeltaCommit is [Commit], DeltaStructType is [StructType], and so on. JSON is the
// document's kebab-case in both directions; inside column types the camelCase keys
// of the Delta log are also understood on input.
//
// What comes in is judged strictly, both by [DecodeJSON] and by encoding/json: names of
// fields match to the letter, unknown ones are ignored, null is absent, of a repeated
// name the last counts, and numbers, strings and booleans do not stand for each other.
// A refusal is an [*Error] that names the place: [BadRequest] for what is not JSON of the
// declared shape, [InvalidParameterValue] for what is, but breaks a rule. What goes out
// through an AppendJSON method has no escapes for HTML; [encoding/json.Marshal] adds them.
//
// The package holds shapes and grammar only. Every rule that needs the state of a
// table (which commit wins, what a managed table must keep) is in the root package.
package types
