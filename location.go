package catalog

import (
	"context"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A location is a storage URL in normal form: scheme://authority/path for object
// stores, file:///path for local files; no trailing slash, no repeated slash, no dot
// segments. Percent-escapes stay as they are. Where one place has several names, one is
// chosen or the others are refused, for locations are compared as text.

// managedSegment is the folder below a storage root that holds all managed tables. No
// location that a client gives may have it, so a managed folder can be registered
// by nobody, not even after its table is gone.
const managedSegment = "__unitystorage"

// spelling tells the right scheme for one that other tools use for the same storage.
var spelling = map[string]string{"s3a": "s3", "s3n": "s3", "wasb": "abfs", "wasbs": "abfss", "r2": "s3", "http": "", "https": ""}

// maxLocation bounds the locations of tables and roots, in bytes: the work of looking for
// overlaps grows with the depth.
const maxLocation = 2048

// parseLocation brings the location of a table or root into normal form, or says why it
// cannot. The field's name begins the message.
func parseLocation(field, raw string) (string, error) {
	if len(raw) > maxLocation {
		return "", types.InvalidParameterValue.Errorf("%s has %d bytes; at most %d are allowed", field, len(raw), maxLocation)
	}
	return parseURL(field, raw)
}

// parseURL is parseLocation for a storage URL of any length.
func parseURL(field, raw string) (string, error) {
	bad := func(format string, args ...any) error {
		return types.InvalidParameterValue.Errorf("%s %q "+format, append([]any{field, raw}, args...)...)
	}
	switch {
	case strings.TrimSpace(raw) == "":
		return "", types.InvalidParameterValue.Errorf("%s is missing", field)
	case !utf8.ValidString(raw) || strings.ContainsFunc(raw, isControl):
		return "", bad("has a control character")
	case strings.ContainsAny(raw, "?#*${}\\'\"<>|`"):
		// Special to URLs, or to the policy languages that scope credentials.
		return "", bad(`has one of the characters ? # * $ { } \ ' " < > | and backquote`)
	}
	scheme, rest, found := strings.Cut(raw, ":")
	if !found || strings.Contains(scheme, "/") {
		if !strings.HasPrefix(raw, "/") {
			return "", bad("is neither a URL nor an absolute path")
		}
		scheme, rest = "file", raw
	}
	if right, ok := spelling[scheme]; ok {
		if right == "" {
			return "", bad("has scheme %s; use s3, gs, abfs, abfss or file", scheme)
		}
		return "", bad("has scheme %s; write %s", scheme, right)
	}
	var authority, folder string
	switch scheme {
	case "file":
		if !strings.HasPrefix(rest, "/") {
			return "", bad("is a relative path")
		}
		if strings.Contains(rest, " ") {
			return "", bad("has a space; write %%20")
		}
		folder = rest
	case "s3", "gs", "abfs", "abfss":
		after, ok := strings.CutPrefix(rest, "//")
		if !ok {
			return "", bad("has no // after the scheme")
		}
		authority, folder, _ = strings.Cut(after, "/")
		if _, account, _ := strings.Cut(authority, "@"); strings.Contains(strings.ToLower(account), ".blob.") {
			return "", bad("names the blob endpoint of a storage account; write .dfs.")
		}
		if !validAuthority(scheme, authority) {
			return "", bad("does not name a bucket or container")
		}
		if container, account, ok := strings.Cut(authority, "@"); ok {
			// Both schemes reach the same container, and accounts are host names.
			scheme, authority = "abfss", container+"@"+strings.ToLower(account)
		}
	default:
		return "", bad("has an unknown scheme; use s3, gs, abfs, abfss or file")
	}
	clean := strings.TrimSuffix(path.Clean("/"+folder), "/")
	if seg, ok := disguised(clean, scheme == "file"); ok {
		return "", bad("escapes what is plain, or hides a folder, in %q; write it as it is", seg)
	}
	return scheme + "://" + authority + clean, nil
}

// validAuthority accepts bucket names, and container@account for Azure.
func validAuthority(scheme, a string) bool {
	container, account, azure := strings.Cut(a, "@")
	if azure != (scheme == "abfs" || scheme == "abfss") || azure && account == "" {
		return false
	}
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(".-_", r)
	}
	for _, s := range []string{container, account} {
		if strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
			return false
		}
	}
	return container != "" && container != "." && container != ".." && !strings.HasSuffix(account, ".")
}

// disguised finds a segment whose percent-escapes hide a slash, a dot segment or the
// managed folder: some clients decode them and some do not, so it would name two places.
// Of local files, which all clients decode, no escape may stand for a plain character.
func disguised(folder string, local bool) (segment string, found bool) {
	for segment := range strings.SplitSeq(folder, "/") {
		plain, err := url.PathUnescape(segment)
		if err != nil || plain == segment {
			continue
		}
		if plain == "." || plain == ".." || plain == managedSegment || strings.Contains(plain, "/") {
			return segment, true
		}
		if local && escapesPlain(segment) {
			return segment, true
		}
	}
	return "", false
}

// escapesPlain reports whether segment escapes a letter, a digit or one of -._~.
func escapesPlain(segment string) bool {
	for i := 0; i+2 < len(segment); i++ {
		if segment[i] != '%' {
			continue
		}
		c, err := url.PathUnescape(segment[i : i+3])
		if err == nil && url.QueryEscape(c) == c {
			return true
		}
	}
	return false
}

// isBucketRoot tells of a location without a folder.
func isBucketRoot(location string) bool {
	_, rest, _ := strings.Cut(location, "://")
	return !strings.Contains(rest, "/")
}

func isInManaged(location string) bool {
	return slices.Contains(strings.Split(location, "/"), managedSegment)
}

// overlaps reports whether one of two locations is the other or lies beneath it.
func overlaps(a, b string) bool { return credentials.Within(a, b) || credentials.Within(b, a) }

// clientLocation is parseLocation for a place that a client wants to use itself.
func clientLocation(field, raw string) (string, error) {
	location, err := parseLocation(field, raw)
	if err != nil {
		return "", err
	}
	if isInManaged(location) {
		return "", types.InvalidParameterValue.Errorf("%s %q lies inside managed storage (folder %s)", field, raw, managedSegment)
	}
	return location, nil
}

// externalLocation checks where an external table may lie, but for overlaps.
func (c *Catalog) externalLocation(field, raw string) (string, error) {
	location, err := clientLocation(field, raw)
	if err != nil {
		return "", err
	}
	if isBucketRoot(location) {
		return "", types.InvalidParameterValue.Errorf("%s %q is a whole bucket or file system; give a folder in it", field, raw)
	}
	if c.managedRoot != "" && overlaps(location, c.managedRoot) {
		return "", types.InvalidParameterValue.Errorf("%s %q overlaps the managed root of the catalog", field, raw)
	}
	return location, nil
}

// checkFree refuses a location for an external table that overlaps with any table,
// staging table or managed folder, even a dropped one. In Update, what it found is held.
func checkFree(ctx context.Context, tx storage.ReadTx, field, location string) error {
	found, err := tx.Overlap(ctx, location, []types.Kind{types.KindTable, types.KindStagingTable, types.KindCatalog, types.KindSchema, kindTaken}, 1)
	if err != nil {
		return err
	}
	if len(found) > 0 {
		// Which one is not said: the caller may have no right to know of it.
		return types.InvalidParameterValue.Errorf("%s %q overlaps with the location of another object of the catalog, or with what was managed storage", field, location)
	}
	return nil
}

// storageRoot checks the root that a client gives for a catalog's or schema's managed
// tables; "" stays "".
func storageRoot(raw string) (string, error) {
	if raw == "" {
		return "", nil
	}
	root, err := clientLocation("storage_root", raw)
	if err != nil {
		return "", err
	}
	if longest := maxLocation - len("/"+managedSegment+"/catalogs/"+string(newID())+"/tables/"+string(newID())); len(root) > longest {
		return "", types.InvalidParameterValue.Errorf("storage_root has %d bytes; the limit is %d, for tables need room below it", len(root), longest)
	}
	if root == "file://" {
		return "", types.InvalidParameterValue.Errorf("storage_root %q is a whole file system; give a folder in it", raw)
	}
	return root, nil
}

// managedFolder is the folder of an object (of a kind that has managed tables) below
// its storage root; "" without a root.
func managedFolder(root, plural string, id types.ID) string {
	if root == "" {
		return ""
	}
	return root + "/" + managedSegment + "/" + plural + "/" + string(id)
}
