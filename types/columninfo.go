package types

import (
	"encoding/json"
	"strings"
)

// A ColumnInfo is a column as the Unity Catalog REST API shows it. Each face of the API
// has a spelling of its own for it.
type ColumnInfo struct {
	Name             string
	TypeText         string // as Spark writes types, such as array<struct<a:bigint>>
	TypeJSON         string // the whole field in the spelling of the Delta log
	TypeName         string // LONG, ARRAY, …
	Precision, Scale *int   // of a DECIMAL
	IntervalType     string // of an INTERVAL, such as "day to second"
	Position         int    // from 0
	PartitionIndex   *int   // place among the partition columns, from 0; nil if it is none
	Comment          *string
	Nullable         bool
}

// ColumnInfos shows the columns of t, of which partition names some, ASCII case aside.
func ColumnInfos(t StructType, partition []string) []ColumnInfo {
	places := make(map[string]int, len(partition))
	for i, name := range partition {
		places[asciiLower(name)] = i
	}
	out := make([]ColumnInfo, len(t.Fields))
	for i, f := range t.Fields {
		c := ColumnInfo{
			Name:     f.Name,
			TypeText: string(appendText(nil, f.Type)),
			TypeJSON: string(f.LogJSON()),
			TypeName: typeName(f.Type),
			Position: i,
			Comment:  f.comment(),
			Nullable: f.Nullable,
		}
		switch t := f.Type.(type) {
		case Decimal:
			c.Precision, c.Scale = &t.Precision, &t.Scale
		case Primitive:
			if unit, ok := strings.CutPrefix(string(t), "interval "); ok {
				c.IntervalType = unit
			}
		}
		if place, ok := places[asciiLower(f.Name)]; ok {
			c.PartitionIndex = &place
		}
		out[i] = c
	}
	return out
}

// comment is the comment in f's metadata, nil if there is none or it is not a string.
func (f StructField) comment() *string {
	raw := f.Metadata["comment"]
	if len(raw) == 0 || raw[0] != '"' {
		return nil
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return nil
	}
	return &s
}

// typeName is the ColumnTypeName of t.
func typeName(t DataType) string {
	switch t := t.(type) {
	case Decimal:
		return "DECIMAL"
	case *Array:
		return "ARRAY"
	case *Map:
		return "MAP"
	case *StructType:
		return "STRUCT"
	case Primitive:
		word, _, _ := strings.Cut(string(t), "(")
		word, _, _ = strings.Cut(word, " ")
		switch {
		case t == Integer:
			return "INT"
		case primitives[string(t)] != nil:
			return strings.ToUpper(string(t))
		case word == "varchar":
			return "STRING"
		case word == "char" || word == "interval":
			return strings.ToUpper(word)
		case word == "void":
			return "NULL"
		}
	}
	return "USER_DEFINED_TYPE"
}

// Delta answers [UnsupportedTableFormat] if a type in t is not one of Delta.
func (t StructType) Delta() error {
	for _, f := range t.Fields {
		if foreign, ok := foreignType(f.Type); ok {
			return UnsupportedTableFormat.Errorf("column %s: %s is not a type of Delta", quote(f.Name), quote(string(foreign)))
		}
	}
	return nil
}

// foreignType finds a type that is not one of Delta.
func foreignType(t DataType) (Primitive, bool) {
	switch t := t.(type) {
	case Primitive:
		return t, primitives[string(t)] == nil
	case *Array:
		return foreignType(t.Element)
	case *Map:
		if foreign, ok := foreignType(t.Key); ok {
			return foreign, true
		}
		return foreignType(t.Value)
	case *StructType:
		for _, f := range t.Fields {
			if foreign, ok := foreignType(f.Type); ok {
				return foreign, true
			}
		}
	}
	return "", false
}
