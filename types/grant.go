package types

import (
	"slices"
	"strings"
)

// A Privilege is a right that is granted to a principal on a securable. It holds for the
// securable and for all beneath it: SELECT on a schema is SELECT on its tables.
type Privilege string

// The privileges. Each may be granted on the kind of securable that it is for, and on all above.
const (
	PrivilegeCreateCatalog           Privilege = "CREATE CATALOG"            // metastore
	PrivilegeCreateStorageCredential Privilege = "CREATE STORAGE CREDENTIAL" // metastore
	PrivilegeCreateExternalLocation  Privilege = "CREATE EXTERNAL LOCATION"  // metastore: make them; storage credential: give it to one
	PrivilegeCreateExternalTable     Privilege = "CREATE EXTERNAL TABLE"     // external location: in it
	PrivilegeCreateManagedStorage    Privilege = "CREATE MANAGED STORAGE"    // external location: storage roots in it
	PrivilegeReadFiles               Privilege = "READ FILES"                // external location
	PrivilegeWriteFiles              Privilege = "WRITE FILES"               // external location
	PrivilegeUseCatalog              Privilege = "USE CATALOG"               // catalog: to see it, and go further down
	PrivilegeCreateSchema            Privilege = "CREATE SCHEMA"             // catalog
	PrivilegeUseSchema               Privilege = "USE SCHEMA"                // schema: to see it, and go further down
	PrivilegeCreateTable             Privilege = "CREATE TABLE"              // schema
	PrivilegeSelect                  Privilege = "SELECT"                    // table: read
	PrivilegeModify                  Privilege = "MODIFY"                    // table: commit and change
	PrivilegeManage                  Privilege = "MANAGE"                    // any: update, delete, grant, as its owner may
)

// privilegeKinds says for what kind of securable each privilege is; "" for any.
var privilegeKinds = map[Privilege]Kind{
	PrivilegeCreateCatalog:           KindMetastore,
	PrivilegeCreateStorageCredential: KindMetastore,
	PrivilegeCreateExternalLocation:  KindCredential,
	PrivilegeCreateExternalTable:     KindExternalLocation,
	PrivilegeCreateManagedStorage:    KindExternalLocation,
	PrivilegeReadFiles:               KindExternalLocation,
	PrivilegeWriteFiles:              KindExternalLocation,
	PrivilegeUseCatalog:              KindCatalog,
	PrivilegeCreateSchema:            KindCatalog,
	PrivilegeUseSchema:               KindSchema,
	PrivilegeCreateTable:             KindSchema,
	PrivilegeSelect:                  KindTable,
	PrivilegeModify:                  KindTable,
	PrivilegeManage:                  "",
}

// parents gives each kind of securable the one above it.
var parents = map[Kind]Kind{
	KindCatalog: KindMetastore, KindCredential: KindMetastore, KindExternalLocation: KindMetastore,
	KindSchema: KindCatalog, KindTable: KindSchema,
}

// ParsePrivilege reads the name of a privilege in any case, with blanks or underscores
// between its words. It answers [InvalidParameterValue] for any other text.
func ParsePrivilege(s string) (Privilege, error) {
	p := Privilege(strings.ReplaceAll(strings.ToUpper(s), "_", " "))
	if _, ok := privilegeKinds[p]; !ok || len(p) != len(s) { // other letters become those of ASCII in upper case, too
		return "", InvalidParameterValue.Errorf("%s is not a privilege; there are %s", quote(s), strings.Join(privilegeNames(), ", "))
	}
	return p, nil
}

// privilegeNames are the names of all privileges, in order.
func privilegeNames() []string {
	var out []string
	for p := range privilegeKinds {
		out = append(out, string(p))
	}
	slices.Sort(out)
	return out
}

// On reports whether p may be granted on securables of kind k.
func (p Privilege) On(k Kind) bool {
	at, ok := privilegeKinds[p]
	if ok && at == "" {
		return true
	}
	for ; ok && at != ""; at = parents[at] {
		if at == k {
			return true
		}
	}
	return false
}

// A Securable names what privileges are granted on. Name is the full one, such as
// catalog.schema.table; that of the metastore may be anything.
type Securable struct {
	Kind Kind
	Name string
}

// A PrivilegeAssignment says what a principal is granted on one securable, in order.
type PrivilegeAssignment struct {
	Principal  string
	Privileges []Privilege
}

// A PermissionsChange grants and revokes privileges of a principal on one securable.
type PermissionsChange struct {
	Principal   string
	Add, Remove []Privilege
}

// An EffectivePrivilege is a privilege that a principal has on a securable, and where it was
// granted if that is above.
type EffectivePrivilege struct {
	Privilege     Privilege
	InheritedFrom *Securable // nil: granted on the securable itself
}

// An EffectivePrivilegeAssignment says what a principal has on one securable.
type EffectivePrivilegeAssignment struct {
	Principal  string
	Privileges []EffectivePrivilege
}
