package catalog

import (
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/leveelake/catalog/types"
)

// A shape is a cloud identity of one kind taken apart, so that what holds for all kinds is said once. A kind
// has at most one secret.
type shape struct {
	kind    string
	alone   types.CloudIdentity // the identity, which members and secret point into
	members []identityMember
	secret  *types.Secret // nil: the kind has none
	under   string        // the name of the secret
}

type identityMember struct {
	name   string
	text   *string
	needed bool
}

// Members that rules know by name.
const (
	memberTokenFile  = "federated_token_file"
	memberRoleARN    = "role_arn"
	memberExternalID = "external_id"
)

// shapesOf takes apart all that is set of an identity.
func shapesOf(i types.CloudIdentity) []shape {
	var out []shape
	if p := i.AzureServicePrincipal; p != nil {
		out = append(out, shape{"azure_service_principal", types.CloudIdentity{AzureServicePrincipal: p}, []identityMember{
			{"directory_id", &p.DirectoryID, true}, {"application_id", &p.ApplicationID, true}, {memberTokenFile, &p.FederatedTokenFile, false},
		}, &p.ClientSecret, "client_secret"})
	}
	if p := i.AzureManagedIdentity; p != nil {
		out = append(out, shape{"azure_managed_identity", types.CloudIdentity{AzureManagedIdentity: p}, []identityMember{
			{"object_id", &p.ObjectID, false}, {"application_id", &p.ApplicationID, false}, {"msi_resource_id", &p.MSIResourceID, false},
		}, nil, ""})
	}
	if p := i.AzureStorageKey; p != nil {
		out = append(out, shape{"azure_storage_key", types.CloudIdentity{AzureStorageKey: p}, []identityMember{
			{"account_name", &p.AccountName, true},
		}, &p.AccountKey, "account_key"})
	}
	if p := i.AWSIAMRole; p != nil {
		out = append(out, shape{"aws_iam_role", types.CloudIdentity{AWSIAMRole: p}, []identityMember{
			{memberRoleARN, &p.RoleARN, true}, {memberExternalID, &p.ExternalID, false},
		}, nil, ""})
	}
	if p := i.AWSAccessKey; p != nil {
		out = append(out, shape{"aws_access_key", types.CloudIdentity{AWSAccessKey: p}, []identityMember{
			{"access_key_id", &p.AccessKeyID, true},
		}, &p.SecretAccessKey, "secret_access_key"})
	}
	if p := i.GCPServiceAccountKey; p != nil {
		out = append(out, shape{"gcp_service_account_key", types.CloudIdentity{GCPServiceAccountKey: p}, []identityMember{
			{"email", &p.Email, true}, {"private_key_id", &p.PrivateKeyID, true},
		}, &p.PrivateKey, "private_key"})
	}
	return out
}

// allShapes are the shapes of all kinds of identities, each empty.
func allShapes() []shape {
	return shapesOf(types.CloudIdentity{
		AzureServicePrincipal: &types.AzureServicePrincipal{}, AzureManagedIdentity: &types.AzureManagedIdentity{}, AzureStorageKey: &types.AzureStorageKey{},
		AWSIAMRole: &types.AWSIAMRole{}, AWSAccessKey: &types.AWSAccessKey{}, GCPServiceAccountKey: &types.GCPServiceAccountKey{},
	})
}

// field is the full name of a member, in messages and in what binds a sealed secret to its place.
func (s *shape) field(member string) string { return s.kind + "." + member }

// plain returns the members that are no secrets. The external ID is not one of a request: the catalog chooses it.
func (s *shape) plain() map[string]string {
	out := map[string]string{}
	for _, m := range s.members {
		if *m.text != "" && m.name != memberExternalID {
			out[m.name] = *m.text
		}
	}
	return out
}

const (
	maxIdentityText = 2048     // bytes of a member of an identity
	maxPrivateKey   = 16 << 10 // bytes of a private key, which is a text of many lines
)

// checkIdentity refuses an identity that could prove itself to no cloud. No message shows a secret.
func (c *Catalog) checkIdentity(i types.CloudIdentity) (*shape, error) {
	bad := types.InvalidParameterValue.Errorf
	given := shapesOf(i)
	if len(given) != 1 {
		var kinds []string
		for _, s := range allShapes() {
			kinds = append(kinds, s.kind)
		}
		return nil, bad("exactly one identity must be given, not %d; the kinds are %s", len(given), strings.Join(kinds, ", "))
	}
	s := &given[0]
	some := false
	for _, m := range s.members {
		if m.name == memberExternalID {
			continue
		}
		if m.needed && strings.TrimSpace(*m.text) == "" {
			return nil, bad("%s is missing", s.field(m.name))
		}
		if err := checkLine(s.field(m.name), *m.text, maxIdentityText, ""); err != nil {
			return nil, err
		}
		some = some || strings.TrimSpace(*m.text) != ""
	}
	if !some {
		return nil, bad("%s is empty; give at least one of its IDs", s.kind)
	}
	if err := c.checkSecret(s); err != nil {
		return nil, err
	}
	if r := i.AWSIAMRole; r != nil && !isRoleARN(r.RoleARN) {
		return nil, bad("%s %q is not the ARN of a role, such as arn:aws:iam::123456789012:role/levee", s.field(memberRoleARN), r.RoleARN)
	}
	return s, nil
}

// checkSecret checks the secret of an identity, or what stands in for it.
func (c *Catalog) checkSecret(s *shape) error {
	if s.secret == nil {
		return nil
	}
	field, secret := s.field(s.under), string(*s.secret)
	limit, lines := maxIdentityText, ""
	if s.alone.GCPServiceAccountKey != nil {
		limit, lines = maxPrivateKey, "\r\n"
	}
	if err := checkLine(field, secret, limit, lines); err != nil {
		return err
	}
	if p := s.alone.AzureServicePrincipal; p != nil {
		file := p.FederatedTokenFile
		if (secret == "") == (file == "") {
			return types.InvalidParameterValue.Errorf("exactly one of %s and %s must be given", field, s.field(memberTokenFile))
		}
		if file != "" {
			return c.checkTokenFile(s.field(memberTokenFile), file)
		}
	}
	if strings.TrimSpace(secret) == "" {
		return types.InvalidParameterValue.Errorf("%s is missing", field)
	}
	return nil
}

// checkTokenFile refuses a file that the server is not meant to read: its text goes to whatever cloud
// the credential names.
func (c *Catalog) checkTokenFile(field, file string) error {
	bad := types.InvalidParameterValue.Errorf
	switch {
	case c.tokenFiles == "":
		return bad("%s: the server has no folder of token files", field)
	case !filepath.IsAbs(file) || filepath.Clean(file) != file:
		return bad("%s %q is not an absolute path in its shortest form", field, file)
	case !strings.HasPrefix(file, strings.TrimSuffix(c.tokenFiles, string(filepath.Separator))+string(filepath.Separator)):
		return bad("%s %q is not in the server's folder of token files", field, file)
	}
	return nil
}

// isRoleARN accepts arn:aws…:iam::account:role/name. The account is not looked at: S3-compatible stores have
// none, or a name.
func isRoleARN(arn string) bool {
	parts := strings.SplitN(arn, ":", 6)
	return len(parts) == 6 && parts[0] == "arn" && (parts[1] == "aws" || strings.HasPrefix(parts[1], "aws-")) &&
		parts[2] == "iam" && parts[3] == "" && strings.HasPrefix(parts[5], "role/") && parts[5] != "role/" && !strings.ContainsAny(arn, " *?")
}

// checkLine refuses text that is long, or has control characters but those of allowed. It never repeats the
// text, which may be a secret.
func checkLine(field, text string, limit int, allowed string) error {
	switch {
	case len(text) > limit:
		return types.InvalidParameterValue.Errorf("%s has %d bytes; the limit is %d", field, len(text), limit)
	case !utf8.ValidString(text):
		return types.InvalidParameterValue.Errorf("%s is not valid UTF-8", field)
	case strings.ContainsFunc(text, func(r rune) bool { return isControl(r) && !strings.ContainsRune(allowed, r) }):
		return types.InvalidParameterValue.Errorf("%s has a control character", field)
	}
	return nil
}
