"""Drives a Unity Catalog server with DuckDB and its unity_catalog and delta extensions.

usage: driver.py SERVER TOKEN READER CATALOG SCHEMA TABLE ROWS

READER is the token of one who may only read; it is empty where the server asks for no token. TABLE is a catalog-managed Delta table (id BIGINT, name STRING) that some other client made and that holds
ROWS rows; DuckDB reads it and appends to it through delta/v1. An external table is made here, registered
through the classic endpoints and read. One line per check; OK and exit status 0 when all of them hold.
"""
import glob
import os
import sys
import tempfile
import uuid

import duckdb

import external

server, token, reader, catalog, schema, table, rows = sys.argv[1:8]
rows = int(rows)
bad = 0


def check(what, want, got):
    global bad
    bad += want != got
    print("ok  " if want == got else "FAIL", what, "=", got, "" if want == got else "want %r" % (want,))


def plain():
    """A connection that can use no extension but the installed ones."""
    con = duckdb.connect(config={"autoinstall_known_extensions": False})
    site = os.path.dirname(os.path.dirname(duckdb.__file__))
    for name in ("httpfs", "parquet", "json", "delta", "unity_catalog"):
        files = glob.glob(site + "/duckdb_extension_%s/**/*.duckdb_extension" % name, recursive=True)
        if not files:
            sys.exit("extension %s is not installed" % name)
        con.execute("LOAD '%s'" % files[0])
    return con


def connect(token=token):
    con = plain()
    con.execute("CREATE SECRET (TYPE UNITY_CATALOG, TOKEN '%s', ENDPOINT '%s', AWS_REGION 'us-east-1')" % (token, server))
    con.execute("ATTACH '%s' AS u (TYPE UNITY_CATALOG, DEFAULT_SCHEMA '%s')" % (catalog, schema))
    return con


def query(con, sql):
    # to the last row, always: a half-read result keeps its transaction, and the extension then cannot detach
    return con.sql(sql).fetchall()


def count(con, name):
    return query(con, "SELECT count(*) FROM " + name)[0][0]


def insert(con, name, *ids):
    con.execute("INSERT INTO %s VALUES %s" % (name, ", ".join("(%d, 'duck')" % i for i in ids)))


def race(a, b, name):
    """Two transactions start from one snapshot: exactly one may win."""
    a.execute("BEGIN")
    b.execute("BEGIN")
    insert(a, name, 7000003)
    insert(b, name, 7000004)
    won = 0
    for con in (a, b):
        try:
            con.execute("COMMIT")
            won += 1
        except duckdb.Error as e:
            print("     refused:", type(e).__name__, str(e)[:300])
    check("winners", 1, won)


def refused(what, status, call):
    try:
        call()
        check(what, status, None)
    except duckdb.Error as e:
        check("%s: %s %s" % (what, type(e).__name__, str(e)[:300].replace("\n", " ")), True, str(status) in str(e))


ext_name = "duck_ext_" + uuid.uuid4().hex[:8]
root = os.path.join(tempfile.mkdtemp(), ext_name)
external.write_table(plain(), root)
registered = external.register(server, token, catalog, schema, ext_name, root)
check("registered as", "EXTERNAL", registered["table_type"])

a = connect()
# SHOW ALL TABLES scans tables and columns on several threads, and the extension marks its list as loaded before it is:
# a scan that begins while another one still waits for the server sees no tables. So one scan goes ahead.
query(a, "SELECT table_name FROM duckdb_tables()")
listed = [row[2] for row in query(a, "SHOW ALL TABLES")]
check("external table listed", True, ext_name in listed)
check("managed table listed", True, table in listed)
check("external rows", external.ROWS, query(a, "SELECT id, name FROM u.%s.%s ORDER BY id" % (schema, ext_name)))

managed = "u.%s.%s" % (schema, table)
check("managed rows", rows, count(a, managed))
insert(a, managed, 7000000)
check("one row more", rows + 1, count(a, managed))
insert(a, managed, 7000001, 7000002)
b = connect()
check("seen by a second connection", rows + 3, count(b, managed))
race(a, b, managed)
check("rows after the race", rows + 4, count(connect(), managed))
own = query(connect(), "SELECT id FROM %s WHERE name = 'duck' ORDER BY id" % managed)
check("own rows", [(7000000,), (7000001,), (7000002,)], own[:3])
if reader:
    c = connect(reader)
    check("reader's tables", True, {ext_name, table} <= {row[0] for row in query(c, "SELECT table_name FROM duckdb_tables()")})
    check("reader's external rows", external.ROWS, query(c, "SELECT id, name FROM u.%s.%s ORDER BY id" % (schema, ext_name)))
    check("reader's rows", rows + 4, count(c, managed))
    refused("reader's insert", 403, lambda: insert(c, managed, 7000005))
    for wrong in ("wrong", token[:-1]):
        refused("wrong token", 401, lambda: count(connect(wrong), managed))
    check("rows after the reader", rows + 4, count(connect(), managed))
print("OK" if not bad else "%d FAILED" % bad)
sys.exit(bad > 0)
