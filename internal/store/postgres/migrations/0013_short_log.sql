-- Entries of the log are short: a number for the type (1 create, 2 update, 3
-- delete), packed paths and documents (see pack.go; what is not packed reads the same), and instead
-- of an index of paths one of the positions whose documents were replaced. The
-- columns stand in an order that leaves no gaps between them.
CREATE TABLE short_changes (
  seq      bigint NOT NULL,
  at       bigint NOT NULL,
  version  bigint NOT NULL,
  token    bigint,
  replaces bigint,
  type     smallint NOT NULL CHECK (type BETWEEN 1 AND 3),
  path     bytea NOT NULL,
  replaced bytea
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_scale_factor = 0.05);
INSERT INTO short_changes (seq, at, version, token, replaces, type, path, replaced)
  SELECT seq, at, version, token, (replaced::json ->> 'seq')::bigint, CASE type WHEN 'create' THEN 1 WHEN 'update' THEN 2 ELSE 3 END,
         convert_to(path, 'UTF8'), convert_to(replaced, 'UTF8')
  FROM changes ORDER BY seq;
DROP TABLE changes;
ALTER TABLE short_changes RENAME TO changes;
ALTER TABLE changes ADD CONSTRAINT changes_pkey PRIMARY KEY (seq);
CREATE INDEX changes_replaces ON changes (replaces) WHERE replaces IS NOT NULL;
