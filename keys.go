package catalog

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/leveelake/catalog/types"
)

// Keys are the master keys of a server, the one in use first. Whatever is encrypted or signed uses keys
// derived from them: new secrets the first, and the older ones still open what was made with them. The
// zero value has no keys. However Keys are printed, no key is shown.
type Keys struct{ list func() []masterKey } // a function: package fmt does not look inside, whatever holds Keys

type masterKey struct {
	master      []byte
	fingerprint string
	sealing     cipher.AEAD
}

const (
	keyPrefix = "levee-key-"
	keyLength = 32
)

// NewKey makes a key: one line of the text that [ParseKeys] reads.
func NewKey() string {
	key := make([]byte, keyLength)
	rand.Read(key) // never fails
	return keyPrefix + base64.RawURLEncoding.EncodeToString(key)
}

// ParseKeys reads keys, one a line as [NewKey] makes them, the newest first. Blank lines and those that begin
// with # are skipped. Errors name the line and repeat nothing of it.
func ParseKeys(text string) (Keys, error) {
	var list []masterKey
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		encoded, ok := strings.CutPrefix(line, keyPrefix)
		if !ok {
			return Keys{}, fmt.Errorf("keys: line %d: a key begins with %s", number, keyPrefix)
		}
		master, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
		if err != nil || len(master) != keyLength {
			return Keys{}, fmt.Errorf("keys: line %d: behind %s must come %d random bytes in base64url without padding, which are 43 characters", number, keyPrefix, keyLength)
		}
		k, err := newMasterKey(master)
		if err != nil {
			return Keys{}, fmt.Errorf("keys: line %d: %w", number, err)
		}
		if slices.ContainsFunc(list, func(o masterKey) bool { return o.fingerprint == k.fingerprint }) {
			return Keys{}, fmt.Errorf("keys: line %d: this key is there twice", number)
		}
		list = append(list, k)
	}
	if len(list) == 0 {
		return Keys{}, errors.New("keys: there is no key")
	}
	return Keys{func() []masterKey { return list }}, nil
}

func newMasterKey(master []byte) (masterKey, error) {
	k := masterKey{master: master}
	fingerprint, err := k.derive("fingerprint", 8)
	if err != nil {
		return k, err
	}
	k.fingerprint = hex.EncodeToString(fingerprint)
	secret, err := k.derive("seal", 32)
	if err != nil {
		return k, err
	}
	block, err := aes.NewCipher(secret)
	if err != nil {
		return k, err
	}
	k.sealing, err = cipher.NewGCMWithRandomNonce(block)
	return k, err
}

// derive makes a key for one use, from which nothing is learned of the keys for others.
func (k masterKey) derive(use string, length int) ([]byte, error) {
	return hkdf.Key(sha256.New, k.master, nil, "levee "+use, length)
}

func (k Keys) all() []masterKey {
	if k.list == nil {
		return nil
	}
	return k.list()
}

// IsZero reports whether there are no keys.
func (k Keys) IsZero() bool { return len(k.all()) == 0 }

// Fingerprints tells the keys apart, the newest first. They say nothing else of them.
func (k Keys) Fingerprints() []string {
	var out []string
	for _, m := range k.all() {
		out = append(out, m.fingerprint)
	}
	return out
}

// Derive makes a key of 32 bytes for a purpose out of each key, the newest first.
func (k Keys) Derive(purpose string) [][]byte {
	var out [][]byte
	for _, m := range k.all() {
		key, err := m.derive("purpose "+purpose, 32)
		if err != nil {
			panic(err) // only a wrong length fails
		}
		out = append(out, key)
	}
	return out
}

// Format makes every verb of package fmt print the fingerprints.
func (k Keys) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "keys%q", k.Fingerprints()) }

// sealVersion is what sealed texts begin with.
const sealVersion = "v1"

// seal encrypts plain with the newest key. Only open with the same context, such as the ID of an object and the
// name of a field, gets it back: what is sealed for one object is useless in another.
//
// Errors: FailedPrecondition (no keys).
func (k Keys) seal(plain []byte, context string) (string, error) {
	if k.IsZero() {
		return "", types.FailedPrecondition.Errorf("the server has no key to keep secrets with")
	}
	newest := k.all()[0]
	box := newest.sealing.Seal(nil, nil, plain, []byte(context))
	return strings.Join([]string{sealVersion, newest.fingerprint, base64.RawURLEncoding.EncodeToString(box)}, "."), nil
}

// open decrypts what seal made, with the newest or an older key. Its errors are faults: of the store, or of who
// took away a key.
func (k Keys) open(sealed, context string) ([]byte, error) {
	parts := strings.Split(sealed, ".")
	if len(parts) != 3 || parts[0] != sealVersion {
		return nil, errors.New("the stored secret is not one that was sealed")
	}
	i := slices.IndexFunc(k.all(), func(m masterKey) bool { return m.fingerprint == parts[1] })
	if i < 0 {
		return nil, errors.New("the stored secret was sealed with a key that the server does not have")
	}
	box, err := base64.RawURLEncoding.Strict().DecodeString(parts[2])
	if err != nil {
		return nil, errors.New("the stored secret is not in base64url")
	}
	plain, err := k.all()[i].sealing.Open(nil, nil, box, []byte(context))
	if err != nil {
		return nil, errors.New("the stored secret was changed, or is another object's")
	}
	return plain, nil
}
