"""Writes a small Delta table to disk, by hand, and registers it as an external table."""
import json
import os
import time
import urllib.request
import uuid

COLUMNS = (("id", "long", "LONG", "bigint"), ("name", "string", "STRING", "string"))
ROWS = [(1, "a"), (2, "b"), (3, "c"), (4, "d"), (5, "e")]


def field(name, delta_type):
    return {"name": name, "type": delta_type, "nullable": True, "metadata": {}}


def write_table(con, root):
    """Two commits, so that a reader has to put a log together; con is a DuckDB connection, for the Parquet files."""
    os.makedirs(os.path.join(root, "_delta_log"))
    schema = {"type": "struct", "fields": [field(name, delta) for name, delta, _, _ in COLUMNS]}
    first = [
        {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
        {"metaData": {"id": str(uuid.uuid4()), "format": {"provider": "parquet", "options": {}}, "schemaString": json.dumps(schema),
                      "partitionColumns": [], "configuration": {}, "createdTime": int(time.time() * 1000)}},
    ]
    write_commit(con, root, 0, ROWS[:3], first)
    write_commit(con, root, 1, ROWS[3:], [])


def write_commit(con, root, version, rows, actions):
    name = "part-%05d-%s.parquet" % (version, uuid.uuid4())
    path = os.path.join(root, name)
    values = ", ".join("(%d::BIGINT, '%s')" % row for row in rows)
    con.execute("COPY (SELECT * FROM (VALUES %s) v(id, name)) TO '%s' (FORMAT parquet)" % (values, path))
    now = int(time.time() * 1000)
    actions = [
        {"commitInfo": {"timestamp": now, "operation": "WRITE", "operationParameters": {"mode": "Append"}}},
        *actions,
        {"add": {"path": name, "partitionValues": {}, "size": os.path.getsize(path), "modificationTime": now, "dataChange": True}},
    ]
    with open(os.path.join(root, "_delta_log", "%020d.json" % version), "x") as log:
        log.writelines(json.dumps(action) + "\n" for action in actions)


def register(server, token, catalog, schema, name, root):
    columns = [{"name": name, "type_text": ddl, "type_name": uc, "type_json": json.dumps(field(name, delta)), "position": i, "nullable": True}
               for i, (name, delta, uc, ddl) in enumerate(COLUMNS)]
    body = {"name": name, "catalog_name": catalog, "schema_name": schema, "table_type": "EXTERNAL", "data_source_format": "DELTA",
            "columns": columns, "storage_location": "file://" + root}
    request = urllib.request.Request(server + "/api/2.1/unity-catalog/tables", json.dumps(body).encode(),
                                     {"Content-Type": "application/json", "Authorization": "Bearer " + token})
    with urllib.request.urlopen(request) as response:
        return json.load(response)
