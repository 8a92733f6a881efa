package catalog

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/leveelake/catalog/types"
)

// checkUpdate refuses an update that no table could take.
func (r rules) checkUpdate(req types.UpdateTable) error {
	bad := func(format string, args ...any) error {
		return types.InvalidParameterValue.Errorf(format, args...)
	}
	u := &req.Update
	if req.Require.TableUUID == "" {
		return bad("requirements: assert-table-uuid is missing")
	}
	if e := req.Require.ETag; e != nil && *e == "" {
		return bad("requirements: assert-etag.etag is empty")
	}
	if u.SetColumns == nil && u.SetPartitionColumns == nil && u.SetProtocol == nil && u.SetProperties == nil &&
		u.RemoveProperties == nil && u.SetDomains == nil && u.RemoveDomains == nil && u.SetComment == nil &&
		u.SetSnapshotVersion == nil && u.AddCommit == nil && u.SetBackfilledVersion == nil {
		return bad("updates: there is no action")
	}
	if u.SetColumns != nil {
		if err := within("set-columns.columns", len(u.SetColumns.Fields), r.columns, "columns"); err != nil {
			return err
		}
		if err := u.SetColumns.Validate("set-columns.columns"); err != nil {
			return err
		}
	}
	if u.SetProtocol != nil {
		if err := u.SetProtocol.Validate("set-protocol.protocol"); err != nil {
			return err
		}
	}
	if err := r.checkProperties("set-properties", u.SetProperties); err != nil {
		return err
	}
	if u.SetComment != nil {
		if err := checkText("set-table-comment.comment", *u.SetComment); err != nil {
			return err
		}
	}
	for _, k := range u.RemoveProperties {
		if _, ok := u.SetProperties[k]; ok {
			return bad("updates: property %q is set and removed", k)
		}
	}
	if d := u.SetDomains; d != nil {
		if d.Clustering == nil && d.RowTracking == nil {
			return bad("set-domain-metadata.updates is empty")
		}
		if err := checkDomains(*d, "set-domain-metadata.updates"); err != nil {
			return err
		}
		if d.Clustering != nil && slices.Contains(u.RemoveDomains, types.DomainClustering) ||
			d.RowTracking != nil && slices.Contains(u.RemoveDomains, types.DomainRowTracking) {
			return bad("updates: a domain is set and removed")
		}
	}
	for i, d := range u.RemoveDomains {
		if d != types.DomainClustering && d != types.DomainRowTracking {
			return bad("remove-domain-metadata.domains[%d]: domain %q is unknown", i, d)
		}
	}
	if s := u.SetSnapshotVersion; s != nil && (s.LastCommitVersion < 0 || s.LastCommitTimestamp < 0) {
		return bad("update-metadata-snapshot-version: a value is negative")
	}
	if u.AddCommit == nil {
		return nil
	}
	if u.AddCommit.Uniform != nil {
		if err := checkUniformShape(u.AddCommit.Uniform); err != nil {
			return err
		}
	}
	return checkCommit(u.AddCommit.Commit)
}

// checkDomains checks the paths of clustering columns.
func checkDomains(d types.DomainMetadata, at string) error {
	if d.Clustering == nil {
		return nil
	}
	for i, p := range d.Clustering.ClusteringColumns {
		if len(p) == 0 || slices.ContainsFunc(p, func(name string) bool { return name == "" || !utf8.ValidString(name) }) {
			return types.InvalidParameterValue.Errorf("%s.%s.clusteringColumns[%d]: a path has no name, or one that is empty or not valid UTF-8", at, types.DomainClustering, i)
		}
	}
	return nil
}

// checkName applies the one rule for names that clients choose.
func (r rules) checkName(field, name string) error {
	if strings.TrimSpace(name) == "" {
		return types.InvalidParameterValue.Errorf("%s is missing", field)
	}
	if err := within(field, len(name), r.nameLength, "characters"); err != nil {
		return err
	}
	for _, r := range name {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '@' {
			continue
		}
		return types.InvalidParameterValue.Errorf("%s %q: %q is not allowed; use letters, digits, _, - and @", field, name, r)
	}
	return nil
}

// within refuses more of something than a limit allows.
func within(field string, n, limit int, what string) error {
	if n > limit {
		return types.InvalidParameterValue.Errorf("%s has %d %s; the limit is %d", field, n, what, limit)
	}
	return nil
}

// checkProperties refuses properties that could not be given back as they are.
func (r rules) checkProperties(field string, p map[string]string) error {
	if err := within(field, len(p), r.properties, "properties"); err != nil {
		return err
	}
	for _, k := range sortedKeys(p) {
		switch {
		case k == "":
			return types.InvalidParameterValue.Errorf("%s: a key is empty", field)
		case !utf8.ValidString(k) || !utf8.ValidString(p[k]):
			return types.InvalidParameterValue.Errorf("%s[%q] is not valid UTF-8", field, k)
		}
	}
	return nil
}

// checkText refuses text that could not be given back as it is.
func checkText(field, text string) error {
	if !utf8.ValidString(text) {
		return types.InvalidParameterValue.Errorf("%s is not valid UTF-8", field)
	}
	return nil
}

// maxPrincipal bounds the names of principals and groups, in bytes.
const maxPrincipal = 255

// checkPrincipal refuses what is no name of a principal or group.
func checkPrincipal(field, name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return types.InvalidParameterValue.Errorf("%s is empty", field)
	case len(name) > maxPrincipal:
		return types.InvalidParameterValue.Errorf("%s has %d bytes; the limit is %d", field, len(name), maxPrincipal)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return isControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) }):
		return types.InvalidParameterValue.Errorf("%s %q has a control character, one that cannot be seen, or is not UTF-8", field, name)
	}
	return nil
}
