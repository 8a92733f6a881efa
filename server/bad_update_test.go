package server_test

// badUpdates is what is wrong with updates of tables by the Delta API. See bad_table_test.go.
const badUpdates = `
# update
requirements=- | value | requirements
requirements=null | value | requirements
requirements={} | request | requirements
requirements=[] | value | assert-table-uuid
requirements=[null] | request | requirements[0]
requirements=["assert-table-uuid"] | request | requirements[0]
requirements=[{}] | value | requirements[0].type
requirements/0/type="assert-nothing" | request | assert-nothing
requirements/0/type="ASSERT-TABLE-UUID" | request | ASSERT-TABLE-UUID
requirements/0/type=1 | request | requirements[0].type
requirements/0/uuid=- | value | requirements[0].uuid
requirements/0/uuid=null | value | requirements[0].uuid
requirements/0/uuid="" | request | requirements[0].uuid
requirements/0/uuid="x" | request | requirements[0].uuid
requirements/0/uuid=" $m" | request | requirements[0].uuid
requirements/0/uuid=1 | request | requirements[0].uuid
requirements/0/uuid="$absent" | 409 UpdateRequirementConflictException | assert-table-uuid
requirements/0/uuid="$x" | 409 UpdateRequirementConflictException | assert-table-uuid
requirements/+={"type":"assert-table-uuid","uuid":"$m"} | value | assert-table-uuid
requirements/+={"type":"assert-etag"} | value | requirements[1].etag
requirements/+={"type":"assert-etag","etag":null} | value | requirements[1].etag
requirements/+={"type":"assert-etag","etag":""} | value | requirements[1].etag
requirements/+={"type":"assert-etag","etag":1} | request | requirements[1].etag
requirements/+={"type":"assert-etag","etag":"x"} | 409 UpdateRequirementConflictException | etag
requirements/+={"type":"assert-etag","etag":"\u0000"} | 409 UpdateRequirementConflictException | etag
requirements=[{"type":"assert-etag","etag":"x"}] | value | assert-table-uuid
updates=- | value | updates
updates=null | value | updates
updates={} | request | updates
updates=[] | value | updates
updates=[null] | request | updates[0]
updates=["set-columns"] | request | updates[0]
updates=[{}] | value | updates[0].action
updates/0/action=null | value | updates[0].action
updates/0/action=["set-columns"] | request | updates[0].action
updates/0/action="set-nothing" | request | set-nothing
updates/0/action="Set-Table-Comment" | request | Set-Table-Comment
updates/0/comment=- | value | updates[0].comment
updates/0/comment=null | value | updates[0].comment
updates/0/comment=1 | request | updates[0].comment
updates/+={"action":"set-table-comment","comment":"d"} | value | set-table-comment
updates/0={"action":"set-properties"} | value | updates[0].updates
updates/0={"action":"set-properties","updates":null} | value | updates[0].updates
updates/0={"action":"set-properties","updates":[]} | request | updates[0].updates
updates/0={"action":"set-properties","updates":{"k":null}} | request | updates[0].updates
updates/0={"action":"set-properties","updates":{"k":1}} | request | "k"
updates/0={"action":"set-properties","updates":{"k":{"a":"b"}}} | request | "k"
updates/0={"action":"set-properties","updates":{"":"v"}} | value | set-properties
updates/0={"action":"set-properties","updates":{"io.unitycatalog.tableId":"$x"}} | value | io.unitycatalog.tableId
updates/0={"action":"set-properties","updates":{"delta.minReaderVersion":"1"}} | value | delta.minReaderVersion
updates/0={"action":"set-properties","updates":{"delta.minWriterVersion":"2"}} | value | delta.minWriterVersion
updates/0={"action":"set-properties","updates":{"delta.feature.x":"supported"}} | value | delta.feature.x
updates/0={"action":"set-properties","updates":{"delta.feature.catalogManaged":"enabled"}} | value | delta.feature.catalogManaged
updates/0={"action":"set-properties","updates":{"clusteringColumns":"[]"}} | value | clusteringColumns
updates/0={"action":"set-properties","updates":{"delta.rowTracking.rowIdHighWaterMark":"1"}} | value | rowIdHighWaterMark
updates/0={"action":"set-properties","updates":{"delta.lastUpdateVersion":"99"}} | value | delta.lastUpdateVersion
updates/0={"action":"set-properties","updates":{"delta.lastCommitTimestamp":"1"}} | value | delta.lastCommitTimestamp
updates/0={"action":"set-properties","updates":{"delta.enableDeletionVectors":"false"}} | value | delta.enableDeletionVectors
updates/0={"action":"set-properties","updates":{"delta.checkpointPolicy":"classic"}} | value | delta.checkpointPolicy
updates/0={"action":"set-properties","updates":{"a":"b"}} ;; updates/+={"action":"remove-properties","removals":["a"]} | value | "a"
updates/0={"action":"remove-properties"} | value | updates[0].removals
updates/0={"action":"remove-properties","removals":{}} | request | updates[0].removals
updates/0={"action":"remove-properties","removals":[null]} | request | updates[0].removals[0]
updates/0={"action":"remove-properties","removals":["k",1]} | request | updates[0].removals[1]
updates/0={"action":"remove-properties","removals":["io.unitycatalog.tableId"]} | value | io.unitycatalog.tableId
updates/0={"action":"remove-properties","removals":["delta.enableInCommitTimestamps"]} | value | delta.enableInCommitTimestamps
updates/0={"action":"remove-properties","removals":["delta.feature.catalogManaged"]} | value | delta.feature.catalogManaged
updates/0={"action":"remove-properties","removals":["clusteringColumns"]} | value | clusteringColumns
updates/0={"action":"remove-properties","removals":["delta.lastUpdateVersion"]} | value | delta.lastUpdateVersion
updates/0={"action":"set-columns"} | value | updates[0].columns
updates/0={"action":"set-columns","columns":null} | value | updates[0].columns
updates/0={"action":"set-columns","columns":{"type":"struct","fields":[]}} | value | updates[0].columns.fields
updates/0={"action":"set-columns","columns":{"type":"struct","fields":[null]}} | request | updates[0].columns.fields[0]
updates/0={"action":"set-columns","columns":{"type":"struct","fields":[{"name":"a","type":"varchar(3)","nullable":true,"metadata":{}}]}} | value | updates[0].columns.fields[0].type
updates/0={"action":"set-columns","columns":"long"} | request | updates[0].columns
updates/0={"action":"set-partition-columns"} | value | updates[0].partition-columns
updates/0={"action":"set-partition-columns","partition-columns":null} | value | updates[0].partition-columns
updates/0={"action":"set-partition-columns","partition-columns":"id"} | request | updates[0].partition-columns
updates/0={"action":"set-partition-columns","partition-columns":[1]} | request | updates[0].partition-columns[0]
updates/0={"action":"set-partition-columns","partition-columns":["nope"]} | value | nope
updates/0={"action":"set-partition-columns","partition-columns":["id","Id"]} | value | [1]
updates/0={"action":"set-protocol"} | value | updates[0].protocol
updates/0={"action":"set-protocol","protocol":[]} | request | updates[0].protocol
updates/0={"action":"set-protocol","protocol":{"min-reader-version":3}} | value | updates[0].protocol.min-writer-version
updates/0={"action":"set-protocol","protocol":{"min-reader-version":1,"min-writer-version":2}} | value | catalogManaged
updates/0={"action":"set-protocol","protocol":{"min-reader-version":3,"min-writer-version":7,"writer-features":[" "]}} | value | updates[0].protocol.writer-features[0]
updates/0={"action":"set-protocol","protocol":{"min-reader-version":4294967299,"min-writer-version":7}} | request | updates[0].protocol.min-reader-version
updates/0={"action":"set-domain-metadata"} | value | updates[0].updates
updates/0={"action":"set-domain-metadata","updates":{}} | value | updates[0].updates
updates/0={"action":"set-domain-metadata","updates":[]} | request | updates[0].updates
updates/0={"action":"set-domain-metadata","updates":{"delta.clustering":null}} | value | updates[0].updates
updates/0={"action":"set-domain-metadata","updates":{"acme.x":{}}} | value | acme.x
updates/0={"action":"set-domain-metadata","updates":{"DELTA.CLUSTERING":{"clusteringColumns":[]}}} | value | DELTA.CLUSTERING
updates/0={"action":"set-domain-metadata","updates":{"delta.clustering":{"clusteringColumns":null}}} | value | clusteringColumns
updates/0={"action":"set-domain-metadata","updates":{"delta.clustering":{"clusteringColumns":[["a",""]]}}} | value | clusteringColumns[0][1]
updates/0={"action":"set-domain-metadata","updates":{"delta.rowTracking":{"rowIdHighWaterMark":1.0}}} | request | rowIdHighWaterMark
updates/0={"action":"set-domain-metadata","updates":{"delta.rowTracking":{"rowIdHighWaterMark":-9223372036854775809}}} | request | rowIdHighWaterMark
updates/0={"action":"set-domain-metadata","updates":{"delta.rowTracking":{"rowIdHighWaterMark":1}}} ;; updates/+={"action":"remove-domain-metadata","domains":["delta.rowTracking"]} | value | delta.rowTracking
updates/0={"action":"remove-domain-metadata"} | value | updates[0].domains
updates/0={"action":"remove-domain-metadata","domains":"delta.clustering"} | request | updates[0].domains
updates/0={"action":"remove-domain-metadata","domains":["acme.x"]} | value | acme.x
updates/0={"action":"remove-domain-metadata","domains":[null]} | request | updates[0].domains[0]
updates/0={"action":"update-metadata-snapshot-version","last-commit-version":1,"last-commit-timestamp-ms":1} | value | update-metadata-snapshot-version
updates/0={"action":"set-latest-backfilled-version"} | value | latest-published-version
updates/0={"action":"set-latest-backfilled-version","latest-published-version":null} | value | latest-published-version
updates/0={"action":"set-latest-backfilled-version","latest-published-version":3} | value | set-latest-backfilled-version
updates/0={"action":"set-latest-backfilled-version","latest-published-version":9223372036854775807} | value | set-latest-backfilled-version
updates/0={"action":"set-latest-backfilled-version","latest-published-version":9223372036854775808} | request | latest-published-version
updates/0={"action":"set-latest-backfilled-version","latest-published-version":"1"} | request | latest-published-version
updates/0={"action":"add-commit"} | value | updates[0].commit
updates/0={"action":"add-commit","commit":null} | value | updates[0].commit
updates/0={"action":"add-commit","commit":[]} | request | updates[0].commit
updates/0={"action":"add-commit","commit":{}} | value | updates[0].commit.version
updates/0={"action":"add-commit","commit":{"version":3}} | value | updates[0].commit.timestamp
updates/0={"action":"add-commit","commit":{"version":3,"timestamp":1}} | value | updates[0].commit.file-name
updates/0={"action":"add-commit","commit":{"version":3,"timestamp":1,"file-name":"f"}} | value | updates[0].commit.file-size
updates/0={"action":"add-commit","commit":{"version":3,"timestamp":1,"file-name":"f","file-size":1}} | value | file-modification-timestamp
updates/0=$commit ;; updates/0/commit/version=0 | value | version
updates/0=$commit ;; updates/0/commit/version=-1 | value | version
updates/0=$commit ;; updates/0/commit/version=4 | value | version
updates/0=$commit ;; updates/0/commit/version=9223372036854775807 | value | version
updates/0=$commit ;; updates/0/commit/version=-9223372036854775808 | value | version
updates/0=$commit ;; updates/0/commit/version=9223372036854775808 | request | version
updates/0=$commit ;; updates/0/commit/version=3.0 | request | version
updates/0=$commit ;; updates/0/commit/version="3" | request | version
updates/0=$commit ;; updates/0/commit/version=2 | 409 CommitVersionConflictException | 2
updates/0=$commit ;; updates/0/commit/version=1 ;; updates/0/commit/file-name="F1" | 409 CommitVersionConflictException | 1
updates/0=$commit ;; updates/0/commit/timestamp=0 | value | timestamp
updates/0=$commit ;; updates/0/commit/timestamp=-1 | value | timestamp
updates/0=$commit ;; updates/0/commit/timestamp=1e3 | request | timestamp
updates/0=$commit ;; updates/0/commit/file-size=0 | value | file-size
updates/0=$commit ;; updates/0/commit/file-size=-9223372036854775808 | value | file-size
updates/0=$commit ;; updates/0/commit/file-size=99999999999999999999 | request | file-size
updates/0=$commit ;; updates/0/commit/file-modification-timestamp=0 | value | file-modification-timestamp
updates/0=$commit ;; updates/0/commit/file-modification-timestamp=true | request | file-modification-timestamp
updates/0=$commit ;; updates/0/commit/file-name="" | value | file-name
updates/0=$commit ;; updates/0/commit/file-name=" " | value | file-name
updates/0=$commit ;; updates/0/commit/file-name="." | value | file-name
updates/0=$commit ;; updates/0/commit/file-name=".." | value | file-name
updates/0=$commit ;; updates/0/commit/file-name="../3.json" | value | file-name
updates/0=$commit ;; updates/0/commit/file-name="a/b.json" | value | file-name
updates/0=$commit ;; updates/0/commit/file-name="a\\b.json" | value | file-name
updates/0=$commit ;; updates/0/commit/file-name="f\u0000" | value | file-name
updates/0=$commit ;; updates/0/commit/file-name="f\u0085" | value | file-name
updates/0=$commit ;; updates/0/commit/file-name="f\n" | value | file-name
updates/0=$commit ;; updates/0/commit/file-name=3 | request | file-name
updates/0=$commit ;; updates/0/commit/file-name="$path" | value | file-name
updates/0=$commit ;; updates/+={"action":"set-latest-backfilled-version","latest-published-version":3} | value | set-latest-backfilled-version
updates/0=$commit ;; updates/+=$commit | value | add-commit
updates/0=$commit ;; updates/+={"action":"set-properties","updates":{"delta.checkpointPolicy":"x"}} | value | delta.checkpointPolicy
updates/0=$commit ;; updates/0/uniform={} | value | updates[0].uniform.iceberg
updates/0=$commit ;; updates/0/uniform=[] | request | updates[0].uniform
updates/0=$commit ;; updates/0/uniform={"iceberg":{"metadata-location":"$at_m/m","converted-delta-version":3,"converted-delta-timestamp":1}} | value | uniform
raw {"requirements":[{"type":"assert-table-uuid","uuid":"$m"}],"updates":[{"action":"set-table-comment","comment":"c"}],"updates":[]} | value | updates
# full
updates/1/latest-published-version=0 | 429 ResourceExhaustedException | 11
updates/1/latest-published-version=-9223372036854775808 | 429 ResourceExhaustedException | 11
updates/1/latest-published-version=11 | value | set-latest-backfilled-version
updates/1={"action":"set-table-comment","comment":"c"} | 429 ResourceExhaustedException | 11
updates/0/commit/version=12 | value | version
updates/0/commit/version=10 | 409 CommitVersionConflictException | 10
# ice
updates/0/uniform=- | value | uniform
updates/0/uniform=null | value | uniform
updates/0/uniform/iceberg=null | value | uniform.iceberg
updates/0/uniform/iceberg/converted-delta-version=1 | value | converted-delta-version
updates/0/uniform/iceberg/converted-delta-version="2" | request | converted-delta-version
updates/0/uniform/iceberg/converted-delta-timestamp=0 | value | converted-delta-timestamp
updates/0/uniform/iceberg/converted-delta-timestamp=-9223372036854775808 | value | converted-delta-timestamp
updates/0/uniform/iceberg/converted-delta-timestamp=1.5 | request | converted-delta-timestamp
updates/0/uniform/iceberg/base-converted-delta-version=0 | 409 UpdateRequirementConflictException | base-converted-delta-version
updates/0/uniform/iceberg/base-converted-delta-version=9223372036854775807 | 409 UpdateRequirementConflictException | base-converted-delta-version
updates/0/uniform/iceberg/base-converted-delta-version="1" | request | base-converted-delta-version
updates/0/uniform/iceberg/metadata-location="" | value | metadata-location
updates/0/uniform/iceberg/metadata-location="$at_ice" | value | metadata-location
updates/0/uniform/iceberg/metadata-location="$at_ice/" | value | metadata-location
updates/0/uniform/iceberg/metadata-location="$at_ice/../m" | value | metadata-location
updates/0/uniform/iceberg/metadata-location="$at_ice-2/m" | value | metadata-location
updates/0/uniform/iceberg/metadata-location="$at_ice/%2e%2e/m" | value | metadata-location
updates/0/uniform/iceberg/metadata-location="$at_ice/m\u0000" | value | metadata-location
updates/0/uniform/iceberg/metadata-location="s3://bkt/m" | value | metadata-location
updates/0/uniform/iceberg/metadata-location=7 | request | metadata-location
updates/+={"action":"remove-properties","removals":["delta.universalFormat.enabledFormats"]} | value | uniform
# mapped
updates/0/columns/fields/0/metadata={} | value | delta.columnMapping.id
updates/0/columns/fields/0/metadata={"delta.columnMapping.id":1} | value | delta.columnMapping.physicalName
updates/0/columns/fields/0/metadata={"delta.columnMapping.id":"1","delta.columnMapping.physicalName":"p"} | value | delta.columnMapping.id
updates/0/columns/fields/0/metadata={"delta.columnMapping.id":1.5,"delta.columnMapping.physicalName":"p"} | value | delta.columnMapping.id
updates/0/columns/fields/0/metadata={"delta.columnMapping.id":9223372036854775808,"delta.columnMapping.physicalName":"p"} | value | delta.columnMapping.id
updates/0/columns/fields/0/metadata={"delta.columnMapping.id":1,"delta.columnMapping.physicalName":""} | value | delta.columnMapping.physicalName
updates/0/columns/fields/0/metadata={"delta.columnMapping.id":1,"delta.columnMapping.physicalName":5} | value | delta.columnMapping.physicalName
updates/0/columns/fields/+={"name":"b","type":"long","nullable":true,"metadata":{"delta.columnMapping.id":1,"delta.columnMapping.physicalName":"q"}} | value | columns.fields[1]
updates/0/columns/fields/+={"name":"b","type":{"type":"struct","fields":[{"name":"c","type":"long","nullable":true,"metadata":{}}]},"nullable":true,"metadata":{"delta.columnMapping.id":2,"delta.columnMapping.physicalName":"q"}} | value | columns.fields[1].type.fields[0]
# update x
updates/0/last-commit-version=- | value | last-commit-version
updates/0/last-commit-version=-1 | value | update-metadata-snapshot-version
updates/0/last-commit-version=9223372036854775808 | request | last-commit-version
updates/0/last-commit-timestamp-ms=null | value | last-commit-timestamp-ms
updates/0/last-commit-timestamp-ms=-9223372036854775808 | value | update-metadata-snapshot-version
updates/0/last-commit-timestamp-ms="1" | request | last-commit-timestamp-ms
updates/0=$commit | value | add-commit
updates/0={"action":"set-latest-backfilled-version","latest-published-version":0} | value | set-latest-backfilled-version
updates/0={"action":"set-columns","columns":{"type":"struct","fields":[{"name":"a","type":"long","nullable":true,"metadata":{}}]}} | value | partition
updates/0={"action":"set-partition-columns","partition-columns":["gone"]} | value | gone
updates/+={"action":"set-properties","updates":{"delta.minReaderVersion":"3"}} | value | delta.minReaderVersion
requirements/0/uuid="$m" | 409 UpdateRequirementConflictException | assert-table-uuid
`
