package server_test

// badUnity is what is wrong with requests of the Unity Catalog REST API. See bad_table_test.go.
const badUnity = `
# catalogs
name=- | invalid | name
name=null | invalid | name
name="" | invalid | name
name=" " | invalid | name
name="a.b" | invalid | name
name="a/b" | invalid | name
name="a%2Fb" | invalid | name
name="\u202ea" | invalid | name
name="a\u0000" | invalid | name
name="é" | invalid | name
name="$long" | invalid | name
name=1 | invalid | name
name=["c"] | invalid | name
name="c1" | 409 CATALOG_ALREADY_EXISTS | c1
comment=1 | invalid | comment
comment=["c"] | invalid | comment
properties=[] | invalid | properties
properties="k=v" | invalid | properties
properties/k=1 | invalid | properties
properties/k={} | invalid | properties
properties/="v" | invalid | properties
storage_root=1 | invalid | storage_root
storage_root=" " | invalid | storage_root
storage_root="roots/x" | invalid | storage_root
storage_root="ftp://h/x" | invalid | storage_root
storage_root="s3a://roots/x" | invalid | storage_root
storage_root="file:///" | invalid | storage_root
storage_root="s3://roots/x?y" | invalid | storage_root
storage_root="s3://roots/__unitystorage" | invalid | storage_root
storage_root="$at_x" | invalid | storage_root
storage_root="$at_x/below" | invalid | storage_root
storage_root="$path" | invalid | storage_root
raw | invalid | JSON
raw null | invalid | object
raw [] | invalid | object
raw "c" | invalid | object
raw {} | invalid | name
raw { | invalid | JSON
raw {"name":"n"}{"name":"o"} | invalid | JSON
raw {"name":"n",} | invalid | JSON
raw {"name":"\ud800"} | invalid | surrogate
raw {"name":"n","name":"a.b"} | invalid | name
# schemas
name=- | invalid | name
name="" | invalid | name
name="c1.s" | invalid | name
name="s%2f" | invalid | name
name="s\n" | invalid | name
name="$long" | invalid | name
name=7 | invalid | name
name="s1" | 409 SCHEMA_ALREADY_EXISTS | s1
catalog_name=- | invalid | catalog_name
catalog_name=null | invalid | catalog_name
catalog_name="" | invalid | catalog_name
catalog_name=["c1"] | invalid | catalog_name
catalog_name="nope" | 404 CATALOG_NOT_FOUND | nope
catalog_name="C1" | 404 CATALOG_NOT_FOUND | C1
catalog_name="c1.s1" | 404 CATALOG_NOT_FOUND | c1.s1
catalog_name="\u0000" | 404 CATALOG_NOT_FOUND | catalog
comment={} | invalid | comment
properties/k=true | invalid | properties
storage_root="x" | invalid | storage_root
storage_root="s3://" | invalid | storage_root
storage_root="$at_m" | invalid | storage_root
storage_root="$at_x/y/z" | invalid | storage_root
# unity staging
name=- | invalid | name
name="" | invalid | name
name="a.b" | invalid | name
name=1 | invalid | name
name="$long" | invalid | name
name="m" | 409 TABLE_ALREADY_EXISTS | m
name="foreign" | 409 TABLE_ALREADY_EXISTS | foreign
catalog_name=- | invalid | catalog_name
catalog_name="" | invalid | catalog_name
catalog_name="nope" | 404 CATALOG_NOT_FOUND | nope
catalog_name=0 | invalid | catalog_name
schema_name=- | invalid | schema_name
schema_name=null | invalid | schema_name
schema_name="nope" | 404 SCHEMA_NOT_FOUND | nope
schema_name={} | invalid | schema_name
raw [] | invalid | object
raw | invalid | JSON
# unity table
name=- | invalid | name
name="" | invalid | name
name="c1.s1.t" | invalid | name
name="t t" | invalid | name
name=9 | invalid | name
name="m" | 409 TABLE_ALREADY_EXISTS | m
name="foreign" | 409 TABLE_ALREADY_EXISTS | foreign
catalog_name=- | invalid | catalog_name
catalog_name="nope" | 404 CATALOG_NOT_FOUND | nope
schema_name=- | invalid | schema_name
schema_name="" | invalid | schema_name
schema_name="nope" | 404 SCHEMA_NOT_FOUND | nope
table_type="VIEW" | 501 UNIMPLEMENTED | table_type
table_type="FOREIGN" | invalid | table_type
table_type=9 | invalid | table_type
data_source_format=12 | invalid | data_source_format
storageLocation="s3://bkt/other" | invalid | storageLocation
table_type="\u017ftreaming" | invalid | table_type
table_type=2.5 | invalid | table_type
data_source_format="DELTA " | invalid | data_source_format
data_source_format="XML" | invalid | data_source_format
data_source_format=[] | invalid | data_source_format
storage_location=- | invalid | storage_location
storage_location="" | invalid | storage_location
storage_location=1 | invalid | storage_location
storage_location="x/y" | invalid | location
storage_location="s3://bkt" | invalid | location
storage_location="s3a://bkt/q" | invalid | location
storage_location="file:///managed/q" | invalid | location
storage_location="$at_x" | invalid | location
storage_location="$at_x/q" | invalid | location
storage_location="$at_m/q" | invalid | location
storage_location="s3://bkt/q%2F.." | invalid | location
storage_location="$path" | invalid | location
comment=[] | invalid | comment
properties/k=7 | invalid | properties
properties/="" | invalid | properties
columns={} | invalid | columns
columns=[null] | invalid | columns[0]
columns=[1] | invalid | columns
columns/0/name=- | invalid | columns[0].name
columns/0/name="" | invalid | columns[0].name
columns/0/name="\u2003" | invalid | columns[0].name
columns/0/name=1 | invalid | name
columns/+={"name":"X","type_text":"int","position":1} | invalid | columns[1].name
columns/0/type_json=1 | invalid | type_json
columns/0/type_json="{" | invalid | columns[0].type_json
columns/0/type_json="{}" | invalid | columns[0].type_json
columns/0/type_json="{\"type\":5}" | invalid | columns[0].type_json
columns/0/type_json="{\"name\":\"\\ud800\",\"type\":\"long\"}" | invalid | columns[0].type_json
columns/0/type_json="\"long\"" | invalid | columns[0]
columns/0/type_json="{\"type\":\"array\"}" | invalid | columns[0].type_json
columns/0/type_json="\"decimal(39,1)\"" | invalid | columns[0].type_json
columns/0/type_json=- ;; columns/0/type_text="nothing" | invalid | columns[0].type_text
columns/0/type_json=- ;; columns/0/type_text="array<int" | invalid | columns[0].type_text
columns/0/type_json=- ;; columns/0/type_text="array<>" | invalid | columns[0].type_text
columns/0/type_json=- ;; columns/0/type_text="map<int>" | invalid | columns[0].type_text
columns/0/type_json=- ;; columns/0/type_text="struct<a int>" | invalid | columns[0].type_text
columns/0/type_json=- ;; columns/0/type_text="struct<a:int,A:int>" | invalid | columns[0].type_text
columns/0/type_json=- ;; columns/0/type_text="decimal(1,2)" | invalid | columns[0].type_text
columns/0/type_json=- ;; columns/0/type_text="decimal(-1)" | invalid | columns[0].type_text
columns/0/type_json=- ;; columns/0/type_text="int int" | invalid | columns[0].type_text
columns/0/type_text=1 | invalid | type_text
columns/0/type_text="bigint" | invalid | columns[0]
columns/0/type_json=- ;; columns/0/type_text=- ;; columns/0/type_name=- | invalid | columns[0].type_name
columns/0/type_json=- ;; columns/0/type_text=- ;; columns/0/type_name="ARRAY" | invalid | columns[0].type_name
columns/0/type_json=- ;; columns/0/type_text=- ;; columns/0/type_precision=39 | invalid | columns[0].type_name
columns/0/type_name="LONG" | invalid | columns[0]
columns/0/type_name=23 | invalid | type_name
columns/0/type_precision=6 | invalid | type_precision
columns/0/type_scale=-1 | invalid | type_scale
columns/0/type_scale="1.0" | invalid | type_scale
columns/0/type_precision=9223372036854775808 | invalid | type_precision
columns/0/position=1.5 | invalid | position
columns/0/position="0x0" | invalid | position
columns/0/position=-9223372036854775809 | invalid | position
columns/0/nullable="true" | invalid | nullable
columns/0/comment=1 | invalid | comment
columns/0/partition_index=1 | invalid | partition index
columns/0/partition_index=-1 | invalid | partition index
columns/0/partition_index="0x0" | invalid | partition_index
columns/+={"name":"y","type_text":"int","position":1,"partition_index":0} | invalid | partition index
raw | invalid | JSON
raw [{}] | invalid | object
# unity managed
properties/io.unitycatalog.tableId=- | invalid | io.unitycatalog.tableId
properties/io.unitycatalog.tableId="$m" | invalid | io.unitycatalog.tableId
properties/delta.minReaderVersion=- | invalid | delta.minReaderVersion
properties/delta.minReaderVersion="three" | invalid | delta.minReaderVersion
properties/delta.minReaderVersion="2" | invalid | min-reader-version
properties/delta.minReaderVersion="-1" | invalid | delta.minReaderVersion
properties/delta.minWriterVersion="9223372036854775808" | invalid | delta.minWriterVersion
properties/delta.minWriterVersion="4294967303" | invalid | delta.minWriterVersion
properties/delta.minWriterVersion="6" | invalid | min-writer-version
properties/delta.feature.catalogManaged=- | invalid | catalogManaged
properties/delta.feature.inCommitTimestamp=- | invalid | inCommitTimestamp
properties/delta.feature.vacuumProtocolCheck=- | invalid | vacuumProtocolCheck
properties/delta.feature.="supported" | invalid | writer-features
properties/delta.lastCommitTimestamp="now" | invalid | delta.lastCommitTimestamp
properties/delta.lastCommitTimestamp="-1" | invalid | timestamp
properties/delta.universalFormat.enabledFormats="iceberg" | invalid | uniform
data_source_format="PARQUET" | invalid | data_source_format
columns=[] | invalid | columns
columns=[{"name":"i","type_text":"interval day","position":0}] | invalid | columns
storage_location="s3://bkt/nothing" | 404 TABLE_NOT_FOUND | location
storage_location="$at_gone" | 404 TABLE_NOT_FOUND | location
storage_location="$at_m" | FAILED_PRECONDITION | location
storage_location=- | invalid | storage_location
schema_name="s2" | invalid | location
name="older" | 409 TABLE_ALREADY_EXISTS | older
# credentials
table_id=- | invalid | table_id
table_id=null | invalid | table_id
table_id="" | invalid | table_id
table_id="x" | invalid | table_id
table_id="y" | invalid | table_id
table_id=1 | invalid | table_id
table_id="$absent" | 404 TABLE_NOT_FOUND | $absent
table_id="$gone" | 404 TABLE_NOT_FOUND | $gone
table_id="$open" | 404 TABLE_NOT_FOUND | $open
operation=- | invalid | READ
operation=null | invalid | READ
operation="" | invalid | READ
operation="WRITE" | invalid | WRITE
operation="read" | invalid | read
operation="READ " | invalid | READ
operation=1 | invalid | operation
raw [] | invalid | object
`
