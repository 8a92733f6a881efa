"""Drives a Unity Catalog server with the SQL of Spark and delta-spark.

usage: driver.py SERVER TOKEN READER CATALOG SCHEMA JARS OTHER

TOKEN is one of the principal "owner", READER that of one who may only read. SCHEMA is created, JARS is a folder with
delta-spark, what it needs, and our catalog class. OTHER is a server with the same catalog that asks for no token; some
of the statements are for it, too. One line per statement; OK and exit status 0 when all of them do what they should.
"""
import concurrent.futures
import contextlib
import glob
import json
import logging
import os
import sys
import tempfile
import time
import urllib.error
import urllib.request

from pyspark.sql import SparkSession

server, token, reader, catalog, schema, jars, other = sys.argv[1:8]
us = "spark.sql.catalog." + catalog
table = "%s.%s.spark_%d" % (catalog, schema, os.getpid())
copy = table + "_copy"
bad = 0


def session():
    settings = {
        "spark.jars": ",".join(sorted(glob.glob(jars + "/*.jar"))),
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        us: "io.unitycatalog.spark.UCSingleCatalog",
        us + ".uri": server,
        us + ".auth.type": "static",
        us + ".auth.token": token,
        # one small machine, nobody watching
        "spark.driver.memory": "2g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "1",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.warehouse.dir": tempfile.mkdtemp(),
        "spark.local.dir": tempfile.mkdtemp(),
    }
    builder = SparkSession.builder.master("local[2]").appName("levee")
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)  # a page for every refusal we provoke
    return spark


def check(what, want, got):
    global bad
    bad += want != got
    print("ok  " if want == got else "FAIL", what, "=", got, "" if want == got else "want %r" % (want,))


def run(sql, want=None):
    """Runs a statement; want is its result, where that matters."""
    global bad
    start = time.monotonic()
    try:
        got = [tuple(row) for row in spark.sql(sql).collect()]
    except Exception as e:
        bad += 1
        print("FAIL", sql, "->", type(e).__name__, str(e)[:1500])
        return
    check("%s (%.1f s)" % (sql, time.monotonic() - start), got if want is None else want, got)


@contextlib.contextmanager
def another(uri, **auth):
    """Until its end, statements are of another session with this server and authentication."""
    global spark
    first = spark
    spark = first.newSession()
    for key, value in dict({us + ".auth." + key.replace("_", "."): value for key, value in auth.items()}, **{us + ".uri": uri}).items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        spark = first


def forbidden(sql, status, words):
    """The statement fails, and Spark tells what the server said."""
    try:
        got = spark.sql(sql).collect()
        check(sql, status, got)
    except Exception as e:
        text = "%s %s" % (type(e).__name__, e)
        check("%s -> %s" % (sql, text[:600].replace("\n", " ")), (True, True), (str(status) in text, words in text))


def refused(sql, condition):
    try:
        spark.sql(sql).collect()
        check(sql, condition, None)
    except Exception as e:
        name = e.getCondition() if hasattr(e, "getCondition") else type(e).__name__ + " " + str(e)[:600]
        check(sql, condition, name)


def classic(name):
    """The table as the classic endpoints show it, or the status of the refusal."""
    request = urllib.request.Request(server + "/api/2.1/unity-catalog/tables/" + name, headers={"Authorization": "Bearer " + token})
    try:
        with urllib.request.urlopen(request) as response:
            return json.load(response)
    except urllib.error.HTTPError as e:
        return e.code


def row_of(name):
    return (schema, name.split(".")[2], False)


def rows():
    run("CREATE SCHEMA IF NOT EXISTS %s.%s" % (catalog, schema))
    run("CREATE TABLE %s (id BIGINT, name STRING, tags ARRAY<STRING>) USING delta COMMENT 'made by spark'" % table)
    run("INSERT INTO %s VALUES (1, 'a', array('x')), (2, 'b', NULL)" % table)
    run("INSERT INTO %s VALUES (3, 'c', array('y','z'))" % table)
    run("SELECT id, name, tags FROM %s ORDER BY id" % table, [(1, "a", ["x"]), (2, "b", None), (3, "c", ["y", "z"])])
    run("UPDATE %s SET name = 'B' WHERE id = 2" % table)
    run("DELETE FROM %s WHERE id = 1" % table)
    run("SELECT id, name FROM %s ORDER BY id" % table, [(2, "B"), (3, "c")])
    run("SELECT count(*) FROM %s VERSION AS OF 1" % table, [(2,)])
    run("MERGE INTO %s t USING (SELECT 3 id, 'C' name UNION ALL SELECT 4, 'd') s ON t.id = s.id"
        " WHEN MATCHED THEN UPDATE SET t.name = s.name"
        " WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name)" % table)
    run("SELECT id, name FROM %s ORDER BY id" % table, [(2, "B"), (3, "C"), (4, "d")])


def crowd():
    """Inserts at the same time: the losers of each version find out from the catalog and go on with the next."""
    writers, inserts = 3, 2

    def insert(writer):
        for i in range(inserts):
            run("INSERT INTO %s VALUES (%d, 'crowd', NULL)" % (table, 100 + 10 * writer + i))

    with concurrent.futures.ThreadPoolExecutor(writers) as pool:
        list(pool.map(insert, range(writers)))
    want = sorted(100 + 10 * w + i for w in range(writers) for i in range(inserts))
    run("SELECT id FROM %s WHERE name = 'crowd' ORDER BY id" % table, [(i,) for i in want])
    run("DELETE FROM %s WHERE name = 'crowd'" % table, [(len(want),)])


def metadata():
    run("ALTER TABLE %s SET TBLPROPERTIES ('k' = 'v')" % table)
    run("ALTER TABLE %s ADD COLUMN extra INT" % table)
    run("INSERT INTO %s VALUES (5, 'e', NULL, 50)" % table)
    run("SELECT id, extra FROM %s WHERE id > 3 ORDER BY id" % table, [(4, None), (5, 50)])
    history = spark.sql("DESCRIBE HISTORY %s" % table).select("version").collect()
    check("versions in the history", list(range(16)), sorted(row.version for row in history))
    info = classic(table)
    check("columns in the catalog", ["id", "name", "tags", "extra"], [c["name"] for c in info["columns"]])
    check("property in the catalog", "v", info["properties"].get("k"))
    check("comment in the catalog", "made by spark", info["comment"])


def copy_and_drop():
    run("CREATE TABLE %s USING delta CLUSTER BY (id) AS SELECT id, name FROM %s" % (copy, table))
    run("SELECT count(*) FROM %s" % copy, [(4,)])
    run("SHOW TABLES IN %s.%s" % (catalog, schema), [row_of(table), row_of(copy)])
    run("DROP TABLE %s" % copy)
    refused("SELECT count(*) FROM %s" % copy, "TABLE_OR_VIEW_NOT_FOUND")
    check("dropped in the catalog", 404, classic(copy))
    run("SHOW TABLES IN %s.%s" % (catalog, schema), [row_of(table)])
    run("DROP TABLE %s" % table)
    run("SHOW TABLES IN %s.%s" % (catalog, schema), [])
    run("CREATE TABLE %s (only INT) USING delta" % table)
    run("SELECT * FROM %s" % table, [])
    run("DROP TABLE %s" % table)


def elsewhere():
    """The life of a table in short, on the server that asks for no token."""
    run("CREATE SCHEMA %s.%s" % (catalog, schema))
    run("CREATE TABLE %s (id INT) USING delta" % table)
    run("INSERT INTO %s VALUES (1), (2)" % table)
    run("DELETE FROM %s WHERE id = 1" % table)
    run("SELECT * FROM %s" % table, [(2,)])
    run("SHOW TABLES IN %s.%s" % (catalog, schema), [row_of(table)])
    run("DROP TABLE %s" % table)


def people():
    """The same table for others: the owner with a short-lived token, who may only read, and nobody."""
    with another(server, type="oauth", oauth_uri=server + "/oauth2/token", oauth_clientId="owner", oauth_clientSecret=token):
        run("INSERT INTO %s VALUES (6, 'oauth', NULL, NULL)" % table)
    with another(server, token=reader):
        run("SHOW TABLES IN %s.%s" % (catalog, schema), [row_of(table)])
        run("SELECT id, name FROM %s WHERE id > 4 ORDER BY id" % table, [(5, "e"), (6, "oauth")])
        run("SELECT count(*) FROM %s VERSION AS OF 1" % table, [(2,)])
        # no INSERT: delta-spark takes a 403 on a commit for a passing fault, and repeats it for a quarter of an hour or more
        forbidden("CREATE TABLE %s (id INT) USING delta" % copy, 403, "you may not create table")
        forbidden("DROP TABLE %s" % table, 403, "you may not delete table")
    with another(server, token=token[:-1]):
        forbidden("SELECT * FROM %s" % table, 401, "token")
        forbidden("SHOW TABLES IN %s.%s" % (catalog, schema), 401, "token")
    run("SELECT id FROM %s WHERE id > 4 ORDER BY id" % table, [(5,), (6,)])
    run("DELETE FROM %s WHERE id = 6" % table)


spark = session()
rows()
crowd()
metadata()
people()
copy_and_drop()
with another(other, token="any"):
    elsewhere()
print("OK" if not bad else "%d FAILED" % bad)
spark.stop()
sys.exit(bad > 0)
