package cli_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/leveelake/catalog/internal/cli"
)

const things = `{"things":[
	{"name":"short","owner":null,"created_at":1700000000000,"tags":["a","b"],"properties":{"k":"v","n":1}},
	{"name":"a much longer name, \u001b[31mred\tand\nmore","owner":"me","columns":[{"x":1}],"read_only":false}]}`

func TestPrint(t *testing.T) {
	var out strings.Builder
	p := cli.Printer{Out: &out}
	if err := p.List([]byte(things), "things", "name", "owner", "created_at", "tags", "properties", "columns", "read_only"); err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		`NAME                                           OWNER  CREATED AT            TAGS  PROPERTIES  COLUMNS  READ ONLY`,
		`short                                          -      2023-11-14T22:13:20Z  a, b  k=v, n=1    -        -`,
		`a much longer name, \x1b[31mred\tand\nmore  me     -                     -     -           -        false`,
		``,
	}, "\n")
	if d := cmp.Diff(strings.Fields(want), strings.Fields(out.String())); d != "" {
		t.Errorf("%s\n%s", d, out.String())
	}
	out.Reset()
	if err := p.Object([]byte(`{"name":"x","owner":null,"comment":"","columns":[{"a":1}],"id":7}`)); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff("name  x\nid    7\n", out.String()); d != "" {
		t.Error(d)
	}
	out.Reset()
	if err := (cli.Printer{Out: &out, JSON: true}).Object([]byte(`{"name":"x","n":12345678901234567890}`)); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff("{\n  \"name\": \"x\",\n  \"n\": 12345678901234567890\n}\n", out.String()); d != "" {
		t.Error(d)
	}
}

// TestPrintJSON: JSON for programs has nothing in it that a terminal acts on, and says the same.
func TestPrintJSON(t *testing.T) {
	text := "a\x1b\x7f\u0085\u009b\u200b\u202e\u2066\u2028\u2029\u00ad\ufeff\U000e0041\n\t\"\\ä 한 😀"
	raw := "{\"a\x7f\u202e\":[\"" + strings.NewReplacer("\x1b", `\u001b`, "\n", `\n`, "\t", `\t`, `"`, `\"`, `\`, `\\`).Replace(text) + "\"]}"
	for _, print := range []func(cli.Printer) error{
		func(p cli.Printer) error { return p.Object([]byte(raw)) },
		func(p cli.Printer) error { return p.List([]byte(raw), "a", "b") },
	} {
		var out strings.Builder
		if err := print(cli.Printer{Out: &out, JSON: true}); err != nil {
			t.Fatal(err)
		}
		for _, r := range out.String() {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Errorf("%U is printed", r)
			}
		}
		var got map[string][]string
		if err := json.Unmarshal([]byte(out.String()), &got); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(map[string][]string{"a\x7f\u202e": {text}}, got); d != "" || !strings.Contains(out.String(), "ä 한 😀") {
			t.Errorf("%s\n%s", d, out.String())
		}
	}
}
