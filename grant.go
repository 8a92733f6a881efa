package catalog

import (
	"context"
	"slices"

	"github.com/leveelake/catalog/types"
)

// Grants allows what owners and granted privileges allow: see rights. A metastore's owner is its admin.
type Grants struct{}

// Allows is one look into the table of rights.
func (Grants) Allows(_ context.Context, a Access) (bool, error) {
	may, ok := rights[a.Action]
	return ok && may(held{caller{a.Principal, a.Groups}, a.On}), nil
}

// rights is the one table of who may do what, for all faces. An owner of what is above does not
// need the USE privilege on it. MANAGE stands in for the ownership of what it is granted on and of what is
// beneath, but neither for the privileges to use what is above nor for those on data.
var rights = map[Action]right{
	ActAdminister:       admin,
	ActSeeMetastore:     all(),
	ActCreateCatalog:    oneOf(admin, has(types.PrivilegeCreateCatalog)),
	ActCreateCredential: oneOf(admin, has(types.PrivilegeCreateStorageCredential)),
	ActCreateLocation:   oneOf(admin, has(types.PrivilegeCreateExternalLocation)),

	ActUseCatalog:      oneOf(admin, useCatalog),
	ActGetCatalog:      oneOf(admin, useCatalog, manage),
	ActUpdateCatalog:   oneOf(ownsCatalog, manage),
	ActTransferCatalog: oneOf(admin, ownsCatalog, manage),
	ActDeleteCatalog:   oneOf(admin, ownsCatalog, manage),
	ActCreateSchema:    oneOf(admin, ownsCatalog, all(useCatalog, has(types.PrivilegeCreateSchema))),

	ActUseSchema:      oneOf(admin, ownsCatalog, all(useCatalog, useSchema)),
	ActGetSchema:      oneOf(admin, ownsCatalog, all(useCatalog, oneOf(useSchema, manage))),
	ActUpdateSchema:   ownSchema,
	ActTransferSchema: oneOf(admin, ownSchema),
	ActRenameSchema:   oneOf(admin, all(ownSchema, oneOf(ownsCatalog, has(types.PrivilegeCreateSchema)))),
	ActDeleteSchema:   oneOf(ownsCatalog, ownSchema),
	ActCreateTable:    createTable,

	ActGetTable: oneOf(admin, ownsCatalog, all(useCatalog, ownsSchema),
		all(useBoth, oneOf(ownsTable, has(types.PrivilegeSelect), has(types.PrivilegeModify), manage))),
	ActUpdateTable:     all(useBoth, oneOf(ownsTable, has(types.PrivilegeModify))),
	ActDeleteTable:     deleteTable,
	ActRenameTable:     all(deleteTable, createTable),
	ActReadTableFiles:  all(useBoth, oneOf(ownsTable, has(types.PrivilegeSelect))),
	ActWriteTableFiles: all(useBoth, oneOf(ownsTable, all(has(types.PrivilegeSelect), has(types.PrivilegeModify)))),

	ActGetCredential:    oneOf(admin, owner, manage, has(types.PrivilegeCreateExternalLocation)),
	ActUpdateCredential: oneOf(admin, owner, manage),
	ActDeleteCredential: oneOf(admin, owner, manage),
	ActUseCredential:    oneOf(admin, owner, has(types.PrivilegeCreateExternalLocation)),

	ActGetLocation: oneOf(admin, owner, manage, has(types.PrivilegeCreateExternalTable), has(types.PrivilegeCreateManagedStorage),
		has(types.PrivilegeReadFiles), has(types.PrivilegeWriteFiles)),
	ActUpdateLocation:      oneOf(admin, owner, manage),
	ActDeleteLocation:      oneOf(admin, owner, manage),
	ActCreateExternalTable: oneOf(owner, has(types.PrivilegeCreateExternalTable)),
	ActCreateStorageRoot:   oneOf(owner, has(types.PrivilegeCreateManagedStorage)),
	ActReadFiles:           oneOf(owner, has(types.PrivilegeCreateExternalTable), has(types.PrivilegeReadFiles)),
	ActWriteFiles: oneOf(owner, all(has(types.PrivilegeWriteFiles),
		oneOf(has(types.PrivilegeCreateExternalTable), has(types.PrivilegeReadFiles)))),

	ActGrant: oneOf(admin, ownsAbove, all(usesAbove, oneOf(owner, manage))),
}

// What the table repeats.
var (
	admin       = owns(types.KindMetastore)
	ownsCatalog = owns(types.KindCatalog)
	ownsSchema  = owns(types.KindSchema)
	ownsTable   = owns(types.KindTable)
	manage      = has(types.PrivilegeManage)
	useCatalog  = oneOf(ownsCatalog, has(types.PrivilegeUseCatalog))
	useSchema   = oneOf(ownsSchema, has(types.PrivilegeUseSchema))
	useBoth     = all(useCatalog, useSchema)
	ownSchema   = all(useCatalog, oneOf(ownsSchema, manage))
	createTable = all(useCatalog, oneOf(ownsSchema, all(has(types.PrivilegeUseSchema), has(types.PrivilegeCreateTable))))
	deleteTable = oneOf(ownsCatalog, all(useCatalog, ownsSchema), all(useBoth, oneOf(ownsTable, manage)))
)

// held is what a caller has on a chain of securables.
type held struct {
	caller
	on []Level
}

// A right is a condition on what a caller has.
type right func(held) bool

// owns: the securable of this kind in the chain is the caller's.
func owns(k types.Kind) right {
	return func(h held) bool {
		for _, l := range h.on {
			if l.Kind == k {
				return h.caller.has(l.Owner)
			}
		}
		return false
	}
}

// owner: the last securable of the chain is the caller's.
func owner(h held) bool { return h.caller.has(h.on[len(h.on)-1].Owner) }

// has: p is granted on a securable of the chain, and so on the last.
func has(p types.Privilege) right {
	return func(h held) bool {
		return slices.ContainsFunc(h.on, func(l Level) bool { return slices.Contains(l.Granted, p) })
	}
}

// above is the chain without its last.
func (h held) above(k types.Kind) bool {
	return slices.ContainsFunc(h.on[:len(h.on)-1], func(l Level) bool { return l.Kind == k })
}

// usesAbove: the caller may use the catalog and the schema above the last of the chain, if there are such.
func usesAbove(h held) bool {
	return (!h.above(types.KindCatalog) || useCatalog(h)) && (!h.above(types.KindSchema) || useSchema(h))
}

// ownsAbove: the caller owns the catalog above the last of the chain, or the schema and may use the catalog.
func ownsAbove(h held) bool {
	return h.above(types.KindCatalog) && ownsCatalog(h) || h.above(types.KindSchema) && ownsSchema(h) && useCatalog(h)
}

func oneOf(conditions ...right) right {
	return func(h held) bool {
		return slices.ContainsFunc(conditions, func(r right) bool { return r(h) })
	}
}

func all(conditions ...right) right {
	return func(h held) bool {
		return !slices.ContainsFunc(conditions, func(r right) bool { return !r(h) })
	}
}
