package catalog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/types"
)

// events is an EventSink that keeps what it is told in short.
type events struct {
	mu   sync.Mutex
	told []types.Event
}

func (s *events) Event(_ context.Context, e types.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = append(s.told, e)
}

func (s *events) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, e := range s.told {
		out = append(out, string(e.Action)+" "+string(e.Kind)+" "+e.Name)
	}
	s.told = nil
	return strings.Join(out, ", ")
}

func TestEvents(t *testing.T) {
	for name, store := range stores(t) {
		t.Run(name, func(t *testing.T) {
			sink := &events{}
			c := guarded(t, store, catalog.Config{Events: sink})
			ann := catalog.WithRequestID(as(t, "ann"), "r-1")
			want := func(what, text string) {
				t.Helper()
				if got := sink.take(); got != text {
					t.Errorf("%s: %q, want %q", what, got, text)
				}
			}
			want("set-up", "create metastore metastore, update metastore metastore, create grant , create catalog c1, create schema c1.s1")
			table := func() types.Table {
				staged, err := c.CreateStagingTable(ann, s1, types.CreateStagingTable{Name: "t1"})
				check(t, err)
				made, err := c.CreateTable(ann, s1, createRequest("t1", staged))
				check(t, err)
				return made
			}()
			id := string(table.ID)
			want("create", "create staging-table c1.s1."+id+", vend table , create table c1.s1.t1")
			_, err := c.AddCommit(ann, t1, table.ID, types.Commit{Version: 1, Timestamp: 1, FileName: "00000000000000000001." + id + ".json", FileSize: 1, FileModificationTimestamp: 1}, nil)
			check(t, err)
			if e := sink.told[0]; e.Version == nil || *e.Version != 1 || e.Principal != "ann" || e.RequestID != "r-1" || e.Time.IsZero() || e.ID != table.ID {
				t.Errorf("%+v", e)
			}
			want("commit", "commit table c1.s1.t1")
			_, err = c.AddCommit(ann, t1, table.ID, types.Commit{Version: 3, Timestamp: 1, FileName: "00000000000000000003." + id + ".json", FileSize: 1, FileModificationTimestamp: 1}, nil)
			wantCode(t, "gap", err, types.InvalidParameterValue)
			want("what is refused", "")
			_, err = c.UpdateTable(ann, t1, types.UpdateTable{Require: types.Requirement{TableUUID: table.ID}, Update: types.Update{SetComment: new("x")}})
			check(t, err)
			if e := sink.told[0]; e.Before == 0 || e.After <= e.Before {
				t.Errorf("%+v", e)
			}
			want("update", "update table c1.s1.t1")
			_, err = c.Backfill(ann, t1, table.ID, 1)
			check(t, err)
			want("backfill", "backfill table c1.s1.t1")
			check(t, c.RenameTable(ann, t1, types.RenameTable{NewName: "t2"}))
			want("rename", "update table c1.s1.t2")
			_, err = c.TableCredentials(ann, s1.Table("t2"), types.Read)
			check(t, err)
			if e := sink.told[0]; e.ID != table.ID || e.Operation != types.Read || e.Location == "" || e.Expires.IsZero() {
				t.Errorf("%+v", e)
			}
			want("vend", "vend table ")
			allow(t, c, types.Securable{Kind: types.KindTable, Name: "c1.s1.t2"}, "bob", types.PrivilegeSelect)
			if e := sink.told[0]; e.Grantee != "bob" || len(e.Privileges) != 1 {
				t.Errorf("%+v", e)
			}
			want("grant", "create grant c1.s1.t2")
			_, err = c.UpdateCatalog(ann, "c1", types.UpdateCatalog{Owner: new("ann"), Comment: new("x")})
			check(t, err)
			_, err = c.UpdateCatalog(as(t, "root"), "c1", types.UpdateCatalog{Owner: new("zoe")})
			check(t, err)
			if e := sink.told; e[0].Owner != "" || e[1].Owner != "zoe" {
				t.Errorf("%+v", e)
			}
			want("owner", "update catalog c1, update catalog c1")
			for range 2 { // the first token, and another one, of a principal
				token, err := c.CreateToken(as(t, "root"), types.CreateToken{Principal: "al", Groups: []string{"g"}})
				check(t, err)
				if e := sink.told[0]; len(e.Groups) != 1 || e.ID != token.ID {
					t.Errorf("%+v", e)
				}
				want("token", "create token al."+string(token.ID))
			}
			check(t, c.DeleteCatalog(as(t, "root"), "c1", true))
			want("drop", "delete catalog c1")
		})
	}
}

// TestEventLog: one line of JSON each, and a sink that panics harms nobody.
func TestEventLog(t *testing.T) {
	var b bytes.Buffer
	log := catalog.EventLog{Logger: slog.New(slog.NewJSONHandler(&b, nil))}
	log.Event(t.Context(), types.Event{Action: "vend", Kind: types.KindTable, ID: "x", Location: "s3://b/t", Operation: types.Read, Expires: time.UnixMilli(1)})
	var line map[string]any
	if err := json.Unmarshal(b.Bytes(), &line); err != nil || line["action"] != "vend" || line["location"] != "s3://b/t" || line["name"] != nil || strings.Count(b.String(), "\n") != 1 {
		t.Errorf("%s %v", &b, err)
	}
	c := open(t, catalog.Config{Store: stores(t)["memory"], Events: panicking{}})
	if _, err := c.GetSchema(t.Context(), s1); err != nil {
		t.Error(err)
	}
}

type panicking struct{}

func (panicking) Event(context.Context, types.Event) { panic("no") }

// TestNoEventWithoutChange: what is refused is not told as done.
func TestNoEventWithoutChange(t *testing.T) {
	sink := &events{}
	c := open(t, catalog.Config{Store: stores(t)["memory"], Events: sink})
	sink.take()
	_, err := c.CreateSchema(t.Context(), types.CreateSchema{Name: s1})
	wantCode(t, "twice", err, types.AlreadyExists)
	if got := sink.take(); got != "" {
		t.Error(got)
	}
}
