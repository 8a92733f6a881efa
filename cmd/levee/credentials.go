package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/leveelake/catalog/internal/cli"
)

type credentialsCmd struct {
	connection
	List   credentialsList   `cmd:"" help:"List the storage credentials that you may see."`
	Show   credentialsShow   `cmd:"" help:"Show one, without its secret."`
	Create credentialsCreate `cmd:"" help:"Create one. A secret comes from a file, from standard input or from LEVEE_SECRET, never from the command line, which others may see."`
	Update credentialsUpdate `cmd:"" help:"Change one. A new secret comes from where create takes it, and goes with the flags that say whose it is."`
	Delete credentialsDelete `cmd:"" help:"Delete one."`
}

type credentialsList struct{}

func (credentialsList) Run(ctx context.Context, o output, c *connection) error {
	return c.list(ctx, o, "/credentials", "credentials", url.Values{}, "name", "purpose", "read_only", "owner", "comment")
}

type credentialsShow struct {
	Name string `arg:""`
}

func (s credentialsShow) Run(ctx context.Context, o output, c *connection) error {
	return c.show(ctx, o, cli.Path("credentials", s.Name))
}

type credentialsDelete struct {
	Name  string `arg:""`
	Force bool   `help:"Although external locations use it: nothing is to be had in them until each is given another, by levee locations update NAME --credential OTHER."`
}

func (d credentialsDelete) Run(ctx context.Context, o output, c *connection) error {
	return c.remove(ctx, o, cli.Path("credentials", d.Name), "storage credential "+d.Name, d.Force)
}

type credentialsCreate struct {
	Name string `arg:""`
	identityFlags
	Purpose  string `help:"What it is for: storage or service." enum:"storage,service" default:"storage"`
	ReadOnly bool   `help:"For reading only."`
	Comment  string `help:"What it is for." placeholder:"TEXT"`
}

func (n credentialsCreate) Run(ctx context.Context, o output, c *connection) error {
	body := fields{"name": n.Name, "purpose": strings.ToUpper(n.Purpose), "read_only": n.ReadOnly}.text("comment", n.Comment)
	switch some, err := n.addTo(body); {
	case err != nil:
		return err
	case !some:
		return fmt.Errorf("say by one of %s what kind of credential it is", kindFlags)
	}
	return c.send(ctx, o, http.MethodPost, "/credentials", body)
}

type credentialsUpdate struct {
	Name string `arg:""`
	identityFlags
	NewName  *string `help:"Rename it. External locations follow." placeholder:"NAME"`
	Comment  *string `help:"What it is for." placeholder:"TEXT"`
	Owner    *string `help:"Give it to this principal or group." placeholder:"PRINCIPAL"`
	ReadOnly *bool   `help:"For reading only, or not." negatable:""`
	Force    bool    `help:"Give it another identity, or make it one for reading only, although external locations use it."`
}

func (u credentialsUpdate) Run(ctx context.Context, o output, c *connection) error {
	body := fields{}.given("new_name", u.NewName).given("comment", u.Comment).given("owner", u.Owner).flag("read_only", u.ReadOnly)
	switch some, err := u.addTo(body); {
	case err != nil:
		return err
	case !some && (u.SecretFile != "" || u.AzureFederatedToken != ""):
		return fmt.Errorf("a secret is one of an identity: give one of %s, too", kindFlags)
	case len(body) == 0:
		return errNoChange
	case u.Force:
		body["force"] = true
	}
	return c.send(ctx, o, http.MethodPatch, cli.Path("credentials", u.Name), body)
}

// errNoChange is of an update without a flag that says what to change.
var errNoChange = errors.New("say by a flag what is to change; --help lists them")

// identityFlags say how the server proves to a cloud who it is.
type identityFlags struct {
	AWSRole      string `name:"aws-role" help:"Role to assume." placeholder:"ARN"`
	AWSAccessKey string `name:"aws-access-key" help:"ID of an access key; the secret key is the secret." placeholder:"ID"`

	AzureClient          string `help:"Application ID of a service principal; its client secret is the secret, unless --azure-federated-token is given." placeholder:"ID"`
	AzureTenant          string `help:"Directory ID of the service principal." placeholder:"ID"`
	AzureFederatedToken  string `help:"File of the server that proves the service principal." placeholder:"PATH"`
	AzureManagedIdentity string `help:"Managed identity of the server, by its application ID or as /subscriptions/…" placeholder:"ID"`
	AzureAccount         string `help:"Name of a storage account; its key is the secret." placeholder:"NAME"`

	GCPKeyFile string `name:"gcp-key-file" help:"File with the key of a service account, in JSON as Google gives it; '-' for standard input." placeholder:"FILE"`

	SecretFile string `help:"File with the secret, or '-' for standard input. Default: the variable LEVEE_SECRET." placeholder:"FILE"`
}

const kindFlags = "--aws-role, --aws-access-key, --azure-client, --azure-managed-identity, --azure-account and --gcp-key-file"

// addTo adds the identity to a request, and reports whether the flags tell one.
func (n identityFlags) addTo(body fields) (bool, error) {
	type kind struct {
		flag, given string
		make        func() (string, any, error)
	}
	var kinds []kind
	for _, k := range []kind{
		{"--aws-role", n.AWSRole, func() (string, any, error) { return "aws_iam_role", fields{"role_arn": n.AWSRole}, nil }},
		{"--aws-access-key", n.AWSAccessKey, func() (string, any, error) {
			secret, err := n.secret()
			return "aws_access_key", fields{"access_key_id": n.AWSAccessKey, "secret_access_key": secret}, err
		}},
		{"--azure-client", n.AzureClient + n.AzureTenant, n.servicePrincipal},
		{"--azure-managed-identity", n.AzureManagedIdentity, func() (string, any, error) {
			name := "application_id"
			if strings.HasPrefix(n.AzureManagedIdentity, "/") {
				name = "msi_resource_id"
			}
			return "azure_managed_identity", fields{name: n.AzureManagedIdentity}, nil
		}},
		{"--azure-account", n.AzureAccount, func() (string, any, error) {
			secret, err := n.secret()
			return "azure_storage_key", fields{"account_name": n.AzureAccount, "account_key": secret}, err
		}},
		{"--gcp-key-file", n.GCPKeyFile, n.serviceAccount},
	} {
		if k.given != "" {
			kinds = append(kinds, k)
		}
	}
	switch len(kinds) {
	case 0:
		return false, nil
	case 1:
		name, value, err := kinds[0].make()
		body[name] = value
		return true, err
	}
	return false, fmt.Errorf("%s and %s are of two kinds of identity, and a credential has one: leave one of them out", kinds[0].flag, kinds[1].flag)
}

func (n identityFlags) servicePrincipal() (string, any, error) {
	body := fields{"directory_id": n.AzureTenant, "application_id": n.AzureClient}
	if n.AzureTenant == "" || n.AzureClient == "" {
		return "", nil, errors.New("a service principal needs both --azure-tenant and --azure-client")
	}
	if n.AzureFederatedToken != "" {
		body["federated_token_file"] = n.AzureFederatedToken
		return "azure_service_principal", body, nil
	}
	secret, err := n.secret()
	body["client_secret"] = secret
	return "azure_service_principal", body, err
}

// serviceAccount takes what counts out of Google's file.
func (n identityFlags) serviceAccount() (string, any, error) {
	data, err := readAll(n.GCPKeyFile)
	if err != nil {
		return "", nil, fmt.Errorf("--gcp-key-file: %w", err)
	}
	var key struct {
		Email string `json:"client_email"`
		ID    string `json:"private_key_id"`
		Key   string `json:"private_key"`
	}
	if err := json.Unmarshal(data, &key); err != nil || key.Email == "" || key.Key == "" {
		return "", nil, fmt.Errorf("--gcp-key-file: %s is not the key of a service account in JSON", n.GCPKeyFile)
	}
	return "gcp_service_account_key", fields{"email": key.Email, "private_key_id": key.ID, "private_key": key.Key}, nil
}

// secret reads the secret that goes with the flags.
func (n identityFlags) secret() (string, error) {
	if n.SecretFile != "" {
		secret, err := readLine(n.SecretFile)
		if err != nil {
			return "", fmt.Errorf("--secret-file: %w", err)
		}
		return secret, nil
	}
	if secret := os.Getenv("LEVEE_SECRET"); secret != "" {
		return secret, nil
	}
	return "", errors.New("the secret is missing: give --secret-file FILE ('-' for standard input), or set LEVEE_SECRET")
}
