package catalog

import (
	"strings"

	"github.com/leveelake/catalog/types"
)

// isUniform reports whether the table is also kept as Iceberg.
func (t *table) isUniform() bool {
	for f := range strings.SplitSeq(t.record.Properties[propertyUniform], ",") {
		if strings.TrimSpace(f) == "iceberg" {
			return true
		}
	}
	return false
}

// checkUniform checks the conversion state that comes with a version; stored is the one
// before it.
func checkUniform(t *table, given, stored *types.Uniform, version int64) error {
	bad := func(format string, args ...any) error {
		return types.InvalidParameterValue.Errorf("uniform"+format, args...)
	}
	if given == nil && t.isUniform() && t.record.Type == types.Managed {
		// Of an external table the catalog need not be told.
		return bad(" is missing: property %s has iceberg", propertyUniform)
	}
	if given != nil && !t.isUniform() {
		return bad(" is given, but property %s has no iceberg", propertyUniform)
	}
	if given == nil {
		return nil
	}
	if err := checkUniformShape(given); err != nil {
		return err
	}
	ice := given.Iceberg
	location, err := parseURL("uniform.iceberg.metadata-location", ice.MetadataLocation)
	switch {
	case err != nil:
		return err
	case !strings.HasPrefix(location, t.object.Location+"/"):
		return bad(".iceberg.metadata-location %q is not below the table's location", ice.MetadataLocation)
	}
	base, converted := ice.BaseConvertedDeltaVersion, ice.ConvertedDeltaVersion
	if version == 0 {
		// The conversion that comes with a new table may be counted as of version 0 or 1.
		if converted != 0 && converted != 1 {
			return bad(".iceberg.converted-delta-version is %d; a new table's is 0", converted)
		}
		if base != nil {
			return bad(".iceberg.base-converted-delta-version is given for a new table")
		}
		return nil
	}
	if converted != version {
		return bad(".iceberg.converted-delta-version is %d; the commit's version is %d", converted, version)
	}
	if base != nil && stored != nil && stored.Iceberg != nil && *base != stored.Iceberg.ConvertedDeltaVersion {
		return types.UpdateRequirementConflict.Errorf("uniform.iceberg.base-converted-delta-version is %d, but the table was converted up to version %d", *base, stored.Iceberg.ConvertedDeltaVersion)
	}
	return nil
}

const maxMetadataLocation = 65535

// checkUniformShape refuses a conversion state that no table could have.
func checkUniformShape(u *types.Uniform) error {
	const at = "uniform.iceberg"
	bad := func(format string, args ...any) error {
		return types.InvalidParameterValue.Errorf(at+format, args...)
	}
	switch ice := u.Iceberg; {
	case ice == nil:
		return bad(" is missing")
	case len(ice.MetadataLocation) > maxMetadataLocation:
		return bad(".metadata-location has %d bytes; the limit is %d", len(ice.MetadataLocation), maxMetadataLocation)
	case ice.ConvertedDeltaVersion < 0:
		return bad(".converted-delta-version is %d; it must not be negative", ice.ConvertedDeltaVersion)
	case ice.ConvertedDeltaTimestamp <= 0:
		return bad(".converted-delta-timestamp is %d; it must be positive", ice.ConvertedDeltaTimestamp)
	case ice.BaseConvertedDeltaVersion != nil && *ice.BaseConvertedDeltaVersion < 0:
		return bad(".base-converted-delta-version is %d; it must not be negative", *ice.BaseConvertedDeltaVersion)
	}
	return nil
}
