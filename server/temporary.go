package server

import "github.com/leveelake/catalog/types"

// temporaryTableCredentials hands out credentials to the table with an ID.
func (s *Server) temporaryTableCredentials(r *request) (any, error) {
	req, err := body[struct {
		TableID   string          `json:"table_id"`
		Operation types.Operation `json:"operation"`
	}](r)
	if err != nil {
		return nil, err
	}
	id, err := idOf("table_id", req.TableID)
	if err != nil {
		return nil, err
	}
	return temporaryCredentials(s.catalog.TableCredentialsByID(r.Context(), id, req.Operation))
}

// temporaryPathCredentials hands out credentials to a URL.
func (s *Server) temporaryPathCredentials(r *request) (any, error) {
	req, err := body[struct {
		URL       string `json:"url"`
		Operation string `json:"operation"`
	}](r)
	if err == nil && req.URL == "" {
		err = r.missing("url")
	}
	if err != nil {
		return nil, err
	}
	var op types.Operation
	switch req.Operation {
	case "PATH_READ":
		op = types.Read
	case "PATH_READ_WRITE", "PATH_CREATE_TABLE":
		op = types.ReadWrite
	default:
		return nil, types.BadRequest.Errorf("operation is %q; it must be PATH_READ, PATH_READ_WRITE or PATH_CREATE_TABLE", clip(req.Operation))
	}
	return temporaryCredentials(s.catalog.PathCredentials(r.Context(), req.URL, op))
}

// temporaryCredentials is the answer to both, with each cloud's in a field of its own.
func temporaryCredentials(creds []types.Credential, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	type aws struct {
		AccessKeyID     string `json:"access_key_id"`
		SecretAccessKey string `json:"secret_access_key"`
		SessionToken    string `json:"session_token"`
	}
	type azure struct {
		SASToken string `json:"sas_token"`
	}
	type gcp struct {
		OAuthToken string `json:"oauth_token"`
	}
	out := struct {
		AWS        *aws   `json:"aws_temp_credentials,omitempty"`
		Azure      *azure `json:"azure_user_delegation_sas,omitempty"`
		GCP        *gcp   `json:"gcp_oauth_token,omitempty"`
		URL        string `json:"url"`
		Expiration int64  `json:"expiration_time"`
	}{}
	for _, c := range creds {
		out.URL, out.Expiration = c.Prefix, unixMillis(c.Expiration)
		if k := c.Config[types.S3AccessKeyID]; k != "" {
			out.AWS = &aws{k, c.Config[types.S3SecretAccessKey], c.Config[types.S3SessionToken]}
		}
		if k := c.Config[types.AzureSASToken]; k != "" {
			out.Azure = &azure{k}
		}
		if k := c.Config[types.GCSOAuthToken]; k != "" {
			out.GCP = &gcp{k}
		}
	}
	return out, nil
}
