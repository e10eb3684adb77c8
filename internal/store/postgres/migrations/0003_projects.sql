-- The chats of a project.
ALTER TABLE chats ADD COLUMN project_id text COLLATE "C" GENERATED ALWAYS AS (body ->> 'projectId') STORED;
CREATE INDEX chats_project ON chats (project_id, created_at, seq) WHERE project_id IS NOT NULL;
