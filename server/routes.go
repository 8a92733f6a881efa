package server

import (
	"net/http"
	"slices"
	"strings"
)

// Where the faces of the catalog are mounted.
const (
	unityPrefix = "/api/2.1/unity-catalog"
	unityAlias  = "/api/2.0/unity-catalog" // some clients ask here for credentials
	deltaPrefix = unityPrefix + "/delta"
)

// A route is a pattern of net/http, relative to its face's prefix, and its endpoint.
type route struct {
	pattern  string
	endpoint endpoint
}

// deltaRoutes is the UC Delta API. GET /v1/config tells clients these patterns, all but its own.
func (s *Server) deltaRoutes() []route {
	return []route{
		{configPattern, s.config},
		{"POST /v1/catalogs/{catalog}/schemas/{schema}/staging-tables", s.createStagingTable},
		{"POST /v1/catalogs/{catalog}/schemas/{schema}/tables", s.createTable},
		{"GET /v1/catalogs/{catalog}/schemas/{schema}/tables", s.listTables},
		{"GET /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}", s.loadTable},
		{"POST /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}", s.updateTable},
		{"DELETE /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}", s.deleteTable},
		{"HEAD /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}", s.tableExists},
		{"POST /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}/rename", s.renameTable},
		{"GET /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}/credentials", s.tableCredentials},
		{"POST /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}/metrics", s.reportMetrics},
		{"GET /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}/metrics", s.tableMetrics}, // ours
		{"GET /v1/staging-tables/{table_id}/credentials", s.stagingTableCredentials},
		{"GET /v1/temporary-path-credentials", s.pathCredentials},
	}
}

const configPattern = "GET /v1/config"

// unityRoutes is the part of the Unity Catalog REST API that is served, and the commits
// API, which spells like it.
func (s *Server) unityRoutes() []route {
	return []route{
		{"GET /metastore_summary", s.metastoreSummary},
		{"POST /catalogs", s.createCatalog},
		{"GET /catalogs", s.listCatalogs},
		{"GET /catalogs/{name}", s.getCatalog},
		{"DELETE /catalogs/{name}", s.deleteCatalog},
		{"POST /schemas", s.createSchema},
		{"GET /schemas", s.listSchemas},
		{"GET /schemas/{full_name}", s.getSchema},
		{"DELETE /schemas/{full_name}", s.deleteSchema},
		{"POST /staging-tables", s.createUnityStagingTable},
		{"POST /tables", s.createUnityTable},
		{"GET /tables", s.listUnityTables},
		{"GET /tables/{full_name}", s.getUnityTable},
		{"DELETE /tables/{full_name}", s.deleteUnityTable},
		{"POST /temporary-table-credentials", s.temporaryTableCredentials},
		{"POST /delta/preview/commits", s.previewCommit},
		{"GET /delta/preview/commits", s.previewCommits},

		// Not part of this catalog.
		{"/volumes", notImplemented("volumes")},
		{"/volumes/{rest...}", notImplemented("volumes")},
		{"/functions", notImplemented("functions")},
		{"/functions/{rest...}", notImplemented("functions")},
		{"/models", notImplemented("models")},
		{"/models/{rest...}", notImplemented("models")},
	}
}

// mount registers routes below prefix. Each path also gets a row for all other methods,
// so that net/http never answers for us.
func (s *Server) mount(prefix string, f *face, routes []route) {
	allow := map[string][]string{}
	for _, rt := range routes {
		method, path, ok := strings.Cut(rt.pattern, " ")
		if !ok {
			s.mux.Handle(prefix+rt.pattern, f.handler(s, rt.endpoint))
			continue
		}
		s.mux.Handle(method+" "+prefix+path, f.handler(s, rt.endpoint))
		allow[path] = append(allow[path], method)
	}
	for path, methods := range allow {
		other := f.handler(s, wrongMethod(methods))
		s.mux.Handle(prefix+path, other)
		if !slices.Contains(methods, http.MethodHead) {
			s.mux.Handle(http.MethodHead+" "+prefix+path, other) // else net/http takes GET for it
		}
	}
}
