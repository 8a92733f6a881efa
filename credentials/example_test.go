package credentials_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/credentials/static"
	"github.com/leveelake/catalog/types"
)

// A vendor for each place, and one cache in front of them all.
func Example() {
	lab, err := static.New(static.Config{
		Prefix: "s3://lab",
		Keys:   map[string]string{types.S3AccessKeyID: "minio", types.S3SecretAccessKey: "minio-secret"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := credentials.Mux{"file": credentials.Local{}, "s3://lab": lab}
	if err := mux.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	vendor := credentials.NewCache(credentials.CacheConfig{Vendor: mux})

	for _, location := range []string{"file:///data/t", "s3://lab/t", "s3://office/t"} {
		cred, err := vendor.Vend(context.Background(), credentials.Request{Location: location, Operation: types.Read})
		if errors.Is(err, types.NotImplemented) {
			fmt.Println(err)
			continue
		}
		fmt.Println(cred.Prefix, cred.Operation, len(cred.Config), "keys")
	}
	// Output:
	// file:///data/t/ READ 0 keys
	// s3://lab/t/ READ 2 keys
	// NotImplementedException: no credentials are configured for scheme s3 at s3://office
}
