-- One row that is written to find out whether the database takes writes.
CREATE TABLE probe (
  id     INTEGER PRIMARY KEY,
  filler TEXT NOT NULL
) STRICT;
