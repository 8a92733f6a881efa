package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/leveelake/catalog/types"
)

// This file is what any Delta writer does by itself. The catalog never touches the files of a table.

// version0 is a table of one column that is all that the catalog asks for, in the words
// of the catalog and in those of a Delta log.
func version0(staged types.StagingTable) (types.CreateTable, []any) {
	t := types.CreateTable{
		Name: "trips", Location: staged.Location, Type: types.Managed, Protocol: staged.RequiredProtocol,
		Columns:             types.StructType{Fields: []types.StructField{{Name: "id", Type: types.Long, Nullable: true}}},
		Properties:          map[string]string{},
		LastCommitTimestamp: new(time.Now().UnixMilli()),
	}
	for key, value := range staged.RequiredProperties {
		t.Properties[key] = *value
	}
	return t, []any{
		commitInfo(*t.LastCommitTimestamp),
		object{"protocol": object{
			"minReaderVersion": t.Protocol.MinReaderVersion, "readerFeatures": t.Protocol.ReaderFeatures,
			"minWriterVersion": t.Protocol.MinWriterVersion, "writerFeatures": t.Protocol.WriterFeatures,
		}},
		object{"metaData": object{
			"id": staged.ID, "format": object{"provider": "parquet", "options": object{}},
			"schemaString": string(t.Columns.AppendJSON(nil)), "partitionColumns": []string{}, "configuration": t.Properties,
		}},
	}
}

type object map[string]any // in JSON

func commitInfo(timestamp int64) any {
	return object{"commitInfo": object{"inCommitTimestamp": timestamp, "timestamp": timestamp, "operation": "WRITE", "operationParameters": object{}}}
}

// stage writes a commit without data files, for the catalog to ratify.
func stage(location string, version int64) (types.Commit, error) {
	c := types.Commit{Version: version, Timestamp: time.Now().UnixMilli() + version, FileName: fmt.Sprintf("%020d.%s.json", version, uuid.NewString())}
	info, err := write(location, "_staged_commits/"+c.FileName, commitInfo(c.Timestamp))
	if err == nil {
		c.FileSize, c.FileModificationTimestamp = info.Size(), info.ModTime().UnixMilli()
	}
	return c, err
}

// write writes actions, one a line, to a file of the Delta log of the table at location.
func write(location, name string, actions ...any) (os.FileInfo, error) {
	var lines bytes.Buffer
	for _, a := range actions {
		if err := json.NewEncoder(&lines).Encode(a); err != nil {
			return nil, err
		}
	}
	file := logFile(location, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(file, lines.Bytes(), 0o644); err != nil {
		return nil, err
	}
	return os.Stat(file)
}

func logFile(location string, name ...string) string {
	return filepath.Join(append([]string{strings.TrimPrefix(location, "file://"), "_delta_log"}, name...)...)
}
