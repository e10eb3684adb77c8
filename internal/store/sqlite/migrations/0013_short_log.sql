-- Entries of the log are short: a number for the type (1 create, 2 update, 3
-- delete), packed paths and documents (see pack.go; what is not packed reads the same), and instead
-- of an index of paths one of the positions whose documents were replaced.
CREATE TABLE short_changes (
  seq      INTEGER PRIMARY KEY,
  at       INTEGER NOT NULL,
  version  INTEGER NOT NULL,
  replaces INTEGER,
  type     INTEGER NOT NULL CHECK (type BETWEEN 1 AND 3),
  path     BLOB NOT NULL,
  replaced BLOB
) STRICT;
INSERT INTO short_changes (seq, type, path, version, at, replaces, replaced)
  SELECT seq, CASE type WHEN 'create' THEN 1 WHEN 'update' THEN 2 ELSE 3 END, CAST(path AS BLOB), version, at,
         replaced ->> 'seq', CAST(replaced AS BLOB)
  FROM changes ORDER BY seq;
DROP TABLE changes;
ALTER TABLE short_changes RENAME TO changes;
CREATE INDEX changes_replaces ON changes (replaces) WHERE replaces IS NOT NULL;
