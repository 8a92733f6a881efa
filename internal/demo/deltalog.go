package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/leveelake/catalog/types"
)

// A deltaLog writes the files of a table's Delta log on this machine. Its commits have no
// data files: who wins and what readers see does not depend on them.
type deltaLog struct {
	dir  string
	last int64 // in-commit timestamp of the last file: they must go up
}

// openLog makes the folders of the log of a table at location.
func openLog(location string) (deltaLog, error) {
	u, err := url.Parse(location)
	if err != nil || u.Scheme != "file" {
		return deltaLog{}, fmt.Errorf("the server keeps its managed tables at %s, but the demo can write local files (file://) only: try a server started with plain levee serve", location)
	}
	dir := filepath.FromSlash(u.Path)
	if d := strings.TrimPrefix(dir, `\`); filepath.VolumeName(d) != "" {
		dir = d // file:///C:/lake on Windows
	}
	l := deltaLog{dir: filepath.Join(dir, "_delta_log")}
	if err := os.MkdirAll(filepath.Join(l.dir, "_staged_commits"), 0o755); err != nil {
		return l, fmt.Errorf("the demo must run on the server's machine and be allowed to write there: %w", err)
	}
	return l, nil
}

// version0 is the table to register: two columns, and all that staged asks for.
func version0(staged types.StagingTable, name string) types.CreateTable {
	properties := map[string]string{
		// Of what staged suggests, this needs no further feature.
		"delta.parquet.compression.codec": "zstd",
	}
	for key, value := range staged.RequiredProperties {
		if value != nil {
			properties[key] = *value
		}
	}
	return types.CreateTable{
		Name:     name,
		Location: staged.Location,
		Type:     types.Managed,
		Columns: types.StructType{Fields: []types.StructField{
			{Name: "id", Type: types.Long, Nullable: true},
			{Name: "city", Type: types.String, Nullable: true},
		}},
		Protocol:   staged.RequiredProtocol,
		Properties: properties,
	}
}

// writeVersion0 writes the first version of the log, which says what req says.
func (l *deltaLog) writeVersion0(staged types.StagingTable, req types.CreateTable) (file string, timestamp int64, err error) {
	file = logFile(0)
	info, timestamp := l.commitInfo("CREATE TABLE")
	_, err = l.write(file,
		info,
		map[string]any{"protocol": map[string]any{
			"minReaderVersion": req.Protocol.MinReaderVersion,
			"minWriterVersion": req.Protocol.MinWriterVersion,
			"readerFeatures":   req.Protocol.ReaderFeatures,
			"writerFeatures":   req.Protocol.WriterFeatures,
		}},
		map[string]any{"metaData": map[string]any{
			"id":     staged.ID,
			"format": map[string]any{"provider": "parquet", "options": map[string]any{}},
			// For columns without nested types the API spells a schema as the log does.
			"schemaString":     string(req.Columns.AppendJSON(nil)),
			"partitionColumns": []string{},
			"configuration":    req.Properties,
			"createdTime":      timestamp,
		}},
	)
	return file, timestamp, err
}

// stage writes a file that the catalog may ratify as version.
func (l *deltaLog) stage(version int64) (types.Commit, error) {
	c := types.Commit{Version: version, FileName: fmt.Sprintf("%020d.%s.json", version, uuid.NewString())}
	info, timestamp := l.commitInfo("WRITE")
	stat, err := l.write(stagedFile(c), info)
	if err != nil {
		return c, err
	}
	c.Timestamp, c.FileSize, c.FileModificationTimestamp = timestamp, stat.Size(), stat.ModTime().UnixMilli()
	return c, nil
}

// publish makes a ratified commit an ordinary file of the log. A link appears whole or
// not at all, and never in the place of a file that is there.
func (l *deltaLog) publish(c types.Commit) (file string, err error) {
	file = logFile(c.Version)
	return file, os.Link(filepath.Join(l.dir, stagedFile(c)), filepath.Join(l.dir, file))
}

// discard removes a file that was not ratified.
func (l *deltaLog) discard(c types.Commit) error {
	return os.Remove(filepath.Join(l.dir, stagedFile(c)))
}

func logFile(version int64) string { return fmt.Sprintf("%020d.json", version) }

func stagedFile(c types.Commit) string { return filepath.Join("_staged_commits", c.FileName) }

// commitInfo is the action that comes first in a file, with the commit's timestamp.
func (l *deltaLog) commitInfo(operation string) (action any, timestamp int64) {
	l.last = max(time.Now().UnixMilli(), l.last+1)
	return map[string]any{"commitInfo": map[string]any{
		"inCommitTimestamp":   l.last,
		"timestamp":           l.last,
		"operation":           operation,
		"operationParameters": map[string]any{},
		"engineInfo":          "levee demo",
		"txnId":               uuid.NewString(),
	}}, l.last
}

// write writes actions to a new file, one a line.
func (l *deltaLog) write(file string, actions ...any) (os.FileInfo, error) {
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	for _, a := range actions {
		if err := enc.Encode(a); err != nil {
			return nil, err
		}
	}
	path := filepath.Join(l.dir, file)
	if err := os.WriteFile(path, lines.Bytes(), 0o644); err != nil {
		return nil, err
	}
	return os.Stat(path)
}
