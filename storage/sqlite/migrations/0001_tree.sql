-- The tree of objects and, beside each managed table, its log.
--
-- key and the columns that refer to it exist only within this file: they are shorter
-- than the 36 bytes of an id, in every commit and every index. A key may be used again
-- after a delete; nothing outside of one transaction remembers one.

CREATE TABLE object (
  key      INTEGER PRIMARY KEY,
  id       TEXT    NOT NULL UNIQUE,
  parent   INTEGER REFERENCES object ON DELETE CASCADE, -- NULL: the root
  kind     TEXT    NOT NULL,
  name     TEXT    NOT NULL,
  location TEXT,                                        -- NULL: none
  revision INTEGER NOT NULL,
  created  INTEGER NOT NULL,                            -- milliseconds since 1970, as updated
  updated  INTEGER NOT NULL,
  body     BLOB    NOT NULL,                            -- last: its overflow pages are read only for itself
  UNIQUE (parent, kind, name)                           -- lookups, lists and the cascade
) STRICT;

-- UNIQUE takes each NULL for a value of its own, and there is one root only.
CREATE UNIQUE INDEX object_root ON object (parent IS NULL) WHERE parent IS NULL;

-- kind is here so that Overlap reads no row of a kind that it is not asked for.
CREATE INDEX object_location ON object (location, id, kind) WHERE location IS NOT NULL;

CREATE TABLE log (
  object     INTEGER PRIMARY KEY REFERENCES object ON DELETE CASCADE,
  revision   INTEGER NOT NULL,
  last       INTEGER NOT NULL,
  backfilled INTEGER NOT NULL,
  state      BLOB    NOT NULL
) STRICT;

CREATE TABLE "commit" (
  log     INTEGER NOT NULL REFERENCES log ON DELETE CASCADE,
  version INTEGER NOT NULL,
  file    TEXT    NOT NULL,
  data    BLOB    NOT NULL,
  PRIMARY KEY (log, version)
) STRICT, WITHOUT ROWID;
