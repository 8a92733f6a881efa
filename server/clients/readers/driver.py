"""Reads and keeps a Unity Catalog with polars, databricks-sdk and daft.

usage: driver.py SERVER TOKEN READER CATALOG SCHEMA

The data is an external Delta table that deltalake writes to a local folder. READER is the token of one who may
read all of CATALOG and do no more, and TOKEN one of the principal "owner"; READER is empty where the server asks for
no token. One line per check; OK and exit status 0 when all of them hold.
"""
import datetime
import logging
import os
import sys
import tempfile
import uuid
import warnings

import daft
import deltalake
import polars as pl
import pyarrow as pa
import unitycatalog as daft_sdk
from daft.catalog.__unity import UnityCatalogClient
from databricks.sdk import WorkspaceClient
from databricks.sdk import errors as sdk_errors
from databricks.sdk.core import Config
from databricks.sdk.service import catalog as sdk

server, token, reader, catalog, schema = sys.argv[1:6]
serial = uuid.uuid4().hex[:8]
table = "readers_" + serial
full = "%s.%s.%s" % (catalog, schema, table)
folder = os.path.join(tempfile.mkdtemp(), table)
day = datetime.date(2024, 2, 29)
ROWS = [(1, "a", ["x", "y"], day), (2, None, [], None), (3, "ü", ["z"], day)]
SCHEMA = {"id": pl.Int64, "name": pl.String, "tags": pl.List(pl.String), "day": pl.Date}
bad = 0


def check(what, want, got):
    global bad
    bad += want != got
    print("ok  " if want == got else "FAIL", what, "=", got, "" if want == got else "want %r" % (want,))


def refused(what, kind, words, call):
    """The call fails with the client's own kind of error, which says so in words."""
    try:
        got = call()
    except Exception as e:
        text = "%s %s" % (type(e).__name__, e)
        check(what + ": " + text[:160].replace("\n", " "), (True, True), (isinstance(e, kind), words in text))
    else:
        check(what, kind.__name__, got)


def write():
    """Two commits, so that a reader has to put a log together."""
    for part in (ROWS[:1], ROWS[1:]):
        columns = zip(*part)
        types = (pa.int64(), pa.string(), pa.list_(pa.string()), pa.date32())
        data = pa.table({name: pa.array(list(column), kind) for name, column, kind in zip(SCHEMA, columns, types)})
        deltalake.write_deltalake(folder, data, mode="append")
    check("versions written", 1, deltalake.DeltaTable(folder).version())


def names(items):
    return [i.name for i in items]


def polars_catalog(token):
    return pl.Catalog(server, bearer_token=token, require_https=False)


def polars_writes():
    c = polars_catalog(token)
    own = "pl_" + serial
    check("polars: catalog made", ("x", {}), (lambda i: (i.comment, i.properties))(c.create_catalog(own, comment="x")))
    check("polars: namespace made", "ns", c.create_namespace(own, "ns", comment="y").name)
    kinds = {"a": pl.Int64, "b": pl.List(pl.String), "c": pl.Struct({"d": pl.Decimal(10, 2)}), "e": pl.Boolean}
    c.create_table(own, "ns", "t", schema=kinds, table_type="EXTERNAL", data_source_format="DELTA", comment="z",
                   storage_root="file://" + folder + "_none", properties={"k": "v"})
    info = c.get_table_info(own, "ns", "t")
    check("polars: types come back", kinds, dict(info.get_polars_schema()))
    check("polars: table", ("z", {"k": "v"}, "EXTERNAL", "DELTA"), (info.comment, info.properties, info.table_type, info.data_source_format))
    refused("polars: taken", Exception, "409", lambda: c.create_namespace(own, "ns"))
    refused("polars: catalog not empty", Exception, "400", lambda: c.delete_catalog(own))
    c.delete_table(own, "ns", "t")
    c.delete_namespace(own, "ns")
    check("polars: namespaces left", [], [n for n in names(c.list_namespaces(own)) if n != "default"])
    c.delete_catalog(own, force=True)
    check("polars: catalog gone", False, own in names(c.list_catalogs()))
    c.create_table(catalog, schema, table, schema=SCHEMA, table_type="EXTERNAL", data_source_format="DELTA", storage_root="file://" + folder)


def polars_reads(token):
    c = polars_catalog(token)
    check("polars: catalogs", True, catalog in names(c.list_catalogs()))
    check("polars: namespaces", True, schema in names(c.list_namespaces(catalog)))
    check("polars: tables", True, table in names(c.list_tables(catalog, schema)))
    info = c.get_table_info(catalog, schema, table)
    check("polars: schema", SCHEMA, dict(info.get_polars_schema()))
    check("polars: known of the table", [True] * 3, [bool(info.table_id), bool(info.created_at), bool(info.updated_at)])
    check("polars: rows", ROWS, c.scan_table(catalog, schema, table).collect().sort("id").rows())
    check("polars: rows of version 0", ROWS[:1], c.scan_table(catalog, schema, table, delta_table_version=0).collect().rows())


def workspace(token):
    # its configuration is all given, so that none of the environment's is taken
    return WorkspaceClient(config=Config(host=server, token=token, auth_type="pat", retry_timeout_seconds=5))


def sdk_writes():
    w = workspace(token)
    own = "sdk_" + serial
    check("sdk: catalog made", "c", w.catalogs.create(own, comment="c", properties={"k": "v"}).comment)
    refused("sdk: catalog taken", sdk_errors.ResourceConflict, own, lambda: w.catalogs.create(own))
    own += "_new"
    check("sdk: catalog renamed", ("d", own), (lambda i: (i.comment, i.name))(w.catalogs.update(own[:-4], new_name=own, comment="d")))
    check("sdk: catalog", {"k": "v"}, w.catalogs.get(own).properties)
    check("sdk: schema made", own + ".s", w.schemas.create("s", own).full_name)
    check("sdk: schema updated", "e", w.schemas.update(own + ".s", comment="e").comment)
    check("sdk: schema", "e", w.schemas.get(own + ".s").comment)
    made = w.tables.create("t", own, "s", sdk.TableType.EXTERNAL, sdk.DataSourceFormat.DELTA, "file://" + folder + "_sdk", properties={"k": "v"})
    check("sdk: table made", (own + ".s.t", sdk.TableType.EXTERNAL), (made.full_name, made.table_type))
    check("sdk: summaries", [own + ".s.t"], [t.full_name for t in w.tables.list_summaries(own, table_name_pattern="%")])
    sdk_grants(w, own)
    w.tables.delete(own + ".s.t")
    check("sdk: exists no more", False, w.tables.exists(own + ".s.t").table_exists)
    refused("sdk: unknown table", sdk_errors.NotFound, "t", lambda: w.tables.get(own + ".s.t"))
    w.schemas.delete(own + ".s")
    w.catalogs.delete(own, force=True)
    refused("sdk: unknown catalog", sdk_errors.NotFound, own, lambda: w.catalogs.get(own))
    sdk_storage(w)
    sdk_nothing(w)


def sdk_grants(w, own):
    def privileges(of):
        return sorted((a.principal, str(p)) for a in of.privilege_assignments or [] for p in a.privileges)

    def change(**more):
        return [sdk.PermissionsChange(principal="somebody", **more)]

    given = w.grants.update("catalog", own, changes=change(add=[sdk.Privilege.USE_CATALOG, sdk.Privilege.SELECT]))
    # the privileges that this API answers have blanks, and the SDK only knows those with underscores
    check("sdk: granted to", ["somebody"], [a.principal for a in given.privilege_assignments])
    check("sdk: grants", ["somebody"], [a.principal for a in w.grants.get("catalog", own).privilege_assignments])
    below = w.grants.get_effective("table", own + ".s.t", principal="somebody")
    check("sdk: inherited from", [own], sorted({p.inherited_from_name for a in below.privilege_assignments for p in a.privileges}))
    w.grants.update("catalog", own, changes=change(remove=[sdk.Privilege.USE_CATALOG, sdk.Privilege.SELECT]))
    check("sdk: revoked", [], privileges(w.grants.get("catalog", own)))


def sdk_storage(w):
    key, place, bucket = "key_" + serial, "place_" + serial, "s3://levee-" + serial
    role = "arn:aws:iam::123456789012:role/r"
    made = w.credentials.create_credential(key, aws_iam_role=sdk.AwsIamRole(role_arn=role), purpose=sdk.CredentialPurpose.STORAGE)
    check("sdk: credential made", (role, True), (made.aws_iam_role.role_arn, bool(made.aws_iam_role.external_id)))
    check("sdk: credential", sdk.CredentialPurpose.STORAGE, w.credentials.get_credential(key).purpose)
    check("sdk: credential updated", "c", w.credentials.update_credential(key, comment="c").comment)
    check("sdk: credentials", True, key in names(w.credentials.list_credentials()))
    check("sdk: no service credentials", False, key in names(w.credentials.list_credentials(purpose=sdk.CredentialPurpose.SERVICE)))
    check("sdk: location made", (bucket + "/p", key), (lambda i: (i.url, i.credential_name))(w.external_locations.create(place, bucket + "/p", key)))
    refused("sdk: location overlaps", sdk_errors.BadRequest, "overlaps", lambda: w.external_locations.create(place + "2", bucket, key))
    check("sdk: location updated", True, w.external_locations.update(place, read_only=True).read_only)
    check("sdk: location", "owner" if reader else None, w.external_locations.get(place).owner)
    check("sdk: locations", True, place in names(w.external_locations.list()))
    refused("sdk: credential in use", sdk_errors.BadRequest, "external location", lambda: w.credentials.delete_credential(key))
    w.external_locations.delete(place)
    w.credentials.delete_credential(key)
    refused("sdk: unknown credential", sdk_errors.NotFound, key, lambda: w.credentials.get_credential(key))


def sdk_nothing(w):
    """What a user interface lists at its start, and this catalog has not."""
    check("sdk: volumes, functions, models", [[], [], []], [list(w.volumes.list(catalog, schema)), list(w.functions.list(catalog, schema)),
                                                            list(w.registered_models.list(catalog_name=catalog, schema_name=schema))])
    refused("sdk: a volume", sdk_errors.NotImplemented, "volumes", lambda: w.volumes.create(catalog, schema, "v", sdk.VolumeType.MANAGED))
    refused("sdk: a function", sdk_errors.NotImplemented, "functions", lambda: w.functions.get(full))
    check("sdk: metastore", True, bool(w.metastores.summary().metastore_id))


def sdk_reads(token):
    w = workspace(token)
    check("sdk: catalogs", True, catalog in names(w.catalogs.list()))
    check("sdk: catalogs by pages", True, catalog in names(w.catalogs.list(max_results=1)))
    check("sdk: schemas", True, schema in names(w.schemas.list(catalog)))
    check("sdk: tables", True, table in names(w.tables.list(catalog, schema)))
    info = w.tables.get(full)
    check("sdk: columns", [("id", "bigint"), ("name", "string"), ("tags", "array<string>"), ("day", "date")],
          [(c.name, c.type_text) for c in info.columns])
    check("sdk: names", (full, "file://" + folder), (info.full_name, info.storage_location))
    check("sdk: exists", True, w.tables.exists(full).table_exists)
    check("sdk: summaries", [full], [t.full_name for t in w.tables.list_summaries(catalog, table_name_pattern=table)])
    vended = w.temporary_table_credentials.generate_temporary_table_credentials(table_id=info.table_id, operation=sdk.TableOperation.READ)
    check("sdk: keys for a local table", (None, None, None), (vended.aws_temp_credentials, vended.azure_user_delegation_sas, vended.gcp_oauth_token))


def daft_client(token):
    return UnityCatalogClient(server, token=token)


def daft_reads(token):
    c = daft_client(token)
    check("daft: catalogs", True, catalog in c.list_catalogs())
    check("daft: schemas", True, catalog + "." + schema in c.list_schemas(catalog))
    check("daft: tables", True, full in c.list_tables(catalog + "." + schema))
    got = daft.read_deltalake(c.load_table(full, operation="READ")).sort("id").to_pydict()
    check("daft: rows", ROWS, list(zip(*(got[name] for name in SCHEMA))))
    refused("daft: unknown table", ValueError, "not an existing table", lambda: c.load_table(full + "x"))


def daft_writes():
    made = daft_client(token).load_table(full + "_daft", new_table_storage_path="file://" + folder + "_daft")
    check("daft: table made", "file://" + folder + "_daft", made.table_uri)
    check("daft: to be written", full, daft_client(token).load_table(full).table_info.full_name)


def refusals():
    """What one may not who may read, and one whose token is none."""
    c, w, d = polars_catalog(reader), workspace(reader), daft_client(reader)
    refused("polars: reader's namespace", Exception, "403", lambda: c.create_namespace(catalog, "no"))
    refused("polars: reader's delete", Exception, "403", lambda: c.delete_table(catalog, schema, table))
    refused("sdk: reader's schema", sdk_errors.PermissionDenied, "create schema", lambda: w.schemas.create("no", catalog))
    refused("sdk: reader's update", sdk_errors.PermissionDenied, "update catalog", lambda: w.catalogs.update(catalog, comment="no"))
    refused("sdk: reader's grant", sdk_errors.PermissionDenied, "grants", lambda: w.grants.update(
        "table", full, changes=[sdk.PermissionsChange(principal="reader", add=[sdk.Privilege.MODIFY])]))
    refused("sdk: reader's delete", sdk_errors.PermissionDenied, "delete table", lambda: w.tables.delete(full))
    refused("daft: reader's keys to write", daft_sdk.PermissionDeniedError, "403", lambda: d.load_table(full))
    for what, wrong in (("wrong token", "wrong"), ("cut token", reader[:-1])):
        refused("polars: " + what, Exception, "401", polars_catalog(wrong).list_catalogs)
        refused("sdk: " + what, sdk_errors.Unauthenticated, "token", lambda: list(workspace(wrong).catalogs.list()))
        refused("daft: " + what, daft_sdk.AuthenticationError, "401", daft_client(wrong).list_catalogs)
    refused("polars: no token", Exception, "401", polars_catalog(None).list_catalogs)


warnings.simplefilter("ignore")  # polars calls its catalog unstable, daft knows no keys for files
logging.getLogger("databricks.sdk").setLevel(logging.ERROR)  # it looks for a description of a Databricks host, and goes on without
write()
polars_writes()
polars_reads(token)
sdk_writes()
sdk_reads(token)
daft_reads(token)
daft_writes()
if reader:
    polars_reads(reader)
    sdk_reads(reader)
    daft_reads(reader)
    refusals()
print("OK" if not bad else "%d FAILED" % bad)
sys.exit(bad > 0)
