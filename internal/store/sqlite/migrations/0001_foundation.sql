-- Documents: one table per flat collection. The ids on a document's path are
-- columns; body is the rest as JSON. Generated columns carry the constraints.
-- (The checks spell out their alternatives: for IN with a list SQLite builds a
-- temporary index per statement, which costs more than the insert.)

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
             CHECK (role = 'system' OR role = 'user' OR role = 'assistant' OR role = 'tool'),
  type       TEXT GENERATED ALWAYS AS (body ->> 'type') VIRTUAL
             CHECK (type = 'text' OR type = 'tool_call' OR type = 'tool_result' OR type = 'status' OR type = 'summary' OR type = 'error'),
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
             CHECK (type = 'agent' OR type = 'tool'),
  status     TEXT GENERATED ALWAYS AS (body ->> 'status') VIRTUAL
             CHECK (status = 'pending' OR status = 'running' OR status = 'waiting' OR status = 'success' OR status = 'failed' OR status = 'cancelled'),
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
             CHECK (status = 'active' OR status = 'waiting_for_user' OR status = 'completed' OR status = 'failed' OR status = 'cancelled'),
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
               CHECK (role = 'system' OR role = 'user' OR role = 'assistant' OR role = 'tool'),
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
               CHECK (status = 'pending' OR status = 'awaiting_approval' OR status = 'running' OR status = 'success' OR status = 'failed' OR status = 'skipped' OR status = 'unknown' OR status = 'cancelled'),
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
  type     TEXT NOT NULL CHECK (type = 'create' OR type = 'update' OR type = 'delete'),
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
  state      TEXT NOT NULL CHECK (state = 'ready' OR state = 'running' OR state = 'blocked' OR state = 'dead'),
  trigger_id TEXT NOT NULL,
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
CREATE UNIQUE INDEX jobs_head ON jobs (key) WHERE state = 'ready' OR state = 'running';
CREATE INDEX jobs_blocked ON jobs (key, n) WHERE state = 'blocked';
CREATE INDEX jobs_idle ON jobs (state, run_at) WHERE state = 'ready' OR state = 'dead';
