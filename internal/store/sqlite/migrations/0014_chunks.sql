-- additive
-- Bytes of files, in pieces. No document refers to them by a foreign key: a sweep
-- removes those that no document names.
CREATE TABLE chunks (
  user_id   TEXT NOT NULL,
  id        TEXT NOT NULL,
  n         INTEGER NOT NULL,
  stored_at INTEGER NOT NULL,
  data      BLOB NOT NULL,
  PRIMARY KEY (user_id, id, n)
) STRICT;
