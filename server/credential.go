package server

import (
	"github.com/leveelake/catalog/types"
)

// Storage credentials of the Unity Catalog REST API and of the root mount. What the API calls a
// credential is a storage credential; see delta.go for what is vended.

// cloudIdentity is one of several members of a credential's JSON. Secrets come in by it; what goes
// out has "***" where the API demands one, and else none.
type cloudIdentity struct {
	AzureServicePrincipal *azureServicePrincipal `json:"azure_service_principal,omitempty"`
	AzureManagedIdentity  *azureManagedIdentity  `json:"azure_managed_identity,omitempty"`
	AzureStorageKey       *azureStorageKey       `json:"azure_storage_key,omitempty"`
	AWSIAMRole            *awsIAMRole            `json:"aws_iam_role,omitempty"`
	AWSAccessKey          *awsAccessKey          `json:"aws_access_key,omitempty"`
	GCPServiceAccountKey  *gcpServiceAccountKey  `json:"gcp_service_account_key,omitempty"`
}

type azureServicePrincipal struct {
	DirectoryID        string       `json:"directory_id"`
	ApplicationID      string       `json:"application_id"`
	ClientSecret       types.Secret `json:"client_secret,omitempty"`
	FederatedTokenFile string       `json:"federated_token_file,omitempty"`
}

type azureManagedIdentity struct {
	ObjectID      string `json:"object_id,omitempty"`
	ApplicationID string `json:"application_id,omitempty"`
	MSIResourceID string `json:"msi_resource_id,omitempty"`
}

type azureStorageKey struct {
	AccountName string       `json:"account_name"`
	AccountKey  types.Secret `json:"account_key"`
}

// An awsIAMRole's external ID is not for the client to say.
type awsIAMRole struct {
	RoleARN    string `json:"role_arn"`
	ExternalID string `json:"external_id,omitempty"`
}

type awsAccessKey struct {
	AccessKeyID     string       `json:"access_key_id"`
	SecretAccessKey types.Secret `json:"secret_access_key,omitempty"`
}

type gcpServiceAccountKey struct {
	Email        string       `json:"email"`
	PrivateKeyID string       `json:"private_key_id"`
	PrivateKey   types.Secret `json:"private_key,omitempty"`
}

func (c cloudIdentity) typed() types.CloudIdentity {
	out := types.CloudIdentity{
		AzureServicePrincipal: (*types.AzureServicePrincipal)(c.AzureServicePrincipal),
		AzureManagedIdentity:  (*types.AzureManagedIdentity)(c.AzureManagedIdentity),
		AzureStorageKey:       (*types.AzureStorageKey)(c.AzureStorageKey),
		AWSAccessKey:          (*types.AWSAccessKey)(c.AWSAccessKey),
		GCPServiceAccountKey:  (*types.GCPServiceAccountKey)(c.GCPServiceAccountKey),
	}
	if c.AWSIAMRole != nil {
		out.AWSIAMRole = &types.AWSIAMRole{RoleARN: c.AWSIAMRole.RoleARN}
	}
	return out
}

// shown is an identity without its secrets.
func shown(c types.CloudIdentity) cloudIdentity {
	var out cloudIdentity
	if v := c.AzureServicePrincipal; v != nil {
		out.AzureServicePrincipal = &azureServicePrincipal{DirectoryID: v.DirectoryID, ApplicationID: v.ApplicationID, FederatedTokenFile: v.FederatedTokenFile}
	}
	if v := c.AzureManagedIdentity; v != nil {
		out.AzureManagedIdentity = (*azureManagedIdentity)(v)
	}
	if v := c.AzureStorageKey; v != nil {
		out.AzureStorageKey = &azureStorageKey{v.AccountName, types.HiddenSecret}
	}
	if v := c.AWSIAMRole; v != nil {
		out.AWSIAMRole = (*awsIAMRole)(v)
	}
	if v := c.AWSAccessKey; v != nil {
		out.AWSAccessKey = &awsAccessKey{AccessKeyID: v.AccessKeyID}
	}
	if v := c.GCPServiceAccountKey; v != nil {
		out.GCPServiceAccountKey = &gcpServiceAccountKey{Email: v.Email, PrivateKeyID: v.PrivateKeyID}
	}
	return out
}

type credentialInfo struct {
	ID       types.ID      `json:"id"`
	Name     string        `json:"name"`
	FullName string        `json:"full_name"`
	Purpose  types.Purpose `json:"purpose"`
	cloudIdentity
	ReadOnly bool   `json:"read_only"`
	Comment  string `json:"comment,omitempty"`
	stamps
	ForManaged bool `json:"used_for_managed_storage"`
}

func credentialInfoOf(c types.StorageCredential) credentialInfo {
	return credentialInfo{
		ID: c.ID, Name: c.Name, FullName: c.Name, Purpose: c.Purpose, cloudIdentity: shown(c.Identity), ReadOnly: c.ReadOnly,
		Comment: c.Comment, stamps: stamped(c.Owner, c.Created, c.CreatedBy, c.Updated, c.UpdatedBy),
	}
}

func (s *Server) createStorageCredential(r *request) (any, error) {
	req, err := body[struct {
		Name    string        `json:"name"`
		Purpose types.Purpose `json:"purpose"`
		cloudIdentity
		ReadOnly       bool   `json:"read_only"`
		Comment        string `json:"comment"`
		SkipValidation bool   `json:"skip_validation"`
	}](r)
	if err == nil && req.Purpose == "" {
		err = r.missing("purpose")
	}
	if err != nil {
		return nil, err
	}
	c, err := s.catalog.CreateStorageCredential(r.Context(), types.CreateStorageCredential{
		Name: req.Name, Purpose: req.Purpose, Identity: req.typed(), ReadOnly: req.ReadOnly, Comment: req.Comment,
	})
	return credentialInfoOf(c), err
}

func (s *Server) listStorageCredentials(r *request) (any, error) {
	p := r.params()
	purpose, page := p.purpose(), p.page(mostListed)
	if p.err != nil {
		return nil, p.err
	}
	list, next, err := s.catalog.ListStorageCredentials(r.Context(), purpose, page)
	return struct {
		Credentials []credentialInfo `json:"credentials"`
		Next        string           `json:"next_page_token,omitempty"`
	}{each(list, credentialInfoOf), next}, err
}

// purpose is which credentials are listed, "" for all.
func (p *params) purpose() types.Purpose {
	text := p.text("purpose")
	name, ok := enums[purposeType].parse(text)
	if !ok {
		p.refuse("purpose", "is %q; it must be one of %s", clip(text), enums[purposeType].names)
	}
	return types.Purpose(name)
}

func (s *Server) getStorageCredential(r *request) (any, error) {
	c, err := s.catalog.GetStorageCredential(r.Context(), r.PathValue("name"))
	return credentialInfoOf(c), err
}

func (s *Server) updateStorageCredential(r *request) (any, error) {
	name, p := r.PathValue("name"), r.params()
	force := p.flag("force")
	if p.err != nil {
		return nil, p.err
	}
	req, err := body[struct {
		Name    string  `json:"name"`
		NewName *string `json:"new_name"`
		cloudIdentity
		ReadOnly       *bool   `json:"read_only"`
		Comment        *string `json:"comment"`
		Owner          *string `json:"owner"`
		Force          bool    `json:"force"`
		SkipValidation bool    `json:"skip_validation"`
	}](r)
	if err == nil {
		err = r.sameName("name", req.Name, name)
	}
	if err != nil {
		return nil, err
	}
	update := types.UpdateStorageCredential{
		NewName: req.NewName, Comment: req.Comment, Owner: req.Owner, ReadOnly: req.ReadOnly, Force: req.Force || force,
	}
	if identity := req.typed(); identity != (types.CloudIdentity{}) {
		update.Identity = &identity
	}
	c, err := s.catalog.UpdateStorageCredential(r.Context(), name, update)
	return credentialInfoOf(c), err
}

func (s *Server) deleteStorageCredential(r *request) (any, error) {
	p := r.params()
	force := p.flag("force")
	if p.err != nil {
		return nil, p.err
	}
	return done(s.catalog.DeleteStorageCredential(r.Context(), r.PathValue("name"), force))
}

// validateStorageCredential tells whether what a request names is there. Whether a cloud lets it in, the
// catalog does not try.
func (s *Server) validateStorageCredential(r *request) (any, error) {
	req, err := body[struct {
		Credential        string `json:"credential_name"`
		StorageCredential string `json:"storage_credential_name"` // the older name
		Location          string `json:"external_location_name"`
		URL               string `json:"url"`
		cloudIdentity
		ReadOnly bool `json:"read_only"`
	}](r)
	if err != nil {
		return nil, err
	}
	name := req.Credential
	if name == "" {
		name = req.StorageCredential
	}
	identity := req.typed()
	if name == "" && req.Location == "" && identity == (types.CloudIdentity{}) {
		return nil, r.missing("credential_name")
	}
	if name != "" {
		_, err = s.catalog.GetStorageCredential(r.Context(), name)
	}
	if err == nil && identity != (types.CloudIdentity{}) {
		err = s.catalog.ValidateStorageCredential(r.Context(), identity)
	}
	if err == nil && req.Location != "" {
		_, err = s.catalog.GetExternalLocation(r.Context(), req.Location)
	}
	type result struct {
		Result  string `json:"result"`
		Message string `json:"message"`
	}
	return struct {
		Results []result `json:"results"`
	}{[]result{{"SKIP", "the request is well-formed; the storage itself was not asked"}}}, err
}
