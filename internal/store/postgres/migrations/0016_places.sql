-- additive
-- The tenant of a job as a column of its own: an index on an expression of the path made every
-- step of an agent, which changes the path of its row, write to all indexes. (Programs that do
-- not know of the column claim as before, without the help of an index.)
ALTER TABLE jobs ADD COLUMN tenant text COLLATE "C" GENERATED ALWAYS AS (split_part(path, '/', 1) || '/' || split_part(path, '/', 2)) STORED;
DROP INDEX jobs_turn;
CREATE INDEX jobs_turn ON jobs (state, tenant, run_at, n) WHERE state IN ('ready', 'blocked');

-- For whose limits a running job counts: the tenant and the account, '' for neither, NULL
-- for a job that nobody counts, since there are no limits. Only what runs has a place,
-- whatever the columns of others say.
ALTER TABLE jobs ADD COLUMN place text COLLATE "C";
ALTER TABLE jobs ADD COLUMN account text COLLATE "C";
CREATE INDEX jobs_place ON jobs (place) WHERE state = 'running' AND place IS NOT NULL;
CREATE INDEX jobs_account ON jobs (account) WHERE state = 'running' AND account IS NOT NULL;

-- Claims ready jobs of tenants, as many of each as given, no more than have a place. The
-- places of a tenant, and of an account, are counted under a lock that is held until the
-- commit; who finds somebody else counting goes on with the next. (Locks are of the whole
-- database, which may have several schemas.) Each statement of the
-- function sees what was committed before it, so also before its locks.
CREATE FUNCTION claim_places(job_owner text, due bigint, tenants text[], counts integer[], tenant_limit integer, account_limit integer, accounts boolean)
RETURNS SETOF jobs LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  turn record;
  job record;
  room integer;
  of_account text;
  most integer;
  counted text[] := '{}'; -- accounts whose lock is held
  shut text[] := '{}';    -- accounts that have no place left, or that others count
BEGIN
  FOR turn IN SELECT * FROM unnest(tenants, counts) AS t (tenant, jobs) LOOP
    room := turn.jobs;
    IF tenant_limit > 0 THEN
      CONTINUE WHEN NOT pg_try_advisory_xact_lock(hashtextextended(current_schema() || ' ' || turn.tenant, 1));
      room := least(room, tenant_limit - (SELECT count(*) FROM jobs WHERE state = 'running' AND place = turn.tenant));
    END IF;
    CONTINUE WHEN room <= 0;
    FOR job IN SELECT n, path FROM jobs
        WHERE state = 'ready' AND tenant = turn.tenant AND run_at <= due
        ORDER BY run_at, n LIMIT CASE WHEN accounts THEN greatest(room, 256) ELSE 2 * room END LOOP
      of_account := '';
      IF accounts AND job.path LIKE 'users/%/orch-chats/%' THEN
        of_account := COALESCE((SELECT account_id FROM chats WHERE user_id = split_part(job.path, '/', 2) AND id = split_part(job.path, '/', 4)), '');
      END IF;
      IF of_account <> '' THEN
        CONTINUE WHEN of_account = ANY (shut);
        most := COALESCE((SELECT (body ->> 'jobs')::integer FROM documents WHERE collection = 'account-limits' AND id = of_account), account_limit);
        IF most = 0 THEN
          of_account := '';
        ELSIF of_account <> ALL (counted) AND NOT pg_try_advisory_xact_lock(hashtextextended(current_schema() || ' accounts/' || of_account, 1)) THEN
          shut := shut || of_account;
          CONTINUE;
        ELSE
          counted := counted || of_account;
          IF (SELECT count(*) FROM jobs WHERE state = 'running' AND account = of_account) >= most THEN
            shut := shut || of_account;
            CONTINUE;
          END IF;
        END IF;
      END IF;
      RETURN QUERY
        UPDATE jobs SET state = 'running', owner = job_owner, attempt = attempt + 1,
          place = CASE WHEN tenant_limit > 0 THEN turn.tenant ELSE '' END, account = of_account
        WHERE n = (SELECT n FROM jobs WHERE n = job.n AND state = 'ready' AND run_at <= due FOR UPDATE SKIP LOCKED)
        RETURNING *;
      IF FOUND THEN
        room := room - 1;
        EXIT WHEN room = 0;
      END IF;
    END LOOP;
  END LOOP;
END $$;

-- As before, and the job that is started runs in the place of the one that ended. If that
-- had one and the two are not about the same, it waits for a place of its own.
CREATE OR REPLACE FUNCTION finish_job(job_id text, job_key text, job_owner text, job_attempt integer, cause text, died_at bigint, next_owner text)
RETURNS SETOF jobs LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  ended record;
  next record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(job_key, 0));
  IF cause IS NULL THEN
    DELETE FROM jobs WHERE key = job_key AND state = 'running' AND id = job_id AND owner = job_owner AND attempt = job_attempt
      RETURNING path, place, account INTO ended;
  ELSE
    UPDATE jobs SET state = 'dead', owner = NULL, error = cause, run_at = died_at
    WHERE key = job_key AND state = 'running' AND id = job_id AND owner = job_owner AND attempt = job_attempt
      RETURNING path, place, account INTO ended;
  END IF;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'job % is not owned by %', job_id, job_owner USING ERRCODE = 'NE001';
  END IF;
  SELECT n, path INTO next FROM jobs WHERE key = job_key AND state = 'blocked' ORDER BY n LIMIT 1;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  IF ended.place IS NOT NULL
      AND (string_to_array(ended.path, '/'))[:4] IS DISTINCT FROM (string_to_array(next.path, '/'))[:4] THEN
    next_owner := NULL;
  END IF;
  RETURN QUERY
    UPDATE jobs SET state = CASE WHEN next_owner IS NULL THEN 'ready' ELSE 'running' END, owner = next_owner,
      attempt = attempt + CASE WHEN next_owner IS NULL THEN 0 ELSE 1 END,
      place = CASE WHEN next_owner IS NOT NULL THEN ended.place END, account = CASE WHEN next_owner IS NOT NULL THEN ended.account END
    WHERE n = next.n
    RETURNING *;
END $$;

-- On PostgreSQL programs before this one could leave a job blocked with none before it.
UPDATE jobs SET state = 'ready' WHERE state = 'blocked'
  AND n IN (SELECT min(n) FROM jobs WHERE state = 'blocked' GROUP BY key)
  AND NOT EXISTS (SELECT 1 FROM jobs AS head WHERE head.key = jobs.key AND head.state IN ('ready', 'running'));
