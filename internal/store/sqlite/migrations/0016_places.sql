-- additive
-- PostgreSQL has the tenant as a column, too. Here that would keep the index of turns from
-- covering what a claim reads, and an update costs nothing more without it.
--
-- For whose limits a running job counts: the tenant and the account, '' for neither, NULL
-- for a job that nobody counts, since there are no limits. Only what runs has a place,
-- whatever the columns of others say.
ALTER TABLE jobs ADD COLUMN place TEXT;
ALTER TABLE jobs ADD COLUMN account TEXT;
CREATE INDEX jobs_place ON jobs (place) WHERE state = 'running' AND place IS NOT NULL;
CREATE INDEX jobs_account ON jobs (account) WHERE state = 'running' AND account IS NOT NULL;

-- On PostgreSQL programs before this one could leave a job blocked with none before it.
UPDATE jobs SET state = 'ready' WHERE state = 'blocked'
  AND n IN (SELECT min(n) FROM jobs WHERE state = 'blocked' GROUP BY key)
  AND NOT EXISTS (SELECT 1 FROM jobs AS head WHERE head.key = jobs.key AND head.state IN ('ready', 'running'));
