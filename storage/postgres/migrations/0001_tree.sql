-- The tree of objects and, beside each managed table, its log.
--
-- Names are compared byte by byte whatever the database does by default. Times are
-- milliseconds since 1970.

CREATE TABLE object (
  id       text     COLLATE "C" PRIMARY KEY,
  parent   text     COLLATE "C" REFERENCES object ON DELETE CASCADE, -- NULL: the root
  depth    smallint NOT NULL,                 -- that of the parent + 1: locks go from the root downwards, as the cascade does
  kind     text     COLLATE "C" NOT NULL,
  name     text     COLLATE "C" NOT NULL,
  location text     COLLATE "C",              -- NULL: none
  revision bigint   NOT NULL,
  created  bigint   NOT NULL,
  updated  bigint   NOT NULL,
  body     bytea    NOT NULL,
  CONSTRAINT object_name UNIQUE (parent, kind, name) -- lookups, lists and the cascade, too
);

-- UNIQUE takes each NULL for a value of its own, and there is one root only.
CREATE UNIQUE INDEX object_root ON object ((parent IS NULL)) WHERE parent IS NULL;

CREATE INDEX object_location ON object (location, id) WHERE location IS NOT NULL;

-- A commit changes one row here and touches no object, so that it reads, locks and
-- copies no body. object_revision is the revision of the object, kept by whoever
-- changes that: a commit is conditional on both by one row alone. Pages are left half
-- empty so that a new version of a row finds room beside the old one.
CREATE TABLE log (
  object          text   COLLATE "C" PRIMARY KEY REFERENCES object ON DELETE CASCADE,
  object_revision bigint NOT NULL,
  revision        bigint NOT NULL,
  last            bigint NOT NULL,
  backfilled      bigint NOT NULL,
  state           bytea  NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE "commit" (
  log     text   COLLATE "C" NOT NULL REFERENCES log ON DELETE CASCADE,
  version bigint NOT NULL,
  file    text   COLLATE "C" NOT NULL,
  data    bytea  NOT NULL,
  PRIMARY KEY (log, version)
);

-- levee_require ends a transaction whose condition does not hold, with a SQLSTATE that
-- nothing else has.
CREATE FUNCTION levee_require(ok boolean, state text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF ok THEN
    RETURN true;
  END IF;
  RAISE EXCEPTION 'levee: what was read has changed' USING ERRCODE = state;
END
$$;
