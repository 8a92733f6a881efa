package types

import "time"

// A Token lets a principal in: whoever shows its secret is Principal, and a member of Groups.
type Token struct {
	ID        ID
	Principal string
	Groups    []string
	Comment   string
	Created   time.Time
	CreatedBy string
	Expires   time.Time // zero: never
}

// CreateToken asks for a new token.
type CreateToken struct {
	Principal string
	Groups    []string
	Comment   string
	Lifetime  time.Duration // 0: it does not expire
}

// An IssuedToken is a new token and what to show for it, which is not kept: only its hash is.
type IssuedToken struct {
	Token
	Secret Secret // <ID>.<random text>
}
