package server

import (
	"strings"

	"github.com/leveelake/catalog/types"
)

// Privileges of the Unity Catalog REST API.

// securable is what a path names by its type and full name.
func (r *request) securable() (types.Securable, error) {
	of, name := r.PathValue("type"), undotted.Replace(r.PathValue("full_name"))
	on := types.Securable{Name: name}
	switch strings.ReplaceAll(strings.ToLower(of), "-", "_") {
	case "metastore":
		on.Kind = types.KindMetastore
	case "catalog":
		on.Kind = types.KindCatalog
	case "schema":
		on.Kind = types.KindSchema
	case "table":
		on.Kind = types.KindTable
	case "external_location":
		on.Kind = types.KindExternalLocation
	case "credential", "storage_credential":
		on.Kind = types.KindCredential
	case "function", "volume", "registered_model":
		return on, types.NotImplemented.Errorf("a %s is not part of this catalog", strings.ToLower(of))
	default:
		return on, types.BadRequest.Errorf("%q is not a type of securable", clip(of))
	}
	return on, nil
}

type assignment struct {
	Principal  string            `json:"principal"`
	Privileges []types.Privilege `json:"privileges"`
}

func assignments(list []types.PrivilegeAssignment, err error) (any, error) {
	return struct {
		Assignments []assignment `json:"privilege_assignments"`
	}{each(list, func(a types.PrivilegeAssignment) assignment { return assignment(a) })}, err
}

func (s *Server) permissions(r *request) (any, error) {
	on, principal, err := r.asked()
	if err != nil {
		return nil, err
	}
	return assignments(s.catalog.Permissions(r.Context(), on, principal))
}

// asked is of what and of whom privileges are asked for, "" for all.
func (r *request) asked() (types.Securable, string, error) {
	p := r.params()
	principal := p.text("principal")
	if p.err != nil {
		return types.Securable{}, "", p.err
	}
	on, err := r.securable()
	return on, principal, err
}

func (s *Server) updatePermissions(r *request) (any, error) {
	on, err := r.securable()
	if err != nil {
		return nil, err
	}
	req, err := body[struct {
		Changes []struct {
			Principal string   `json:"principal"`
			Add       []string `json:"add"`
			Remove    []string `json:"remove"`
		} `json:"changes"`
	}](r)
	if err != nil {
		return nil, err
	}
	changes := make([]types.PermissionsChange, len(req.Changes))
	for i, c := range req.Changes {
		changes[i].Principal = c.Principal
		if changes[i].Add, err = privileges(c.Add); err == nil {
			changes[i].Remove, err = privileges(c.Remove)
		}
		if err != nil {
			return nil, err
		}
	}
	return assignments(s.catalog.UpdatePermissions(r.Context(), on, changes))
}

func privileges(names []string) ([]types.Privilege, error) {
	var out []types.Privilege
	for _, n := range names {
		p, err := types.ParsePrivilege(n)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func (s *Server) effectivePermissions(r *request) (any, error) {
	on, principal, err := r.asked()
	if err != nil {
		return nil, err
	}
	list, err := s.catalog.EffectivePermissions(r.Context(), on, principal)
	type privilege struct {
		Privilege string `json:"privilege"` // with underscores: this path is of other clients than permissions
		FromType  string `json:"inherited_from_type,omitempty"`
		FromName  string `json:"inherited_from_name,omitempty"`
	}
	type assignment struct {
		Principal  string      `json:"principal"`
		Privileges []privilege `json:"privileges"`
	}
	return struct {
		Assignments []assignment `json:"privilege_assignments"`
	}{each(list, func(a types.EffectivePrivilegeAssignment) assignment {
		return assignment{a.Principal, each(a.Privileges, func(e types.EffectivePrivilege) privilege {
			out := privilege{Privilege: strings.ReplaceAll(string(e.Privilege), " ", "_")}
			if from := e.InheritedFrom; from != nil {
				out.FromType, out.FromName = strings.ToUpper(string(from.Kind)), from.Name
			}
			return out
		})}
	})}, err
}
