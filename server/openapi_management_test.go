package server_test

import (
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/server"
	"github.com/leveelake/catalog/server/auth"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

// TestOpenAPIManagementRoutes holds the documents of both mounts to have what the server has routes for.
func TestOpenAPIManagementRoutes(t *testing.T) {
	_, s := guarded(t, by{})
	for mount, root := range map[string]string{unity: unity, "/uc": ""} { // where it is, and where the document has it
		var served, documented []string
		for _, p := range s.Patterns() {
			method, path, ok := strings.Cut(p, " ")
			path, below := strings.CutPrefix(path, mount+"/")
			// For HEAD and for patterns without a method there are refusals.
			if ok && below && method != "HEAD" && !strings.HasPrefix(path, "delta/") && path != "openapi.yaml" {
				served = append(served, method+" "+path)
			}
		}
		d := documentOf(t, root+"/catalogs")
		for pattern, item := range d.Paths.PathItems.FromOldest() {
			paths := []string{strings.TrimPrefix(pattern, "/")}
			if rest, ok := strings.CutPrefix(paths[0], "external"); ok { // the other spelling is there in words
				paths = []string{"external-" + rest[1:], "external_" + rest[1:]}
			}
			for method := range item.GetOperations().KeysFromOldest() {
				for _, p := range paths {
					documented = append(documented, strings.ToUpper(method)+" "+placeholder.ReplaceAllStringFunc(p, snake))
				}
			}
		}
		if root == unity { // without a method in their patterns, and elsewhere
			served = append(served, "GET volumes", "GET functions", "GET models", "POST oauth2/token")
		}
		slices.Sort(served)
		slices.Sort(documented)
		if diff := cmp.Diff(served, documented); diff != "" {
			t.Errorf("%s: what is served (-) and what the document has (+) differ:\n%s", mount, diff)
		}
	}
}

// TestOpenAPIUnauthenticated: every operation is refused, as the documents say, to who shows no token.
func TestOpenAPIUnauthenticated(t *testing.T) {
	c, err := catalog.New(catalog.Config{Store: memory.New()})
	if err != nil {
		t.Fatal(err)
	}
	a := &api{TB: t, handler: validated(t, server.New(c, server.Config{Auth: by{}}))}
	for _, root := range []string{unity, ""} {
		for pattern, item := range documentOf(t, root+"/catalogs").Paths.PathItems.FromOldest() {
			if pattern == "/oauth2/token" {
				continue
			}
			for method := range item.GetOperations().KeysFromOldest() {
				if status, data, _ := a.call(strings.ToUpper(method), root+placeholder.ReplaceAllLiteralString(pattern, "x"), "{}"); status != 401 {
					t.Errorf("%s %s%s: %d %s", method, root, pattern, status, data)
				}
			}
		}
	}
}

// TestOpenAPITokens: the token endpoint is as the document says, in what it grants and in what it refuses.
func TestOpenAPITokens(t *testing.T) {
	keys, err := catalog.ParseKeys(catalog.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.New(catalog.Config{Store: memory.New(), Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := auth.Tokens(c, keys, auth.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := &api{TB: t, handler: validated(t, server.New(c, server.Config{Auth: tokens, TokenEndpoint: tokens.TokenEndpoint()}))}
	k, err := c.CreateToken(t.Context(), types.CreateToken{Principal: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {"ann"}, "client_secret": {string(k.Secret)}}
	for _, tt := range []struct {
		name, value string // that is otherwise in the form
		status      int
	}{
		{"", "", 200},
		{"client_id", string(k.ID), 200},
		{"client_secret", "x", 401},
		{"client_id", "bob", 401},
		{"grant_type", "password", 400},
		{"grant_type", "", 400},
	} {
		asked := maps.Clone(form)
		if tt.name != "" {
			asked.Set(tt.name, tt.value)
		}
		res := a.serve("POST", "/oauth2/token", asked.Encode(), "Content-Type", "application/x-www-form-urlencoded")
		data, _ := io.ReadAll(res.Body)
		if res.StatusCode != tt.status {
			t.Errorf("%s %q: %d %s", tt.name, tt.value, res.StatusCode, data)
		}
		if tt.status == 200 {
			token, _ := a.decode(data)["access_token"].(string)
			if res := a.serve("GET", unity+"/catalogs", "", "Authorization", "Bearer "+token); res.StatusCode != 200 {
				t.Errorf("the token that was granted is refused: %d", res.StatusCode)
			}
		}
	}
	for _, request := range []string{"POST /oauth2/token?a=b", "POST /oauth2/token"} {
		method, path, _ := strings.Cut(request, " ")
		if res := a.serve(method, path, "{}", "Content-Type", "application/json"); res.StatusCode/100 != 4 {
			t.Errorf("%s: %d", request, res.StatusCode)
		}
	}
}

func TestOpenAPIManagementStory(t *testing.T) {
	for _, mount := range []string{unity, ""} {
		t.Run("at "+mount+"/", func(t *testing.T) {
			s := begin(t, mount, mount+"/catalogs")
			if mount == unity {
				s.send("GET /metastore_summary", "", 200, "Metastore")
			}
			s.send("POST /catalogs", "CreateCatalog", 200, "Catalog")
			s.send("POST /catalogs", "CreateCatalog", 409, "CatalogTaken")
			s.send("PATCH /catalogs/main", "UpdateCatalog", 200, "CatalogUpdated")
			s.send("GET /catalogs/main", "", 200, "CatalogUpdated")
			s.send("GET /catalogs", "", 200, "Catalogs")
			s.send("POST /schemas", "CreateSchema", 200, "Schema")
			s.send("PATCH /schemas/main.sale", "UpdateSchema", 200, "SchemaUpdated")
			s.send("GET /schemas/sales?full_name=main.sales", "", 200, "SchemaUpdated")
			s.send("GET /schemas?catalog_name=main", "", 200, "Schemas")
			s.send("POST /credentials", "CreateRole", 200, "Role")
			s.send("POST /credentials", "CreateKey", 200, "Key")
			s.send("PATCH /credentials/backup", "UpdateKey", 200, "KeyUpdated")
			s.send("GET /credentials/lake-role", "", 200, "Role")
			s.send("GET /credentials?purpose=STORAGE", "", 200, "Credentials")
			s.send("POST /external-locations", "CreateLocation", 200, "Location")
			s.send("PATCH /external-locations/raw", "UpdateLocation", 200, "LocationUpdated")
			s.send("GET /external_locations/raw", "", 200, "LocationUpdated")
			s.send("GET /external_locations", "", 200, "Locations")
			s.send("POST /validate-credentials", "Validate", 200, "Validated")
			s.send("DELETE /credentials/lake-role", "", 400, "InUse")
			s.send("POST /tables", "CreateTable", 200, "Table")
			s.send("GET /tables?catalog_name=main&schema_name=sales&omit_columns=true", "", 200, "Tables")
			s.send("GET /tables/main.sales.clicks/exists", "", 200, "Exists")
			s.send("GET /tables/main.sales.views/exists", "", 200, "Absent")
			s.send("GET /tables/main.sales.views", "", 404, "NoSuchTable")
			s.send("GET /table-summaries?catalog_name=main&schema_name_pattern=sal%25", "", 200, "TableSummaries")
			if mount == unity {
				s.send("GET /tables/main.sales.clicks", "", 200, "Table")
				s.send("POST /staging-tables", "Stage", 200, "Staged")
				s.send("POST /temporary-table-credentials", "TableAccess", 200, "Access")
				s.send("POST /temporary-path-credentials", "PathAccess", 200, "")
				s.send("PATCH /permissions/schema/main.sales", "UpdatePermissions", 200, "PermissionsUpdated")
				s.send("GET /permissions/schema/main.sales", "", 200, "Permissions")
				s.send("GET /effective-permissions/table/main.sales.clicks", "", 200, "EffectivePermissions")
				s.send("POST /tokens", "CreateToken", 200, "IssuedToken")
				s.send("GET /tokens?principal=ann", "", 200, "Tokens")
			} else {
				s.has(s.ok("GET", "/tables/main.sales.clicks", ""), object{"storageCredentialName": "lake-role"})
			}
			s.send("DELETE /catalogs/main", "", 400, "NotEmpty")
			s.send("DELETE /catalogs/main?force=true", "", 200, "Done")
		})
	}
}
