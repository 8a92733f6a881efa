package server

import "github.com/leveelake/catalog/types"

// External locations of the Unity Catalog REST API and of the root mount.

type locationInfo struct {
	Name           string   `json:"name"`
	URL            string   `json:"url"`
	CredentialName string   `json:"credential_name"`
	CredentialID   types.ID `json:"credential_id"`
	ReadOnly       bool     `json:"read_only"`
	Comment        string   `json:"comment,omitempty"`
	stamps
	ID         types.ID `json:"id" only:"unity"`
	LocationID types.ID `json:"external_location_id"`
}

func locationInfoOf(l types.ExternalLocation) locationInfo {
	return locationInfo{
		Name: l.Name, URL: l.URL, CredentialName: l.CredentialName, CredentialID: l.CredentialID, ReadOnly: l.ReadOnly,
		Comment: l.Comment, stamps: stamped(l.Owner, l.Created, l.CreatedBy, l.Updated, l.UpdatedBy), ID: l.ID, LocationID: l.ID,
	}
}

func (s *Server) createExternalLocation(r *request) (any, error) {
	req, err := body[struct {
		Name           string `json:"name"`
		URL            string `json:"url"`
		CredentialName string `json:"credential_name"`
		ReadOnly       bool   `json:"read_only"`
		Comment        string `json:"comment"`
		SkipValidation bool   `json:"skip_validation"`
	}](r)
	switch {
	case err != nil:
	case req.URL == "":
		err = r.missing("url")
	case req.CredentialName == "":
		err = r.missing("credential_name")
	}
	if err != nil {
		return nil, err
	}
	l, err := s.catalog.CreateExternalLocation(r.Context(), types.CreateExternalLocation{
		Name: req.Name, URL: req.URL, CredentialName: req.CredentialName, ReadOnly: req.ReadOnly, Comment: req.Comment,
	})
	return locationInfoOf(l), err
}

func (s *Server) listExternalLocations(r *request) (any, error) {
	p := r.params()
	p.ignored("include_browse")
	page := p.page(mostListed)
	if p.err != nil {
		return nil, p.err
	}
	list, next, err := s.catalog.ListExternalLocations(r.Context(), page)
	return struct {
		Locations []locationInfo `json:"external_locations"`
		Next      string         `json:"next_page_token,omitempty"`
	}{each(list, locationInfoOf), next}, err
}

func (s *Server) getExternalLocation(r *request) (any, error) {
	p := r.params()
	if p.ignored("include_browse"); p.err != nil {
		return nil, p.err
	}
	l, err := s.catalog.GetExternalLocation(r.Context(), r.PathValue("name"))
	return locationInfoOf(l), err
}

func (s *Server) updateExternalLocation(r *request) (any, error) {
	name, p := r.PathValue("name"), r.params()
	force := p.flag("force")
	if p.err != nil {
		return nil, p.err
	}
	req, err := body[struct {
		Name           string  `json:"name"`
		NewName        *string `json:"new_name"`
		URL            *string `json:"url"`
		CredentialName *string `json:"credential_name"`
		ReadOnly       *bool   `json:"read_only"`
		Comment        *string `json:"comment"`
		Owner          *string `json:"owner"`
		Force          bool    `json:"force"`
		Adopt          bool    `json:"adopt"` // ours
		SkipValidation bool    `json:"skip_validation"`
	}](r)
	if err == nil {
		err = r.sameName("name", req.Name, name)
	}
	if err != nil {
		return nil, err
	}
	l, err := s.catalog.UpdateExternalLocation(r.Context(), name, types.UpdateExternalLocation{
		NewName: req.NewName, URL: req.URL, CredentialName: req.CredentialName, Comment: req.Comment, Owner: req.Owner,
		ReadOnly: req.ReadOnly, Force: req.Force || force, Adopt: req.Adopt,
	})
	return locationInfoOf(l), err
}

func (s *Server) deleteExternalLocation(r *request) (any, error) {
	p := r.params()
	force := p.flag("force")
	if p.err != nil {
		return nil, p.err
	}
	return done(s.catalog.DeleteExternalLocation(r.Context(), r.PathValue("name"), force))
}
