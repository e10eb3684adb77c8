-- additive
-- The last attempts at a job that failed or were interrupted, as JSON: {"job": id, "list": […]}.
-- A job that takes the row of another one has another id, so it does not have its attempts.
ALTER TABLE jobs ADD COLUMN attempts TEXT;
