package cli_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leveelake/catalog/internal/cli"
)

func TestParseColumns(t *testing.T) {
	for text, want := range map[string][]cli.Column{
		"":   {},
		"  ": {},
		"id BIGINT, name STRING": {
			{Name: "id", Type: "BIGINT", Nullable: true}, {Name: "name", Type: "STRING", Position: 1, Nullable: true},
		},
		"id bigint not null,p decimal(10,2),m map<string, array<int>>": {
			{Name: "id", Type: "bigint"}, {Name: "p", Type: "decimal(10,2)", Position: 1, Nullable: true},
			{Name: "m", Type: "map<string, array<int>>", Position: 2, Nullable: true},
		},
		"`a b``c, d` struct<x: int> NOT NULL COMMENT 'it''s, (so) it is'": {
			{Name: "a b`c, d", Type: "struct<x: int>", Comment: "it's, (so) it is"},
		},
	} {
		got, err := cli.ParseColumns(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
	for _, text := range []string{"id", "id BIGINT,", ",", "`id` ", "`` INT", "a array<int", "a int)", "a int COMMENT 'x", "a int 'x'"} {
		if got, err := cli.ParseColumns(text); err == nil {
			t.Errorf("%q is taken as %v", text, got)
		}
	}
}
