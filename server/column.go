package server

import "github.com/leveelake/catalog/types"

// columnInfo is ColumnInfo of the Unity Catalog REST API.
type columnInfo struct {
	Name           string         `json:"name"`
	TypeText       string         `json:"type_text"`
	TypeJSON       string         `json:"type_json"`
	TypeName       columnTypeName `json:"type_name"`
	TypePrecision  *int32         `json:"type_precision,omitempty"`
	TypeScale      *int32         `json:"type_scale,omitempty"`
	IntervalType   string         `json:"type_interval_type,omitempty"`
	Position       int32          `json:"position"`
	Comment        *string        `json:"comment,omitempty"`
	Nullable       *bool          `json:"nullable"` // absent in a request: true
	PartitionIndex *int32         `json:"partition_index,omitempty"`
	ColumnID       string         `json:"column_id,omitempty" only:"root"`
}

func columnInfoOf(c types.ColumnInfo) columnInfo {
	return columnInfo{
		Name: c.Name, TypeText: c.TypeText, TypeJSON: c.TypeJSON, TypeName: columnTypeName(c.TypeName), TypePrecision: convert[int32](c.Precision),
		TypeScale: convert[int32](c.Scale), IntervalType: c.IntervalType, Position: int32(c.Position), Comment: c.Comment,
		Nullable: &c.Nullable, PartitionIndex: convert[int32](c.PartitionIndex),
	}
}

func (c columnInfo) typed() types.ColumnInfo {
	return types.ColumnInfo{
		Name: c.Name, TypeText: c.TypeText, TypeJSON: c.TypeJSON, TypeName: string(c.TypeName), Precision: convert[int](c.TypePrecision),
		Scale: convert[int](c.TypeScale), IntervalType: c.IntervalType, Position: int(c.Position), Comment: c.Comment,
		Nullable: c.Nullable == nil || *c.Nullable, PartitionIndex: convert[int](c.PartitionIndex),
	}
}

// columnsOf are the columns of a request, and the names of those that partition.
func columnsOf(infos []columnInfo) (types.StructType, []string, error) {
	return types.FromColumnInfos(each(infos, columnInfo.typed))
}

func convert[To, From int | int32](p *From) *To {
	if p == nil {
		return nil
	}
	return new(To(*p))
}
