package history_test

import (
	"slices"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/types"
)

var faultKeys = func() catalog.Keys {
	k, err := catalog.ParseKeys(catalog.NewKey())
	if err != nil {
		panic(err)
	}
	return k
}()

func createCredential(e *faultEnv) error {
	_, err := e.c.CreateStorageCredential(background, types.CreateStorageCredential{
		Name: "role", Purpose: types.PurposeStorage, Identity: types.CloudIdentity{AWSIAMRole: &types.AWSIAMRole{RoleARN: "arn:aws:iam::123456789012:role/r"}},
	})
	return err
}

func createLocation(e *faultEnv) error {
	_, err := e.c.CreateExternalLocation(background, types.CreateExternalLocation{Name: "l", URL: "s3://l/x", CredentialName: "role"})
	return err
}

func createToken(e *faultEnv) error {
	var err error
	e.token, err = e.c.CreateToken(background, types.CreateToken{Principal: "ann"})
	return err
}

func grantSelect(e *faultEnv) error {
	_, err := e.c.UpdatePermissions(background, faultGranted, []types.PermissionsChange{{Principal: "bob", Add: []types.Privilege{types.PrivilegeSelect}}})
	return err
}

func succeeds(do func(e *faultEnv) error) func(e *faultEnv) {
	return func(e *faultEnv) { e.must(do(e)) }
}

var (
	faultGranted   = types.Securable{Kind: types.KindCatalog, Name: "c"}
	withCredential = []func(e *faultEnv){succeeds(createCredential)}
	withLocation   = append(slices.Clone(withCredential), succeeds(createLocation))
	withToken      = []func(e *faultEnv){succeeds(createToken)}
)

// granted checks how many principals have something on the catalog.
func granted(n int) func(e *faultEnv) {
	return func(e *faultEnv) {
		e.Helper()
		if got, err := e.c.Permissions(background, faultGranted, ""); err != nil || len(got) != n {
			e.Errorf("granted is %v, %v", got, err)
		}
	}
}

// manageRows are about the operations that change what tables lie in and who may use it.
func manageRows() []faultRow {
	const taken, gone = types.AlreadyExists, types.NotFound
	return []faultRow{
		{method: "SetAdmin", do: func(e *faultEnv) error { return e.c.SetAdmin(background, "root") }, check: func(e *faultEnv) {
			if m, err := e.c.Metastore(background); err != nil || m.Owner != "root" {
				e.Errorf("the admin is %q, %v", m.Owner, err)
			}
		}},
		{method: "AdoptKeys", do: func(e *faultEnv) error { return e.c.AdoptKeys(background) }},
		{method: "UpdateCatalog", before: inSchema, do: func(e *faultEnv) error {
			_, err := e.c.UpdateCatalog(background, "c", types.UpdateCatalog{Comment: new("x"), Owner: new("ann")})
			return err
		}},
		{method: "UpdateCatalog", name: "new name", before: inSchema, write: "Replace", kind: types.KindCatalog, again: types.NoSuchCatalog, do: func(e *faultEnv) error {
			_, err := e.c.UpdateCatalog(background, "c", types.UpdateCatalog{NewName: new("d")})
			return err
		}},
		{method: "UpdateSchema", before: inSchema, write: "Replace", kind: types.KindSchema, again: types.NoSuchSchema, do: func(e *faultEnv) error {
			_, err := e.c.UpdateSchema(background, faultSchema, types.UpdateSchema{NewName: new("s2")})
			return err
		}},
		{method: "UpdatePermissions", before: inSchema, do: grantSelect, check: granted(1)},
		{method: "UpdatePermissions", name: "revoke", before: append(slices.Clone(inSchema), succeeds(grantSelect)), check: granted(0), do: func(e *faultEnv) error {
			_, err := e.c.UpdatePermissions(background, faultGranted, []types.PermissionsChange{{Principal: "bob", Remove: []types.Privilege{types.PrivilegeSelect}}})
			return err
		}},
		{method: "CreateStorageCredential", do: createCredential, write: "Insert", kind: types.KindCredential, again: taken},
		{method: "UpdateStorageCredential", before: withCredential, do: func(e *faultEnv) error {
			_, err := e.c.UpdateStorageCredential(background, "role", types.UpdateStorageCredential{Comment: new("x")})
			return err
		}},
		{method: "DeleteStorageCredential", before: withCredential, write: "Delete", kind: types.KindCredential, again: gone, do: func(e *faultEnv) error {
			return e.c.DeleteStorageCredential(background, "role", false)
		}},
		{method: "CreateExternalLocation", before: withCredential, do: createLocation, write: "Insert", kind: types.KindExternalLocation, again: taken},
		{method: "UpdateExternalLocation", before: withLocation, do: func(e *faultEnv) error {
			_, err := e.c.UpdateExternalLocation(background, "l", types.UpdateExternalLocation{URL: new("s3://l/y"), ReadOnly: new(true)})
			return err
		}},
		{method: "DeleteExternalLocation", before: withLocation, write: "Delete", kind: types.KindExternalLocation, again: gone, do: func(e *faultEnv) error {
			return e.c.DeleteExternalLocation(background, "l", false)
		}},
		// A token whose secret nobody got may be left over; the one that was told works.
		{method: "CreateToken", do: createToken, check: func(e *faultEnv) {
			list, _, err := e.c.ListTokens(background, "ann", types.Page{})
			if err != nil || len(list) < 1 || len(list) > 2 {
				e.Errorf("tokens are %v, %v", list, err)
			}
			if got, err := e.c.CheckToken(background, string(e.token.Secret)); err != nil || got.Principal != "ann" {
				e.Errorf("the token is %v, %v", got, err)
			}
		}},
		{method: "RevokeToken", before: withToken, write: "Delete", kind: types.KindToken, again: gone, check: func(e *faultEnv) {
			_, err := e.c.CheckToken(background, string(e.token.Secret))
			e.wants("a revoked token", err, types.NotAuthorized)
		}, do: func(e *faultEnv) error { return e.c.RevokeToken(background, e.token.ID) }},
	}
}

// manageReadRows are readRows of the same.
func manageReadRows() []faultRow {
	row := func(method string, do func(e *faultEnv) (any, error)) faultRow {
		r := readRow(method, do)
		adopt := func(e *faultEnv) error { return e.c.AdoptKeys(background) }
		r.before = slices.Concat(withCommit, withLocation, withToken, []func(e *faultEnv){succeeds(grantSelect), succeeds(adopt)})
		return r
	}
	return []faultRow{
		row("GetStorageCredential", func(e *faultEnv) (any, error) { return e.c.GetStorageCredential(background, "role") }),
		row("ValidateStorageCredential", func(e *faultEnv) (any, error) {
			return "valid", e.c.ValidateStorageCredential(background, types.CloudIdentity{AWSIAMRole: &types.AWSIAMRole{RoleARN: "arn:aws:iam::123456789012:role/r"}})
		}),
		row("GetExternalLocation", func(e *faultEnv) (any, error) { return e.c.GetExternalLocation(background, "l") }),
		row("StorageCredentialOf", func(e *faultEnv) (any, error) { return e.c.StorageCredentialOf(background, "s3://l/x/t") }),
		row("ListStorageCredentials", func(e *faultEnv) (any, error) {
			list, _, err := e.c.ListStorageCredentials(background, "", types.Page{})
			return list, err
		}),
		row("ListExternalLocations", func(e *faultEnv) (any, error) {
			list, _, err := e.c.ListExternalLocations(background, types.Page{})
			return list, err
		}),
		row("ListTableSummaries", func(e *faultEnv) (any, error) {
			list, _, err := e.c.ListTableSummaries(background, "c", types.TablePatterns{}, types.Page{})
			return list, err
		}),
		row("ListTokens", func(e *faultEnv) (any, error) {
			list, _, err := e.c.ListTokens(background, "", types.Page{})
			return list, err
		}),
		row("Permissions", func(e *faultEnv) (any, error) { return e.c.Permissions(background, faultGranted, "") }),
		row("EffectivePermissions", func(e *faultEnv) (any, error) {
			return e.c.EffectivePermissions(background, types.Securable{Kind: types.KindTable, Name: "c.s.t"}, "bob")
		}),
		row("CheckToken", func(e *faultEnv) (any, error) { return e.c.CheckToken(background, string(e.token.Secret)) }),
		row("NeedsKeys", func(e *faultEnv) (any, error) { return e.c.NeedsKeys(background) }),
		row("LiveToken", func(e *faultEnv) (any, error) { return e.c.LiveToken(background, e.token.ID) }),
	}
}
