package server_test

// badPreview is what is wrong with requests of the commits API. See bad_table_test.go.
const badPreview = `
# commit
table_id=- | invalid | table_id
table_id=null | invalid | table_id
table_id="" | invalid | table_id
table_id="m" | invalid | table_id
table_id={} | invalid | table_id
metadata=- ;; table_id="$absent" | 404 TABLE_NOT_FOUND | $absent
metadata=- ;; table_id="$gone" | 404 TABLE_NOT_FOUND | $gone
table_id="$x" | invalid | tableId
metadata=- ;; table_id="$x" | invalid | external
metadata=- ;; table_id="$elsewhere" | 404 TABLE_NOT_FOUND | $elsewhere
metadata=- ;; table_id="$parquet" | invalid | external
table_uri=- | invalid | table_uri
table_uri="" | invalid | table_uri
table_uri="x" | invalid | table_uri
table_uri=1 | invalid | table_uri
table_uri="s3a://b/x" | invalid | table_uri
table_uri="$at_m/x" | invalid | table_uri
table_uri="$at_full" | invalid | table_uri
table_uri="$at_m\u0000" | invalid | table_uri
table_uri="$path" | invalid | table_uri
commit_info=- | invalid | commit_info
commit_info=- ;; metadata=- ;; latest_backfilled_version=- | invalid | commit_info
commit_info=null ;; metadata=null ;; latest_backfilled_version=null | invalid | commit_info
commit_info=[] | invalid | commit_info
commit_info={} | invalid | version
commit_info/version=- | invalid | version
commit_info/version=0 | invalid | version
commit_info/version=-1 | invalid | version
commit_info/version=4 | invalid | version
commit_info/version=9223372036854775807 | invalid | version
commit_info/version=9223372036854775808 | invalid | version
commit_info/version=3.0 | invalid | version
commit_info/version="3" | invalid | version
commit_info/version=2 | 409 COMMIT_VERSION_CONFLICT | 2
commit_info/version=1 | 409 COMMIT_VERSION_CONFLICT | 1
commit_info/timestamp=- | invalid | timestamp
commit_info/timestamp=0 | invalid | timestamp
commit_info/timestamp=-9223372036854775808 | invalid | timestamp
commit_info/timestamp=1e3 | invalid | timestamp
commit_info/file_name=- | invalid | name
commit_info/file_name="" | invalid | name
commit_info/file_name="../x" | invalid | name
commit_info/file_name="a\\b" | invalid | name
commit_info/file_name="f\u0000" | invalid | name
commit_info/file_name=1 | invalid | file_name
commit_info/file_size=0 | invalid | size
commit_info/file_size=- | invalid | size
commit_info/file_size="1" | invalid | file_size
commit_info/file_modification_timestamp=-1 | invalid | modification
commit_info/file_modification_timestamp=9223372036854775808 | invalid | file_modification_timestamp
latest_backfilled_version=3 | invalid | backfilled
latest_backfilled_version=9223372036854775807 | invalid | backfilled
latest_backfilled_version=9223372036854775808 | invalid | latest_backfilled_version
latest_backfilled_version="1" | invalid | latest_backfilled_version
commit_info=- ;; metadata=- ;; latest_backfilled_version=3 | invalid | backfilled
metadata={} | invalid | metadata
metadata=[] | invalid | metadata
metadata/description=1 ;; metadata/schema=null | invalid | description
metadata/properties={} | invalid | io.unitycatalog.tableId
metadata/properties/properties={} | invalid | io.unitycatalog.tableId
metadata/properties/properties={"io.unitycatalog.tableId":"$x"} | invalid | io.unitycatalog.tableId
metadata/properties/properties/k=1 | invalid | properties
metadata/properties/properties/="v" | invalid | properties
metadata/schema=[] | invalid | schema
metadata/schema={} | invalid | columns
metadata/schema={"columns":[]} | invalid | columns
metadata/schema={"columns":[null]} | invalid | columns[0]
metadata/schema={"columns":[{"name":"a"}]} | invalid | columns[0].type_name
metadata/schema={"columns":[{"name":"a","type_text":"void","position":0}]} | invalid | columns
metadata/schema={"columns":[{"name":"a","type_text":"int","partition_index":1}]} | invalid | partition index
commit_info=- ;; metadata=- ;; uniform={"iceberg":{"metadata_location":"$at_m/m","converted_delta_version":3,"converted_delta_timestamp":"2026-01-01T00:00:00Z"}} | invalid | uniform
uniform={} | invalid | uniform.iceberg
uniform=[] | invalid | uniform
uniform={"iceberg":{"metadata_location":"$at_m/m"}} | invalid | converted_delta_version
uniform={"iceberg":{"metadata_location":"$at_m/m","converted_delta_version":3}} | invalid | converted_delta_timestamp
uniform={"iceberg":{"metadata_location":"$at_m/m","converted_delta_version":3,"converted_delta_timestamp":"2026-01-01T00:00:00+01:00"}} | invalid | converted_delta_timestamp
uniform={"iceberg":{"metadata_location":"$at_m/m","converted_delta_version":3,"converted_delta_timestamp":"2026-02-30T00:00:00Z"}} | invalid | converted_delta_timestamp
uniform={"iceberg":{"metadata_location":"$at_m/m","converted_delta_version":3,"converted_delta_timestamp":1}} | invalid | converted_delta_timestamp
uniform={"iceberg":{"metadata_location":"$at_m/m","converted_delta_version":3,"converted_delta_timestamp":"2026-01-01T00:00:00Z"}} | invalid | uniform
raw | invalid | JSON
raw null | invalid | object
raw [] | invalid | object
raw {} | invalid | table_id
raw { | invalid | JSON
raw {"table_id":"$m"} | invalid | missing
raw {"table_id":"$m"} x | invalid | JSON
# commits
table_id=- | invalid | table_id
table_id="" | invalid | table_id
table_id="x" | invalid | table_id
table_id=1 | invalid | table_id
table_id="$absent" | 404 TABLE_NOT_FOUND | $absent
table_id="$x" | invalid | external
table_id="$open" | 404 TABLE_NOT_FOUND | $open
table_uri=- | invalid | table_uri
table_uri="$at_full" | invalid | table_uri
table_uri="x" | invalid | table_uri
table_uri=[] | invalid | table_uri
start_version=- | invalid | start_version
start_version=null | invalid | start_version
start_version=-1 | invalid | start_version
start_version=-9223372036854775808 | invalid | start_version
start_version=9223372036854775808 | invalid | start_version
start_version="0" | invalid | start_version
start_version=0.0 | invalid | start_version
start_version=3 | invalid | end_version
end_version=-1 | invalid | end_version
end_version=9223372036854775808 | invalid | end_version
end_version="1" | invalid | end_version
raw [] | invalid | object
raw { | invalid | JSON
raw null | invalid | object
`
