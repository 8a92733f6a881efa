package catalog_test

import (
	"context"
	"testing"
	"time"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

// TestSquatter: who registers a table where no external location is yet gets no keys to it when there is one.
func TestSquatter(t *testing.T) {
	vendor := credentials.VendorFunc(func(_ context.Context, r credentials.Request) (types.Credential, error) {
		return types.Credential{Prefix: credentials.Prefix(r.Location), Operation: r.Operation, Expiration: time.Now().Add(time.Hour), Config: map[string]string{
			types.S3AccessKeyID: "a", types.S3SecretAccessKey: "b", types.S3SessionToken: "c",
		}}, nil
	})
	c := guarded(t, memory.New(), catalog.Config{Vendor: vendor})
	allow(t, c, onCatalog, "eve", types.PrivilegeUseCatalog)
	allow(t, c, onSchema, "eve", types.PrivilegeUseSchema, types.PrivilegeCreateTable)
	register := func(name string) error {
		req := externalTable(name)
		req.Location = "s3://secret/" + name
		_, err := c.CreateTable(as(t, "eve"), s1, req)
		return err
	}
	keys := func(name string) error {
		_, err := c.TableCredentials(as(t, "eve"), s1.Table(name), types.Read)
		return err
	}
	wantCode(t, "register where no location is", register("early"), "")
	wantCode(t, "keys where no location is", keys("early"), types.PermissionDenied)

	root := as(t, "root")
	_, err := c.CreateStorageCredential(root, types.CreateStorageCredential{
		Name: "role", Purpose: types.PurposeStorage, Identity: types.CloudIdentity{AWSIAMRole: &types.AWSIAMRole{RoleARN: "arn:aws:iam::123456789012:role/levee"}},
	})
	check(t, err)
	_, err = c.CreateExternalLocation(root, types.CreateExternalLocation{Name: "secret", URL: "s3://secret", CredentialName: "role"})
	check(t, err)
	wantCode(t, "keys once a location is there", keys("early"), types.PermissionDenied)
	wantCode(t, "register in it without a right", register("late"), types.PermissionDenied)

	_, err = c.UpdatePermissions(root, types.Securable{Kind: types.KindExternalLocation, Name: "secret"},
		[]types.PermissionsChange{{Principal: "eve", Add: []types.Privilege{types.PrivilegeCreateExternalTable}}})
	check(t, err)
	wantCode(t, "register in it", register("late"), "")
	wantCode(t, "keys", keys("late"), "")
	wantCode(t, "keys of the one before", keys("early"), types.PermissionDenied)
	wantCode(t, "drop it", c.DeleteTable(as(t, "eve"), s1.Table("early")), "")
	wantCode(t, "and register it again", register("early"), "")
	wantCode(t, "keys then", keys("early"), "")
}
