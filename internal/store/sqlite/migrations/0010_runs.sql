-- additive
-- What a job is part of, by the path of the run, so that whoever ends the last job
-- of a run knows that it was the last.
ALTER TABLE jobs ADD COLUMN run TEXT;
CREATE INDEX jobs_run ON jobs (run) WHERE run IS NOT NULL;
