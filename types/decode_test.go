package types_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/leveelake/catalog/types"
)

func TestDecodeJSONDocument(t *testing.T) {
	var c types.CreateStagingTable
	for text, want := range map[string]string{
		"":                             "not valid JSON",
		" \n":                          "not valid JSON",
		"{":                            "not valid JSON at byte 1",
		"{}{}":                         "not valid JSON at byte 3",
		`{"name":"t"}x`:                "not valid JSON",
		`{"name":"t",}`:                "not valid JSON",
		`{'name':'t'}`:                 "not valid JSON",
		"null":                         "the JSON value: want an object, got null",
		"[]":                           "the JSON value: want an object, got an array",
		`"x"`:                          "the JSON value: want an object, got a string",
		"17":                           "the JSON value: want an object, got a number",
		"true":                         "the JSON value: want an object, got true or false",
		"\ufeff" + `{"name":"t"}`:      "byte order mark",
		"{\"name\":\"\xc3\"}":          "UTF-8",
		`{"name":"\ud83d"}`:            "surrogate",
		`{"name":"\ud83dx"}`:           "surrogate",
		`{"name":"\\\ud83d\\ude00"}`:   "surrogate",
		strings.Repeat("[", 1_000_000): "not valid JSON",
	} {
		refused(t, types.DecodeJSON([]byte(text), &c), types.BadRequest, want)
		var plain struct{ Name string }
		refused(t, types.DecodeJSON([]byte(text), &plain), types.BadRequest, want)
	}
	for text, want := range map[string]string{
		" {\"name\" : \"t\"}\r\n":                       "t",
		`{"name":"\ud83d\ude00\u00e9\\\/\"\b\f\n\r\t"}`: "😀é\\/\"\b\f\n\r\t",
		`{"name":"\\ud800"}`:                            `\ud800`,
		`{"n\u0061me":"t"}`:                             "t",
		`{"name":1,"name":"t"}`:                         "t",
		`{"NAME":"x","name":"t","nAME":"x"}`:            "t",
		`{"x":{"name":"x","y":[{}]},"name":"t"}`:        "t",
	} {
		if err := types.DecodeJSON([]byte(text), &c); err != nil || c.Name != want {
			t.Errorf("%s: name %q, %v", text, c.Name, err)
		}
	}
}

func TestDecodeJSONOtherTypes(t *testing.T) {
	type inner struct {
		Int   int64          `json:"int"`
		Small int32          `json:"small"`
		Text  string         `json:"text"`
		Flag  bool           `json:"flag"`
		List  []string       `json:"list"`
		Map   map[string]int `json:"map"`
		Float float64        `json:"float"`
		Byte  uint8          `json:"byte"`
		Own   *types.Commit  `json:"own"`
	}
	var v struct {
		Inner inner `json:"inner"`
	}
	for _, tt := range []struct {
		text string
		code types.Code
		want string
	}{
		{`{"inner":[]}`, types.BadRequest, "inner: want an object, got array"},
		{`{"inner":{"int":"17"}}`, types.BadRequest, "inner.int: want an integer of 64 bits, got string"},
		{`{"inner":{"int":1.0}}`, types.BadRequest, "inner.int: want an integer of 64 bits, got number 1.0"},
		{`{"inner":{"int":9223372036854775808}}`, types.BadRequest, "inner.int: want an integer of 64 bits"},
		{`{"inner":{"small":2147483648}}`, types.BadRequest, "inner.small: want an integer of 32 bits"},
		{`{"inner":{"byte":256}}`, types.BadRequest, "inner.byte: want a small integer"},
		{`{"inner":{"text":17}}`, types.BadRequest, "inner.text: want a string, got number"},
		{`{"inner":{"flag":"true"}}`, types.BadRequest, "inner.flag: want true or false, got string"},
		{`{"inner":{"list":{}}}`, types.BadRequest, "inner.list: want an array, got object"},
		{`{"inner":{"float":"x"}}`, types.BadRequest, "inner.float: want a number, got string"},
		{`{"inner":{"own":{}}}`, types.InvalidParameterValue, "version: missing"},
	} {
		refused(t, types.DecodeJSON([]byte(tt.text), &v), tt.code, tt.want)
	}
	if err := types.DecodeJSON([]byte(`{"inner":{"int":17,"list":["a"]}}`), &v); err != nil || v.Inner.Int != 17 {
		t.Errorf("%+v, %v", v, err)
	}
	if err := types.DecodeJSON([]byte(`{}`), failing{}); types.CodeOf(err) != types.BadRequest {
		t.Errorf("an error without a code came out as %v", err)
	}
}

type failing struct{}

func (failing) UnmarshalJSON([]byte) error { return fmt.Errorf("Go value") }

func TestObjectOfManyFields(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"new-name":"t"`)
	for i := range 999 {
		fmt.Fprintf(&b, `,"x%d":0`, i)
	}
	var r types.RenameTable
	if err := types.DecodeJSON([]byte(b.String()+"}"), &r); err != nil {
		t.Error(err)
	}
	refused(t, types.DecodeJSON([]byte(b.String()+`,"y":0}`), &r), types.BadRequest, "more than 1000 fields")
}

func TestListsAndMapsOfManyItems(t *testing.T) {
	var u types.UpdateTable
	list := func(n int) []byte {
		return []byte(update(`{"action":"remove-properties","removals":[""` + strings.Repeat(`,""`, n-1) + `]}`))
	}
	if err := types.DecodeJSON(list(100_000), &u); err != nil {
		t.Error(err)
	}
	refused(t, types.DecodeJSON(list(100_001), &u), types.BadRequest, "updates[0].removals: more than 100000 items")
	var b strings.Builder
	for i := range 100_001 {
		fmt.Fprintf(&b, `,"%d":""`, i)
	}
	err := types.DecodeJSON([]byte(update(`{"action":"set-properties","updates":{`+b.String()[1:]+`}}`)), &u)
	refused(t, err, types.BadRequest, "updates[0].updates: more than 100000 items")
}

// Through encoding/json the same errors come out, and a refused value stays as it was.
func TestUnmarshalDirectly(t *testing.T) {
	c := types.Commit{Version: 7}
	refused(t, json.Unmarshal([]byte(`{"version":1}`), &c), types.InvalidParameterValue, "timestamp: missing")
	refused(t, json.Unmarshal([]byte(`null`), &c), types.BadRequest, "want an object, got null")
	refused(t, c.UnmarshalJSON([]byte(`{`)), types.BadRequest, "not valid JSON")
	if c != (types.Commit{Version: 7}) {
		t.Errorf("changed to %+v", c)
	}
}
