"""Puts what exists in the place of some of the values that schemathesis makes up.

Without it nearly every request would be for a catalog that nobody has made, and the answer
always 404. What is made up to be wrong stays wrong: schemathesis judges a request anew after
it was changed here, so only valid parts are touched, and not all of them.
"""

import itertools
import json
import os
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

serial = itertools.count(1)


def call(method, path, body=None):
    request = urllib.request.Request(
        ROOT + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
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


@schemathesis.hook
def before_call(context, case, kwargs):
    operation = case.operation.definition.raw["operationId"]
    if operation == "getCommits" and isinstance(case.body, dict):
        case.query = {}  # not read beside a body, as the document says in words
    if case.meta is None or case.meta.phase.name == TestPhase.STATEFUL and case.operation.method.upper() != "POST":
        return  # links have filled in what exists
    choice = zlib.crc32(repr((case.path_parameters, case.query, case.body)).encode())
    if choice % 5 == 0:
        return

    def valid(part):
        info = case.meta.components.get(part)
        return info is not None and info.mode == GenerationMode.POSITIVE

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
