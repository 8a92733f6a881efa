"""Puts what exists in the place of some of the values that schemathesis makes up.

Without it nearly every request would be for a catalog that nobody has made, and the answer
always 404. What is made up to be wrong stays wrong: schemathesis judges a request anew after
it was changed here, so only valid parts are touched, and not all of them.
"""

import itertools
import json
import os
import re
import urllib.error
import urllib.request
import zlib

import schemathesis
from schemathesis.core.parameters import ParameterLocation as At
from schemathesis.generation import GenerationMode
from schemathesis.generation.meta import TestPhase

CATALOG = os.environ["FUZZ_CATALOG"]
SCHEMA = os.environ["FUZZ_SCHEMA"]
TABLES = f"/catalogs/{CATALOG}/schemas/{SCHEMA}/tables"
ROOT = os.environ["FUZZ_URL"] + "/api/2.1/unity-catalog"
FOLDER = "file://" + os.environ["FUZZ_FOLDER"]
DOCUMENT = os.environ["FUZZ_DOCUMENT"]

serial = itertools.count(1)


def call(method, path, body=None):
    request = urllib.request.Request(
        ROOT + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["FUZZ_TOKEN"]},
    )
    with urllib.request.urlopen(request) as response:
        data = response.read()
    return json.loads(data) if data else None


def delta(method, path, body=None):
    return call(method, "/delta/v1" + path, body)


def columns():
    return {"type": "struct", "fields": [{"name": "id", "type": "long", "nullable": True, "metadata": {}}]}


def external(name):
    """Makes an external table."""
    return delta("POST", TABLES, {
        "name": name, "location": f"{FOLDER}/{name}-{next(serial)}", "table-type": "EXTERNAL", "columns": columns(),
        "protocol": {"min-reader-version": 1, "min-writer-version": 2}, "last-commit-timestamp-ms": 1,
    })


def managed(name):
    """Makes a managed table, with a file for version 0, which the server looks for."""
    staged = delta("POST", f"/catalogs/{CATALOG}/schemas/{SCHEMA}/staging-tables", {"name": name})
    log = staged["location"].removeprefix("file://") + "/_delta_log"
    os.makedirs(log)
    with open(f"{log}/{0:020}.json", "w") as f:
        f.write("{}\n")
    protocol = staged["required-protocol"]
    protocol["writer-features"] += ["clustering", "rowTracking"]
    return delta("POST", TABLES, {
        "name": name, "location": staged["location"], "table-type": "MANAGED", "columns": columns(),
        "protocol": protocol, "properties": staged["required-properties"], "last-commit-timestamp-ms": 1,
    })


call("POST", "/schemas", {"name": SCHEMA, "catalog_name": CATALOG})


def load(name):
    """Loads the table managed or external, and makes it if there is none: a test may have dropped it."""
    try:
        return delta("GET", f"{TABLES}/{name}")
    except urllib.error.HTTPError as e:
        if e.code != 404:
            raise
    return {"managed": managed, "external": external}[name](name)


def chosen(case):
    """A number that is the same for the same request."""
    return zlib.crc32(repr((case.path_parameters, case.query, case.body)).encode())


def is_valid(case, part):
    info = case.meta.components.get(part)
    return info is not None and info.mode == GenerationMode.POSITIVE


@schemathesis.hook
def before_call(context, case, kwargs):
    operation = case.operation.definition.raw["operationId"]
    if DOCUMENT in ("management", "root"):
        return manage(operation, case)
    if operation == "getCommits" and isinstance(case.body, dict):
        case.query = {}  # not read beside a body, as the document says in words
    if case.meta is None or case.meta.phase.name == TestPhase.STATEFUL and case.operation.method.upper() != "POST":
        return  # links have filled in what exists
    choice = chosen(case)
    if choice % 5 == 0:
        return

    def valid(part):
        return is_valid(case, part)

    stateful = case.meta.phase.name == TestPhase.STATEFUL
    table = "managed" if choice % 3 or operation in ("getStagingTableCredentials", "commit", "getCommits") else "external"
    now = load(table)
    if valid(At.PATH) and not stateful:
        path = dict(case.path_parameters)
        gone = None
        if operation in ("deleteTable", "renameTable"):
            gone = f"gone{next(serial)}"
            external(gone)
        real = {"catalog": CATALOG, "schema": SCHEMA, "table": gone or table, "table_id": now["metadata"]["table-uuid"]}
        case.path_parameters = {name: real[name] for name in path}
    elif valid(At.PATH) and operation == "createTable":
        case.path_parameters = {"catalog": CATALOG, "schema": SCHEMA}
    if valid(At.QUERY):
        real = {
            "catalog": CATALOG, "location": f"{FOLDER}/free{choice}",
            "table_id": now["metadata"]["table-uuid"], "table_uri": now["metadata"]["location"],
        }
        case.query = {name: real.get(name, value) for name, value in case.query.items()}
    if valid(At.BODY) and isinstance(case.body, dict) and not (stateful and operation != "createTable"):
        edit(operation, case.body, now, choice)


def edit(operation, body, now, choice):
    """Gives a body a chance to be good for more than a refusal; now is the table that it is for."""
    metadata = now["metadata"]
    next_version = now.get("latest-table-version", 0) + 1
    if operation == "createTable":
        body.update({"name": f"t{next(serial)}", "table-type": "EXTERNAL"})
        body["location"] = f"{FOLDER}/{body['name']}"
        for member in ("uniform", "partition-columns"):
            body.pop(member, None)
    elif operation == "reportMetrics":
        body["table-id"] = metadata["table-uuid"]
    elif operation in ("commit", "getCommits"):
        body["table_id"], body["table_uri"] = metadata["table-uuid"], metadata["location"]
        if body.get("commit_info") and choice % 7:
            body["commit_info"]["version"] = next_version
            body.pop("uniform", None)
        properties = ((body.get("metadata") or {}).get("properties") or {}).get("properties")
        if properties:
            properties.update(metadata["properties"])
    elif operation == "updateTable":
        for r in body["requirements"]:
            if r["type"] == "assert-table-uuid":
                r["uuid"] = metadata["table-uuid"]
            elif choice % 7:
                r["etag"] = metadata["etag"]
        # An action that stands twice, or is not for tables of this kind, is refused, and so all others.
        external_only, managed_only = {"update-metadata-snapshot-version"}, {"add-commit", "set-latest-backfilled-version"}
        foreign = external_only if metadata["table-type"] == "MANAGED" else managed_only
        if choice % 7:
            kept = {u["action"]: u for u in body["updates"] if u["action"] not in foreign}
            body["updates"][:] = list(kept.values()) or [{"action": "set-properties", "updates": {}}]
        for u in body["updates"]:
            if u["action"] == "add-commit" and choice % 7:
                u["commit"]["version"] = next_version
                u.pop("uniform", None)


# What follows is for the documents of the Unity Catalog REST API and of the root mount.

ROLE = {"role_arn": "arn:aws:iam::123456789012:role/levee"}
OF_TABLES = {"getTable", "deleteTable", "tableExists"}


def made(kind):
    """Makes an object of a kind, of a new name, and returns its full name."""
    name = f"{SCHEMA}_{next(serial)}"
    if kind == "catalog":
        call("POST", "/catalogs", {"name": name})
    elif kind == "schema":
        call("POST", "/schemas", {"name": name, "catalog_name": CATALOG})
        name = f"{CATALOG}.{name}"
    elif kind == "table":
        external(name)
        name = f"{CATALOG}.{SCHEMA}.{name}"
    elif kind == "credential":
        call("POST", "/credentials", {"name": name, "purpose": "STORAGE", "aws_iam_role": ROLE})
    elif kind == "external_location":
        call("POST", "/external-locations", {"name": name, "url": f"s3://{name.replace('_', '-')}/x", "credential_name": CREDENTIAL})
    elif kind == "token":
        name = call("POST", "/tokens", {"principal": name})["token_id"]
    return name


if DOCUMENT in ("management", "root"):
    CREDENTIAL = made("credential")
    LASTING = {kind: made(kind) for kind in ("catalog", "schema", "table", "external_location")}
    LASTING["credential"], LASTING["metastore"] = CREDENTIAL, "metastore"
    if DOCUMENT == "management":
        LASTING["token"] = made("token")
    # What all requests need, and none may take away.
    PRECIOUS = {CATALOG, f"{CATALOG}.default", f"{CATALOG}.{SCHEMA}", *LASTING.values()}


def kind_of(operation, path):
    """The kind of object that the operation's path names."""
    if "type" in path:
        return path["type"].replace("storage_", "")
    words = re.sub("([A-Z])", r"_\1", operation).lower().split("_", 1)
    return "table" if operation in OF_TABLES else words[-1]


def manage(operation, case):
    if case.meta is None:
        return
    choice, stateful = chosen(case), case.meta.phase.name == TestPhase.STATEFUL
    path = case.path_parameters or {}
    if case.operation.method.upper() in ("PATCH", "DELETE") and "type" not in path and PRECIOUS & set(path.values()):
        case.path_parameters = dict.fromkeys(path, made(kind_of(operation, path)))
    if choice % 5 == 0 or stateful and case.operation.method.upper() != "POST":
        return  # links have filled in what exists
    if is_valid(case, At.PATH) and not stateful and case.path_parameters:
        kind = kind_of(operation, case.path_parameters)
        lasting = case.operation.method.upper() == "GET" or "type" in case.path_parameters
        if kind in LASTING:
            name = LASTING[kind] if lasting else made(kind)
            case.path_parameters = {k: v if k == "type" else name for k, v in case.path_parameters.items()}
            if case.query and operation.endswith("Schema"):
                case.query = {k: name if "ull" in k else v for k, v in case.query.items()}
    elif is_valid(case, At.QUERY) and case.query:
        real = {"catalog_name": CATALOG, "schema_name": SCHEMA}
        case.query = {k: real.get(snake(k), v) for k, v in case.query.items()}
        if choice % 3:
            for token in ("page_token", "pageToken"):
                case.query.pop(token, None)
    if is_valid(case, At.BODY) and isinstance(case.body, dict):
        prepare(operation, case.body, choice, case.path_parameters or {})


def snake(name):
    return re.sub("([A-Z])", r"_\1", name).lower()


def prepare(operation, body, choice, path):
    """Gives a body a chance to be good for more than a refusal."""
    fresh = f"{SCHEMA}_{next(serial)}"
    real = {
        "catalog_name": CATALOG, "schema_name": SCHEMA, "credential_name": CREDENTIAL, "storage_credential_name": CREDENTIAL,
        "external_location_name": LASTING["external_location"], "new_name": fresh, "storage_location": f"{FOLDER}/{fresh}",
        "url": f"s3://{fresh.replace('_', '-')}/y", "role_arn": ROLE["role_arn"],
    }
    if operation == "createTemporaryPathCredentials":
        real["url"] = f"{FOLDER}/{fresh}"
    if operation == "createTemporaryTableCredentials":
        real["table_id"] = load("managed")["metadata"]["table-uuid"]
    if operation.startswith("create"):
        real["name"] = fresh
    elif choice % 7:
        for k in ("name", "full_name", "fullName"):
            body.pop(k, None)
    if operation == "createTable" and choice % 7:
        for k in ("table_type", "tableType", "columns"):
            body.pop(k, None)
    for k, v in body.items():
        if v is not None:
            body[k] = real.get(snake(k), v)
    if operation == "updatePermissions" and choice % 7 and body.get("changes"):
        for change in body["changes"]:
            change["add"], change["remove"] = ["MANAGE"], ["create_table" if path.get("type") == "schema" else "manage"][:choice % 2]
