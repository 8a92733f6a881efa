package types

// Uniform tells up to which version a table has been converted to Iceberg.
type Uniform struct {
	Iceberg *Iceberg `json:"iceberg"`
}

// Iceberg is the Iceberg side of a UniForm table.
type Iceberg struct {
	MetadataLocation          string `json:"metadata-location"` // storage URL below the table's location
	ConvertedDeltaVersion     int64  `json:"converted-delta-version"`
	ConvertedDeltaTimestamp   int64  `json:"converted-delta-timestamp"` // epoch milliseconds
	BaseConvertedDeltaVersion *int64 `json:"base-converted-delta-version,omitempty"`
}

// UnmarshalJSON reads the UniForm state; iceberg is required.
func (u *Uniform) UnmarshalJSON(data []byte) error { return unmarshal(u, data, readUniform) }

func readUniform(data []byte, p *path) (Uniform, error) {
	o := open(data, p)
	iceberg := need(o, "iceberg", readIceberg)
	return Uniform{Iceberg: &iceberg}, o.err
}

// appendJSON appends u in the spelling of its tags.
func (u *Uniform) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"iceberg":`...)
	if u.Iceberg == nil {
		return append(dst, "null}"...)
	}
	dst = appendString(append(dst, `{"metadata-location":`...), u.Iceberg.MetadataLocation)
	dst = appendInt(dst, `,"converted-delta-version":`, u.Iceberg.ConvertedDeltaVersion)
	dst = appendInt(dst, `,"converted-delta-timestamp":`, u.Iceberg.ConvertedDeltaTimestamp)
	if base := u.Iceberg.BaseConvertedDeltaVersion; base != nil {
		dst = appendInt(dst, `,"base-converted-delta-version":`, *base)
	}
	return append(dst, "}}"...)
}

// UnmarshalJSON reads the Iceberg side; all but base-converted-delta-version is required.
func (i *Iceberg) UnmarshalJSON(data []byte) error { return unmarshal(i, data, readIceberg) }

func readIceberg(data []byte, p *path) (Iceberg, error) {
	o := open(data, p)
	i := Iceberg{
		MetadataLocation:          need(o, "metadata-location", readString),
		ConvertedDeltaVersion:     need(o, "converted-delta-version", readInt64),
		ConvertedDeltaTimestamp:   need(o, "converted-delta-timestamp", readInt64),
		BaseConvertedDeltaVersion: maybe(o, "base-converted-delta-version", readInt64),
	}
	return i, o.err
}
