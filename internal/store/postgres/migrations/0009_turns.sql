-- additive
-- Users take turns: the next job of each of them is found at once, whatever the
-- others have waiting. A user is the first document on a path. What a user has
-- waiting is counted by the same index. (An expression, not a column: a job that
-- runs at once is not in the index and costs nothing, and a program that does not
-- know of the index keeps it, too.)
CREATE INDEX jobs_turn ON jobs (state, (split_part(path, '/', 1) || '/' || split_part(path, '/', 2)), run_at, n)
  WHERE state IN ('ready', 'blocked');

-- Rows of these come and go all the time. They are cleaned up after so many, not
-- after a share of a large table, a little at a time.
ALTER TABLE changes SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_scale_factor = 0.05);
ALTER TABLE commits SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
ALTER TABLE tombstones SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
CREATE INDEX commits_at ON commits USING brin (at) WITH (autosummarize = on, pages_per_range = 16);
