package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/leveelake/catalog/types"
)

// TestPeople goes through the commands that ask a server, but for those of README.md.
func TestPeople(t *testing.T) {
	data := t.TempDir()
	p := serve(t, "--data", data, "--admin", "me")
	me := text(t, filepath.Join(data, "admin.token"))
	says := func(want string, args ...string) {
		t.Helper()
		if out := p.ok(t, me, args...); !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("levee %v: no %q in\n%s", args, want, out)
		}
	}
	says("role_arn=arn:aws:iam::123456789012:role/lake", "credentials", "create", "role", "--aws-role", "arn:aws:iam::123456789012:role/lake")
	says("credential_name role", "locations", "create", "root", "--url", "s3://lake/root", "--credential", "role")
	says("storage_root s3://lake/root", "catalogs", "create", "main", "--storage-root", "s3://lake/root", "--property", "a=b=c", "--property", "d=e")
	says("properties a=b=c, d=e", "catalogs", "show", "main")
	says("comment for all", "catalogs", "update", "main", "--comment", "for all")
	says("name lake", "catalogs", "update", "main", "--new-name", "lake")
	says("full_name lake.one", "schemas", "create", "lake.one")
	says("lake.one me", "schemas", "list", "lake")
	says("full_name lake.one", "schemas", "show", "lake.one")
	says("data_source_format PARQUET", "tables", "create", "lake.one.t", "--location", "s3://elsewhere/t", "--format", "parquet", "--columns", "a INT")
	says(`"type_text": "int"`, "tables", "list", "lake.one", "--output", "json")
	says("owner alice", "schemas", "update", "lake.one", "--owner", "alice")
	p.fails(t, me, "CATALOG_NOT_FOUND", "levee catalogs list", "tables", "list", "x y.%2F")
	p.fails(t, me, "not empty", "--force", "schemas", "delete", "lake.one")
	says("deleted schema lake.one", "schemas", "delete", "lake.one", "--force")
	for _, args := range [][]string{
		{"schemas", "show", "lake"}, {"schemas", "create", "a.b.c"}, {"tables", "show", "lake.one"}, {"tables", "commits", "a..c"}, {"tables", "list", "lake"},
		{"tables", "create", "a.b.c", "--location", "s3://b/c", "--columns", "id"}, {"tables", "create", "a.b.c"}, {"grants", "list", "catalog"},
		{"grants", "add", "cluster", "x", "--to", "me", "--privilege", "SELECT"}, {"token", "create"}, {"token", "create", "--principal", "x", "--expires", "-1h"},
		{"credentials", "update", "role"}, {"credentials", "update", "role", "--force"}, {"credentials", "update", "role", "--secret-file", "x"}, {"locations", "update", "root"},
		{"catalogs", "list", "--output", "xml"}, {"catalogs", "list", "--token-file", "beside LEVEE_TOKEN"}, {"catalogs", "list", "--server", "http://10.0.0.1:1"},
	} {
		if code, out, err := p.as(t, me, args...); code != 1 || out != "" || strings.Count(err, "\n") != 1 {
			t.Errorf("levee %v: exit code %d, %q, %q", args, code, out, err)
		}
	}

	says("url s3://there", "locations", "create", "there", "--url", "s3://there/", "--credential", "role", "--read-only")
	says("there s3://there role true me", "locations", "list")
	says("me - READ FILES", "grants", "add", "location", "there", "--to", "me - ", "--privilege", "read_files")
	says("PRINCIPAL PRIVILEGE GRANTED ON", "grants", "list", "location", "there", "--effective")
	says("PRINCIPAL PRIVILEGES", "grants", "remove", "location", "there", "--from", "me - ", "--privilege", "READ FILES")
	says("bob CREATE CATALOG", "grants", "add", "metastore", "--to", "bob", "--privilege", "CREATE CATALOG")
	p.fails(t, me, "not a privilege", "on a table SELECT, MODIFY; on any of these MANAGE", "grants", "add", "catalog", "lake", "--to", "bob", "--privilege", "READ")
	p.fails(t, me, "role", "delete has --force", "credentials", "delete", "role")
	p.fails(t, me, "role", "update has --force", "credentials", "update", "role", "--aws-role", "arn:aws:iam::123456789012:role/sea")
	says("role_arn=arn:aws:iam::123456789012:role/sea", "credentials", "update", "role", "--aws-role", "arn:aws:iam::123456789012:role/sea", "--force")
	says("read_only true", "credentials", "update", "role", "--read-only", "--force")
	says("read_only false", "credentials", "update", "role", "--no-read-only", "--comment", "x", "--new-name", "actor")
	says("read_only false", "credentials", "update", "actor", "--owner", "alice")
	says("owner me", "credentials", "update", "actor", "--owner", "me", "--new-name", "role")
	says("credential_name role", "locations", "update", "there", "--no-read-only", "--comment", "moved", "--new-name", "far")
	says("far s3://there role false me moved", "locations", "list")
	says("url s3://far", "locations", "update", "far", "--url", "s3://far", "--read-only", "--owner", "me")
	says("name there", "locations", "update", "far", "--new-name", "there", "--credential", "role")
	p.fails(t, me, "or force", "--help", "locations", "update", "root", "--url", "s3://lake/other")
	says("url s3://lake/other", "locations", "update", "root", "--url", "s3://lake/other", "--force")
	says("url s3://lake/root", "locations", "update", "root", "--url", "s3://lake/root")
	says("deleted external location there", "locations", "delete", "there")
	p.fails(t, me, "root", "--force", "locations", "delete", "root")
	says("deleted external location root", "locations", "delete", "root", "--force")
	says("deleted storage credential role", "credentials", "delete", "role")
	p.stop(t)
}

// TestSecrets: secrets of credentials come from where nobody sees them, and are shown nowhere.
func TestSecrets(t *testing.T) {
	data := t.TempDir()
	p := serve(t, "--data", data)
	secret, google := filepath.Join(t.TempDir(), "secret"), filepath.Join(t.TempDir(), "key.json")
	write(t, secret, "s3cr3t\n")
	key, err := json.Marshal(map[string]string{"client_email": "me@project.iam.gserviceaccount.com", "private_key_id": "1", "private_key": "-----BEGIN PRIVATE KEY-----\ns3cr3t\n"})
	if err != nil {
		t.Fatal(err)
	}
	write(t, google, string(key))
	create := func(stdin, variable string, args ...string) (string, error) {
		cmd := levee(append([]string{"credentials", "create"}, args...)...)
		cmd.Env = append(cmd.Env, "LEVEE_SERVER="+p.url, "LEVEE_SECRET="+variable)
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	const id = "01234567-89ab-cdef-0123-456789abcdef"
	for name, tt := range map[string]struct {
		stdin, variable string
		args            []string
		says            string
	}{
		"file":      {args: []string{"--aws-access-key", "AKIAIOSFODNN7EXAMPLE", "--secret-file", secret}, says: "aws_access_key"},
		"stdin":     {stdin: "s3cr3t\n", args: []string{"--azure-account", "lake", "--secret-file", "-"}, says: "account_name=lake"},
		"variable":  {variable: "s3cr3t", args: []string{"--azure-tenant", id, "--azure-client", id}, says: "azure_service_principal"},
		"google":    {args: []string{"--gcp-key-file", google}, says: "gserviceaccount"},
		"identity":  {args: []string{"--azure-managed-identity", id}, says: "application_id=" + id},
		"identity2": {args: []string{"--azure-managed-identity", "/subscriptions/x", "--purpose", "service", "--comment", "c"}, says: "SERVICE"},
	} {
		out, err := create(tt.stdin, tt.variable, append([]string{name}, tt.args...)...)
		if err != nil || !strings.Contains(out, tt.says) || strings.Contains(out, "s3cr3t") {
			t.Errorf("%s: %v, %s", name, err, out)
		}
	}
	cmd := levee("credentials", "update", "file", "--aws-access-key", "AKIAIOSFODNN7EXAMPLF")
	cmd.Env = append(cmd.Env, "LEVEE_SERVER="+p.url, "LEVEE_SECRET=s3cr3t")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "AKIAIOSFODNN7EXAMPLF") || strings.Contains(string(out), "s3cr3t") {
		t.Errorf("update: %v, %s", err, out)
	}
	if out, err := create("", "", "bad", "--aws-role", "x", "--azure-account", "y"); err == nil || !strings.Contains(out, "--aws-role and --azure-account are of two kinds") {
		t.Errorf("two kinds: %v, %s", err, out)
	}
	for name, args := range map[string][]string{
		"no kind": nil, "two kinds": {"--aws-role", "x", "--azure-managed-identity", id}, "no secret": {"--aws-access-key", "x"}, "half": {"--azure-client", id},
		"no key": {"--gcp-key-file", secret}, "no file": {"--azure-account", "x", "--secret-file", secret + ".none"},
	} {
		if out, err := create("", "", append([]string{"bad"}, args...)...); err == nil || strings.Count(out, "\n") != 1 {
			t.Errorf("%s: %v, %s", name, err, out)
		}
	}
	p.stop(t)
}

// TestPrivileges: help and hints list those that there are, at what they are for.
func TestPrivileges(t *testing.T) {
	kinds := []types.Kind{types.KindMetastore, types.KindCredential, types.KindExternalLocation, types.KindCatalog, types.KindSchema, types.KindTable}
	listed := 0
	for _, p := range privileges {
		for _, name := range p.list {
			listed++
			kind := map[string]types.Kind{
				"the metastore": types.KindMetastore, "a credential or the metastore": types.KindCredential, "a location": types.KindExternalLocation,
				"a catalog": types.KindCatalog, "a schema": types.KindSchema, "a table": types.KindTable, "any of these": types.KindTable,
			}[p.on]
			if !slices.Contains(kinds, kind) || !name.On(kind) {
				t.Errorf("%s is not for %s", name, p.on)
			}
		}
	}
	source, err := os.ReadFile("../../types/grant.go")
	if err != nil {
		t.Fatal(err)
	}
	if all := strings.Count(string(source), " Privilege = "); listed != all || all == 0 {
		t.Errorf("%d of %d are listed", listed, all)
	}
	out, err := levee("grants", "add", "--help").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "On a catalog: USE CATALOG, CREATE SCHEMA\n") {
		t.Errorf("%v, %s", err, out)
	}
}
