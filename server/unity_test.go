package server_test

// unityTable is a valid create request of the Unity Catalog REST API.
func unityTable(name string) object {
	return object{
		"name": name, "catalog_name": "c1", "schema_name": "s1", "table_type": "EXTERNAL", "data_source_format": "DELTA",
		"storage_location": "s3://bkt/" + name, "columns": []any{object{"name": "id", "type_name": "LONG", "type_text": "bigint", "type_json": `"long"`, "position": 0}},
	}
}
