package types_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/leveelake/catalog/types"
)

const (
	assertID = `{"type":"assert-table-uuid","uuid":"` + id + `"}`
	backfill = `{"action":"set-latest-backfilled-version","latest-published-version":1}`
)

// update is the body of an update with the right requirement.
func update(actions ...string) string {
	return `{"requirements":[` + assertID + `],"updates":[` + strings.Join(actions, ",") + `]}`
}

func TestDecodeUpdate(t *testing.T) {
	all := update(
		`{"action":"set-latest-backfilled-version","latest-published-version":-1}`,
		`{"action":"add-commit","commit":`+commit1+`,"uniform":`+uniform1+`}`,
		`{"action":"set-properties","updates":{"a":"1","b.c":""}}`,
		`{"action":"remove-properties","removals":["x","x"]}`,
		`{"action":"set-columns","columns":`+columns1+`}`,
		`{"action":"set-partition-columns","partition-columns":["a"]}`,
		`{"action":"set-protocol","protocol":`+protocol1+`}`,
		`{"action":"set-table-comment","comment":""}`,
		`{"action":"set-domain-metadata","updates":{"delta.clustering":{"clusteringColumns":[]}}}`,
		`{"action":"remove-domain-metadata","domains":["delta.rowTracking"]}`,
		`{"action":"update-metadata-snapshot-version","last-commit-version":42,"last-commit-timestamp-ms":7}`,
	)
	all = strings.Replace(all, assertID, `{"type":"assert-etag","etag":"e"},`+assertID, 1)
	want := types.UpdateTable{
		Require: types.Requirement{TableUUID: id, ETag: ptr("e")},
		Update: types.Update{
			SetColumns:           &someColumns,
			SetPartitionColumns:  []string{"a"},
			SetProtocol:          &someProtocol,
			SetProperties:        map[string]string{"a": "1", "b.c": ""},
			RemoveProperties:     []string{"x", "x"},
			SetDomains:           &types.DomainMetadata{Clustering: &types.Clustering{}},
			RemoveDomains:        []string{types.DomainRowTracking},
			SetComment:           ptr(""),
			SetSnapshotVersion:   &types.SnapshotVersion{LastCommitVersion: 42, LastCommitTimestamp: 7},
			AddCommit:            &types.AddCommit{Commit: someCommit, Uniform: &someUniform},
			SetBackfilledVersion: ptr[int64](-1),
		},
	}
	empty := update(
		`{"action":"set-properties","updates":{}}`,
		`{"action":"remove-properties","removals":[]}`,
		`{"action":"set-partition-columns","partition-columns":[]}`,
		`{"action":"remove-domain-metadata","domains":[]}`,
	)
	for text, want := range map[string]types.UpdateTable{
		all: want,
		empty: {
			Require: types.Requirement{TableUUID: id},
			Update: types.Update{
				SetProperties: map[string]string{}, RemoveProperties: []string{},
				SetPartitionColumns: []string{}, RemoveDomains: []string{},
			},
		},
	} {
		var got, again types.UpdateTable
		if err := types.DecodeJSON([]byte(text), &got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		same(t, got, want)
		written, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if err := types.DecodeJSON(written, &again); err != nil {
			t.Fatalf("%s: %v", written, err)
		}
		same(t, again, want)
		for _, u := range []types.Update{got.Update, again.Update} {
			if u.SetProperties == nil || u.RemoveProperties == nil || u.SetPartitionColumns == nil || u.RemoveDomains == nil {
				t.Errorf("an empty action is lost: %+v", u)
			}
		}
	}

	written, err := json.Marshal(types.UpdateTable{Require: types.Requirement{TableUUID: id}})
	if want := `{"requirements":[` + assertID + `],"updates":[]}`; err != nil || string(written) != want {
		t.Errorf("no update: %s, %v; want %s", written, err, want)
	}
}

func TestDecodeUpdateRefusals(t *testing.T) {
	const invalid, bad = types.InvalidParameterValue, types.BadRequest
	require := func(requirements string) string {
		return `{"requirements":` + requirements + `,"updates":[` + backfill + `]}`
	}
	for _, tt := range []struct {
		text string
		code types.Code
		want string
	}{
		{`{"updates":[` + backfill + `]}`, invalid, "requirements: missing"},
		{require(`null`), invalid, "requirements: missing"},
		{require(`{}`), bad, "requirements: want an array, got an object"},
		{require(`[]`), invalid, "requirements: assert-table-uuid is missing"},
		{require(`[{"type":"assert-etag","etag":"e"}]`), invalid, "requirements: assert-table-uuid is missing"},
		{require(`[null]`), bad, "requirements[0]: want an object, got null"},
		{require(`[{}]`), invalid, "requirements[0].type: missing"},
		{require(`[{"type":"assert-x"}]`), bad, `requirements[0]: unknown type "assert-x"`},
		{require(`[{"type":"assert-table-uuid"}]`), invalid, "requirements[0].uuid: missing"},
		{require(`[{"type":"assert-table-uuid","uuid":null}]`), invalid, "requirements[0].uuid: missing"},
		{require(`[{"type":"assert-table-uuid","uuid":"x"}]`), bad, `requirements[0].uuid: "x" is not a UUID`},
		{require(`[{"type":"assert-table-uuid","uuid":""}]`), bad, `requirements[0].uuid: "" is not a UUID`},
		{require(`[` + assertID + `,` + assertID + `]`), invalid, "requirements[1]: assert-table-uuid is there twice"},
		{require(`[` + assertID + `,{"type":"assert-etag"}]`), invalid, "requirements[1].etag: missing"},
		{require(`[` + assertID + `,{"type":"assert-etag","etag":""}]`), invalid, "requirements[1].etag: empty"},
		{require(`[{"type":"assert-etag","etag":"e"},{"type":"assert-etag","etag":"e"}]`), invalid, "requirements[1]: assert-etag is there twice"},

		{`{"requirements":[` + assertID + `]}`, invalid, "updates: missing"},
		{update(), invalid, "updates: empty"},
		{update(`null`), bad, "updates[0]: want an object, got null"},
		{update(backfill, `{}`), invalid, "updates[1].action: missing"},
		{update(`{"action":null}`), invalid, "updates[0].action: missing"},
		{update(`{"action":"explode"}`), bad, `updates[0]: unknown action "explode"`},
		{update(`{"action":"SET-PROPERTIES","updates":{}}`), bad, `updates[0]: unknown action`},
		{update(backfill, backfill), invalid, "updates[1]: set-latest-backfilled-version is there twice"},
		{update(`{"action":"set-properties","updates":{}}`, backfill, `{"action":"set-properties","updates":{"a":"1"}}`), invalid, "updates[2]: set-properties is there twice"},

		{update(`{"action":"set-properties"}`), invalid, "updates[0].updates: missing"},
		{update(`{"action":"set-properties","updates":{"a":null}}`), bad, `updates[0].updates["a"]: want a string, got null`},
		{update(`{"action":"remove-properties"}`), invalid, "updates[0].removals: missing"},
		{update(`{"action":"remove-properties","removals":[null]}`), bad, "updates[0].removals[0]: want a string"},
		{update(`{"action":"set-columns"}`), invalid, "updates[0].columns: missing"},
		{update(`{"action":"set-columns","columns":null}`), invalid, "updates[0].columns: missing"},
		{update(`{"action":"set-columns","columns":{"type":"struct","fields":[]}}`), invalid, "updates[0].columns.fields: a struct has at least one field"},
		{update(`{"action":"set-partition-columns"}`), invalid, "updates[0].partition-columns: missing"},
		{update(`{"action":"set-partition-columns","partition-columns":null}`), invalid, "updates[0].partition-columns: missing"},
		{update(`{"action":"set-protocol"}`), invalid, "updates[0].protocol: missing"},
		{update(`{"action":"set-protocol","protocol":{"min-reader-version":3}}`), invalid, "updates[0].protocol.min-writer-version: missing"},
		{update(`{"action":"set-table-comment"}`), invalid, "updates[0].comment: missing"},
		{update(`{"action":"set-table-comment","comment":null}`), invalid, "updates[0].comment: missing"},
		{update(`{"action":"set-domain-metadata"}`), invalid, "updates[0].updates: missing"},
		{update(`{"action":"set-domain-metadata","updates":{}}`), invalid, "updates[0].updates: no domain"},
		{update(`{"action":"set-domain-metadata","updates":{"delta.clustering":null}}`), invalid, "updates[0].updates: no domain"},
		{update(`{"action":"set-domain-metadata","updates":{"x":{}}}`), invalid, `updates[0].updates: unknown domain "x"`},
		{update(`{"action":"remove-domain-metadata"}`), invalid, "updates[0].domains: missing"},
		{update(`{"action":"remove-domain-metadata","domains":["foo"]}`), invalid, `updates[0].domains[0]: unknown domain "foo"`},
		{update(`{"action":"add-commit"}`), invalid, "updates[0].commit: missing"},
		{update(`{"action":"add-commit","commit":{"version":1}}`), invalid, "updates[0].commit.timestamp: missing"},
		{update(`{"action":"add-commit","commit":` + commit1 + `,"uniform":{}}`), invalid, "updates[0].uniform.iceberg: missing"},
		{update(`{"action":"set-latest-backfilled-version"}`), invalid, "updates[0].latest-published-version: missing"},
		{update(`{"action":"set-latest-backfilled-version","latest-published-version":"1"}`), bad, "updates[0].latest-published-version: want an integer, got a string"},
		{update(`{"action":"update-metadata-snapshot-version","last-commit-version":1}`), invalid, "updates[0].last-commit-timestamp-ms: missing"},
		{update(`{"action":"update-metadata-snapshot-version","last-commit-timestamp-ms":1}`), invalid, "updates[0].last-commit-version: missing"},

		{update(`{"action":"remove-properties","removals":["b","a"]}`, `{"action":"set-properties","updates":{"a":"1"}}`), invalid, `updates: property "a" is set and removed`},
		{update(`{"action":"set-domain-metadata","updates":{"delta.clustering":{"clusteringColumns":[]}}}`, `{"action":"remove-domain-metadata","domains":["delta.clustering"]}`), invalid, "updates: domain delta.clustering is set and removed"},
		{update(`{"action":"set-domain-metadata","updates":{"delta.rowTracking":{"rowIdHighWaterMark":1}}}`, `{"action":"remove-domain-metadata","domains":["delta.clustering","delta.rowTracking"]}`), invalid, "updates: domain delta.rowTracking is set and removed"},
	} {
		var u types.UpdateTable
		err := types.DecodeJSON([]byte(tt.text), &u)
		t.Run(tt.want, func(t *testing.T) { refused(t, err, tt.code, tt.want) })
	}
}

// commitRequest is what Spark sends with each commit.
var commitRequest = []byte(update(
	`{"action":"add-commit","commit":{"version":17,"timestamp":1796030000000,"file-name":"00000000000000000017.`+id+`.json","file-size":1234,"file-modification-timestamp":1796030000123}}`,
	`{"action":"set-latest-backfilled-version","latest-published-version":16}`))

func BenchmarkDecodeCommitRequest(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(int64(len(commitRequest)))
	for b.Loop() {
		var u types.UpdateTable
		if err := types.DecodeJSON(commitRequest, &u); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleUpdateTable() {
	body, _ := json.Marshal(types.UpdateTable{
		Require: types.Requirement{TableUUID: "01234567-89ab-cdef-0123-456789abcdef"},
		Update:  types.Update{RemoveProperties: []string{"owner"}},
	})
	fmt.Println(string(body))
	var back types.UpdateTable
	fmt.Println(types.DecodeJSON([]byte(`{"requirements":[]}`), &back))
	// Output:
	// {"requirements":[{"type":"assert-table-uuid","uuid":"01234567-89ab-cdef-0123-456789abcdef"}],"updates":[{"action":"remove-properties","removals":["owner"]}]}
	// InvalidParameterValueException: requirements: assert-table-uuid is missing
}
