package types

import (
	"fmt"
	"io"
	"log/slog"
	"time"
)

// An Operation is what a credential is good for.
type Operation string

// The operations.
const (
	Read      Operation = "READ"
	ReadWrite Operation = "READ_WRITE"
)

// The keys of Credential.Config. A credential holds the keys of one cloud only, and
// none for local files.
const (
	S3AccessKeyID     = "s3.access-key-id"
	S3SecretAccessKey = "s3.secret-access-key"
	S3SessionToken    = "s3.session-token"
	AzureSASToken     = "azure.sas-token"
	GCSOAuthToken     = "gcs.oauth-token"
)

// A Credential gives temporary access to the storage below Prefix. It prints without
// its secrets; only its JSON, which goes to the one who asked, holds them.
type Credential struct {
	Prefix     string
	Operation  Operation
	Expiration time.Time // always set
	Config     map[string]string
}

// UnmarshalJSON reads a credential; all fields are required. Keys that are null, those
// of the other clouds, are left out.
func (c *Credential) UnmarshalJSON(data []byte) error { return unmarshal(c, data, readCredential) }

func readCredential(data []byte, p *path) (Credential, error) {
	o := open(data, p)
	c := Credential{
		Prefix:     need(o, "prefix", readString),
		Operation:  need(o, "operation", oneOf(Read, ReadWrite)),
		Expiration: need(o, "expiration-time-ms", readTime),
		Config:     map[string]string{},
	}
	for k, v := range need(o, "config", mapOf(nullable(readString))) {
		if v != nil {
			c.Config[k] = *v
		}
	}
	return c, o.err
}

// ParseOperation reads the name of an operation. It answers [BadRequest] for any other.
func ParseOperation(s string) (Operation, error) {
	switch op := Operation(s); op {
	case Read, ReadWrite:
		return op, nil
	}
	return "", BadRequest.Errorf("%s is not an operation, want %s or %s", quote(s), Read, ReadWrite)
}

// MarshalJSON writes the credential with its secrets. The expiration is in epoch
// milliseconds, and config is an object even if it is empty.
func (c Credential) MarshalJSON() ([]byte, error) {
	dst := appendString([]byte(`{"prefix":`), c.Prefix)
	dst = appendString(append(dst, `,"operation":`...), string(c.Operation))
	dst = appendInt(dst, `,"expiration-time-ms":`, c.Expiration.UnixMilli())
	dst = appendProperties(append(dst, `,"config":`...), c.Config)
	return append(dst, '}'), nil
}

// String describes the credential without its secrets.
func (c Credential) String() string {
	return fmt.Sprintf("%s on %s until %s with %q",
		string(c.Operation), c.Prefix, c.Expiration.Format(time.RFC3339), sortedKeys(c.Config))
}

// GoString is [Credential.String].
func (c Credential) GoString() string { return c.String() }

// Format writes [Credential.String] whatever the verb, so that no verb shows a secret.
func (c Credential) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, c.String()) }

// LogValue describes the credential without its secrets.
func (c Credential) LogValue() slog.Value { return slog.StringValue(c.String()) }
