// Package api holds the documents of the APIs that a catalog server speaks, in the OpenAPI
// format: for people to read, for clients to be generated from, and for the tests that hold
// the server to them.
package api

import _ "embed"

// Delta is the document of the UC Delta API, which lies below /api/2.1/unity-catalog/delta/v1:
// OpenAPI 3.1 in YAML.
//
//go:embed delta.yaml
var Delta []byte

// Commits is the document of the older API for commits of managed tables, at
// /api/2.1/unity-catalog/delta/preview/commits: OpenAPI 3.0 in YAML.
//
//go:embed commits.yaml
var Commits []byte
