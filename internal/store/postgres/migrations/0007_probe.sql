-- One row that is written to find out whether the database takes writes.
CREATE TABLE probe (
  id     bigint PRIMARY KEY,
  filler text COLLATE "C" NOT NULL
);
