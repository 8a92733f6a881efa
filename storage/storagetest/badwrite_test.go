package storagetest

import (
	"errors"
	"strings"
	"time"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

type tx = storage.Tx

// badWrites are faults of single writes.
func badWrites() []mutant {
	return []mutant{
		broken("Replace of anything", bent{replace: func(b *bent, c ctx, t tx, old, new storage.Object) error {
			if is, ok := b.node(old.ID); !ok || is.Revision != old.Revision {
				return nil // swallowed
			}
			return t.Replace(c, old, new)
		}}, "object/ReplaceStale", "tx/Sticky", "tx/AllOrNone", "model/Seed4", "model/Seed5", "model/Seed6", "model/Seed7"),
		broken("a second root", bent{insert: func(b *bent, c ctx, t tx, o storage.Object) error {
			if len(b.children("", o.Kind)) > 0 && o.Parent == "" {
				return nil
			}
			return t.Insert(c, o)
		}}, "object/Root", "race/Root"),
		broken("Replace over a taken name", bent{replace: func(b *bent, c ctx, t tx, old, new storage.Object) error {
			for _, n := range b.children(new.Parent, new.Kind) {
				if n.Name == new.Name && n.ID != new.ID {
					return nil
				}
			}
			return t.Replace(c, old, new)
		}}, "object/ReplaceTaken", "race/OneName"),
		broken("names do not change", bent{replace: func(_ *bent, c ctx, t tx, old, new storage.Object) error {
			new.Name = old.Name
			return t.Replace(c, old, new)
		}}, "object/Rename", "names/Case"),
		broken("commits change the object", bent{writeLog: func(b *bent, c ctx, t tx, id types.ID, old storage.Log, d storage.LogDelta) error {
			if n, ok := b.node(id); ok {
				_ = t.Replace(c, n.Object, next(n.Object, string(n.Body)))
			}
			return t.WriteLog(c, id, old, d)
		}}, "log/Apart"),
		broken("Delete of anything", bent{delete: func(b *bent, c ctx, t tx, old storage.Object) error {
			if is, ok := b.node(old.ID); !ok || is.Revision != old.Revision {
				return nil
			}
			return t.Delete(c, old)
		}}, "object/ReplaceStale", "tx/Sticky"),
		broken("WriteLog over anything", bent{writeLog: func(b *bent, c ctx, t tx, id types.ID, old storage.Log, d storage.LogDelta) error {
			if is, ok := b.node(id); ok {
				old = *is.Log
			}
			d.Revision += old.Revision
			return t.WriteLog(c, id, old, d)
		}}, "log/Stale"),
		broken("WriteLog to nobody", bent{writeLog: func(b *bent, c ctx, t tx, id types.ID, old storage.Log, d storage.LogDelta) error {
			if err := t.WriteLog(c, id, old, d); !errors.Is(err, storage.ErrStale) {
				return err
			}
			return nil
		}, update: func(b *bent, c ctx, fn func(t tx) error) error {
			if err := b.Store.Update(c, fn); !errors.Is(err, storage.ErrStale) {
				return err
			}
			return nil
		}}, "log/Gone", "log/Stale"),
		broken("Insert over a taken name", bent{insert: func(b *bent, c ctx, t tx, o storage.Object) error {
			for _, n := range b.children(o.Parent, o.Kind) {
				if n.Name == o.Name {
					return nil
				}
			}
			return t.Insert(c, o)
		}}, "object/Taken", "race/OneName", "tx/Sticky"),
		broken("names without case", bent{insert: func(b *bent, c ctx, t tx, o storage.Object) error {
			for _, n := range b.children(o.Parent, o.Kind) {
				if strings.EqualFold(n.Name, o.Name) {
					return storage.ErrExists
				}
			}
			return t.Insert(c, o)
		}}, "names/Case"),
		broken("Insert below nobody", bent{insert: func(b *bent, c ctx, t tx, o storage.Object) error {
			if _, ok := b.node(o.Parent); !ok && o.Parent != "" && o.Kind == kindTable {
				return nil
			}
			return t.Insert(c, o)
		}}, "object/ParentGone"),
		broken("Delete leaves the children", bent{delete: func(b *bent, c ctx, t tx, old storage.Object) error {
			return t.Replace(c, old, renamed(old, "deleted "+string(old.ID)))
		}}, "cascade/Delete", "cascade/Forced", "object/ParentGone"),
		broken("Delete leaves the name", bent{delete: func(b *bent, c ctx, t tx, old storage.Object) error {
			return t.Replace(c, old, next(old, "deleted"))
		}}, "cascade/Delete", "cascade/Recreated", "cascade/DropRacesCommit"),
		broken("kinds do not change", bent{replace: func(_ *bent, c ctx, t tx, old, new storage.Object) error {
			new.Kind = old.Kind
			return t.Replace(c, old, new)
		}}, "object/Staging", "cascade/StagingOnce"),
		broken("locations do not move", bent{replace: func(_ *bent, c ctx, t tx, old, new storage.Object) error {
			new.Location = old.Location
			return t.Replace(c, old, new)
		}}, "overlap/Moved", "race/OverlapMove"),
		broken("the store counts revisions", bent{replace: func(_ *bent, c ctx, t tx, old, new storage.Object) error {
			new.Revision = old.Revision + 1
			return t.Replace(c, old, new)
		}}, "object/Replace"),
		broken("the store has a clock", bent{replace: func(_ *bent, c ctx, t tx, old, new storage.Object) error {
			new.Updated = time.Now()
			return t.Replace(c, old, new)
		}}, "object/Replace", "object/Times"),
		broken("commits forgotten at once", bent{writeLog: func(_ *bent, c ctx, t tx, id types.ID, old storage.Log, d storage.LogDelta) error {
			d.Forget = d.Backfilled
			return t.WriteLog(c, id, old, d)
		}}, "log/Asked", "log/Forget"),
		broken("numbers that make no log are dropped", bent{writeLog: func(_ *bent, c ctx, t tx, id types.ID, old storage.Log, d storage.LogDelta) error {
			if d.Last < old.Last {
				return nil
			}
			return t.WriteLog(c, id, old, d)
		}}, "log/Wrong"),
		broken("forgets some more", bent{writeLog: func(_ *bent, c ctx, t tx, id types.ID, old storage.Log, d storage.LogDelta) error {
			if d.Forget-64 > 0 { // also if it wraps
				d.Forget = d.Backfilled
			}
			return t.WriteLog(c, id, old, d)
		}}, "log/ForgetAny"),
		broken("versions are floating", bent{writeLog: func(_ *bent, c ctx, t tx, id types.ID, old storage.Log, d storage.LogDelta) error {
			d.Last = min(d.Last, 1<<53)
			return t.WriteLog(c, id, old, d)
		}}, "log/Far"),
		broken("times rounded", bent{insert: func(_ *bent, c ctx, t tx, o storage.Object) error {
			o.Created = o.Created.Round(time.Millisecond)
			return t.Insert(c, o)
		}}, "object/Times"),
		mutant{"what was written is kept", func() Backend { return bend(aliasIn()) }, []string{"object/CopiedIn"}},
	}
}

// aliasIn keeps the bytes that it was given, until they are read.
func aliasIn() bent {
	type key struct {
		id       types.ID
		revision int64
	}
	given := make(map[key][]byte)
	b := eachNode(func(n *storage.Node) {
		if body, ok := given[key{n.ID, n.Revision}]; ok {
			n.Body = body
		}
	})
	b.replace = func(_ *bent, c ctx, t tx, old, new storage.Object) error {
		given[key{new.ID, new.Revision}] = new.Body
		return t.Replace(c, old, new)
	}
	return b
}
