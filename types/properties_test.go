package types_test

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leveelake/catalog/types"
)

func TestProperties(t *testing.T) {
	m := map[string]string{"b": "2", "a": "<1>", "c\"": "", "": "x"}
	p := types.NewProperties(m)
	const text = `{"":"x","a":"<1>","b":"2","c\"":""}`
	data, err := p.MarshalJSON()
	if string(data) != text || err != nil || p.Len() != 4 {
		t.Errorf("%s, %v, %d", data, err, p.Len())
	}
	m["a"] = "changed"
	p.Map()["a"] = "changed"
	if p.Get("a") != "<1>" || p.Get("none") != "" {
		t.Errorf("%q, %q", p.Get("a"), p.Get("none"))
	}
	if v, ok := p.Lookup("c\""); v != "" || !ok {
		t.Errorf("%q, %v", v, ok)
	}
	if _, ok := p.Lookup("none"); ok {
		t.Error("there is one that is not")
	}
	if d := cmp.Diff(p.Map(), maps.Collect(p.All())); d != "" {
		t.Error(d)
	}
	for range p.All() {
		break // may stop
	}
	var back types.Properties
	if err := json.Unmarshal(data, &back); err != nil || !back.Equal(p) || !cmp.Equal(back, p) {
		t.Errorf("%v, %v", back, err)
	}
	for _, bad := range []string{`[]`, `{"a":1}`, `{"a":null}`, `"x"`} {
		if err := json.Unmarshal([]byte(bad), &back); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
	for _, c := range []struct{ name, value string }{{"a", "new"}, {"bb", "new"}, {"z", "new"}} {
		want := p.Map()
		want[c.name] = c.value
		if got := p.With(c.name, c.value); !got.Equal(types.NewProperties(want)) || got.Equal(p) {
			t.Errorf("with %s: %v", c.name, got.Map())
		}
	}
	var none types.Properties
	if data, _ := json.Marshal(none); string(data) != "{}" || none.Len() != 0 || none.Get("x") != "" || !none.Equal(types.NewProperties(nil)) {
		t.Errorf("none: %s", data)
	}
	if got := none.With("x", "y"); got.Get("x") != "y" || got.Len() != 1 {
		t.Errorf("one: %v", got.Map())
	}
}
