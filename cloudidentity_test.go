package catalog

import (
	"context"
	"strings"
	"testing"

	memorystore "github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

func TestStorageCredentialRefused(t *testing.T) {
	c := catalogOn(t, Config{Keys: keysForTest(t), TokenFiles: "/tokens"})
	sp := func(p types.AzureServicePrincipal) types.CloudIdentity {
		return types.CloudIdentity{AzureServicePrincipal: &p}
	}
	gcp := func(key types.Secret) types.CloudIdentity {
		return types.CloudIdentity{GCPServiceAccountKey: &types.GCPServiceAccountKey{Email: "e", PrivateKeyID: "p", PrivateKey: key}}
	}
	long := strings.Repeat("x", 2049)
	for name, i := range map[string]types.CloudIdentity{
		"none":                   {},
		"two":                    {AzureStorageKey: storageKey("a", hush).AzureStorageKey, AWSIAMRole: roleIdentity(someRole).AWSIAMRole},
		"managed identity":       {AzureManagedIdentity: &types.AzureManagedIdentity{}},
		"blank managed identity": {AzureManagedIdentity: &types.AzureManagedIdentity{ObjectID: " "}},
		"both":                   sp(types.AzureServicePrincipal{DirectoryID: "d", ApplicationID: "a", ClientSecret: hush, FederatedTokenFile: "/tokens/t"}),
		"neither":                sp(types.AzureServicePrincipal{DirectoryID: "d", ApplicationID: "a"}),
		"blank secret":           sp(types.AzureServicePrincipal{DirectoryID: "d", ApplicationID: "a", ClientSecret: " "}),
		"no directory":           sp(types.AzureServicePrincipal{ApplicationID: "a", ClientSecret: hush}),
		"no application":         sp(types.AzureServicePrincipal{DirectoryID: "d", ClientSecret: hush}),
		"file elsewhere":         sp(types.AzureServicePrincipal{DirectoryID: "d", ApplicationID: "a", FederatedTokenFile: "/etc/passwd"}),
		"file beside":            sp(types.AzureServicePrincipal{DirectoryID: "d", ApplicationID: "a", FederatedTokenFile: "/tokens2/t"}),
		"file upwards":           sp(types.AzureServicePrincipal{DirectoryID: "d", ApplicationID: "a", FederatedTokenFile: "/tokens/../etc/passwd"}),
		"the folder itself":      sp(types.AzureServicePrincipal{DirectoryID: "d", ApplicationID: "a", FederatedTokenFile: "/tokens"}),
		"relative file":          sp(types.AzureServicePrincipal{DirectoryID: "d", ApplicationID: "a", FederatedTokenFile: "tokens/t"}),
		"file with a NUL":        sp(types.AzureServicePrincipal{DirectoryID: "d", ApplicationID: "a", FederatedTokenFile: "/tokens/t\x00"}),
		"no account":             storageKey("", hush),
		"no key":                 storageKey("a", ""),
		"hidden":                 storageKey("a", types.HiddenSecret),
		"control":                storageKey("a", hush+"\n"),
		"not UTF-8":              storageKey("a\xff", hush),
		"long":                   storageKey(long, hush),
		"long secret":            storageKey("a", types.Secret(hush+long)),
		"no role":                roleIdentity(""),
		"not an ARN":             roleIdentity("levee"),
		"user":                   roleIdentity("arn:aws:iam::123456789012:user/x"),
		"other service":          roleIdentity("arn:aws:sts::123456789012:role/x"),
		"region":                 roleIdentity("arn:aws:iam:eu:123456789012:role/x"),
		"other partition":        roleIdentity("arn:awsome:iam::123456789012:role/x"),
		"all roles":              roleIdentity("arn:aws:iam::123456789012:role/*"),
		"no role's name":         roleIdentity("arn:aws:iam::123456789012:role/"),
		"no access key":          {AWSAccessKey: &types.AWSAccessKey{SecretAccessKey: hush}},
		"no secret key":          {AWSAccessKey: &types.AWSAccessKey{AccessKeyID: "x"}},
		"no private key":         gcp(""),
		"private key with a NUL": gcp(hush + "\x00"),
		"long private key":       gcp(types.Secret(strings.Repeat(hush, 2000))),
	} {
		_, err := c.CreateStorageCredential(t.Context(), types.CreateStorageCredential{Name: "x", Purpose: types.PurposeStorage, Identity: i})
		if types.CodeOf(err) != types.InvalidParameterValue || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", name, err)
		}
	}
	role := roleIdentity("arn:aws-cn:iam::123456789012:role/path/to/levee")
	for name, test := range map[string]struct {
		req  types.CreateStorageCredential
		want types.Code
	}{
		"no name":    {types.CreateStorageCredential{Purpose: types.PurposeStorage, Identity: role}, types.InvalidParameterValue},
		"bad name":   {types.CreateStorageCredential{Name: "a.b", Purpose: types.PurposeStorage, Identity: role}, types.InvalidParameterValue},
		"no purpose": {types.CreateStorageCredential{Name: "x", Identity: role}, types.InvalidParameterValue},
		"purpose":    {types.CreateStorageCredential{Name: "x", Purpose: "BOTH", Identity: role}, types.InvalidParameterValue},
		"read-only":  {types.CreateStorageCredential{Name: "x", Purpose: types.PurposeService, ReadOnly: true, Identity: role}, types.InvalidParameterValue},
		"comment":    {types.CreateStorageCredential{Name: "x", Purpose: types.PurposeService, Comment: "\xff", Identity: role}, types.InvalidParameterValue},
		"large":      {types.CreateStorageCredential{Name: "x", Purpose: types.PurposeService, Comment: strings.Repeat("x", maxRecord), Identity: role}, types.InvalidParameterValue},
		"fine":       {types.CreateStorageCredential{Name: "x", Purpose: types.PurposeService, Identity: role}, ""},
	} {
		if _, err := c.CreateStorageCredential(t.Context(), test.req); types.CodeOf(err) != test.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := c.CreateStorageCredential(t.Context(), types.CreateStorageCredential{Name: "x", Purpose: types.PurposeStorage, Identity: role})
	if e, ok := err.(*types.Error); !ok || e.Code != types.AlreadyExists || e.Kind != types.KindCredential {
		t.Errorf("%v", err)
	}
	for name, call := range map[string]func(ctx context.Context) error{
		"get":    func(ctx context.Context) error { _, err := c.GetStorageCredential(ctx, "none"); return err },
		"delete": func(ctx context.Context) error { return c.DeleteStorageCredential(ctx, "none", true) },
		"update": func(ctx context.Context) error {
			_, err := c.UpdateStorageCredential(ctx, "none", types.UpdateStorageCredential{})
			return err
		},
	} {
		if err := call(t.Context()); types.CodeOf(err) != types.NotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := New(Config{Store: memorystore.New(), TokenFiles: "tokens"}); err == nil {
		t.Error("a relative folder of token files is taken")
	}
}

// TestNoKey: without a key no secret is taken, and what has none works.
func TestNoKey(t *testing.T) {
	c := catalogOn(t, Config{})
	for name, i := range identities() {
		want := types.FailedPrecondition
		switch name {
		case "managed", "role":
			want = ""
		case "federated":
			want = types.InvalidParameterValue // there is no folder for such files
		}
		if _, err := c.CreateStorageCredential(t.Context(), types.CreateStorageCredential{Name: name, Purpose: types.PurposeStorage, Identity: i}); types.CodeOf(err) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := c.UpdateStorageCredential(t.Context(), "role", types.UpdateStorageCredential{Identity: new(storageKey("a", hush))}); types.CodeOf(err) != types.FailedPrecondition {
		t.Error(err)
	}
}
