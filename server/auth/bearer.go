package auth

import (
	"net/http"
	"strings"
)

const (
	maxToken = 16 << 10 // bytes
	cookie   = "UC_TOKEN"
)

// bearer is the token that r shows: in its one Authorization header, or, if it has none, in the cookie.
func bearer(r *http.Request) (string, error) {
	headers := r.Header.Values("Authorization")
	switch len(headers) {
	case 0:
		return cookieToken(r)
	case 1:
	default:
		return "", refused("there are %d Authorization headers; send one", len(headers))
	}
	scheme, text, _ := strings.Cut(headers[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", refused("the Authorization header is of another scheme than Bearer; send Authorization: Bearer <token>")
	}
	return checked(strings.Trim(text, " "), "the Authorization header")
}

// cookieToken is the token in the cookie, which a browser sends whoever made it do so. So only a request from
// the same site, or none, may change anything by it.
func cookieToken(r *http.Request) (string, error) {
	cookies := r.CookiesNamed(cookie)
	switch len(cookies) {
	case 0:
		return "", refused("there is no token; send Authorization: Bearer <token>")
	case 1:
	default:
		return "", refused("there are %d cookies %s; send one", len(cookies), cookie)
	}
	if new(http.CrossOriginProtection).Check(r) != nil {
		return "", refused("another site made the browser send this request; the cookie %s does not count for it", cookie)
	}
	return checked(cookies[0].Value, "the cookie "+cookie)
}

// checked is text, if it can be a token: of the syntax token68 of RFC 9110 and not too long.
func checked(text, where string) (string, error) {
	if len(text) > maxToken {
		return "", refused("the token in %s has more than %d bytes", where, maxToken)
	}
	core := strings.TrimRight(text, "=")
	if core == "" || strings.ContainsFunc(core, func(c rune) bool { return !token68(c) }) {
		return "", refused("%s does not hold one token; send Authorization: Bearer <token>", where)
	}
	return text, nil
}

func token68(c rune) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("-._~+/", c)
}
