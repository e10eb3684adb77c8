-- Documents: one table per flat collection. The ids on a document's path are
-- columns; body is the rest as JSON. Generated columns carry the constraints.

CREATE TABLE chats (
  user_id    text COLLATE "C" NOT NULL,
  id         text COLLATE "C" NOT NULL,
  version    bigint NOT NULL,
  seq        bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  body       json NOT NULL,
  PRIMARY KEY (user_id, id)
);
CREATE INDEX chats_order ON chats (user_id, created_at, seq);

CREATE TABLE messages (
  user_id    text COLLATE "C" NOT NULL,
  chat_id    text COLLATE "C" NOT NULL,
  id         text COLLATE "C" NOT NULL,
  version    bigint NOT NULL,
  seq        bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  body       json NOT NULL,
  role       text COLLATE "C" GENERATED ALWAYS AS (body ->> 'role') STORED
             CHECK (role IN ('system', 'user', 'assistant', 'tool')),
  type       text COLLATE "C" GENERATED ALWAYS AS (body ->> 'type') STORED
             CHECK (type IN ('text', 'tool_call', 'tool_result', 'status', 'summary', 'error')),
  task_id    text COLLATE "C" GENERATED ALWAYS AS (body ->> 'taskId') STORED,
  PRIMARY KEY (user_id, chat_id, id),
  FOREIGN KEY (user_id, chat_id) REFERENCES chats (user_id, id) ON DELETE CASCADE
);
CREATE INDEX messages_order ON messages (user_id, chat_id, created_at, seq);

CREATE TABLE tasks (
  user_id    text COLLATE "C" NOT NULL,
  chat_id    text COLLATE "C" NOT NULL,
  id         text COLLATE "C" NOT NULL,
  version    bigint NOT NULL,
  seq        bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  body       json NOT NULL,
  type       text COLLATE "C" GENERATED ALWAYS AS (body ->> 'type') STORED
             CHECK (type IN ('agent', 'tool')),
  status     text COLLATE "C" GENERATED ALWAYS AS (body ->> 'status') STORED
             CHECK (status IN ('pending', 'running', 'waiting', 'success', 'failed', 'cancelled')),
  sub_agent_id       text COLLATE "C" GENERATED ALWAYS AS (body ->> 'subAgentId') STORED,
  trigger_message_id text COLLATE "C" GENERATED ALWAYS AS (body ->> 'triggerMessageId') STORED,
  PRIMARY KEY (user_id, chat_id, id),
  FOREIGN KEY (user_id, chat_id) REFERENCES chats (user_id, id) ON DELETE CASCADE
);
CREATE INDEX tasks_order ON tasks (user_id, chat_id, created_at, seq);
CREATE INDEX tasks_trigger_message ON tasks (user_id, chat_id, trigger_message_id);

CREATE TABLE sub_agents (
  user_id    text COLLATE "C" NOT NULL,
  chat_id    text COLLATE "C" NOT NULL,
  id         text COLLATE "C" NOT NULL,
  version    bigint NOT NULL,
  seq        bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  body       json NOT NULL,
  task_id    text COLLATE "C" GENERATED ALWAYS AS (body ->> 'taskId') STORED,
  status     text COLLATE "C" GENERATED ALWAYS AS (body ->> 'status') STORED
             CHECK (status IN ('active', 'waiting_for_user', 'completed', 'failed', 'cancelled')),
  PRIMARY KEY (user_id, chat_id, id),
  FOREIGN KEY (user_id, chat_id) REFERENCES chats (user_id, id) ON DELETE CASCADE
);
CREATE INDEX sub_agents_order ON sub_agents (user_id, chat_id, created_at, seq);
CREATE UNIQUE INDEX sub_agents_task ON sub_agents (user_id, chat_id, task_id);

CREATE TABLE sub_agent_messages (
  user_id      text COLLATE "C" NOT NULL,
  chat_id      text COLLATE "C" NOT NULL,
  sub_agent_id text COLLATE "C" NOT NULL,
  id           text COLLATE "C" NOT NULL,
  version      bigint NOT NULL,
  seq          bigint NOT NULL,
  created_at   bigint NOT NULL,
  updated_at   bigint NOT NULL,
  body         json NOT NULL,
  role         text COLLATE "C" GENERATED ALWAYS AS (body ->> 'role') STORED
               CHECK (role IN ('system', 'user', 'assistant', 'tool')),
  tool_call_id text COLLATE "C" GENERATED ALWAYS AS (body ->> 'toolCallId') STORED,
  PRIMARY KEY (user_id, chat_id, sub_agent_id, id),
  FOREIGN KEY (user_id, chat_id, sub_agent_id) REFERENCES sub_agents (user_id, chat_id, id) ON DELETE CASCADE
);
CREATE INDEX sub_agent_messages_order ON sub_agent_messages (user_id, chat_id, sub_agent_id, created_at, seq);
-- A call is answered once, whatever happens.
CREATE UNIQUE INDEX sub_agent_messages_answer
  ON sub_agent_messages (user_id, chat_id, sub_agent_id, tool_call_id) WHERE tool_call_id IS NOT NULL;

CREATE TABLE sub_agent_tool_calls (
  user_id      text COLLATE "C" NOT NULL,
  chat_id      text COLLATE "C" NOT NULL,
  sub_agent_id text COLLATE "C" NOT NULL,
  id           text COLLATE "C" NOT NULL,
  version      bigint NOT NULL,
  seq          bigint NOT NULL,
  created_at   bigint NOT NULL,
  updated_at   bigint NOT NULL,
  body         json NOT NULL,
  status       text COLLATE "C" GENERATED ALWAYS AS (body ->> 'status') STORED
               CHECK (status IN ('pending', 'awaiting_approval', 'running', 'success', 'failed', 'skipped', 'unknown', 'cancelled')),
  PRIMARY KEY (user_id, chat_id, sub_agent_id, id),
  FOREIGN KEY (user_id, chat_id, sub_agent_id) REFERENCES sub_agents (user_id, chat_id, id) ON DELETE CASCADE
);
CREATE INDEX sub_agent_tool_calls_order ON sub_agent_tool_calls (user_id, chat_id, sub_agent_id, created_at, seq);

-- Collections of the users' own. A document's path is collection/id.
CREATE TABLE documents (
  collection text COLLATE "C" NOT NULL,
  id         text COLLATE "C" NOT NULL,
  version    bigint NOT NULL,
  seq        bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  body       json NOT NULL,
  PRIMARY KEY (collection, id)
);
CREATE INDEX documents_order ON documents (collection, created_at, seq);

-- What was deleted, for sync.
CREATE TABLE tombstones (
  path       text COLLATE "C" PRIMARY KEY,
  collection text COLLATE "C" NOT NULL,
  version    bigint NOT NULL,
  seq        bigint NOT NULL,
  deleted_at bigint NOT NULL
);
CREATE INDEX tombstones_deleted_at ON tombstones (deleted_at);

-- The change log. replaced is the document that an update or delete replaced;
-- the current one is in its table.
--
-- seq is taken before the commit, so a smaller one can become visible after a
-- larger one. A transaction always has its id before it takes a seq; readers
-- depend on that (see log.go).
CREATE SEQUENCE change_seq;
CREATE TABLE changes (
  seq      bigint PRIMARY KEY,
  type     text COLLATE "C" NOT NULL CHECK (type IN ('create', 'update', 'delete')),
  path     text COLLATE "C" NOT NULL,
  version  bigint NOT NULL,
  at       bigint NOT NULL,
  replaced text COLLATE "C"
);
CREATE INDEX changes_replaced ON changes (path, seq) WHERE replaced IS NOT NULL;

-- Where the log begins: changes up to this seq were swept.
CREATE TABLE log_start (seq bigint NOT NULL);
INSERT INTO log_start (seq) VALUES (0);

-- Jobs. Per key at most one is ready or running; the others are blocked
-- behind it in the order of n. Whoever adds to a key or ends its head holds
-- the key's advisory lock until the commit, so n is the order of commits.
CREATE TABLE jobs (
  n          bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  id         text COLLATE "C" NOT NULL UNIQUE,
  key        text COLLATE "C" NOT NULL,
  state      text COLLATE "C" NOT NULL CHECK (state IN ('ready', 'running', 'blocked', 'dead')),
  trigger_id text COLLATE "C" NOT NULL,
  event      text COLLATE "C" NOT NULL,
  path       text COLLATE "C" NOT NULL,
  version    bigint NOT NULL,
  seq        bigint NOT NULL,
  at         bigint NOT NULL,
  documents  text COLLATE "C",
  attempt    integer NOT NULL,
  run_at     bigint NOT NULL,
  owner      text COLLATE "C",
  error      text COLLATE "C",
  CHECK ((owner IS NOT NULL) = (state = 'running'))
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
CREATE UNIQUE INDEX jobs_head ON jobs (key) WHERE state IN ('ready', 'running');
CREATE INDEX jobs_blocked ON jobs (key, n) WHERE state = 'blocked';
CREATE INDEX jobs_idle ON jobs (state, run_at) WHERE state IN ('ready', 'dead');

-- The nodes that run jobs, each until its lease ends.
CREATE TABLE nodes (
  id         text COLLATE "C" PRIMARY KEY,
  expires_at timestamptz NOT NULL
);

-- Ends a running job and starts the next of its key, which it returns. When the
-- job is not the caller's any more the transaction fails. All in one statement,
-- since most jobs end with nothing else to write.
CREATE FUNCTION finish_job(job_id text, job_key text, job_owner text, job_attempt integer, cause text, died_at bigint, next_owner text)
RETURNS SETOF jobs LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(job_key, 0));
  IF cause IS NULL THEN
    DELETE FROM jobs WHERE id = job_id AND state = 'running' AND owner = job_owner AND attempt = job_attempt;
  ELSE
    UPDATE jobs SET state = 'dead', owner = NULL, error = cause, run_at = died_at
    WHERE id = job_id AND state = 'running' AND owner = job_owner AND attempt = job_attempt;
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
