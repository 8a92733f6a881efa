package server_test

// badPaths is what is wrong with paths, and badLists with queries. See bad_table_test.go.
const badPaths = `
# requests
GET $D/catalogs/nope/schemas/s1/tables/m | 404 NoSuchCatalogException | nope
GET $D/catalogs/c1/schemas/nope/tables/m | 404 NoSuchSchemaException | nope
GET $T/nope | 404 NoSuchTableException | nope
GET $T/M | 404 NoSuchTableException | M
GET $T/m%00 | 404 NoSuchTableException | table
GET $T/%2e%2e | 404 NoSuchTableException | table
GET $T/m%2F..%2Fx | 404 NoSuchTableException | table
GET $T/m%252e | 404 NoSuchTableException | table
GET $T/m;v=1 | 404 NoSuchTableException | table
GET $T/%EF%BB%BFm | 404 NoSuchTableException | table
GET $T/%C0%AE%C0%AE | 404 NoSuchTableException | table
GET $T/c1.s1.m | 404 NoSuchTableException | table
GET $T/m%3Fx | 404 NoSuchTableException | table
GET $T/m%23x | 404 NoSuchTableException | table
GET $T/e%CC%81 | 404 NoSuchTableException | table
GET $T/$staged | 404 NoSuchTableException | table
GET $T/gone | 404 NoSuchTableException | gone
GET $T/m/ | 404 NotFoundException | nothing
GET $T//m | 404 NotFoundException | nothing
GET $T/./m | 404 NotFoundException | nothing
GET $T/../tables/m | 404 NotFoundException | nothing
GET $T/m/nope | 404 NotFoundException | nothing
GET $S | 404 NotFoundException | nothing
GET $D | 404 NotFoundException | nothing
GET $D/nope | 404 NotFoundException | nothing
GET $D/catalogs//schemas/s1/tables | 404 NotFoundException | nothing
GET $D/catalogs/c1/schemas//tables | 404 NotFoundException | nothing
GET $T/parquet | format | parquet
GET $T/foreign | format | foreign
HEAD $T/nope | 404 x | x
HEAD $D/catalogs/nope/schemas/s1/tables/m | 404 x | x
HEAD $D/catalogs/c1/schemas/nope/tables/m | 404 x | x
HEAD $T | 405 x | x
DELETE $D/catalogs/nope/schemas/s1/tables/m | 404 NoSuchCatalogException | nope
DELETE $D/catalogs/c1/schemas/nope/tables/m | 404 NoSuchSchemaException | nope
DELETE $T/nope | 404 NoSuchTableException | nope
DELETE $T/m%20 | 404 NoSuchTableException | table
DELETE $T/m/ | 404 NotFoundException | nothing
DELETE $T | 405 BadRequestException | DELETE
PUT $T/m {"comment":"c"} | 405 BadRequestException | PUT
PATCH $T/m {"comment":"c"} | 405 BadRequestException | PATCH
OPTIONS $T/m | 405 BadRequestException | OPTIONS
POST $D/config | 405 BadRequestException | POST
GET $T/m/rename | 405 BadRequestException | GET
DELETE $T/m/credentials | 405 BadRequestException | DELETE
POST $D/staging-tables/$staged/credentials | 405 BadRequestException | POST
GET $S/staging-tables | 405 BadRequestException | GET
POST $D/catalogs/nope/schemas/s1/staging-tables {"name":"n"} | 404 NoSuchCatalogException | nope
POST $D/catalogs/c1/schemas/nope/staging-tables {"name":"n"} | 404 NoSuchSchemaException | nope
POST $D/catalogs/c1/schemas/nope/staging-tables {"name":"n.n"} | value | name
POST $D/catalogs/nope/schemas/s1/staging-tables { | request | JSON
POST $T/nope { | request | JSON
POST $T/nope {"requirements":[{"type":"assert-table-uuid","uuid":"$m"}],"updates":[{"action":"set-table-comment","comment":"c"}]} | 404 NoSuchTableException | nope
POST $T/parquet {"requirements":[{"type":"assert-table-uuid","uuid":"$parquet"}],"updates":[{"action":"set-table-comment","comment":"c"}]} | format | parquet
POST $T/foreign {"requirements":[{"type":"assert-table-uuid","uuid":"$foreign"}],"updates":[{"action":"set-table-comment","comment":"c"}]} | format | foreign
POST $T/nope/rename {"new-name":"n"} | 404 NoSuchTableException | nope
POST $T/nope/rename {"new-name":"nope"} | 404 NoSuchTableException | nope
POST $T/nope/rename {"new-name":"m"} | 404 NoSuchTableException | nope
POST $D/catalogs/nope/schemas/s1/tables/m/rename {"new-name":"n"} | 404 NoSuchCatalogException | nope
POST $D/catalogs/c1/schemas/nope/tables/m/rename {"new-name":"n"} | 404 NoSuchSchemaException | nope
POST $T/nope/metrics {"table-id":"$m"} | 404 NoSuchTableException | nope
POST $D/catalogs/nope/schemas/s1/tables/m/metrics {"table-id":"$m"} | 404 NoSuchCatalogException | nope
POST $D/catalogs/c1/schemas/nope/tables/m/metrics {"table-id":"$m"} | 404 NoSuchSchemaException | nope
GET $T/nope/metrics | 404 NoSuchTableException | nope
GET $D/catalogs/nope/schemas/s1/tables/m/metrics | 404 NoSuchCatalogException | nope
GET $D/catalogs/c1/schemas/nope/tables/m/metrics | 404 NoSuchSchemaException | nope
DELETE $T/m/metrics | 405 BadRequestException | DELETE
GET $T/nope/credentials?operation=READ | 404 NoSuchTableException | nope
GET $D/catalogs/nope/schemas/s1/tables/m/credentials?operation=READ | 404 NoSuchCatalogException | nope
GET $D/catalogs/c1/schemas/nope/tables/m/credentials?operation=READ | 404 NoSuchSchemaException | nope
GET $T/m/credentials | value | operation
GET $T/m/credentials?operation= | value | operation
GET $T/m/credentials?operation=%20 | value | operation
GET $T/m/credentials?operation=WRITE | request | WRITE
GET $T/m/credentials?operation=read | request | read
GET $T/m/credentials?operation=READ%00 | request | READ
GET $T/m/credentials?operation=READ;x=1 | value | operation
GET $T/m/credentials?Operation=READ | value | operation
GET $T/x/credentials?operation=READ | 501 NotImplementedException | vendor
GET $D/staging-tables/x/credentials | request | table_id
GET $D/staging-tables/%20$staged/credentials | request | table_id
GET $D/staging-tables/{$staged}/credentials | request | table_id
GET $D/staging-tables/$absent/credentials | 404 NoSuchTableException | $absent
GET $D/staging-tables/$gone/credentials | 404 NoSuchTableException | $gone
GET $D/staging-tables/$x/credentials | 404 NoSuchTableException | $x
GET $D/staging-tables/$parquet/credentials | 404 NoSuchTableException | $parquet
GET $U/catalogs/nope | 404 CATALOG_NOT_FOUND | nope
GET $U/catalogs/C1 | 404 CATALOG_NOT_FOUND | C1
GET $U/catalogs/c1%00 | 404 CATALOG_NOT_FOUND | catalog
GET $U/catalogs/c1%2Fs1 | 404 CATALOG_NOT_FOUND | catalog
GET $U/catalogs/%2e%2e | 404 CATALOG_NOT_FOUND | catalog
GET $U/catalogs/../catalogs | 404 NOT_FOUND | nothing
GET $U//catalogs | 404 NOT_FOUND | nothing
GET $U/nope | 404 NOT_FOUND | nothing
GET /nope | 404 NOT_FOUND | nothing
DELETE $U/catalogs/nope | 404 CATALOG_NOT_FOUND | nope
DELETE $U/catalogs/c1 | 400 FAILED_PRECONDITION | c1
DELETE $U/catalogs/c1?force=false | 400 FAILED_PRECONDITION | c1
DELETE $U/catalogs/c1?force=yes | invalid | force
DELETE $U/catalogs/c1?force=1 | invalid | force
PUT $U/catalogs/c1 {"comment":"c"} | 405 INVALID_ARGUMENT | PUT
PATCH $U/catalogs/c1 {"name":"c2"} | invalid | c2
PATCH $U/catalogs/c1 {"comment":1} | invalid | comment
PUT $U/catalogs {"name":"n"} | 405 INVALID_ARGUMENT | PUT
GET $U/schemas/s1 | invalid | s1
GET $U/schemas/c1.s1.m | invalid | c1.s1.m
GET $U/schemas/c1. | invalid | c1.
GET $U/schemas/.s1 | invalid | .s1
GET $U/schemas/c1.nope | 404 SCHEMA_NOT_FOUND | nope
GET $U/schemas/nope.s1 | 404 CATALOG_NOT_FOUND | nope
DELETE $U/schemas/c1.s1 | 400 FAILED_PRECONDITION | s1
DELETE $U/schemas/c1.s1?force=maybe | invalid | force
DELETE $U/schemas/c1.nope?force=true | 404 SCHEMA_NOT_FOUND | nope
DELETE $U/schemas/c1 | invalid | c1
GET $U/tables/m | invalid | m
GET $U/tables/c1.s1 | invalid | c1.s1
GET $U/tables/c1.s1.m.x | invalid | c1.s1.m.x
GET $U/tables/c1..m | invalid | c1..m
GET $U/tables/c1.s1.nope | 404 TABLE_NOT_FOUND | nope
GET $U/tables/c1.s1.m%00 | 404 TABLE_NOT_FOUND | table
GET $U/tables/c1%1Fs1%1Fnope | 404 TABLE_NOT_FOUND | nope
GET $U/tables/c1.nope.m | 404 SCHEMA_NOT_FOUND | nope
GET $U/tables/nope.s1.m | 404 CATALOG_NOT_FOUND | nope
DELETE $U/tables/c1.s1.nope | 404 TABLE_NOT_FOUND | nope
DELETE $U/tables/c1.nope.m | 404 SCHEMA_NOT_FOUND | nope
DELETE $U/tables/nope.s1.m | 404 CATALOG_NOT_FOUND | nope
DELETE $U/tables/c1.s1 | invalid | c1.s1
PATCH $U/tables/c1.s1.m {"owner":"o"} | 405 INVALID_ARGUMENT | PATCH
GET $U/temporary-table-credentials | 405 INVALID_ARGUMENT | GET
PUT $P {} | 405 INVALID_ARGUMENT | PUT
DELETE $P | 405 INVALID_ARGUMENT | DELETE
GET $U/volumes/c1.s1.v | 501 UNIMPLEMENTED | volumes
POST $U/functions {} | 501 UNIMPLEMENTED | functions
POST $U/models {} | 501 UNIMPLEMENTED | models
GET $U/models/m | 501 UNIMPLEMENTED | models
`

const badLists = `
# requests
GET $D/config | value | catalog
GET $D/config?catalog=c1 | value | protocol-versions
GET $D/config?catalog=&protocol-versions=1.0 | value | catalog
GET $D/config?catalog=%20&protocol-versions=1.0 | value | catalog
GET $D/config?catalog=c1&protocol-versions= | value | protocol-versions
GET $D/config?catalog=c1&protocol-versions=1 | value | protocol-versions
GET $D/config?catalog=c1&protocol-versions=1.0, | value | protocol-versions
GET $D/config?catalog=c1&protocol-versions=v1.0 | value | protocol-versions
GET $D/config?catalog=c1&protocol-versions=-1.0 | value | protocol-versions
GET $D/config?catalog=c1&protocol-versions=1.0.0 | value | protocol-versions
GET $D/config?catalog=c1&protocol-versions=1.99999999999999999999 | value | protocol-versions
GET $D/config?catalog=c1&protocol-versions=2.0 | value | 1.0
GET $D/config?catalog=nope&protocol-versions=1.0 | 404 NoSuchCatalogException | nope
GET $D/config?catalog=%FF&protocol-versions=1.0 | 404 NoSuchCatalogException | catalog
GET $D/config?catalog=%00&protocol-versions=1.0 | 404 NoSuchCatalogException | catalog
GET $D/config?catalog=c1&catalog=nope&protocol-versions=%zz | value | protocol-versions
GET $D/catalogs/nope/schemas/s1/tables | 404 NoSuchCatalogException | nope
GET $D/catalogs/c1/schemas/nope/tables | 404 NoSuchSchemaException | nope
GET $T?max-results=-1 | value | max-results
GET $T?max-results=x | value | max-results
GET $T?max-results=1.5 | value | max-results
GET $T?max-results=2147483648 | value | max-results
GET $T?max-results=99999999999999999999 | value | max-results
GET $T?page-token=x | value | token
GET $T?page-token=e30 | value | token
GET $T?page-token=%00 | value | token
GET $T?page-token=bnVsbA | value | token
GET $U/catalogs?max_results=-1 | invalid | max_results
GET $U/catalogs?max_results=ten | invalid | max_results
GET $U/catalogs?page_token=nope | invalid | token
GET $U/schemas | invalid | catalog_name
GET $U/schemas?catalog_name= | invalid | catalog_name
GET $U/schemas?catalog_name=nope | 404 CATALOG_NOT_FOUND | nope
GET $U/schemas?catalog_name=c1&max_results=-5 | invalid | max_results
GET $U/schemas?catalog_name=c1&page_token=e30 | invalid | token
GET $U/tables | invalid | catalog_name
GET $U/tables?catalog_name=c1 | invalid | schema_name
GET $U/tables?schema_name=s1 | invalid | catalog_name
GET $U/tables?catalog_name=nope&schema_name=s1 | 404 CATALOG_NOT_FOUND | nope
GET $U/tables?catalog_name=c1&schema_name=nope | 404 SCHEMA_NOT_FOUND | nope
GET $U/tables?catalog_name=c1&schema_name=s1&max_results=0x10 | invalid | max_results
GET $U/tables?catalog_name=c1&schema_name=s1&page_token=!! | invalid | token
GET $U/tables?catalog_name=c1&schema_name=s1&omit_columns=no | invalid | omit_columns
GET $U/tables?catalog_name=c1&schema_name=s1&omit_properties=2 | invalid | omit_properties
GET $D/temporary-path-credentials | value | location
GET $D/temporary-path-credentials?location=s3://bkt/q | value | operation
GET $D/temporary-path-credentials?operation=READ | value | location
GET $D/temporary-path-credentials?location=%20&operation=READ | value | location
GET $D/temporary-path-credentials?location=s3://bkt/q&operation=WRITE | request | WRITE
GET $D/temporary-path-credentials?location=s3://bkt&operation=READ | value | location
GET $D/temporary-path-credentials?location=q&operation=READ | value | location
GET $D/temporary-path-credentials?location=s3a://bkt/q&operation=READ | value | s3
GET $D/temporary-path-credentials?location=s3://bkt/q%3Fx&operation=READ | value | location
GET $D/temporary-path-credentials?location=s3://bkt/q%00&operation=READ | value | location
GET $D/temporary-path-credentials?location=s3://bkt/q%FF&operation=READ | value | location
GET $D/temporary-path-credentials?location=file:///&operation=READ | value | location
GET $D/temporary-path-credentials?location=file:///managed&operation=READ | 403 PermissionDeniedException | location
GET $D/temporary-path-credentials?location=file:///managed/q&operation=READ | 403 PermissionDeniedException | location
GET $D/temporary-path-credentials?location=$at_m&operation=READ_WRITE | 403 PermissionDeniedException | location
GET $D/temporary-path-credentials?location=$at_x&operation=READ | 403 PermissionDeniedException | location
GET $D/temporary-path-credentials?location=$at_x/q&operation=READ | 403 PermissionDeniedException | location
GET $D/temporary-path-credentials?location=s3://roots/r&operation=READ | 403 PermissionDeniedException | location
GET $D/temporary-path-credentials?location=s3://roots/__unitystorage&operation=READ | 403 PermissionDeniedException | location
GET $D/temporary-path-credentials?location=s3://elsewhere/q&operation=READ | 501 NotImplementedException | vendor
GET $P | invalid | table_id
GET $P?table_id=x&table_uri=y&start_version=0 | invalid | table_id
GET $P?table_id=$m&table_uri=$at_m | invalid | start_version
GET $P?table_id=$m&start_version=0 | invalid | table_uri
GET $P?table_id=$m&table_uri=$at_m&start_version=-1 | invalid | start_version
GET $P?table_id=$m&table_uri=$at_m&start_version=x | invalid | start_version
GET $P?table_id=$m&table_uri=$at_m&start_version=9223372036854775808 | invalid | start_version
GET $P?table_id=$m&table_uri=$at_m&start_version=2&end_version=1 | invalid | end_version
GET $P?table_id=$m&table_uri=$at_m&start_version=2&end_version=1.5 | invalid | end_version
GET $P?table_id=$m&table_uri=$at_full&start_version=0 | invalid | table_uri
GET $P?table_id=$x&table_uri=$at_x&start_version=0 | invalid | external
GET $P?table_id=$absent&table_uri=$at_m&start_version=0 | 404 TABLE_NOT_FOUND | $absent
`
