package types_test

import (
	"encoding/json"
	"errors"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/leveelake/catalog/types"
)

// expected fails unless err is an Error that a caller may see.
func expected(t *testing.T, err error) {
	t.Helper()
	e, ok := errors.AsType[*types.Error](err)
	if !ok || e.Message == "" || len(e.Message) > 2000 || !utf8.ValidString(e.Message) {
		t.Fatalf("error %q", err)
	}
	if e.Code != types.BadRequest && e.Code != types.InvalidParameterValue {
		t.Fatalf("error %v", err)
	}
}

func FuzzParseStruct(f *testing.F) {
	f.Add([]byte(everything))
	f.Add([]byte(columns1))
	f.Add([]byte(column(`{"type":"decimal","precision":10,"scale":2}`)))
	f.Add([]byte(column(`{"type":"array","element-type":"long","elementType":"long","contains-null":null,"containsNull":true}`)))
	f.Add([]byte(column(nest(10))))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := types.ParseStruct(data, "columns")
		if err != nil {
			expected(t, err)
			return
		}
		if err := s.Validate("columns"); err != nil {
			t.Fatalf("parsed, but not valid: %v", err)
		}
		for _, text := range [][]byte{s.AppendJSON(nil), s.LogJSON()} {
			again, err := types.ParseStruct(text, "columns")
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if diff := cmp.Diff(s, again, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("%s: another value:\n%s", text, diff)
			}
		}
		infos := types.ColumnInfos(s, nil)
		back, _, err := types.FromColumnInfos(infos)
		if err != nil {
			t.Fatalf("%+v: %v", infos, err)
		}
		if diff := cmp.Diff(s, back, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("another value from column infos:\n%s", diff)
		}
		for i := range infos {
			infos[i].TypeJSON = ""
		}
		back, _, err = types.FromColumnInfos(infos)
		if err != nil {
			t.Fatalf("%+v: %v", infos, err)
		}
		for i, c := range types.ColumnInfos(back, nil) {
			if c.TypeText != infos[i].TypeText {
				t.Fatalf("type text %s came back as %s", infos[i].TypeText, c.TypeText)
			}
		}
	})
}

func FuzzParseFieldLenient(f *testing.F) {
	for _, tt := range texts {
		f.Add([]byte(`{"name":"a","type":"`+tt.text+`"}`), tt.text)
	}
	f.Add([]byte(`{"type":{"type":"udt","class":" "}}`), "")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		field, err := types.ParseFieldLenient(data, "f")
		if err != nil {
			expected(t, err)
		} else {
			again, err := types.ParseFieldLenient(field.LogJSON(), "f")
			if err != nil {
				t.Fatalf("%s: %v", field.LogJSON(), err)
			}
			if diff := cmp.Diff(field, again, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("%s: another value:\n%s", field.LogJSON(), diff)
			}
		}
		if _, _, err := types.FromColumnInfos([]types.ColumnInfo{{Name: "a", TypeText: text}}); err != nil {
			expected(t, err)
		}
		if _, _, err := types.FromColumnInfos([]types.ColumnInfo{{Name: "a", TypeJSON: text, TypeText: string(data)}}); err != nil {
			expected(t, err)
		}
	})
}

func FuzzDecodeUpdate(f *testing.F) {
	f.Add(commitRequest)
	f.Add([]byte(update(`{"action":"set-properties","updates":{"a":"1"}}`, `{"action":"remove-properties","removals":["x"]}`)))
	f.Add([]byte(update(`{"action":"set-columns","columns":`+columns1+`}`, `{"action":"set-partition-columns","partition-columns":["a"]}`)))
	f.Add([]byte(update(`{"action":"set-protocol","protocol":`+protocol1+`}`, `{"action":"set-table-comment","comment":""}`)))
	f.Add([]byte(update(`{"action":"set-domain-metadata","updates":{"delta.clustering":{"clusteringColumns":[["a"]]}}}`, `{"action":"remove-domain-metadata","domains":["delta.rowTracking"]}`)))
	f.Add([]byte(update(`{"action":"update-metadata-snapshot-version","last-commit-version":42,"last-commit-timestamp-ms":7}`)))
	f.Add([]byte(update(`{"action":"add-commit","commit":` + commit1 + `,"uniform":` + uniform1 + `}`)))
	f.Fuzz(func(t *testing.T, data []byte) {
		var u, again types.UpdateTable
		if err := types.DecodeJSON(data, &u); err != nil {
			expected(t, err)
			return
		}
		if u.Require.TableUUID == "" {
			t.Fatal("no assert-table-uuid")
		}
		text, err := json.Marshal(u)
		if err != nil {
			t.Fatal(err)
		}
		if err := types.DecodeJSON(text, &again); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(u.Require, again.Require); diff != "" {
			t.Fatalf("%s: another requirement:\n%s", text, diff)
		}
		// Metadata keeps its blanks, which encoding/json takes out.
		if u.Update.SetColumns == nil {
			if diff := cmp.Diff(u.Update, again.Update, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("%s: another update:\n%s", text, diff)
			}
		}
	})
}
