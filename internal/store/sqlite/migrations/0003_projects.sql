-- The chats of a project.
ALTER TABLE chats ADD COLUMN project_id TEXT GENERATED ALWAYS AS (body ->> 'projectId') VIRTUAL;
CREATE INDEX chats_project ON chats (project_id, created_at, seq) WHERE project_id IS NOT NULL;
