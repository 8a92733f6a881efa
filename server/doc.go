// Package server puts a catalog on net/http: the UC Delta API, the older commits API, the Unity
// Catalog REST API, and the root mount, which is the same API as the last in the spelling of
// Protocol Buffers.
//
// The package holds no rule. A request goes through one table (routes.go) to an
// endpoint that binds path, query and body to a typed request, calls one method of the
// catalog and hands back its result; one function writes results and one writes errors. What tells
// the APIs apart is their face: how it spells JSON (codec.go) and errors (failure.go).
package server
