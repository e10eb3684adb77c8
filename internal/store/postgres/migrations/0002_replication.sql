-- What changed in a scope since a position, for clients that keep a copy. The
-- messages and tool calls of one agent are few: their order index finds them.
CREATE INDEX chats_seq ON chats (user_id, seq);
CREATE INDEX messages_seq ON messages (user_id, chat_id, seq);
CREATE INDEX tasks_seq ON tasks (user_id, chat_id, seq);
CREATE INDEX tasks_user_seq ON tasks (user_id, seq);
CREATE INDEX sub_agents_seq ON sub_agents (user_id, chat_id, seq);
CREATE INDEX documents_seq ON documents (collection, seq);

-- The path up to the last slash.
ALTER TABLE tombstones ADD COLUMN parent text COLLATE "C" GENERATED ALWAYS AS (rtrim(path, replace(path, '/', ''))) STORED;
CREATE INDEX tombstones_seq ON tombstones (collection, parent, seq);

-- Tombstones up to this seq were swept, or some of them.
ALTER TABLE log_start ADD COLUMN tombstones bigint NOT NULL DEFAULT 0;
