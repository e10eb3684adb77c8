-- An index costs every write. A job is found by its key, of which one
-- runs, and the few agents of a chat are sorted when they are read. Then an
-- update of either changes no index, as long as there is room in the page.
ALTER TABLE jobs DROP CONSTRAINT jobs_id_key;
ALTER TABLE jobs SET (fillfactor = 50);
DROP INDEX sub_agents_order, sub_agents_seq;
ALTER TABLE sub_agents SET (fillfactor = 70);

CREATE OR REPLACE FUNCTION finish_job(job_id text, job_key text, job_owner text, job_attempt integer, cause text, died_at bigint, next_owner text)
RETURNS SETOF jobs LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(job_key, 0));
  IF cause IS NULL THEN
    DELETE FROM jobs WHERE key = job_key AND state = 'running' AND id = job_id AND owner = job_owner AND attempt = job_attempt;
  ELSE
    UPDATE jobs SET state = 'dead', owner = NULL, error = cause, run_at = died_at
    WHERE key = job_key AND state = 'running' AND id = job_id AND owner = job_owner AND attempt = job_attempt;
  END IF;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'job % is not owned by %', job_id, job_owner USING ERRCODE = 'NE001';
  END IF;
  RETURN QUERY
    UPDATE jobs SET state = CASE WHEN next_owner IS NULL THEN 'ready' ELSE 'running' END, owner = next_owner,
      attempt = attempt + CASE WHEN next_owner IS NULL THEN 0 ELSE 1 END
    WHERE n = (SELECT n FROM jobs WHERE key = job_key AND state = 'blocked' ORDER BY n LIMIT 1)
    RETURNING *;
END $$;

-- Ends a running job of which one with the same key follows, as the steps of an
-- agent do, and returns what runs now. The new job takes the row of the old
-- one, unless others wait or nobody has room for it. Callers hold the key's lock.
CREATE FUNCTION relay_job(old_id text, job_key text, old_owner text, old_attempt integer, next_owner text,
  new_id text, new_trigger text, new_event text, new_path text, new_version bigint, new_seq bigint, new_at bigint, new_documents text,
  coalesces boolean)
RETURNS SETOF jobs LANGUAGE plpgsql AS $$
BEGIN
  IF next_owner IS NOT NULL AND NOT EXISTS (SELECT FROM jobs WHERE key = job_key AND state = 'blocked') THEN
    RETURN QUERY
      UPDATE jobs SET id = new_id, trigger_id = new_trigger, event = new_event, path = new_path, version = new_version, seq = new_seq,
        at = new_at, documents = new_documents, attempt = 1, owner = next_owner, error = NULL
      WHERE key = job_key AND state = 'running' AND id = old_id AND owner = old_owner AND attempt = old_attempt
      RETURNING *;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'job % is not owned by %', old_id, old_owner USING ERRCODE = 'NE001';
    END IF;
    RETURN;
  END IF;
  INSERT INTO jobs (id, key, state, trigger_id, event, path, version, seq, at, documents, attempt, run_at)
    SELECT new_id, job_key, 'blocked', new_trigger, new_event, new_path, new_version, new_seq, new_at, new_documents, 0, new_at
    WHERE NOT coalesces OR NOT EXISTS (SELECT FROM jobs WHERE key = job_key AND state = 'blocked' AND trigger_id = new_trigger);
  RETURN QUERY SELECT * FROM finish_job(old_id, job_key, old_owner, old_attempt, NULL, 0, next_owner);
END $$;
