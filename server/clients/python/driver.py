"""Drives a Unity Catalog server with unitycatalog-client from PyPI.

usage: driver.py SERVER TOKEN READER CATALOG SCHEMA PARTS

READER is the token of one who may only read, and TOKEN one of the principal "owner"; READER is empty where the server asks
for no token. PARTS is a comma list of
  classic-external  catalogs, schemas, external tables and their credentials
  classic-storage   permissions, storage credentials and external locations
  classic-staging   a managed table through staging-tables, tables and delta/preview/commits
  v1                a managed table through delta/v1
  refusals          what READER may not, and what nobody may without a token
One line per check; OK and exit status 0 when all of them hold.
"""
import asyncio
import http.client
import json
import os
import shutil
import sys
import tempfile
import time
import urllib.parse
import uuid

import unitycatalog.client as uc

import delta_modules

models = delta_modules.install()
import unitycatalog.delta.api_client as delta_client
import unitycatalog.delta.configuration as delta_configuration
import unitycatalog.delta.exceptions as delta_exceptions
from unitycatalog.delta.api.delta_configuration_api import DeltaConfigurationApi
from unitycatalog.delta.api.delta_tables_api import DeltaTablesApi
from unitycatalog.delta.api.delta_temporary_credentials_api import DeltaTemporaryCredentialsApi

server, token, reader, catalog, schema, parts = sys.argv[1:7]
base = server + "/api/2.1/unity-catalog"
bad = 0

ID_COLUMN = uc.ColumnInfo(
    name="id", type_name=uc.ColumnTypeName.LONG, type_text="bigint", position=0, nullable=True,
    type_json=json.dumps({"name": "id", "type": "long", "nullable": True, "metadata": {}}))


def check(what, want, got):
    global bad
    bad += want != got
    print("ok  " if want == got else "FAIL", what, "=", got, "" if want == got else "want %r" % (want,))


async def status(call):
    try:
        await call
        return 200
    except (uc.ApiException, delta_exceptions.ApiException) as e:
        return e.status


def full(name):
    return "%s.%s.%s" % (catalog, schema, name)


def write_commit(location, version, staged):
    """Writes a commit without data files, which is enough for a coordinator of commits."""
    now = int(time.time() * 1000)
    action = {"commitInfo": {"inCommitTimestamp": now, "timestamp": now, "operation": "WRITE", "operationParameters": {}}}
    name = "%020d%s.json" % (version, "." + str(uuid.uuid4()) if staged else "")
    folder = os.path.join(urllib.parse.urlparse(location).path, "_delta_log", "_staged_commits" if staged else "")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    with open(path, "x") as f:
        f.write(json.dumps(action) + "\n")
    stat = os.stat(path)
    return {"version": version, "timestamp": now, "file_name": name, "file_size": stat.st_size,
            "file_modification_timestamp": int(stat.st_mtime * 1000)}


def publish(location, *commits):
    """Copies staged commits to where readers look first. A server that can read the files believes no backfill without them."""
    log = os.path.join(urllib.parse.urlparse(location).path, "_delta_log")
    for c in commits:
        shutil.copy(os.path.join(log, "_staged_commits", c["file_name"]), os.path.join(log, "%020d.json" % c["version"]))


async def classic_external(client):
    catalogs, schemas, tables = uc.CatalogsApi(client), uc.SchemasApi(client), uc.TablesApi(client)
    own_catalog = "py_" + uuid.uuid4().hex[:8]
    created = await catalogs.create_catalog(uc.CreateCatalog(name=own_catalog, comment="c"))
    check("catalog comment", "c", created.comment)
    check("catalog again", 409, await status(catalogs.create_catalog(uc.CreateCatalog(name=own_catalog))))
    check("catalogs listed", True, {own_catalog, catalog} <= {c.name for c in (await catalogs.list_catalogs()).catalogs})
    await schemas.create_schema(uc.CreateSchema(name="s", catalog_name=own_catalog))
    check("schema full name", own_catalog + ".s", (await schemas.get_schema(own_catalog + ".s")).full_name)
    check("schema listed", ["s"], [s.name for s in (await schemas.list_schemas(own_catalog)).schemas if s.name != "default"])
    print("metastore", (await uc.MetastoresApi(client).summary()).metastore_id)

    name = "py_ext_" + uuid.uuid4().hex[:8]
    table = await tables.create_table(uc.CreateTable(
        name=name, catalog_name=catalog, schema_name=schema, table_type=uc.TableType.EXTERNAL,
        data_source_format=uc.DataSourceFormat.DELTA, columns=[ID_COLUMN],
        storage_location="file://" + os.path.join(tempfile.mkdtemp(), name), properties={"a": "b"}))
    check("table listed", True, name in [t.name for t in (await tables.list_tables(catalog, schema)).tables])
    loaded = await tables.get_table(full(name))
    check("table id", table.table_id, loaded.table_id)
    check("table properties", "b", loaded.properties.get("a"))
    check("table columns", [("id", "bigint")], [(c.name, c.type_text) for c in loaded.columns])
    print("credentials", await uc.TemporaryCredentialsApi(client).generate_temporary_table_credentials(
        uc.GenerateTemporaryTableCredential(table_id=table.table_id, operation=uc.TableOperation.READ)))
    check("unknown table", 404, await status(tables.get_table(full("nope"))))
    await tables.delete_table(full(name))
    check("deleted table", 404, await status(tables.get_table(full(name))))
    await schemas.delete_schema(own_catalog + ".s")
    await catalogs.delete_catalog(own_catalog, force=True)
    check("deleted catalog", 404, await status(catalogs.get_catalog(own_catalog)))


async def classic_storage(client):
    grants, credentials, locations = uc.GrantsApi(client), uc.CredentialsApi(client), uc.ExternalLocationsApi(client)
    own = "py_" + uuid.uuid4().hex[:8]
    await uc.CatalogsApi(client).create_catalog(uc.CreateCatalog(name=own))
    select = [uc.Privilege.USE_CATALOG, uc.Privilege.SELECT]

    def change(add=(), remove=()):
        changes = [uc.PermissionsChange(principal="somebody", add=list(add), remove=list(remove))]
        return grants.update(uc.SecurableType.CATALOG, own, uc.UpdatePermissions(changes=changes))

    def granted(answer):
        return {a.principal: sorted(p.value for p in a.privileges) for a in answer.privilege_assignments}

    check("granted", {"somebody": ["SELECT", "USE CATALOG"]}, granted(await change(add=select)))
    check("granted again", {"somebody": ["SELECT", "USE CATALOG"]}, granted(await change(add=select)))
    check("revoked", {"somebody": ["USE CATALOG"]}, granted(await change(remove=[uc.Privilege.SELECT])))
    check("grants", {"somebody": ["USE CATALOG"]}, granted(await grants.get(uc.SecurableType.CATALOG, own)))
    check("grants of somebody else", {}, granted(await grants.get(uc.SecurableType.CATALOG, own, principal="else")))
    check("a privilege that is for others", 400, await status(change(add=[uc.Privilege.CREATE_CATALOG])))
    check("grants on nothing", 404, await status(grants.get(uc.SecurableType.CATALOG, own + "x")))
    await uc.CatalogsApi(client).delete_catalog(own)

    role = uc.AwsIamRoleRequest(role_arn="arn:aws:iam::123456789012:role/r")
    made = await credentials.create_credential(uc.CreateCredentialRequest(name=own, purpose=uc.CredentialPurpose.STORAGE, aws_iam_role=role))
    check("credential role", role.role_arn, made.aws_iam_role.role_arn)
    updated = await credentials.update_credential(own, uc.UpdateCredentialRequest(comment="c"))
    check("credential updated", (made.id, "c"), (updated.id, updated.comment))
    check("credential listed", True, own in [c.name for c in (await credentials.list_credentials()).credentials])
    url = "s3://levee-" + own.replace("_", "-")
    placed = await locations.create_external_location(uc.CreateExternalLocation(name=own, url=url + "/p", credential_name=own))
    check("location credential", made.id, placed.credential_id)
    moved = await locations.update_external_location(own, uc.UpdateExternalLocation(url=url + "/q", comment="c"))
    check("location updated", (url + "/q", "c"), (moved.url, moved.comment))
    check("location listed", True, own in [x.name for x in (await locations.list_external_locations()).external_locations])
    check("credential in use", 400, await status(credentials.delete_credential(own)))
    await locations.delete_external_location(own)
    check("location deleted", 404, await status(locations.get_external_location(own)))
    await credentials.delete_credential(own)
    check("credential deleted", 404, await status(credentials.get_credential(own)))


async def refusals(client):
    """client has the owner's token."""
    tables = uc.TablesApi(client)
    name = "py_kept_" + uuid.uuid4().hex[:8]
    table = await tables.create_table(uc.CreateTable(
        name=name, catalog_name=catalog, schema_name=schema, table_type=uc.TableType.EXTERNAL, columns=[ID_COLUMN],
        data_source_format=uc.DataSourceFormat.DELTA, storage_location="file://" + os.path.join(tempfile.mkdtemp(), name)))
    check("table owner", "owner" if reader else None, table.owner)
    check("no volumes", [], (await uc.VolumesApi(client).list_volumes(catalog, schema)).volumes)
    check("no functions", [], (await uc.FunctionsApi(client).list_functions(catalog, schema)).functions)
    check("no models", [], (await uc.RegisteredModelsApi(client).list_registered_models()).registered_models)
    check("a volume", 501, await status(uc.VolumesApi(client).get_volume(full(name))))
    if reader:
        await refused_reader(name, table.table_id)
        for wrong in ("Bearer wrong", "Bearer " + token[:-1], "Basic " + token, None):
            await refused_nobody(name, wrong)
    await tables.delete_table(full(name))


async def refused_reader(name, table_id):
    async with classic_client("Bearer " + reader) as client:
        tables, keys = uc.TablesApi(client), uc.TemporaryCredentialsApi(client)
        check("reader's table", table_id, (await tables.get_table(full(name))).table_id)
        check("reader's tables", True, name in [t.name for t in (await tables.list_tables(catalog, schema)).tables])
        for operation, want in ((uc.TableOperation.READ, 200), (uc.TableOperation.READ_WRITE, 403)):
            ask = uc.GenerateTemporaryTableCredential(table_id=table_id, operation=operation)
            check("reader's keys to " + operation, want, await status(keys.generate_temporary_table_credentials(ask)))
        check("reader's delete", 403, await status(tables.delete_table(full(name))))
        check("reader's catalog", 403, await status(uc.CatalogsApi(client).create_catalog(uc.CreateCatalog(name="py_no"))))
        check("reader's schema", 403, await status(uc.SchemasApi(client).create_schema(uc.CreateSchema(name="no", catalog_name=catalog))))
        check("reader's update", 403, await status(uc.CatalogsApi(client).update_catalog(catalog, uc.UpdateCatalog(comment="no"))))
        change = uc.PermissionsChange(principal="reader", add=[uc.Privilege.MODIFY], remove=[])
        check("reader's grant", 403, await status(uc.GrantsApi(client).update(
            uc.SecurableType.CATALOG, catalog, uc.UpdatePermissions(changes=[change]))))
        check("reader's staging table", 403, await status(tables.create_staging_table(
            uc.CreateStagingTable(name="no", catalog_name=catalog, schema_name=schema))))
    async with v1_client("Bearer " + reader) as client:
        tables = DeltaTablesApi(client)
        check("reader's load", table_id, str((await tables.load_table(catalog, schema, name)).metadata.table_uuid))
        check("reader's staging", 403, await status(tables.create_staging_table(catalog, schema, models.DeltaCreateStagingTableRequest(name="no"))))
        check("reader's rename", 403, await status(tables.rename_table(catalog, schema, name, models.DeltaRenameTableRequest(new_name="no"))))
        assert_uuid = models.DeltaAssertTableUUID(type="assert-table-uuid", uuid=table_id)
        change = models.DeltaSetPropertiesUpdate(action="set-properties", updates={"k": "v"})
        check("reader's property", 403, await status(tables.update_table(
            catalog, schema, name, models.DeltaUpdateTableRequest(requirements=[assert_uuid], updates=[change]))))


async def refused_nobody(name, header):
    async with classic_client(header) as client:
        check("nobody's catalogs", 401, await status(uc.CatalogsApi(client).list_catalogs()))
        check("nobody's table", 401, await status(uc.TablesApi(client).get_table(full(name))))
    async with v1_client(header) as client:
        check("nobody's config", 401, await status(DeltaConfigurationApi(client).get_config(catalog, "1.0")))
        check("nobody's load", 401, await status(DeltaTablesApi(client).load_table(catalog, schema, name)))


def preview_commits(table_id, uri, in_query=False):
    """Asks for the commits by hand: the question is in the body of a GET, which the client leaves out."""
    url = urllib.parse.urlsplit(base)
    connection = http.client.HTTPConnection(url.netloc)
    question = {"table_id": table_id, "table_uri": uri, "start_version": 0}
    path, body = url.path + "/delta/preview/commits", json.dumps(question)
    if in_query:
        path, body = path + "?" + urllib.parse.urlencode(question), None
    connection.request("GET", path, body, {"Content-Type": "application/json", "Authorization": "Bearer " + token})
    return uc.DeltaGetCommitsResponse.from_dict(json.loads(connection.getresponse().read()))


async def classic_staging(client):
    tables, commits = uc.TablesApi(client), uc.DeltaCommitsApi(client)
    name = "py_prev_" + uuid.uuid4().hex[:8]
    staging = await tables.create_staging_table(uc.CreateStagingTable(name=name, catalog_name=catalog, schema_name=schema))
    location = staging.staging_location
    first = write_commit(location, 0, staged=False)
    properties = {
        "delta.feature.catalogManaged": "supported", "delta.feature.vacuumProtocolCheck": "supported",
        "delta.feature.inCommitTimestamp": "supported", "delta.enableInCommitTimestamps": "true",
        "delta.minReaderVersion": "3", "delta.minWriterVersion": "7", "delta.lastUpdateVersion": "0",
        "delta.lastCommitTimestamp": str(first["timestamp"]), "io.unitycatalog.tableId": staging.id,
    }

    def create(properties):
        return tables.create_table(uc.CreateTable(
            name=name, catalog_name=catalog, schema_name=schema, table_type=uc.TableType.MANAGED, columns=[ID_COLUMN],
            data_source_format=uc.DataSourceFormat.DELTA, storage_location=location, properties=properties))

    for key in ("delta.feature.catalogManaged", "delta.feature.vacuumProtocolCheck", "delta.feature.inCommitTimestamp", "io.unitycatalog.tableId"):
        check("preview create without " + key, 400, await status(create({k: v for k, v in properties.items() if k != key})))
    table = await create(properties)
    check("preview table id", staging.id, table.table_id)

    def commit(fields=None, **more):
        info = fields and uc.DeltaCommitInfo(**fields)
        return commits.commit(uc.DeltaCommit(table_id=staging.id, table_uri=location, commit_info=info, **more))

    written = [write_commit(location, version, staged=True) for version in (1, 2, 3)]
    for fields in written:
        await commit(fields)
    check("preview commit again", 200, await status(commit(written[0])))
    for in_query in (False, True):
        seen = preview_commits(staging.id, location, in_query)
        check("preview latest", 3, seen.latest_table_version)
        check("preview commits", [1, 2, 3], sorted(c.version for c in seen.commits))
    publish(location, *written[:2])
    await commit(latest_backfilled_version=2)
    check("preview after backfill", [3], [c.version for c in preview_commits(staging.id, location).commits])
    check("preview conflict", 409, await status(commit(write_commit(location, 3, staged=True))))
    check("preview gap", 400, await status(commit(write_commit(location, 5, staged=True))))
    described = uc.DeltaMetadata(description="d", properties=uc.DeltaCommitMetadataProperties(properties=dict(properties, k="v")))
    await commit(write_commit(location, 4, staged=True), metadata=described)
    table = await tables.get_table(full(name))
    check("preview description", "d", table.comment)
    check("preview properties", ("v", "4"), (table.properties.get("k"), table.properties.get("delta.lastUpdateVersion")))
    await tables.delete_table(full(name))
    check("preview deleted", 404, await status(commit(latest_backfilled_version=2)))


async def v1(client):
    tables = DeltaTablesApi(client)
    config = await DeltaConfigurationApi(client).get_config(catalog, "1.0")
    check("protocol version", "1.0", config.protocol_version)
    name = "py_v1_" + uuid.uuid4().hex[:8]
    staging = await tables.create_staging_table(catalog, schema, models.DeltaCreateStagingTableRequest(name=name))
    created = await tables.create_table(catalog, schema, v1_create(name, staging))
    check("v1 table uuid", str(staging.table_id), str(created.metadata.table_uuid))
    assert_uuid = models.DeltaAssertTableUUID(type="assert-table-uuid", uuid=staging.table_id)

    async def commit(version, *more):
        fields = write_commit(staging.location, version, staged=True)
        written.setdefault(version, fields)
        add = models.DeltaAddCommitUpdate(action="add-commit", commit=models.DeltaCommit(**fields))
        return await tables.update_table(
            catalog, schema, name, models.DeltaUpdateTableRequest(requirements=[assert_uuid], updates=[add, *more]))

    written = {}
    for version in (1, 2, 3):
        answer = await commit(version)
    check("v1 latest", 3, answer.latest_table_version)
    check("v1 commits, newest first", [3, 2, 1], [c.version for c in answer.commits])
    publish(staging.location, written[1], written[2])
    answer = await commit(
        4,
        models.DeltaSetLatestBackfilledVersionUpdate(action="set-latest-backfilled-version", latest_published_version=2),
        models.DeltaSetPropertiesUpdate(action="set-properties", updates={"k": "v"}))
    check("v1 after backfill", [4, 3], [c.version for c in answer.commits])
    check("v1 property", "v", answer.metadata.properties.get("k"))
    check("v1 conflict", 409, await status(commit(4)))
    loaded = await tables.load_table(catalog, schema, name)
    check("v1 column types", ["long", "decimal(10,2)", "array"], [f.type.type for f in loaded.metadata.columns.fields])
    print("credentials", await DeltaTemporaryCredentialsApi(client).get_table_credentials(
        models.DeltaCredentialOperation.READ_WRITE, catalog, schema, name))
    await tables.table_exists(catalog, schema, name)
    await tables.rename_table(catalog, schema, name, models.DeltaRenameTableRequest(new_name=name + "_r"))
    check("v1 old name", 404, await status(tables.load_table(catalog, schema, name)))
    await tables.delete_table(catalog, schema, name + "_r")
    check("v1 deleted", 404, await status(tables.table_exists(catalog, schema, name + "_r")))


def v1_create(name, staging):
    def column(name, data_type, nullable=True):
        return models.DeltaStructField(name=name, type=data_type, nullable=nullable, metadata=models.DeltaStructFieldMetadata())

    string = models.DeltaPrimitiveType(type="string")
    columns = models.DeltaStructType(type="struct", fields=[
        column("id", models.DeltaPrimitiveType(type="long"), nullable=False),
        column("amount", models.DeltaDecimalType(type="decimal(10,2)", precision=10, scale=2)),
        column("tags", models.DeltaArrayType(type="array", element_type=string, contains_null=True)),
    ])
    required = staging.required_protocol
    first = write_commit(staging.location, 0, staged=False)
    return models.DeltaCreateTableRequest(
        name=name, location=staging.location, table_type=models.DeltaTableType.MANAGED, columns=columns,
        protocol=models.DeltaProtocol(
            min_reader_version=required.min_reader_version, min_writer_version=required.min_writer_version,
            reader_features=required.reader_features, writer_features=required.writer_features),
        properties={k: v for k, v in staging.required_properties.items() if v is not None},
        last_commit_timestamp_ms=first["timestamp"])


def classic_client(header):
    return uc.ApiClient(uc.Configuration(host=base), header_name=header and "Authorization", header_value=header)


def v1_client(header):
    return delta_client.ApiClient(delta_configuration.Configuration(host=base), header_name=header and "Authorization", header_value=header)


PARTS = {
    "classic-external": (classic_client, classic_external),
    "classic-storage": (classic_client, classic_storage),
    "classic-staging": (classic_client, classic_staging),
    "v1": (v1_client, v1),
    "refusals": (classic_client, refusals),
}


async def main():
    for part in parts.split(","):
        client_of, run = PARTS[part]
        async with client_of("Bearer " + token) as client:
            await run(client)
    print("OK" if not bad else "%d FAILED" % bad)
    sys.exit(bad > 0)


asyncio.run(main())
