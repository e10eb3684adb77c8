-- An index costs every write. A job is found by its key, of which one
-- runs, and the few agents of a chat are sorted when they are read.
CREATE TABLE lean_jobs (
  n          INTEGER PRIMARY KEY,
  id         TEXT NOT NULL,
  key        TEXT NOT NULL,
  state      TEXT NOT NULL CHECK (state = 'ready' OR state = 'running' OR state = 'blocked' OR state = 'dead'),
  trigger_id TEXT NOT NULL,
  event      TEXT NOT NULL,
  path       TEXT NOT NULL,
  version    INTEGER NOT NULL,
  seq        INTEGER NOT NULL,
  at         INTEGER NOT NULL,
  documents  TEXT,
  attempt    INTEGER NOT NULL,
  run_at     INTEGER NOT NULL,
  owner      TEXT,
  error      TEXT,
  CHECK ((owner IS NOT NULL) = (state = 'running'))
) STRICT;
INSERT INTO lean_jobs SELECT * FROM jobs;
DROP TABLE jobs;
ALTER TABLE lean_jobs RENAME TO jobs;
CREATE UNIQUE INDEX jobs_head ON jobs (key) WHERE state = 'ready' OR state = 'running';
CREATE INDEX jobs_blocked ON jobs (key, n) WHERE state = 'blocked';
CREATE INDEX jobs_idle ON jobs (state, run_at) WHERE state = 'ready' OR state = 'dead';

DROP INDEX sub_agents_order;
DROP INDEX sub_agents_seq;
