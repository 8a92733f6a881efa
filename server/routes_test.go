package server_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
)

// endpoints are the routes of the Delta API, typed from its document.
func endpoints(t testing.TB) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/endpoints.txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

var allMethods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "LINK"}

// managementRoutes are those of both the Unity Catalog REST API and the root mount.
var managementRoutes = map[string]string{
	"/catalogs": "GET POST", "/catalogs/{name}": "DELETE GET PATCH", "/schemas": "GET POST", "/schemas/{name}": "DELETE GET PATCH",
	"/tables": "GET POST", "/tables/{name}": "DELETE GET", "/tables/{name}/exists": "GET", "/table-summaries": "GET",
	"/credentials": "GET POST", "/credentials/{name}": "DELETE GET PATCH", "/validate-credentials": "POST",
	"/external-locations": "GET POST", "/external-locations/{name}": "DELETE GET PATCH",
	"/external_locations": "GET POST", "/external_locations/{name}": "DELETE GET PATCH",
}

// unityRoutes are those of the Unity Catalog REST API alone.
var unityRoutes = map[string]string{
	"/metastore_summary": "GET", "/staging-tables": "POST", "/temporary-table-credentials": "POST", "/temporary-path-credentials": "POST",
	"/permissions/table/{name}": "GET PATCH", "/effective-permissions/table/{name}": "GET", "/tokens": "GET POST", "/tokens/{table_id}": "DELETE",
}

func TestRoutes(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		m := a.table()
		name := m.path[len(t1)+1:]
		real := strings.NewReplacer("{catalog}", "c1", "{schema}", "s1", "{table}", name, "{table_id}", m.id, "{name}", "x").Replace
		routes := map[string][]string{delta + "/config": {"GET"}}
		for _, e := range endpoints(t) {
			method, path, _ := strings.Cut(e, " ")
			path = strings.TrimSuffix(delta, "/v1") + real(path)
			routes[path] = append(routes[path], method)
		}
		for _, mount := range []string{unity, strings.Replace(unity, "2.1", "2.0", 1), ""} {
			for path, methods := range managementRoutes {
				routes[mount+real(path)] = strings.Fields(methods)
			}
			for path, methods := range unityRoutes {
				if mount != "" {
					routes[mount+real(path)] = strings.Fields(methods)
				}
			}
		}

		a.run("001/endpoints", func(a *api) {
			a.same("endpoints", a.ok("GET", delta+"/config?catalog=c1&protocol-versions=1.0", "")["endpoints"], endpoints(a))
		})
		for path, methods := range routes {
			a.run("b58/"+path, func(a *api) {
				for _, method := range allMethods {
					res := a.serve(method, path, "")
					data, _ := io.ReadAll(res.Body)
					if slices.Contains(methods, method) {
						// What is served finds its object, or what is wrong with the request.
						if res.StatusCode == 405 || res.StatusCode >= 500 || strings.Contains(string(data), "there is nothing at") {
							a.Errorf("%s %s: %d %s", method, path, res.StatusCode, data)
						}
						continue
					}
					code := badRequest
					if !strings.HasPrefix(path, delta) {
						code = invalid
					}
					a.refusedAs(a.serve(method, path, ""), method+" "+path, 405, code)
					allow := strings.Split(strings.ReplaceAll(res.Header.Get("Allow"), " ", ""), ",")
					if allow = slices.DeleteFunc(allow, func(m string) bool { return m == "HEAD" }); !slices.Equal(slices.Sorted(slices.Values(allow)), slices.DeleteFunc(slices.Sorted(slices.Values(methods)), func(m string) bool { return m == "HEAD" })) {
						a.Errorf("%s %s: Allow is %q, want %q", method, path, res.Header.Get("Allow"), methods)
					}
				}
			})
		}
	})
}

func TestPaths(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		m := a.managed("my_table", nil)
		a.managed("t", nil)
		deltaRoot := strings.TrimSuffix(delta, "/v1")

		a.run("062/encoded once", func(a *api) {
			for _, n := range []string{"my%5Ftable", "my%5ftable", "%6D%79%5F%74%61%62%6C%65"} {
				a.same(n, a.ok("GET", t1+"/"+n, ""), m.load())
				a.ok("HEAD", t1+"/"+n, "")
				a.same(n, a.ok("GET", unity+"/tables/c1.s1."+n, "")["table_id"], m.id)
			}
			a.same("all", a.ok("GET", delta+"/catalogs/%63%31/schemas/s%31/tables/my%5Ftable", ""), m.load())
			for _, n := range []string{
				"my%255Ftable", "a%2Fb", "t%2F", "%2Ft", "t%2Frename", "%2E%2E", "%2e", "%2E%2E%2Ft", "%00", "t%00", "t%0A", "a.b", "c1.s1.t", "t;x", "t+", "%20t", "%FF", "日本", "%F0%9F%99%82",
				strings.Repeat("n", 10_000),
			} {
				for _, method := range []string{"GET", "DELETE", "HEAD"} {
					a.fails(method, t1+"/"+n, "", 404, noTable)
				}
				a.fails("POST", t1+"/"+n, m.update(setComment("c")), 404, noTable)
				a.fails("GET", delta+"/catalogs/"+n+"/schemas/s1/tables/t", "", 404, noCatalog)
				a.fails("GET", delta+"/catalogs/c1/schemas/"+n+"/tables/t", "", 404, noSchema)
			}
		})
		a.run("062/no such path", func(a *api) {
			for _, path := range []string{
				t1 + "/", t1 + "/t/", t1 + "//t", t1 + "/t/x", strings.Replace(t1, "delta", "%64elta", 1) + "/t/", t1 + "/./t", t1 + "/../tables/t", t1 + "/t/..", t1 + "/t/../my_table", t1 + "/t//credentials?operation=READ", t1 + "/t/credentials/?operation=READ",
				s1, s1 + "/", s1 + "/tables/t/nope", delta, delta + "/", delta + "/nope", delta + "/config/?catalog=c1&protocol-versions=1.0", delta + "//config", deltaRoot + "/v2/config",
				delta + "/catalogs/c1/schemas//tables", delta + "/catalogs//schemas/s1/tables", deltaRoot + "/", delta + "/CONFIG?catalog=c1&protocol-versions=1.0", delta + "/../v1/config?catalog=c1&protocol-versions=1.0",
			} {
				for _, method := range []string{"GET", "POST", "HEAD", "DELETE", "PUT"} {
					a.fails(method, path, "", 404, notFound)
				}
			}
			m.load()
		})
		a.run("062/no such path of Unity Catalog", func(a *api) {
			for _, path := range []string{
				unity + "/nope", unity, unity + "/", unity + "//catalogs", unity + "/catalogs//c1", unity + "/catalogs/../catalogs", unity + "/catalogs/c1/x", unity + "/tables/./c1.s1.t",
				"/", "/nope", "/api", "/api/2.1", "/api/2.2/unity-catalog/catalogs", "/api/2.1/Unity-Catalog/catalogs", "//", "/api/2.1/unity-catalog-x/catalogs", deltaRoot,
			} {
				for _, method := range []string{"GET", "POST", "PUT"} {
					a.fails(method, path, "", 404, notFound+"|NOT_FOUND")
				}
			}
		})
		a.run("m3/trailing slash", func(a *api) {
			a.same("catalog", a.ok("GET", unity+"/catalogs/c1/", ""), a.ok("GET", unity+"/catalogs/c1", ""))
			a.ok("GET", unity+"/catalogs/?max_results=1", "")
			a.same("table", a.ok("GET", unity+"/tables/c1.s1.my%5Ftable/", "")["table_id"], m.id)
			a.fails("GET", unity+"/catalogs/c1//", "", 404, "NOT_FOUND")
			// net/http takes a segment that is only a slash for none.
			a.fails("GET", unity+"/catalogs/%2F", "", 404, "NOT_FOUND")
		})
		a.run("064/HEAD on the wire", func(a *api) {
			s := httptest.NewServer(a.handler)
			defer s.Close()
			table := a.table().path
			for path, want := range map[string]int{table: 204, t1 + "/nope": 404, delta + "/nope": 404, s1 + "/staging-tables": 405} {
				res, err := http.Head(s.URL + path)
				if err != nil {
					a.Fatal(err)
				}
				data, _ := io.ReadAll(res.Body)
				_ = res.Body.Close()
				if res.StatusCode != want || len(data) != 0 {
					a.Errorf("HEAD %s: %d %q", path, res.StatusCode, data)
				}
			}
			// The connection stays in order after answers without a body.
			conn, err := net.Dial("tcp", s.Listener.Addr().String())
			if err != nil {
				a.Fatal(err)
			}
			defer conn.Close()
			r := bufio.NewReader(conn)
			for _, method := range []string{"HEAD", "DELETE", "HEAD"} {
				if _, err := io.WriteString(conn, method+" "+table+" HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
					a.Fatal(err)
				}
				res, err := http.ReadResponse(r, &http.Request{Method: method})
				if err != nil {
					a.Fatalf("%s: %v", method, err)
				}
				_, _ = io.Copy(io.Discard, res.Body)
			}
			if n := r.Buffered(); n != 0 {
				a.Errorf("%d bytes follow the answers", n)
			}
		})
	})
}
