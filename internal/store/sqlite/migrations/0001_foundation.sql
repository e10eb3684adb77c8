-- Documents: one table per flat collection. The ids on a document's path are
-- columns; body is the rest as JSON. Generated columns carry the constraints.

CREATE TABLE chats (
  user_id    TEXT NOT NULL,
  id         TEXT NOT NULL,
  version    INTEGER NOT NULL,
  seq        INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  body       TEXT NOT NULL,
  PRIMARY KEY (user_id, id)
) STRICT;
CREATE INDEX chats_order ON chats (user_id, created_at, seq);

CREATE TABLE messages (
  user_id    TEXT NOT NULL,
  chat_id    TEXT NOT NULL,
  id         TEXT NOT NULL,
  version    INTEGER NOT NULL,
  seq        INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  body       TEXT NOT NULL,
  role       TEXT GENERATED ALWAYS AS (body ->> 'role') VIRTUAL
             CHECK (role IN ('system', 'user', 'assistant', 'tool')),
  type       TEXT GENERATED ALWAYS AS (body ->> 'type') VIRTUAL
             CHECK (type IN ('text', 'tool_call', 'tool_result', 'status', 'summary', 'error')),
  task_id    TEXT GENERATED ALWAYS AS (body ->> 'taskId') VIRTUAL,
  PRIMARY KEY (user_id, chat_id, id),
  FOREIGN KEY (user_id, chat_id) REFERENCES chats (user_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX messages_order ON messages (user_id, chat_id, created_at, seq);

CREATE TABLE tasks (
  user_id    TEXT NOT NULL,
  chat_id    TEXT NOT NULL,
  id         TEXT NOT NULL,
  version    INTEGER NOT NULL,
  seq        INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  body       TEXT NOT NULL,
  type       TEXT GENERATED ALWAYS AS (body ->> 'type') VIRTUAL
             CHECK (type IN ('agent', 'tool')),
  status     TEXT GENERATED ALWAYS AS (body ->> 'status') VIRTUAL
             CHECK (status IN ('pending', 'running', 'waiting', 'success', 'failed', 'cancelled')),
  sub_agent_id       TEXT GENERATED ALWAYS AS (body ->> 'subAgentId') VIRTUAL,
  trigger_message_id TEXT GENERATED ALWAYS AS (body ->> 'triggerMessageId') VIRTUAL,
  PRIMARY KEY (user_id, chat_id, id),
  FOREIGN KEY (user_id, chat_id) REFERENCES chats (user_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX tasks_order ON tasks (user_id, chat_id, created_at, seq);
CREATE INDEX tasks_trigger_message ON tasks (user_id, chat_id, trigger_message_id);

CREATE TABLE sub_agents (
  user_id    TEXT NOT NULL,
  chat_id    TEXT NOT NULL,
  id         TEXT NOT NULL,
  version    INTEGER NOT NULL,
  seq        INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  body       TEXT NOT NULL,
  task_id    TEXT GENERATED ALWAYS AS (body ->> 'taskId') VIRTUAL,
  status     TEXT GENERATED ALWAYS AS (body ->> 'status') VIRTUAL
             CHECK (status IN ('active', 'waiting_for_user', 'completed', 'failed', 'cancelled')),
  PRIMARY KEY (user_id, chat_id, id),
  FOREIGN KEY (user_id, chat_id) REFERENCES chats (user_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX sub_agents_order ON sub_agents (user_id, chat_id, created_at, seq);
CREATE UNIQUE INDEX sub_agents_task ON sub_agents (user_id, chat_id, task_id);

CREATE TABLE sub_agent_messages (
  user_id      TEXT NOT NULL,
  chat_id      TEXT NOT NULL,
  sub_agent_id TEXT NOT NULL,
  id           TEXT NOT NULL,
  version      INTEGER NOT NULL,
  seq          INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL,
  body         TEXT NOT NULL,
  role         TEXT GENERATED ALWAYS AS (body ->> 'role') VIRTUAL
               CHECK (role IN ('system', 'user', 'assistant', 'tool')),
  tool_call_id TEXT GENERATED ALWAYS AS (body ->> 'toolCallId') VIRTUAL,
  PRIMARY KEY (user_id, chat_id, sub_agent_id, id),
  FOREIGN KEY (user_id, chat_id, sub_agent_id) REFERENCES sub_agents (user_id, chat_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX sub_agent_messages_order ON sub_agent_messages (user_id, chat_id, sub_agent_id, created_at, seq);
-- A call is answered once, whatever happens.
CREATE UNIQUE INDEX sub_agent_messages_answer
  ON sub_agent_messages (user_id, chat_id, sub_agent_id, tool_call_id) WHERE tool_call_id IS NOT NULL;

CREATE TABLE sub_agent_tool_calls (
  user_id      TEXT NOT NULL,
  chat_id      TEXT NOT NULL,
  sub_agent_id TEXT NOT NULL,
  id           TEXT NOT NULL,
  version      INTEGER NOT NULL,
  seq          INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL,
  body         TEXT NOT NULL,
  status       TEXT GENERATED ALWAYS AS (body ->> 'status') VIRTUAL
               CHECK (status IN ('pending', 'awaiting_approval', 'running', 'success', 'failed', 'skipped', 'unknown', 'cancelled')),
  PRIMARY KEY (user_id, chat_id, sub_agent_id, id),
  FOREIGN KEY (user_id, chat_id, sub_agent_id) REFERENCES sub_agents (user_id, chat_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX sub_agent_tool_calls_order ON sub_agent_tool_calls (user_id, chat_id, sub_agent_id, created_at, seq);

-- Collections of the users' own. A document's path is collection/id.
CREATE TABLE documents (
  collection TEXT NOT NULL,
  id         TEXT NOT NULL,
  version    INTEGER NOT NULL,
  seq        INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  body       TEXT NOT NULL,
  PRIMARY KEY (collection, id)
) STRICT;
CREATE INDEX documents_order ON documents (collection, created_at, seq);

-- What was deleted, for sync.
CREATE TABLE tombstones (
  path       TEXT PRIMARY KEY,
  collection TEXT NOT NULL,
  version    INTEGER NOT NULL,
  seq        INTEGER NOT NULL,
  deleted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tombstones_deleted_at ON tombstones (deleted_at);

-- The change log. replaced is the document that an update or delete replaced;
-- the current one is in its table.
CREATE TABLE changes (
  seq      INTEGER PRIMARY KEY,
  type     TEXT NOT NULL CHECK (type IN ('create', 'update', 'delete')),
  path     TEXT NOT NULL,
  version  INTEGER NOT NULL,
  at       INTEGER NOT NULL,
  replaced TEXT
) STRICT;
CREATE INDEX changes_replaced ON changes (path, seq) WHERE replaced IS NOT NULL;

-- Where the log begins: changes up to this seq were swept.
CREATE TABLE log_start (seq INTEGER NOT NULL) STRICT;
INSERT INTO log_start (seq) VALUES (0);

-- Jobs. Per key at most one is ready or running; the others are blocked
-- behind it in the order of n.
CREATE TABLE jobs (
  n          INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  key        TEXT NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('ready', 'running', 'blocked', 'dead')),
  trigger_id TEXT NOT NULL,
  action     TEXT NOT NULL,
  event      TEXT NOT NULL,
  path       TEXT NOT NULL,
  version    INTEGER NOT NULL,
  seq        INTEGER NOT NULL,
  at         INTEGER NOT NULL,
  documents  TEXT,
  attempt    INTEGER NOT NULL,
  run_at     INTEGER NOT NULL,
  owner      TEXT,
  error      TEXT,
  CHECK ((owner IS NOT NULL) = (state = 'running'))
) STRICT;
CREATE UNIQUE INDEX jobs_head ON jobs (key) WHERE state IN ('ready', 'running');
CREATE INDEX jobs_key ON jobs (key, n) WHERE state <> 'dead';
CREATE INDEX jobs_ready ON jobs (run_at) WHERE state = 'ready';
CREATE INDEX jobs_dead ON jobs (run_at) WHERE state = 'dead';
