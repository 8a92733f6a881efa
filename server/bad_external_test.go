package server_test

// badExternal is what is wrong with external tables, renames and reports. See bad_table_test.go.
const badExternal = `
# external
location="s3://bkt" | value | location
location="s3://bkt/" | value | location
location="file:///" | value | location
location="/" | value | location
location="file:x" | value | location
location="s3:///x" | value | location
location="s3:/bkt/x" | value | location
location="S3://bkt/q" | value | location
location="s3n://bkt/q" | value | s3
location="wasbs://c@a/q" | value | abfss
location="r2://bkt/q" | value | s3
location="https://bkt/q" | value | location
location="hdfs://n/q" | value | location
location="C:\\q" | value | location
location="abfss://account.dfs.core.windows.net/q" | value | location
location="abfss://c@/q" | value | location
location="s3://user@bkt/q" | value | location
location="s3://bkt:9000/q" | value | location
location="s3://../q" | value | location
location="s3://bkt/q/../.." | value | location
location="s3://bkt/%2e%2e/q" | value | location
location="s3://bkt/a%2Fq" | value | location
location="s3://bkt/__unitystorage/q" | value | location
location="s3://bkt/__unitystorag%65/q" | value | location
location="file:///%71" | value | location
location="file:///a q" | value | location
location="s3://bkt/q*" | value | location
location="s3://bkt/${q}" | value | location
location="s3://bkt/q?v=1" | value | location
location="s3://bkt/q#f" | value | location
location="s3://bkt/q\u0000" | value | location
location="s3://bkt/q\u0085" | value | location
location="s3://bkt/q\n" | value | location
location="file:///managed" | value | location
location="file:///managed/q" | value | location
location="$at_x" | value | location
location="$at_x/below" | value | location
location="$at_x/../x" | value | location
location="s3://roots/r" | value | location
location="$at_m" | value | location
location="$path" | value | 2048
last-commit-timestamp-ms=-1 | value | last-commit-timestamp-ms
protocol/min-reader-version=-2147483649 | request | protocol.min-reader-version
partition-columns=["id","id"] | value | partition-columns[1]
properties={"\u0000":1} | request | properties
domain-metadata={"delta.clustering":null,"other":null} | value | other
# rename
new-name=- | value | new-name
new-name=null | value | new-name
new-name="" | value | new-name
new-name="c1.s1.t" | value | new-name
new-name="a b" | value | new-name
new-name="a/b" | value | new-name
new-name="\ufeffy" | value | new-name
new-name="$long" | value | new-name
new-name=1 | request | new-name
new-name="m" | 409 AlreadyExistsException | m
new-name="parquet" | 409 AlreadyExistsException | parquet
raw {"new_name":"n"} | value | new-name
raw ["n"] | request | object
# metrics
table-id=- | value | table-id
table-id=null | value | table-id
table-id="" | request | table-id
table-id="x" | request | table-id
table-id="{$m}" | request | table-id
table-id=5 | request | table-id
table-id="$x" | value | table-id
table-id="$absent" | value | table-id
report=[] | request | report
report/commit-report=1 | request | report.commit-report
report/commit-report/num-files-added=-1 | value | num-files-added
report/commit-report/num-files-added=1.0 | request | num-files-added
report/commit-report/num-files-added="1" | request | num-files-added
report/commit-report/num-bytes-added=-9223372036854775808 | value | num-bytes-added
report/commit-report/num-files-removed=9223372036854775808 | request | num-files-removed
report/commit-report/num-bytes-removed=-1 | value | num-bytes-removed
report/commit-report/num-rows-inserted=-1 | value | num-rows-inserted
report/commit-report/num-rows-removed=-1 | value | num-rows-removed
report/commit-report/num-rows-updated=true | request | num-rows-updated
report/commit-report/file-size-histogram={} | value | sorted-bin-boundaries
report/commit-report/file-size-histogram/file-counts=- | value | file-counts
report/commit-report/file-size-histogram/total-bytes=null | value | total-bytes
report/commit-report/file-size-histogram/total-bytes=[1] | value | file-size-histogram
report/commit-report/file-size-histogram/sorted-bin-boundaries=[1,2] | value | sorted-bin-boundaries[0]
report/commit-report/file-size-histogram/sorted-bin-boundaries=[0,0] | value | sorted-bin-boundaries[1]
report/commit-report/file-size-histogram/sorted-bin-boundaries=[0,-1] | value | sorted-bin-boundaries[1]
report/commit-report/file-size-histogram/sorted-bin-boundaries=[0,null] | request | sorted-bin-boundaries[1]
report/commit-report/file-size-histogram/file-counts=[1,-1] | value | bin 1
report/commit-report/file-size-histogram/total-bytes=[-1,1] | value | bin 0
report/commit-report/file-size-histogram/commit-version=-1 | value | commit-version
report/commit-report/file-size-histogram/commit-version=1.5 | request | commit-version
`
