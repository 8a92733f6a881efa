// Package server puts a catalog on net/http: the UC Delta API, the older commits API and the
// part of the Unity Catalog REST API that their clients need.
//
// The package holds no rule. A request goes through one table (routes.go) to an
// endpoint that binds path, query and body to a typed request, calls one method of the
// catalog and hands back its result; one function writes results and one writes errors.
package server
