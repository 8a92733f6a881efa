package server

import (
	"net/http"
	"slices"
	"strings"

	"github.com/leveelake/catalog/api"
)

// Where the faces of the catalog are mounted, beside the root mount.
const (
	unityPrefix = "/api/2.1/unity-catalog"
	unityAlias  = "/api/2.0/unity-catalog" // some clients ask here for credentials
	deltaPrefix = unityPrefix + "/delta"
)

// A route is a pattern of net/http, relative to its face's prefix, and its endpoint.
type route struct {
	pattern  string
	endpoint endpoint
	public   bool // asks for no authentication
	unkept   bool // answers with what nobody may keep
}

// deltaRoutes is the UC Delta API. GET /v1/config tells clients these patterns, all but its own.
func (s *Server) deltaRoutes() []route {
	return []route{
		{pattern: configPattern, endpoint: s.config},
		{pattern: "POST /v1/catalogs/{catalog}/schemas/{schema}/staging-tables", endpoint: s.createStagingTable, unkept: true},
		{pattern: "POST /v1/catalogs/{catalog}/schemas/{schema}/tables", endpoint: s.createTable},
		{pattern: "GET /v1/catalogs/{catalog}/schemas/{schema}/tables", endpoint: s.listTables},
		{pattern: "GET /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}", endpoint: s.loadTable},
		{pattern: "POST /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}", endpoint: s.updateTable},
		{pattern: "DELETE /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}", endpoint: s.deleteTable},
		{pattern: "HEAD /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}", endpoint: s.tableExists},
		{pattern: "POST /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}/rename", endpoint: s.renameTable},
		{pattern: "GET /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}/credentials", endpoint: s.tableCredentials, unkept: true},
		{pattern: "POST /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}/metrics", endpoint: s.reportMetrics},
		{pattern: "GET /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}/metrics", endpoint: s.tableMetrics}, // ours
		{pattern: "GET /v1/staging-tables/{table_id}/credentials", endpoint: s.stagingTableCredentials, unkept: true},
		{pattern: "GET /v1/temporary-path-credentials", endpoint: s.pathCredentials, unkept: true},
	}
}

const configPattern = "GET /v1/config"

// managementRoutes are those of both the Unity Catalog REST API and the root mount.
func (s *Server) managementRoutes() []route {
	routes := []route{
		{pattern: "POST /catalogs", endpoint: s.createCatalog},
		{pattern: "GET /catalogs", endpoint: s.listCatalogs},
		{pattern: "GET /catalogs/{name}", endpoint: s.getCatalog},
		{pattern: "PATCH /catalogs/{name}", endpoint: s.updateCatalog},
		{pattern: "DELETE /catalogs/{name}", endpoint: s.deleteCatalog},
		{pattern: "POST /schemas", endpoint: s.createSchema},
		{pattern: "GET /schemas", endpoint: s.listSchemas},
		{pattern: "GET /schemas/{full_name}", endpoint: s.getSchema},
		{pattern: "PATCH /schemas/{full_name}", endpoint: s.updateSchema},
		{pattern: "DELETE /schemas/{full_name}", endpoint: s.deleteSchema},
		{pattern: "POST /tables", endpoint: s.createUnityTable},
		{pattern: "GET /tables", endpoint: s.listUnityTables},
		{pattern: "GET /tables/{full_name}", endpoint: s.getUnityTable},
		{pattern: "DELETE /tables/{full_name}", endpoint: s.deleteUnityTable},
		{pattern: "GET /tables/{full_name}/exists", endpoint: s.unityTableExists},
		{pattern: "GET /table-summaries", endpoint: s.listTableSummaries},
		{pattern: "POST /credentials", endpoint: s.createStorageCredential},
		{pattern: "GET /credentials", endpoint: s.listStorageCredentials},
		{pattern: "GET /credentials/{name}", endpoint: s.getStorageCredential},
		{pattern: "PATCH /credentials/{name}", endpoint: s.updateStorageCredential},
		{pattern: "DELETE /credentials/{name}", endpoint: s.deleteStorageCredential},
		{pattern: "POST /validate-credentials", endpoint: s.validateStorageCredential},
	}
	for _, path := range []string{"/external-locations", "/external_locations"} { // of clients, of the document
		routes = append(routes,
			route{pattern: "POST " + path, endpoint: s.createExternalLocation},
			route{pattern: "GET " + path, endpoint: s.listExternalLocations},
			route{pattern: "GET " + path + "/{name}", endpoint: s.getExternalLocation},
			route{pattern: "PATCH " + path + "/{name}", endpoint: s.updateExternalLocation},
			route{pattern: "DELETE " + path + "/{name}", endpoint: s.deleteExternalLocation},
		)
	}
	return routes
}

// unityRoutes are those of the Unity Catalog REST API.
func (s *Server) unityRoutes() []route {
	return append(s.managementRoutes(), []route{
		{pattern: "GET /openapi.yaml", endpoint: openAPI(api.Management)},
		{pattern: "GET /metastore_summary", endpoint: s.metastoreSummary},
		{pattern: "POST /staging-tables", endpoint: s.createUnityStagingTable, unkept: true},
		{pattern: "POST /temporary-table-credentials", endpoint: s.temporaryTableCredentials, unkept: true},
		{pattern: "POST /temporary-path-credentials", endpoint: s.temporaryPathCredentials, unkept: true},
		{pattern: "GET /permissions/{type}/{full_name}", endpoint: s.permissions},
		{pattern: "PATCH /permissions/{type}/{full_name}", endpoint: s.updatePermissions},
		{pattern: "GET /effective-permissions/{type}/{full_name}", endpoint: s.effectivePermissions},
		{pattern: "POST /tokens", endpoint: s.createToken, unkept: true}, // ours, as are the next two
		{pattern: "GET /tokens", endpoint: s.listTokens},
		{pattern: "DELETE /tokens/{token_id}", endpoint: s.revokeToken},

		// Not part of this catalog.
		{pattern: "/volumes", endpoint: noneOf("volumes", "volumes")},
		{pattern: "/volumes/{rest...}", endpoint: notImplemented("volumes")},
		{pattern: "/functions", endpoint: noneOf("functions", "functions")},
		{pattern: "/functions/{rest...}", endpoint: notImplemented("functions")},
		{pattern: "/models", endpoint: noneOf("models", "registered_models")},
		{pattern: "/models/{rest...}", endpoint: notImplemented("models")},
	}...)
}

// commitsRoutes is the commits API.
func (s *Server) commitsRoutes() []route {
	return []route{
		{pattern: "POST /delta/preview/commits", endpoint: s.previewCommit},
		{pattern: "GET /delta/preview/commits", endpoint: s.previewCommits},
	}
}

// mountAll registers all routes.
func (s *Server) mountAll(cfg Config) {
	delta := s.deltaRoutes()
	for _, rt := range delta {
		if rt.pattern != configPattern {
			s.endpoints = append(s.endpoints, rt.pattern)
		}
	}
	s.mount(deltaPrefix, s.delta, append(delta, route{pattern: "GET /openapi.yaml", endpoint: openAPI(api.Delta)}))
	for _, prefix := range []string{unityPrefix, unityAlias} {
		s.mount(prefix, s.unity, s.unityRoutes())
		s.mount(prefix, s.commits, s.commitsRoutes())
	}
	prefix := strings.Trim(cfg.Prefix, "/")
	if prefix != "" {
		prefix = "/" + prefix
	}
	s.mount(prefix, s.root, append(s.managementRoutes(), route{pattern: "GET /openapi.yaml", endpoint: openAPI(api.Root)}))
	if cfg.TokenEndpoint != nil {
		token := func(*request) (any, error) { return cfg.TokenEndpoint, nil }
		s.mount("", s.root, []route{{pattern: "POST /oauth2/token", endpoint: token, public: true}})
	}
	for path, f := range map[string]*face{"": s.root, "/api": s.unity, deltaPrefix: s.delta, deltaPrefix + "/preview": s.commits} {
		unknown := f.handler(s, route{endpoint: unknownPath})
		s.mux.Handle(path+"/", unknown)
		if path != "" {
			s.mux.Handle(path, unknown) // else net/http redirects to the one before
		}
	}
}

// mount registers routes below prefix. Each path also gets a row for all other methods,
// so that net/http never answers for us.
func (s *Server) mount(prefix string, f *face, routes []route) {
	allow := map[string][]string{}
	for _, rt := range routes {
		method, path, ok := strings.Cut(rt.pattern, " ")
		if !ok {
			s.handle(prefix+rt.pattern, f, rt)
			continue
		}
		s.handle(method+" "+prefix+path, f, rt)
		allow[path] = append(allow[path], method)
	}
	for path, methods := range allow {
		other := route{endpoint: wrongMethod(methods)}
		s.handle(prefix+path, f, other)
		if !slices.Contains(methods, http.MethodHead) {
			s.handle(http.MethodHead+" "+prefix+path, f, other) // else net/http takes GET for it
		}
	}
}

func (s *Server) handle(pattern string, f *face, rt route) {
	s.patterns = append(s.patterns, pattern)
	s.mux.Handle(pattern, f.handler(s, rt))
}
