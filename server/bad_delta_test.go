package server_test

// badDelta is what is wrong with new managed tables of the Delta API. See bad_table_test.go.
const badDelta = `
# staging
name=- | value | name
name=null | value | name
name="" | value | name
name=" \t" | value | name
name="a.b" | value | name
name="c1.s1.t" | value | name
name="a b" | value | name
name="a/b" | value | name
name="a\\b" | value | name
name="a%2Fb" | value | name
name=".." | value | name
name="é" | value | name
name="日本" | value | name
name="🙂" | value | name
name="a\u0000" | value | name
name="a\u200fb" | value | name
name="a\u0301" | value | name
name="a'b" | value | name
name="a;b" | value | name
name="$long" | value | 255
name=5 | request | name
name=true | request | name
name=["n"] | request | name
name={"n":1} | request | name
name="m" | 409 AlreadyExistsException | m
name="x" | 409 AlreadyExistsException | x
name="parquet" | 409 AlreadyExistsException | parquet
raw | request | JSON
raw null | request | object
raw [] | request | object
raw [{"name":"n"}] | request | object
raw "n" | request | object
raw 17 | request | object
raw true | request | object
raw { | request | JSON
raw {"name": | request | JSON
raw {"name":"n",} | request | JSON
raw {"name":"n"}} | request | JSON
raw {"name":"n"} {} | request | JSON
raw {'name':'n'} | request | JSON
raw {name:"n"} | request | JSON
raw {"name":"n" /* c */} | request | JSON
raw {"name":"\x"} | request | JSON
raw {"name":"\ud800"} | request | surrogate
raw {"name":"\udc00\ud800"} | request | surrogate
raw {"name":"n","\ud83d":1} | request | surrogate
raw {"name":NaN} | request | JSON
raw {"name":01} | request | JSON
raw {"name":"a	b"} | request | JSON
raw {"NAME":"n"} | value | name
raw {"name":"n","name":null} | value | name
raw {"name":"n","name":"a.b"} | value | name
# create
name=- | value | name
name=null | value | name
name="" | value | name
name="a.b" | value | name
name="$long" | value | name
name=1 | request | name
name="m" | 409 AlreadyExistsException | m
name="parquet" | 409 AlreadyExistsException | parquet
location=- | value | location
location=null | value | location
location="" | value | location
location=" " | value | location
location=7 | request | location
location="tables/x" | value | location
location="s3a://b/x" | value | s3
location="$at_staged/../$absent" | 404 NoSuchTableException | location
location="$at_staged/x" | 404 NoSuchTableException | location
location="$at_staged?x" | value | location
location="$at_staged%2Fx" | value | location
location="s3://bkt/nothing" | 404 NoSuchTableException | location
location="$at_elsewhere" | value | location
location="$at_m" | value | location
location="$at_gone" | 404 NoSuchTableException | location
location="$path" | value | location
table-type=- | value | table-type
table-type=null | value | table-type
table-type="managed" | request | table-type
table-type="VIEW" | request | table-type
table-type="" | request | table-type
table-type=1 | request | table-type
table-type="EXTERNAL" | value | location
protocol=- | value | protocol
protocol=null | value | protocol
protocol=[] | request | protocol
protocol={} | value | protocol.min-reader-version
protocol/min-reader-version=- | value | protocol.min-reader-version
protocol/min-reader-version=null | value | protocol.min-reader-version
protocol/min-reader-version=2 | value | min-reader-version
protocol/min-reader-version=-1 | value | protocol.min-reader-version
protocol/min-reader-version=2147483648 | request | protocol.min-reader-version
protocol/min-reader-version=-9223372036854775808 | request | protocol.min-reader-version
protocol/min-reader-version=3.0 | request | protocol.min-reader-version
protocol/min-reader-version="3" | request | protocol.min-reader-version
protocol/min-writer-version=- | value | protocol.min-writer-version
protocol/min-writer-version=6 | value | min-writer-version
protocol/min-writer-version=7e0 | request | protocol.min-writer-version
protocol/min-writer-version=9223372036854775808 | request | protocol.min-writer-version
protocol/reader-features={} | request | protocol.reader-features
protocol/reader-features=["catalogManaged",null] | request | protocol.reader-features[1]
protocol/reader-features=[" "] | value | protocol.reader-features[0]
protocol/reader-features=[""] | value | protocol.reader-features[0]
protocol/reader-features/+="unknownReader" | value | unknownReader
protocol/reader-features=- | value | catalogManaged
protocol/reader-features=["deletionVectors","v2Checkpoint","vacuumProtocolCheck"] | value | catalogManaged
protocol/reader-features=["catalogManaged","v2Checkpoint","vacuumProtocolCheck"] | value | deletionVectors
protocol/reader-features=["catalogManaged","deletionVectors","vacuumProtocolCheck"] | value | v2Checkpoint
protocol/reader-features=["catalogManaged","deletionVectors","v2Checkpoint"] | value | vacuumProtocolCheck
protocol/writer-features=[1] | request | protocol.writer-features[0]
protocol/writer-features=["CatalogManaged"] | value | catalogManaged
protocol/writer-features=["catalogManaged","deletionVectors","v2Checkpoint","vacuumProtocolCheck","clustering","rowTracking"] | value | inCommitTimestamp
protocol/writer-features=["catalogManaged","deletionVectors","inCommitTimestamp","v2Checkpoint","vacuumProtocolCheck","rowTracking"] | value | clustering
protocol/writer-features=["catalogManaged","deletionVectors","inCommitTimestamp","v2Checkpoint","vacuumProtocolCheck","clustering"] | value | rowTracking
last-commit-timestamp-ms=- | value | last-commit-timestamp-ms
last-commit-timestamp-ms=null | value | last-commit-timestamp-ms
last-commit-timestamp-ms=-1 | value | last-commit-timestamp-ms
last-commit-timestamp-ms=-9223372036854775808 | value | last-commit-timestamp-ms
last-commit-timestamp-ms=9223372036854775808 | request | last-commit-timestamp-ms
last-commit-timestamp-ms=1.5 | request | last-commit-timestamp-ms
last-commit-timestamp-ms=1e3 | request | last-commit-timestamp-ms
last-commit-timestamp-ms="17" | request | last-commit-timestamp-ms
comment=1 | request | comment
comment={} | request | comment
properties=[] | request | properties
properties="x" | request | properties
properties/k=null | request | properties
properties/k=1 | request | properties
properties/k=["x"] | request | properties
properties/="v" | value | properties
properties/delta.enableDeletionVectors=- | value | delta.enableDeletionVectors
properties/delta.enableDeletionVectors="TRUE" | value | delta.enableDeletionVectors
properties/delta.checkpointPolicy="classic" | value | delta.checkpointPolicy
properties/delta.enableInCommitTimestamps="false" | value | delta.enableInCommitTimestamps
properties/delta.checkpoint.writeStatsAsStruct=- | value | delta.checkpoint.writeStatsAsStruct
properties/delta.checkpoint.writeStatsAsJson="" | value | delta.checkpoint.writeStatsAsJson
properties/io.unitycatalog.tableId=- | value | io.unitycatalog.tableId
properties/io.unitycatalog.tableId="$m" | value | io.unitycatalog.tableId
properties/io.unitycatalog.tableId="{$staged}" | value | io.unitycatalog.tableId
properties/delta.universalFormat.enabledFormats="iceberg" | value | uniform
uniform={"iceberg":{"metadata-location":"$at_staged/m","converted-delta-version":0,"converted-delta-timestamp":1}} | value | uniform
uniform={} | value | uniform.iceberg
uniform=[] | request | uniform
uniform={"iceberg":{}} | value | uniform.iceberg.metadata-location
uniform={"iceberg":{"metadata-location":1}} | request | uniform.iceberg.metadata-location
uniform={"iceberg":{"metadata-location":"$at_staged/m"}} | value | uniform.iceberg.converted-delta-version
partition-columns="id" | request | partition-columns
partition-columns=[null] | request | partition-columns[0]
partition-columns=[5] | request | partition-columns[0]
partition-columns=["nope"] | value | partition-columns[0]
partition-columns=["id",""] | value | partition-columns[1]
partition-columns=["id","ID"] | value | partition-columns[1]
partition-columns=["deep.key"] | value | partition-columns[0]
domain-metadata=[] | request | domain-metadata
domain-metadata={"acme.x":{}} | value | acme.x
domain-metadata/delta.clustering={} | value | clusteringColumns
domain-metadata/delta.clustering/clusteringColumns=["id"] | request | clusteringColumns[0]
domain-metadata/delta.clustering/clusteringColumns=[[]] | value | clusteringColumns[0]
domain-metadata/delta.clustering/clusteringColumns=[[""]] | value | clusteringColumns[0][0]
domain-metadata/delta.clustering/clusteringColumns=[[null]] | request | clusteringColumns[0][0]
domain-metadata/delta.rowTracking={} | value | rowIdHighWaterMark
domain-metadata/delta.rowTracking/rowIdHighWaterMark="1" | request | rowIdHighWaterMark
domain-metadata/delta.rowTracking/rowIdHighWaterMark=9223372036854775808 | request | rowIdHighWaterMark
columns=- | value | columns
columns=[] | request | columns
columns="struct" | request | columns
columns={} | value | columns.type
columns={"type":"struct"} | value | columns.fields
columns={"type":"struct","fields":[]} | value | columns.fields
columns={"type":"struct","fields":{}} | request | columns.fields
columns={"type":"array","element-type":"long","contains-null":true} | value | columns.type
columns/fields/0=null | request | columns.fields[0]
columns/fields/0="id" | request | columns.fields[0]
columns/fields/0/name=- | value | columns.fields[0].name
columns/fields/0/name="" | value | columns.fields[0].name
columns/fields/0/name="\u3000" | value | columns.fields[0].name
columns/fields/0/name=1 | request | columns.fields[0].name
columns/fields/2/name="ID" | value | columns.fields[2].name
columns/fields/0/type=- | value | columns.fields[0].type
columns/fields/0/type=null | value | columns.fields[0].type
columns/fields/0/type=1 | request | columns.fields[0].type
columns/fields/0/type=["long"] | request | columns.fields[0].type
columns/fields/0/type="" | value | columns.fields[0].type
columns/fields/0/type="LONG" | value | columns.fields[0].type
columns/fields/0/type="bigint" | value | columns.fields[0].type
columns/fields/0/type="int" | value | columns.fields[0].type
columns/fields/0/type="void" | value | columns.fields[0].type
columns/fields/0/type="char(3)" | value | columns.fields[0].type
columns/fields/0/type="interval day" | value | columns.fields[0].type
columns/fields/0/type="array<long>" | value | columns.fields[0].type
columns/fields/0/type="decimal" | value | columns.fields[0].type
columns/fields/0/type="decimal(10)" | value | columns.fields[0].type
columns/fields/0/type="decimal(39,0)" | value | columns.fields[0].type
columns/fields/0/type="decimal(5,6)" | value | columns.fields[0].type
columns/fields/0/type="decimal(-1,0)" | value | columns.fields[0].type
columns/fields/0/type="decimal( 5,1)" | value | columns.fields[0].type
columns/fields/0/type="decimal(99999999999999999999,0)" | value | columns.fields[0].type
columns/fields/0/type={"type":"long"} | value | columns.fields[0].type.type
columns/fields/0/type={"type":"decimal","scale":1} | value | columns.fields[0].type.precision
columns/fields/0/type={"type":"decimal","precision":"5","scale":1} | request | columns.fields[0].type.precision
columns/fields/0/type={"type":"decimal","precision":5,"scale":9223372036854775807} | value | columns.fields[0].type
columns/fields/0/type={"type":"struct","fields":[]} | value | columns.fields[0].type.fields
columns/fields/0/nullable=- | value | columns.fields[0].nullable
columns/fields/0/nullable="true" | request | columns.fields[0].nullable
columns/fields/0/nullable=1 | request | columns.fields[0].nullable
columns/fields/0/metadata=- | value | columns.fields[0].metadata
columns/fields/0/metadata=null | value | columns.fields[0].metadata
columns/fields/0/metadata=[] | request | columns.fields[0].metadata
columns/fields/1/type/key-type=- | value | columns.fields[1].type.key-type
columns/fields/1/type/value-type=null | value | columns.fields[1].type.value-type
columns/fields/1/type/value-contains-null=- | value | columns.fields[1].type.value-contains-null
columns/fields/1/type/valueContainsNull=true | value | columns.fields[1].type.value-contains-null
columns/fields/1/type/value-type/element-type="json" | value | columns.fields[1].type.value-type.element-type
columns/fields/1/type/value-type/contains-null=0 | request | columns.fields[1].type.value-type.contains-null
columns/fields/1/type/value-type/elementType="long" | value | columns.fields[1].type.value-type.element-type
columns/fields/1/type/value-type/element-type/fields/0/name=" " | value | columns.fields[1].type.value-type.element-type.fields[0].name
properties/delta.columnMapping.mode="name" | value | delta.columnMapping.id
`
