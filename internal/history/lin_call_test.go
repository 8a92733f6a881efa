package history_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/leveelake/catalog/types"
)

const (
	schemasPath = "/api/2.1/unity-catalog/delta/v1/catalogs/c/schemas/"
	schemaPath  = schemasPath + "s"
)

// tableName is the name of a table in the catalog.
func tableName(slot, name int) string { return fmt.Sprintf("t%d%c", slot, 'a'+name) }

// fileName and its inverse: a file of each name is made once.
func fileName(version int64, file uint32) string { return fmt.Sprintf("%020d.%d.json", version, file) }

func fileOf(name string) uint32 {
	_, rest, _ := strings.Cut(name, ".")
	number, _, _ := strings.Cut(rest, ".")
	n, err := strconv.ParseUint(number, 10, 32)
	if err != nil {
		return 0
	}
	return uint32(n)
}

// commitOf is the commit of a file: what it says is always the same.
func commitOf(version int64, file uint32) types.Commit {
	return types.Commit{
		Version: version, FileName: fileName(version, file), Timestamp: 1000 + version,
		FileSize: int64(file), FileModificationTimestamp: 2000 + int64(file),
	}
}

// request is the HTTP request of an input.
func (r *run) request(in input) (method, path string, body any) {
	path = r.schema + "/tables/" + tableName(in.slot, in.name)
	switch in.op {
	case "load":
		return "GET", path, nil
	case "exists":
		return "HEAD", path, nil
	case "drop":
		return "DELETE", path, nil
	case "rename":
		return "POST", path + "/rename", types.RenameTable{NewName: tableName(in.slot, in.to)}
	case "stage":
		return "POST", r.schema + "/staging-tables", types.CreateStagingTable{Name: tableName(in.slot, in.name)}
	case "create":
		return "POST", r.schema + "/tables", createManaged(tableName(in.slot, in.name), in.id, r.root+"/__unitystorage/tables/"+string(in.id))
	}
	u := types.UpdateTable{Require: types.Requirement{TableUUID: in.id}}
	if in.etag != "" {
		u.Require.ETag = &in.etag
	}
	if in.property != "" {
		u.Update.SetProperties = map[string]string{"p": in.property}
	}
	if in.version > 0 {
		u.Update.AddCommit = &types.AddCommit{Commit: commitOf(in.version, in.file)}
	}
	u.Update.SetBackfilledVersion = in.backfill
	return "POST", path, u
}

// createManaged is a valid request for a managed table.
func createManaged(name string, id types.ID, location string) types.CreateTable {
	zero := int64(0)
	return types.CreateTable{
		Name: name, Location: location, Type: types.Managed, LastCommitTimestamp: &zero,
		Columns: types.StructType{Fields: []types.StructField{{Name: "id", Type: types.Long, Metadata: types.Metadata{}}}},
		Protocol: types.Protocol{
			MinReaderVersion: 3, MinWriterVersion: 7,
			ReaderFeatures: []string{"catalogManaged", "deletionVectors", "v2Checkpoint", "vacuumProtocolCheck"},
			WriterFeatures: []string{"catalogManaged", "deletionVectors", "inCommitTimestamp", "v2Checkpoint", "vacuumProtocolCheck"},
		},
		Properties: map[string]string{
			"delta.checkpoint.writeStatsAsJson": "true", "delta.checkpoint.writeStatsAsStruct": "true",
			"delta.checkpointPolicy": "v2", "delta.enableDeletionVectors": "true",
			"delta.enableInCommitTimestamps": "true", "io.unitycatalog.tableId": string(id),
		},
	}
}

// do sends a request and notes what came of it.
func (c *client) do(ctx context.Context, in input) output {
	method, path, body := c.run.request(in)
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			panic(err)
		}
	}
	twice := false
	req, err := http.NewRequestWithContext(context.WithValue(ctx, twiceKey{}, &twice), method, c.run.url+path, bytes.NewReader(data))
	if err != nil {
		panic(err)
	}
	op := porcupine.Operation{ClientId: c.id, Input: in, Call: c.run.time.Add(1)}
	out := c.read(c.run.client.Do(req))
	op.Output, op.Return = out, c.run.time.Add(1)
	if out.unknown {
		op.Return = forever
	}
	if !out.unknown || writes(in) {
		c.run.add(op)
		c.done++
	}
	if twice && writes(in) {
		// One of the two nobody has heard of.
		op.Output, op.Return = output{unknown: true}, forever
		c.run.add(op)
	}
	return out
}

// writes reports whether in can change what others see.
func writes(in input) bool { return in.op != "load" && in.op != "exists" && in.op != "stage" }

// read takes an answer apart. What is odd becomes a status that no model expects.
func (c *client) read(res *http.Response, err error) output {
	if err != nil {
		return output{unknown: true}
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return output{unknown: true}
	}
	out := output{status: res.StatusCode}
	var body struct {
		Error struct {
			Type types.Code `json:"type"`
			Code int        `json:"code"`
		} `json:"error"`
		Staged types.ID `json:"table-id"`
	}
	switch {
	case len(data) == 0:
		return out
	case json.Unmarshal(data, &body) != nil:
		return output{status: -1}
	case res.StatusCode != http.StatusOK:
		if body.Error.Code != res.StatusCode {
			return output{status: -1}
		}
		out.code = body.Error.Type
		out.unknown = out.code == types.CommitStateUnknown && c.run.flaky
		return out
	case body.Staged != "":
		out.table.id = body.Staged
		return out
	}
	var t types.Table
	if err := types.DecodeJSON(data, &t); err != nil || t.LatestVersion == nil || t.LastCommitVersion == nil {
		return output{status: -1}
	}
	out.table = shown{
		id: t.ID, etag: t.ETag, updated: t.Updated.UnixMilli(), property: t.Properties.Get("p"),
		metadata: *t.LastCommitVersion, latest: *t.LatestVersion,
	}
	version := *t.LatestVersion
	for _, commit := range t.Commits { // newest first, without a gap
		file := fileOf(commit.FileName)
		if commit != commitOf(version, file) {
			return output{status: -1}
		}
		out.table.commits = fileBytes(file) + out.table.commits
		version--
	}
	return out
}
