-- additive
-- Bytes of files, in pieces. No document refers to them by a foreign key: a sweep
-- removes those that no document names.
CREATE TABLE chunks (
  user_id   text COLLATE "C" NOT NULL,
  id        text COLLATE "C" NOT NULL,
  n         bigint NOT NULL,
  stored_at bigint NOT NULL,
  data      bytea NOT NULL,
  PRIMARY KEY (user_id, id, n)
);
-- Most files are compressed already.
ALTER TABLE chunks ALTER COLUMN data SET STORAGE EXTERNAL;
