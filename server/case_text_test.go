package server_test

import (
	"strings"
	"testing"
)

func TestDuplicateKeys(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		a.run("last wins", func(a *api) {
			x := a.external()
			a.ok("POST", x.path+"/rename", `{"new-name":"first","new-name":"last"}`)
			a.ok("HEAD", t1+"/last", "")
			a.fails("POST", t1+"/last/rename", `{"new-name":"good","new-name":1}`, 400, badInput, "new-name")
			m := a.table()
			v := a.ok("POST", m.path, strings.Replace(m.update(setProperties(object{})), `"updates":{}`, `"updates":{"k":"1","k":"2"}`, 1))
			a.same("k", property(v, "k"), "2")
			a.same("name", a.ok("POST", unity+"/catalogs", `{"name":"first","name":"last"}`)["name"], "last")
		})
		a.run("names of members are exact", func(a *api) {
			a.fails("POST", a.external().path+"/rename", `{"New-Name":"x"}`, 400, badInput, "new-name")
		})
		a.run("escapes", func(a *api) {
			x := a.external()
			a.ok("POST", x.path+"/rename", `{"new\u002dname":"\u0065scaped"}`)
			a.ok("HEAD", t1+"/escaped", "")
		})
	})
}

// TestHuge puts a text of 100 KB at each place of a good request that has a text. Whether
// it is taken or refused, the answer is one, and the message of a refusal is short.
func TestHuge(t *testing.T) {
	huge := strings.Repeat("h", 100_000)
	onEachStore(t, func(t *testing.T, a *api) {
		for name, p := range posts(a) {
			a.run(name, func(a *api) {
				good := a.decode([]byte(body(p.body)))
				places(good, nil, func(path []any, v any) {
					if _, ok := v.(string); !ok {
						return
					}
					status, data, _ := a.call("POST", p.path, body(edited(a.decode([]byte(body(good))), put(huge, path...))))
					_, message := refusal(data)
					if status >= 300 && (message == "" || len(message) > 2000) || status >= 500 {
						a.Errorf("%v huge: %d with a message of %d bytes: %.300s", path, status, len(message), data)
					}
				})
			})
		}
	})
}
