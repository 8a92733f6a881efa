package wire

import (
	"testing"

	"github.com/leveelake/catalog/types"
)

// TestAppendCommit reads what is sent as the server does.
func TestAppendCommit(t *testing.T) {
	const id = "0b0b3bd8-1f5b-4b1e-a1e2-1c2f5c8a7a11"
	var got types.UpdateTable
	if err := types.DecodeJSON(AppendCommit(nil, id, 42, 41), &got); err != nil {
		t.Fatal(err)
	}
	want := types.Commit{
		Version: 42, Timestamp: 1767225600000, FileName: "00000000000000000042." + id + ".json",
		FileSize: 1234, FileModificationTimestamp: 1767225600000,
	}
	if got.Require.TableUUID != id || got.Update.AddCommit.Commit != want || *got.Update.SetBackfilledVersion != 41 {
		t.Errorf("got %+v", got)
	}
	if err := types.DecodeJSON(AppendCommit(nil, id, 1, 0), &got); err != nil || got.Update.SetBackfilledVersion != nil {
		t.Errorf("nothing is backfilled: got %+v, %v", got, err)
	}
}
