package types

import "time"

// A Purpose says what a storage credential is for.
type Purpose string

// The purposes of storage credentials.
const (
	PurposeStorage Purpose = "STORAGE" // files of tables
	PurposeService Purpose = "SERVICE" // anything else
)

// A StorageCredential is how the catalog itself gets at a cloud's storage: a long-lived
// identity, from which short-lived [Credential]s are vended. What an operation returns has no
// secret in it.
type StorageCredential struct {
	ID                   ID
	Name                 string
	Purpose              Purpose
	Identity             CloudIdentity
	ReadOnly             bool // vends for reading only
	Comment              string
	Owner                string
	Created, Updated     time.Time
	CreatedBy, UpdatedBy string
}

// A CloudIdentity is one of several ways to prove to a cloud who one is: exactly one field is set.
type CloudIdentity struct {
	AzureServicePrincipal *AzureServicePrincipal
	AzureManagedIdentity  *AzureManagedIdentity
	AzureStorageKey       *AzureStorageKey
	AWSIAMRole            *AWSIAMRole
	AWSAccessKey          *AWSAccessKey
	GCPServiceAccountKey  *GCPServiceAccountKey
}

// An AzureServicePrincipal proves itself by exactly one of a secret and a token in a file of the server.
type AzureServicePrincipal struct {
	DirectoryID, ApplicationID string
	ClientSecret               Secret
	FederatedTokenFile         string
}

// An AzureManagedIdentity is known by at least one of its IDs.
type AzureManagedIdentity struct{ ObjectID, ApplicationID, MSIResourceID string }

// An AzureStorageKey is the key of a storage account.
type AzureStorageKey struct {
	AccountName string
	AccountKey  Secret
}

// An AWSIAMRole is assumed by the server. The role must trust ExternalID, which the catalog chooses
// anew whenever the role changes.
type AWSIAMRole struct{ RoleARN, ExternalID string }

// An AWSAccessKey is a key pair that does not expire, as S3-compatible stores have them.
type AWSAccessKey struct {
	AccessKeyID     string
	SecretAccessKey Secret
}

// A GCPServiceAccountKey is the key of a service account of Google's cloud.
type GCPServiceAccountKey struct {
	Email, PrivateKeyID string
	PrivateKey          Secret
}

// CreateStorageCredential asks for a new storage credential.
type CreateStorageCredential struct {
	Name     string
	Purpose  Purpose
	Identity CloudIdentity
	ReadOnly bool
	Comment  string
}

// UpdateStorageCredential changes a storage credential; nil leaves things as they are. A secret that
// is [HiddenSecret] stays as it is stored.
type UpdateStorageCredential struct {
	NewName, Comment, Owner *string
	ReadOnly                *bool
	Identity                *CloudIdentity // may be of another kind
	Force                   bool           // although external locations use the credential
}

// An ExternalLocation is a place outside of managed storage where tables may lie, and the storage credential for it.
type ExternalLocation struct {
	ID                   ID
	Name                 string
	URL                  string // normal form
	CredentialID         ID
	CredentialName       string // "" if the credential was deleted by force
	ReadOnly             bool   // vends for reading only
	Comment              string
	Owner                string
	Created, Updated     time.Time
	CreatedBy, UpdatedBy string
}

// CreateExternalLocation asks for a new external location.
type CreateExternalLocation struct {
	Name, URL, CredentialName string
	ReadOnly                  bool
	Comment                   string
}

// UpdateExternalLocation changes an external location; nil leaves things as they are.
type UpdateExternalLocation struct {
	NewName, URL, CredentialName, Comment, Owner *string
	ReadOnly                                     *bool
	Force                                        bool // although tables lie at the old URL
	Adopt                                        bool // what lies at the URL; see Catalog.UpdateExternalLocation
}
