-- Where in the log a document was created. It orders documents of the same time for
-- good: seq moves with every update, and took the document along in every list. An
-- index of what never changes also costs an update nothing.
ALTER TABLE chats ADD COLUMN created_seq INTEGER NOT NULL DEFAULT 0;
UPDATE chats SET created_seq = seq;
ALTER TABLE messages ADD COLUMN created_seq INTEGER NOT NULL DEFAULT 0;
UPDATE messages SET created_seq = seq;
ALTER TABLE tasks ADD COLUMN created_seq INTEGER NOT NULL DEFAULT 0;
UPDATE tasks SET created_seq = seq;
ALTER TABLE sub_agents ADD COLUMN created_seq INTEGER NOT NULL DEFAULT 0;
UPDATE sub_agents SET created_seq = seq;
ALTER TABLE sub_agent_messages ADD COLUMN created_seq INTEGER NOT NULL DEFAULT 0;
UPDATE sub_agent_messages SET created_seq = seq;
ALTER TABLE sub_agent_tool_calls ADD COLUMN created_seq INTEGER NOT NULL DEFAULT 0;
UPDATE sub_agent_tool_calls SET created_seq = seq;
ALTER TABLE documents ADD COLUMN created_seq INTEGER NOT NULL DEFAULT 0;
UPDATE documents SET created_seq = seq;

DROP INDEX chats_order;
CREATE INDEX chats_order ON chats (user_id, created_at, created_seq);
DROP INDEX messages_order;
CREATE INDEX messages_order ON messages (user_id, chat_id, created_at, created_seq);
DROP INDEX tasks_order;
CREATE INDEX tasks_order ON tasks (user_id, chat_id, created_at, created_seq);
DROP INDEX sub_agent_messages_order;
CREATE INDEX sub_agent_messages_order ON sub_agent_messages (user_id, chat_id, sub_agent_id, created_at, created_seq);
DROP INDEX sub_agent_tool_calls_order;
CREATE INDEX sub_agent_tool_calls_order ON sub_agent_tool_calls (user_id, chat_id, sub_agent_id, created_at, created_seq);
DROP INDEX documents_order;
CREATE INDEX documents_order ON documents (collection, created_at, created_seq);
DROP INDEX chats_project;
CREATE INDEX chats_project ON chats (project_id, created_at, created_seq) WHERE project_id IS NOT NULL;
DROP INDEX chats_account;
CREATE INDEX chats_account ON chats (account_id, created_at, created_seq) WHERE account_id IS NOT NULL;
DROP INDEX chats_updated;
CREATE INDEX chats_updated ON chats (user_id, updated_at, created_seq);
