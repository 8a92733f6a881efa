package types_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/leveelake/catalog/types"
)

func TestCredentialKeepsSecrets(t *testing.T) {
	c := types.Credential{
		Prefix: "s3://b/t/", Operation: types.ReadWrite, Expiration: time.UnixMilli(0),
		Config: map[string]string{types.S3AccessKeyID: "hidden1", types.S3SecretAccessKey: "hidden2"},
	}
	staging := types.StagingTable{ID: id, Location: "s3://b/t", Credentials: []types.Credential{c}}
	var out bytes.Buffer
	for _, v := range []any{c, &c, []types.Credential{c}, map[string]types.Credential{"k": c}, struct{ C types.Credential }{c}, staging} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T"} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
		fmt.Fprintln(&out, v)
	}
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(h).Info("vended", "credential", c, "pointer", &c, "staging", staging)
	}
	fmt.Fprintln(&out, fmt.Errorf("vend %v", c), c.GoString())
	if text := out.String(); strings.Contains(text, "hidden") || strings.Contains(text, fmt.Sprintf("%x", "hidden")) {
		t.Errorf("a secret shows:\n%s", text)
	}
	for _, part := range []string{"s3://b/t/", "READ_WRITE", types.S3AccessKeyID, "1970-01-01"} {
		if !strings.Contains(c.String(), part) {
			t.Errorf("%s does not tell %s", c, part)
		}
	}
	if data, err := json.Marshal(c); err != nil || !strings.Contains(string(data), "hidden2") {
		t.Errorf("JSON: %s, %v", data, err)
	}
}
