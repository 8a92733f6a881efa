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

// Management is the document of the Unity Catalog REST API, which lies below /api/2.1/unity-catalog:
// OpenAPI 3.1 in YAML. It is written by hand, in the spelling of that API (snake_case).
//
//go:embed management.yaml
var Management []byte

// Root is the document of the root mount, which has most of the same operations and spells them as
// Protocol Buffers do (lowerCamelCase, integers of 64 bits in strings, enums as numbers). It is made from
// Management by a test of this package, and by itself, since a document has one schema of each name and who
// generates a client wants one spelling.
//
//go:embed root.yaml
var Root []byte
