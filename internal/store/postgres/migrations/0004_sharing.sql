-- The chats of an account, and those of a user by their latest write.
ALTER TABLE chats ADD COLUMN account_id text COLLATE "C" GENERATED ALWAYS AS (body ->> 'accountId') STORED;
CREATE INDEX chats_account ON chats (account_id, created_at, seq) WHERE account_id IS NOT NULL;
CREATE INDEX chats_updated ON chats (user_id, updated_at, seq);
