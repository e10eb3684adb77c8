-- additive
-- What a job is part of, by the path of the run, so that whoever ends the last job
-- of a run knows that it was the last.
ALTER TABLE jobs ADD COLUMN run text COLLATE "C";
CREATE INDEX jobs_run ON jobs (run) WHERE run IS NOT NULL;

-- The same as the function of that name before, for a job that is part of a run. What
-- takes the row of another job is part of the same run.
CREATE FUNCTION relay_job(old_id text, job_key text, old_owner text, old_attempt integer, next_owner text,
  new_id text, new_trigger text, new_event text, new_path text, new_version bigint, new_seq bigint, new_at bigint, new_documents text,
  coalesces boolean, job_run text)
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
  INSERT INTO jobs (id, key, state, trigger_id, event, path, version, seq, at, documents, attempt, run_at, run)
    SELECT new_id, job_key, 'blocked', new_trigger, new_event, new_path, new_version, new_seq, new_at, new_documents, 0, new_at, job_run
    WHERE NOT coalesces OR NOT EXISTS (
      SELECT FROM jobs WHERE key = job_key AND state = 'blocked' AND trigger_id = new_trigger AND run IS NOT DISTINCT FROM job_run);
  RETURN QUERY SELECT * FROM finish_job(old_id, job_key, old_owner, old_attempt, NULL, 0, next_owner);
END $$;
