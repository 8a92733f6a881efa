package catalog

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// What catalogs and schemas have in common.

// A namespace is the body of a catalog's and of a schema's object.
type namespace struct {
	Comment     *string           `json:"comment,omitempty"`
	Properties  map[string]string `json:"properties,omitempty"`
	StorageRoot string            `json:"root,omitempty"`
	Provider    string            `json:"provider,omitempty"`
	Share       string            `json:"share,omitempty"`
	VouchedBy   types.ID          `json:"vouched-by,omitempty"` // of the storage root: see vouch
	Owner       string            `json:"owner,omitempty"`
	CreatedBy   string            `json:"created-by,omitempty"`
	UpdatedBy   string            `json:"updated-by,omitempty"`
}

func decodeNamespace(o storage.Object) (namespace, error) {
	var n namespace
	if err := json.Unmarshal(o.Body, &n); err != nil {
		return n, corrupt(o, "body", err)
	}
	return n, nil
}

// newNamespace checks what a new catalog or schema is made of.
func (c *Catalog) newNamespace(ctx context.Context, comment string, properties map[string]string, root string) (namespace, error) {
	n := namespace{Properties: kept(properties), Owner: Principal(ctx), CreatedBy: Principal(ctx), UpdatedBy: Principal(ctx)}
	if err := c.rules.checkProperties("properties", properties); err != nil {
		return n, err
	}
	if err := checkText("comment", comment); err != nil {
		return n, err
	}
	if comment != "" {
		n.Comment = &comment
	}
	var err error
	n.StorageRoot, err = storageRoot(root)
	return n, err
}

// kept are the properties that are stored.
func kept(properties map[string]string) map[string]string {
	out := maps.Clone(properties)
	maps.DeleteFunc(out, func(key, _ string) bool { return isSecret(key) })
	return out
}

// maxNamespace bounds what catalogs and schemas say of themselves, in bytes: lists are full of them.
const maxNamespace = 1 << 20

func (n namespace) body() ([]byte, error) {
	body := plainJSON(n)
	if len(body) > maxNamespace {
		return nil, types.InvalidParameterValue.Errorf("properties and comment have %d bytes; the limit is %d", len(body), maxNamespace)
	}
	return body, nil
}

// createNamespace adds a catalog or schema at path, whose managed folder has this name in the plural.
func (c *Catalog) createNamespace(ctx context.Context, path []storage.Step, create Action, n namespace, plural string) (storage.Object, error) {
	id, now, step := newID(), c.now(), path[len(path)-1]
	o, err := update(ctx, c, func(tx storage.Tx) (storage.Object, error) {
		parents, err := c.vacancy(ctx, tx, create, path)
		if err != nil {
			return storage.Object{}, err
		}
		n := n
		if n.StorageRoot != "" {
			if n.VouchedBy, err = c.checkRoot(ctx, tx, n.StorageRoot); err != nil {
				return storage.Object{}, err
			}
		}
		body, err := n.body()
		if err != nil {
			return storage.Object{}, err
		}
		o := storage.Object{
			ID: id, Kind: step.Kind, Parent: last(parents).ID, Name: step.Name, Location: managedFolder(n.StorageRoot, plural, id),
			Revision: 1, Created: now, Updated: now, Body: body,
		}
		return o, tx.Insert(ctx, o)
	})
	return o, claimed(err, path)
}

// checkRoot refuses a storage root that lies in a table, or where the caller may have none. It returns the external
// location that allows it, if there is one.
func (c *Catalog) checkRoot(ctx context.Context, tx storage.ReadTx, root string) (types.ID, error) {
	inside, err := tx.Overlap(ctx, root, []types.Kind{types.KindTable, types.KindStagingTable}, 0)
	if err != nil {
		return "", err
	}
	if len(inside) > 0 {
		return "", types.InvalidParameterValue.Errorf("storage_root %q lies inside the location of a table", root)
	}
	return c.checkRootCovered(ctx, tx, root)
}

// A renewal is what is to change of a catalog or schema; nil stays.
type renewal struct {
	name, comment, owner *string
	properties           map[string]string
	update               Action // of what is neither owner nor name
	transfer             Action // of the owner
	rename               Action // of the name
}

// updateNamespace changes the object at path, and returns it as it is then.
func (c *Catalog) updateNamespace(ctx context.Context, path []storage.Step, r renewal) (storage.Object, error) {
	step := path[len(path)-1]
	if err := r.check(c.rules); err != nil {
		return storage.Object{}, err
	}
	target := path
	if r.name != nil && *r.name != step.Name {
		target = append(path[:len(path)-1:len(path)-1], storage.Step{Kind: step.Kind, Name: *r.name})
	}
	acts := r.actions(step.Name)
	now := c.now()
	o, err := update(ctx, c, func(tx storage.Tx) (storage.Object, error) {
		chain, err := c.reach(ctx, tx, acts[0], path, storage.Want{})
		if err != nil {
			return storage.Object{}, err
		}
		if err := c.checkOn(ctx, tx, chain, acts[1:]...); err != nil {
			return storage.Object{}, err
		}
		if err := c.free(ctx, tx, path, target); err != nil {
			return storage.Object{}, err
		}
		old := last(chain)
		n, err := decodeNamespace(old)
		if err != nil {
			return storage.Object{}, err
		}
		new, changed := old, r.apply(n)
		if new.Name = target[len(target)-1].Name; new.Name == old.Name && reflect.DeepEqual(changed, n) {
			return old, nil
		}
		changed.UpdatedBy = Principal(ctx)
		if new.Body, err = changed.body(); err != nil {
			return storage.Object{}, err
		}
		touch(&new, now)
		return new, tx.Replace(ctx, old, new)
	})
	return o, claimed(err, target)
}

// free refuses a new name, in place of the old one of path, that is taken.
func (c *Catalog) free(ctx context.Context, tx storage.ReadTx, path, target []storage.Step) error {
	if target[len(target)-1] == path[len(path)-1] {
		return nil
	}
	chain, err := tx.Lookup(ctx, target, storage.Want{})
	if err == nil && len(chain) > len(target) {
		err = taken(target)
	}
	return err
}

// check refuses what no catalog or schema could become.
func (r renewal) check(rules rules) error {
	if err := checkChange(rules, r.name, r.owner, r.comment); err != nil {
		return err
	}
	return rules.checkProperties("properties", r.properties)
}

// actions are those that r is, of something with this name; at least one.
func (r renewal) actions(name string) []Action {
	var acts []Action
	if r.owner != nil {
		acts = append(acts, r.transfer)
	}
	if r.name != nil && *r.name != name {
		acts = append(acts, r.rename)
	}
	if r.comment != nil || len(r.properties) > 0 || len(acts) == 0 {
		acts = append(acts, r.update)
	}
	return acts
}

// apply returns n after r.
func (r renewal) apply(n namespace) namespace {
	if r.comment != nil {
		n.Comment = copyOf(r.comment)
	}
	if r.owner != nil {
		n.Owner = *r.owner
	}
	if len(r.properties) > 0 { // generated clients send an empty map when they mean none
		n.Properties = kept(r.properties)
	}
	return n
}
