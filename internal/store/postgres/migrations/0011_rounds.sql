-- additive
-- What finish_job and relay_job do, for many jobs in one statement: beginning one
-- costs the server more than a row does. No two of the jobs have the same key, and
-- callers hold the locks of all keys. A row begins with the number of the job, from
-- 1, that it is about. Rows are found one by one, in sub-selects: the server might
-- otherwise read all running jobs for each of those that are given. Outside of these
-- nothing is said of the state for the same reason: who has an owner runs.

-- Ends running jobs and starts the next of each key, which it returns.
CREATE FUNCTION finish_jobs(ids text[], keys text[], owners text[], attempts integer[], next_owners text[])
RETURNS TABLE (i bigint, id text, key text, state text, trigger_id text, event text, path text, version bigint, seq bigint, at bigint,
  documents text, attempt integer, run_at bigint, owner text, error text, run text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE ended bigint;
BEGIN
  DELETE FROM jobs USING (SELECT every.*, (SELECT n FROM jobs WHERE jobs.key = every.key AND jobs.state = 'running' AND jobs.id = every.id
        AND jobs.owner = every.owner AND jobs.attempt = every.attempt) AS n
      FROM unnest(ids, keys, owners, attempts) AS every (id, key, owner, attempt) OFFSET 0) AS j
    WHERE jobs.n = j.n AND jobs.id = j.id AND jobs.owner = j.owner AND jobs.attempt = j.attempt;
  GET DIAGNOSTICS ended = ROW_COUNT;
  IF ended < cardinality(ids) THEN
    RAISE EXCEPTION 'one of % jobs is not owned by %', cardinality(ids), owners[1] USING ERRCODE = 'NE001';
  END IF;
  RETURN QUERY
    UPDATE jobs SET state = CASE WHEN next.owner IS NULL THEN 'ready' ELSE 'running' END, owner = next.owner,
      attempt = jobs.attempt + CASE WHEN next.owner IS NULL THEN 0 ELSE 1 END
    FROM (SELECT k.i, k.owner, first.n FROM unnest(keys, next_owners) WITH ORDINALITY AS k (key, owner, i)
      CROSS JOIN LATERAL (SELECT n FROM jobs WHERE jobs.key = k.key AND jobs.state = 'blocked' ORDER BY n LIMIT 1) AS first) AS next
    WHERE jobs.n = next.n
    RETURNING next.i, jobs.id, jobs.key, jobs.state, jobs.trigger_id, jobs.event, jobs.path, jobs.version, jobs.seq, jobs.at,
      jobs.documents, jobs.attempt, jobs.run_at, jobs.owner, jobs.error, jobs.run;
END $$;

-- Ends running jobs of which each has a new one with the same key, and returns what
-- runs now. Of new jobs that took the row of the old one only the number is returned.
CREATE FUNCTION relay_jobs(old_ids text[], keys text[], old_owners text[], old_attempts integer[], next_owners text[],
  new_ids text[], triggers text[], events text[], paths text[], versions bigint[], seqs bigint[], ats bigint[], all_documents text[],
  coalesce_them boolean[], runs text[])
RETURNS TABLE (i bigint, id text, key text, state text, trigger_id text, event text, path text, version bigint, seq bigint, at bigint,
  documents text, attempt integer, run_at bigint, owner text, error text, run text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE relayed bigint;
BEGIN
  RETURN QUERY
    UPDATE jobs SET id = j.new_id, trigger_id = j.trigger_id, event = j.event, path = j.path, version = j.version, seq = j.seq,
      at = j.at, documents = j.documents, attempt = 1, owner = j.next_owner, error = NULL
    FROM (SELECT every.*, (SELECT n FROM jobs WHERE jobs.key = every.key AND jobs.state = 'running' AND jobs.id = every.old_id
          AND jobs.owner = every.old_owner AND jobs.attempt = every.old_attempt) AS n
      FROM unnest(old_ids, keys, old_owners, old_attempts, next_owners, new_ids, triggers, events, paths, versions, seqs, ats, all_documents)
        WITH ORDINALITY AS every (old_id, key, old_owner, old_attempt, next_owner, new_id, trigger_id, event, path, version, seq, at, documents, i)
      WHERE every.next_owner IS NOT NULL OFFSET 0) AS j
    WHERE jobs.n = j.n AND jobs.id = j.old_id AND jobs.owner = j.old_owner AND jobs.attempt = j.old_attempt
      AND NOT EXISTS (SELECT FROM jobs AS others WHERE others.key = j.key AND others.state = 'blocked')
    RETURNING j.i, NULL, NULL, NULL, NULL, NULL, NULL, NULL::bigint, NULL::bigint, NULL::bigint, NULL, NULL::integer, NULL::bigint, NULL, NULL, NULL;
  GET DIAGNOSTICS relayed = ROW_COUNT;
  IF relayed = cardinality(keys) THEN
    RETURN;
  END IF;
  RETURN QUERY
    SELECT j.i, started.id, started.key, started.state, started.trigger_id, started.event, started.path, started.version, started.seq,
      started.at, started.documents, started.attempt, started.run_at, started.owner, started.error, started.run
    FROM (SELECT * FROM unnest(old_ids, keys, old_owners, old_attempts, next_owners, new_ids, triggers, events, paths, versions, seqs, ats,
        all_documents, coalesce_them, runs)
        WITH ORDINALITY AS all_jobs (old_id, key, old_owner, old_attempt, next_owner, new_id, trigger_id, event, path, version, seq, at,
        documents, coalesces, run, i)
      WHERE NOT EXISTS (SELECT FROM jobs WHERE jobs.key = all_jobs.key AND jobs.state = 'running' AND jobs.id = all_jobs.new_id) OFFSET 0) AS j
    CROSS JOIN LATERAL relay_job(j.old_id, j.key, j.old_owner, j.old_attempt, j.next_owner, j.new_id, j.trigger_id, j.event, j.path,
      j.version, j.seq, j.at, j.documents, j.coalesces, j.run) AS started;
END $$;
