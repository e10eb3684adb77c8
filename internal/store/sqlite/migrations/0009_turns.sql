-- additive
-- Users take turns: the next job of each of them is found at once, whatever the
-- others have waiting. A user is the first document on a path. What a user has
-- waiting is counted by the same index. (An expression, not a column: a job that
-- runs at once is not in the index and costs nothing, and a program that does not
-- know of the index keeps it, too.)
CREATE INDEX jobs_turn ON jobs (state, substr(path, 1, instr(path, '/') + instr(substr(path, instr(path, '/') + 1) || '/', '/') - 1), run_at, n)
  WHERE state = 'ready' OR state = 'blocked';
