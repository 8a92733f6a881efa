package catalog

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// kindClient is the kind of a principal that has, or had, tokens: a child of the metastore, named as the
// principal. Its tokens are its children, so that one Get of a token brings whose it is.
const kindClient types.Kind = "client"

// A tokenBody is the body of a token's object. The secret itself is nowhere.
type tokenBody struct {
	Hash      string   `json:"sha256"` // of the text behind <ID>. in hex
	Groups    []string `json:"groups,omitempty"`
	Comment   string   `json:"comment,omitempty"`
	CreatedBy string   `json:"created-by,omitempty"`
	Expires   int64    `json:"expires,omitempty"` // milliseconds since 1970; 0: never
}

const (
	maxTokenGroups  = 100
	maxTokenComment = 4096
)

func clientPath(principal string) []storage.Step {
	return []storage.Step{{Kind: kindClient, Name: principal}}
}

// CreateToken makes a token for a principal, who needs not be known before. When it returns, the token is
// durable. Its secret is in the answer and nowhere else.
//
// Errors: InvalidParameterValue (names, comment, lifetime), PermissionDenied.
func (c *Catalog) CreateToken(ctx context.Context, req types.CreateToken) (types.IssuedToken, error) {
	if err := checkToken(req); err != nil {
		return types.IssuedToken{}, err
	}
	if _, err := c.ensureMetastore(ctx); err != nil {
		return types.IssuedToken{}, err
	}
	random := make([]byte, 32)
	rand.Read(random) // never fails
	secret := base64.RawURLEncoding.EncodeToString(random)
	hash := sha256.Sum256([]byte(secret))

	id, clientID, now := newID(), newID(), c.now()
	body := tokenBody{Hash: hex.EncodeToString(hash[:]), Groups: req.Groups, Comment: req.Comment, CreatedBy: Principal(ctx)}
	if req.Lifetime > 0 {
		body.Expires = now.Add(req.Lifetime).UnixMilli()
	}
	o := storage.Object{ID: id, Kind: types.KindToken, Name: string(id), Revision: 1, Created: now, Updated: now, Body: plainJSON(body)}
	// If another request makes the client meanwhile, it is there the next time: clients stay.
	o, err := updateAgain(ctx, c, func(tx storage.Tx) (storage.Object, error) {
		o := o
		if err := c.adminOnly(ctx, tx); err != nil {
			return o, err
		}
		path := clientPath(req.Principal)
		chain, err := tx.Lookup(ctx, path, storage.Want{})
		if err != nil {
			return o, err
		}
		o.Parent = last(chain).ID
		if len(chain) <= len(path) {
			client := storage.Object{
				ID: clientID, Kind: kindClient, Parent: last(chain).ID, Name: req.Principal, Revision: 1, Created: now, Updated: now, Body: []byte("{}"),
			}
			if err := tx.Insert(ctx, client); err != nil {
				return o, err
			}
			o.Parent = clientID
		}
		return o, tx.Insert(ctx, o)
	})
	if err != nil {
		return types.IssuedToken{}, err
	}
	return types.IssuedToken{Token: publicToken(req.Principal, o, body), Secret: types.Secret(string(id) + "." + secret)}, nil
}

func checkToken(req types.CreateToken) error {
	if err := checkPrincipal("principal", req.Principal); err != nil {
		return err
	}
	if err := within("groups", len(req.Groups), maxTokenGroups, "names"); err != nil {
		return err
	}
	for i, g := range req.Groups {
		if err := checkPrincipal(fmt.Sprintf("groups[%d]", i), g); err != nil {
			return err
		}
	}
	if err := within("comment", len(req.Comment), maxTokenComment, "bytes"); err != nil {
		return err
	}
	if req.Lifetime < 0 {
		return types.InvalidParameterValue.Errorf("the lifetime is negative")
	}
	return checkText("comment", req.Comment)
}

// RevokeToken ends a token. When it returns, that is durable and nobody is let in by the token any more.
//
// Errors: NotFound, PermissionDenied.
func (c *Catalog) RevokeToken(ctx context.Context, id types.ID) error {
	_, err := update(ctx, c, func(tx storage.Tx) (none struct{}, err error) {
		if err := c.adminOnly(ctx, tx); err != nil {
			return none, err
		}
		chain, err := tokenChain(ctx, tx, id)
		if err != nil {
			return none, err
		}
		if chain == nil {
			return none, types.NotFound.Errorf("there is no token with ID %q", id).About(types.KindToken)
		}
		return none, tx.Delete(ctx, last(chain))
	})
	return err
}

// CheckToken returns the token whose secret was shown, <ID>.<random text>. All refusals say the same.
//
// Errors: NotAuthorized (malformed, unknown, expired, revoked).
func (c *Catalog) CheckToken(ctx context.Context, secret string) (types.Token, error) {
	text, random, _ := strings.Cut(secret, ".")
	id, err := types.ParseID(text)
	if err != nil || string(id) != text { // one token has one spelling
		return types.Token{}, notAuthorized()
	}
	got := sha256.Sum256([]byte(random))
	return c.liveToken(ctx, id, func(b tokenBody) bool {
		want, err := hex.DecodeString(b.Hash)
		return err == nil && subtle.ConstantTimeCompare(got[:], want) == 1
	})
}

// LiveToken returns the token with an ID, for one who has proved by other means to have shown it before.
//
// Errors: NotAuthorized (unknown, expired, revoked).
func (c *Catalog) LiveToken(ctx context.Context, id types.ID) (types.Token, error) {
	return c.liveToken(ctx, id, func(tokenBody) bool { return true })
}

func (c *Catalog) liveToken(ctx context.Context, id types.ID, proven func(tokenBody) bool) (types.Token, error) {
	var b tokenBody
	chain, err := view(ctx, c, func(tx storage.ReadTx) ([]storage.Node, error) {
		chain, err := tokenChain(ctx, tx, id)
		if err == nil && chain != nil {
			b, err = remembered(c, tx, last(chain), decodeToken)
		}
		return chain, err
	})
	if err != nil {
		return types.Token{}, err
	}
	if chain == nil || !proven(b) || b.Expires != 0 && c.now().UnixMilli() >= b.Expires {
		return types.Token{}, notAuthorized()
	}
	return publicToken(chain[1].Name, last(chain), b), nil
}

func notAuthorized() error {
	return types.NotAuthorized.Errorf("the token is none of this server, or it is expired or revoked")
}

// tokenChain returns the chain to a token: metastore, client, token; nil if there is none with this ID.
func tokenChain(ctx context.Context, tx storage.ReadTx, id types.ID) ([]storage.Node, error) {
	if _, err := types.ParseID(string(id)); err != nil { // no store is asked for what can be no ID
		return nil, nil
	}
	chain, err := tx.Get(ctx, id, storage.Want{})
	if err != nil || len(chain) != 3 || chain[1].Kind != kindClient || chain[2].Kind != types.KindToken {
		return nil, err
	}
	return chain, nil
}

func decodeToken(o storage.Object) (tokenBody, error) {
	var b tokenBody
	if err := json.Unmarshal(o.Body, &b); err != nil {
		return b, corrupt(o, "body", err)
	}
	return b, nil
}

func publicToken(principal string, o storage.Object, b tokenBody) types.Token {
	t := types.Token{
		ID: o.ID, Principal: principal, Groups: slices.Clone(b.Groups), Comment: b.Comment, Created: o.Created, CreatedBy: b.CreatedBy,
	}
	if b.Expires != 0 {
		t.Expires = time.UnixMilli(b.Expires).UTC()
	}
	return t
}
