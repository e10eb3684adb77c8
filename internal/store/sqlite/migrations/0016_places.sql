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
