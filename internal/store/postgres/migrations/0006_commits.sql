-- How the outcome of a COMMIT is told whose answer was lost (see outcome.go):
-- every transaction leaves a random token. Ids of transactions would not do,
-- since the server gives those that it lost in a crash to others.

-- A transaction that writes documents leaves it in its first entry of the log.
ALTER TABLE changes ADD COLUMN token bigint;

-- One that writes jobs only leaves it here. Who asks for the outcome puts it
-- here himself, abandoned, if it is not there: then the transaction can never
-- commit any more.
CREATE TABLE commits (
  token     bigint PRIMARY KEY,
  abandoned boolean NOT NULL DEFAULT false,
  at        timestamptz NOT NULL DEFAULT now()
);

-- Since when others have found a node without its session lock.
ALTER TABLE nodes ADD COLUMN missed_at timestamptz;
