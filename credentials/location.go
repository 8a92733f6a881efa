package credentials

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/leveelake/catalog/types"
)

// Prefix is a location as it stands in types.Credential: with one slash at its end. Clients
// choose among credentials by string prefix, and without the slash the credential of …/t
// would be taken for …/t2. It is the only place that knows this form, so every vendor uses it.
func Prefix(location string) string {
	if strings.HasSuffix(location, "/") {
		return location
	}
	return location + "/"
}

// Within reports whether location is folder or lies below it, by whole path segments:
// s3://b/t/x is within s3://b/t and s3://b/t2 is not. Both are in normal form; a slash at
// the end of either does not count.
func Within(folder, location string) bool {
	return strings.HasPrefix(Prefix(location), Prefix(folder))
}

// Scheme is the scheme of a location, "s3" of s3://b/t, or "" if it has none.
func Scheme(location string) string {
	scheme, _, ok := strings.Cut(location, "://")
	if !ok {
		return ""
	}
	return scheme
}

// special are the characters that mean something to a policy language or a URL parser
// somewhere: a location that holds one could be read as wider than it is.
const special = "?#*${}\\'\"<>|`"

// checkLocation refuses what is not the normal form of a storage URL. It does not judge
// whether the scheme is served: that is the vendor's answer. The texts do not repeat
// the location where it may hold a secret.
func checkLocation(location string) error {
	scheme, rest, ok := strings.Cut(location, "://")
	if !ok || !isScheme(scheme) {
		return types.InvalidParameterValue.Errorf("location is not a storage URL")
	}
	host, path, _ := strings.Cut(rest, "/")
	// container@account is how abfs writes a container; anything else before an @ is a user,
	// and behind a colon there is a password.
	user, _, found := strings.Cut(host, "@")
	if found && (scheme != "abfs" && scheme != "abfss" || strings.Contains(user, ":")) {
		return types.InvalidParameterValue.Errorf("location of scheme %s names a user", scheme)
	}
	at := scheme + "://" + host
	switch {
	case !utf8.ValidString(location) || strings.ContainsAny(location, special) || strings.ContainsFunc(location, unicode.IsControl):
		return types.InvalidParameterValue.Errorf("location of scheme %s holds a character that is not allowed", scheme)
	case scheme == "file" && host != "":
		return types.InvalidParameterValue.Errorf("location %s names a host", at)
	case scheme == "file" && path == "":
		return types.InvalidParameterValue.Errorf("location is the root of the file system")
	case scheme != "file" && host == "":
		return types.InvalidParameterValue.Errorf("location of scheme %s names no bucket", scheme)
	case strings.HasSuffix(location, "/"):
		return types.InvalidParameterValue.Errorf("location below %s ends in a slash", at)
	}
	if path == "" {
		return nil // a whole bucket
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "" || segment == "." || segment == ".." {
			return types.InvalidParameterValue.Errorf("location below %s has the segment %q", at, segment)
		}
	}
	return nil
}

// isScheme reports whether s is a URL scheme in lower case.
func isScheme(s string) bool {
	for i, c := range []byte(s) {
		letter := 'a' <= c && c <= 'z'
		if !letter && (i == 0 || !('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.')) {
			return false
		}
	}
	return s != ""
}

// bucket is the scheme and the bucket, container or host of a location that
// checkLocation accepts, for error texts.
func bucket(location string) string {
	scheme, rest, _ := strings.Cut(location, "://")
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host
}
