package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// Permissions returns what is granted on a securable, by principal: to all or, if principal is not "", to
// this one. Who may not see all grants, but the securable, sees the caller's and the caller's groups' own.
//
// Errors: InvalidParameterValue (the securable's kind or name), NoSuchCatalog, NoSuchSchema, NoSuchTable and
// NotFound, PermissionDenied.
func (c *Catalog) Permissions(ctx context.Context, on types.Securable, principal string) ([]types.PrivilegeAssignment, error) {
	if err := c.ensureRoot(ctx, on); err != nil {
		return nil, err
	}
	return view(ctx, c, func(tx storage.ReadTx) ([]types.PrivilegeAssignment, error) {
		chain, err := c.reachGrants(ctx, tx, on)
		if err != nil {
			return nil, err
		}
		return c.assignments(ctx, tx, chain, principal)
	})
}

// reachGrants looks up a securable whose grants are wanted.
func (c *Catalog) reachGrants(ctx context.Context, tx storage.ReadTx, on types.Securable) ([]storage.Node, error) {
	path, get, err := securablePath(on)
	if err != nil {
		return nil, err
	}
	return c.reach(ctx, tx, get, path, storage.Want{})
}

// assignments are the grants on the end of a chain: of principal, "" for all, and of what the caller may see.
func (c *Catalog) assignments(ctx context.Context, tx storage.ReadTx, chain []storage.Node, principal string) ([]types.PrivilegeAssignment, error) {
	who, whole := callerOf(ctx), true
	if err := c.checkOn(ctx, tx, chain, ActGrant); types.CodeOf(err) == types.PermissionDenied {
		whole = false
	} else if err != nil {
		return nil, err
	}
	nodes, err := tx.List(ctx, storage.ListQuery{Parent: last(chain).ID, Kind: types.KindGrant}, storage.Want{})
	if err != nil {
		return nil, err
	}
	out := []types.PrivilegeAssignment{}
	for _, n := range nodes {
		if principal != "" && n.Name != principal || !whole && !who.has(n.Name) {
			continue
		}
		g, err := c.grantIn(tx, n.Object)
		if err != nil {
			return nil, err
		}
		out = append(out, types.PrivilegeAssignment{Principal: n.Name, Privileges: slices.Clone(g.Privileges)})
	}
	return out, nil
}

// EffectivePermissions returns what principals have on a securable by grants on it and on all above; principal
// and who sees what are as of [Catalog.Permissions]. Ownership, and what it allows, is not among it.
//
// Errors: as of Permissions.
func (c *Catalog) EffectivePermissions(ctx context.Context, on types.Securable, principal string) ([]types.EffectivePrivilegeAssignment, error) {
	if err := c.ensureRoot(ctx, on); err != nil {
		return nil, err
	}
	return view(ctx, c, func(tx storage.ReadTx) ([]types.EffectivePrivilegeAssignment, error) {
		chain, err := c.reachGrants(ctx, tx, on)
		if err != nil {
			return nil, err
		}
		all := map[string][]types.EffectivePrivilege{}
		for i := range slices.Backward(chain) {
			if err := c.addEffective(ctx, tx, chain, i, principal, all); err != nil {
				return nil, err
			}
		}
		out := []types.EffectivePrivilegeAssignment{}
		for _, p := range sortedKeys(all) {
			slices.SortFunc(all[p], func(a, b types.EffectivePrivilege) int {
				return strings.Compare(string(a.Privilege), string(b.Privilege))
			})
			out = append(out, types.EffectivePrivilegeAssignment{Principal: p, Privileges: all[p]})
		}
		return out, nil
	})
}

// addEffective adds to all what is granted on the level at i of a chain and says something of its end, as far as the
// caller may see it and it is not known from further down.
func (c *Catalog) addEffective(ctx context.Context, tx storage.ReadTx, chain []storage.Node, i int, principal string, all map[string][]types.EffectivePrivilege) error {
	granted, err := c.assignments(ctx, tx, chain[:i+1], principal)
	if err != nil {
		return err
	}
	for _, a := range granted {
		for _, p := range a.Privileges {
			known := slices.ContainsFunc(all[a.Principal], func(known types.EffectivePrivilege) bool { return known.Privilege == p })
			if known || !p.On(last(chain).Kind) {
				continue
			}
			e := types.EffectivePrivilege{Privilege: p}
			if i < len(chain)-1 {
				e.InheritedFrom = &types.Securable{Kind: chain[i].Kind, Name: fullNameOf(chain[:i+1])}
			}
			all[a.Principal] = append(all[a.Principal], e)
		}
	}
	return nil
}

// UpdatePermissions grants and revokes privileges on a securable, all of the changes or none, and returns what
// the principals named in them have then on the securable itself. To grant what is granted and to revoke what
// is not does nothing. A principal or group may be any name. When it returns, the change is durable; a revoke may
// lose to a request that is under way.
//
// Errors: InvalidParameterValue (the securable's kind or name, a privilege that securables of the kind do
// not have, one that is added and removed), NoSuchCatalog, NoSuchSchema, NoSuchTable and NotFound, PermissionDenied.
func (c *Catalog) UpdatePermissions(ctx context.Context, on types.Securable, changes []types.PermissionsChange) ([]types.PrivilegeAssignment, error) {
	path, _, err := securablePath(on)
	if err != nil {
		return nil, err
	}
	if err := checkChanges(on.Kind, changes); err != nil {
		return nil, err
	}
	if err := c.ensureRoot(ctx, on); err != nil {
		return nil, err
	}
	now := c.now()
	want := storage.Want{} // what is granted to those in the changes, not to all that there are
	for _, ch := range changes {
		want.Beside = append(want.Beside, storage.Step{Kind: types.KindGrant, Name: ch.Principal})
	}
	return updateAgain(ctx, c, func(tx storage.Tx) ([]types.PrivilegeAssignment, error) {
		chain, err := c.reach(ctx, tx, ActGrant, path, want)
		if err != nil {
			return nil, err
		}
		return c.grantAll(ctx, tx, chain[len(chain)-1], changes, now)
	})
}

// ensureRoot makes sure that there is a metastore if it is asked for: to its users there always is.
func (c *Catalog) ensureRoot(ctx context.Context, on types.Securable) error {
	if on.Kind != types.KindMetastore {
		return nil
	}
	_, err := c.ensureMetastore(ctx)
	return err
}

// maxGrants bounds the changes of one request, maxPrivileges what is in one.
const (
	maxGrants     = 1000
	maxPrivileges = 100
)

func checkChanges(k types.Kind, changes []types.PermissionsChange) error {
	bad := func(i int, format string, args ...any) error {
		return types.InvalidParameterValue.Errorf("changes[%d]: "+format, append([]any{i}, args...)...)
	}
	if err := within("changes", len(changes), maxGrants, "items"); err != nil {
		return err
	}
	for i, ch := range changes {
		if err := checkPrincipal(fmt.Sprintf("changes[%d].principal", i), ch.Principal); err != nil {
			return err
		}
		if err := within(fmt.Sprintf("changes[%d]", i), len(ch.Add)+len(ch.Remove), maxPrivileges, "privileges"); err != nil {
			return err
		}
		for _, p := range slices.Concat(ch.Add, ch.Remove) {
			if !p.On(k) {
				return bad(i, "%s is no privilege on a %s", p, title(k))
			}
		}
		for _, p := range ch.Add {
			if slices.Contains(ch.Remove, p) {
				return bad(i, "%s is added and removed", p)
			}
		}
	}
	return nil
}

// grantAll applies changes to the grants on o, beside which those of the principals in changes were read.
func (c *Catalog) grantAll(ctx context.Context, tx storage.Tx, o storage.Node, changes []types.PermissionsChange, now time.Time) ([]types.PrivilegeAssignment, error) {
	of := map[string][]types.PermissionsChange{}
	for _, ch := range changes {
		of[ch.Principal] = append(of[ch.Principal], ch)
	}
	out := []types.PrivilegeAssignment{}
	for _, principal := range sortedKeys(of) {
		var old *storage.Object
		var had grant
		if i := slices.IndexFunc(o.Beside, func(g storage.Object) bool { return g.Kind == types.KindGrant && g.Name == principal }); i >= 0 {
			old = &o.Beside[i]
			var err error
			if had, err = c.grantIn(tx, *old); err != nil {
				return nil, err
			}
		}
		has := had.Privileges
		for _, ch := range of[principal] {
			has = changed(has, ch)
		}
		out = append(out, types.PrivilegeAssignment{Principal: principal, Privileges: has})
		body := plainJSON(grant{has})
		var err error
		switch {
		case slices.Equal(has, had.Privileges):
		case old == nil:
			err = tx.Insert(ctx, storage.Object{ID: newID(), Kind: types.KindGrant, Parent: o.ID, Name: principal, Revision: 1, Created: now, Updated: now, Body: body})
		case len(has) == 0:
			err = tx.Delete(ctx, *old)
		default:
			new := *old
			new.Body = body
			touch(&new, now)
			err = tx.Replace(ctx, *old, new)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// changed is had after a change, in order.
func changed(had []types.Privilege, ch types.PermissionsChange) []types.Privilege {
	out := slices.Concat(had, ch.Add)
	out = slices.DeleteFunc(out, func(p types.Privilege) bool { return slices.Contains(ch.Remove, p) })
	slices.Sort(out)
	return slices.Compact(out)
}

// securablePath is the path to a securable, and the action that seeing it is.
func securablePath(s types.Securable) ([]storage.Step, Action, error) {
	part := strings.Split(s.Name, ".")
	form := "name"
	switch n := len(part); {
	case s.Kind == types.KindMetastore:
		return nil, ActSeeMetastore, nil
	case slices.Contains(part, ""):
	case s.Kind == types.KindCatalog && n == 1:
		return catalogPath(part[0]), ActGetCatalog, nil
	case s.Kind == types.KindSchema && n == 2:
		return schemaPath(types.SchemaName{Catalog: part[0], Schema: part[1]}), ActGetSchema, nil
	case s.Kind == types.KindTable && n == 3:
		return tablePath(types.TableName{Catalog: part[0], Schema: part[1], Table: part[2]}), ActGetTable, nil
	case s.Kind == types.KindCredential && n == 1:
		return credentialPath(s.Name), ActGetCredential, nil
	case s.Kind == types.KindExternalLocation && n == 1:
		return locationPath(s.Name), ActGetLocation, nil
	}
	switch s.Kind {
	case types.KindSchema:
		form = "catalog.schema"
	case types.KindTable:
		form = "catalog.schema.table"
	case types.KindCatalog, types.KindCredential, types.KindExternalLocation:
	default:
		return nil, "", types.InvalidParameterValue.Errorf("%q is no kind of securable", s.Kind)
	}
	return nil, "", types.InvalidParameterValue.Errorf("the name of a %s is %s, not %q", title(s.Kind), form, s.Name).About(s.Kind)
}
