-- What was written to logs and is not in their tables yet, a row for each COMMIT: one page at the
-- end of this table in place of two for each log. Now and then all of it moves to log
-- and "commit", and this is empty again.
CREATE TABLE journal (
  batch   INTEGER PRIMARY KEY,
  entries BLOB NOT NULL
) STRICT;
