-- additive
-- Tasks that waited before they named their question: the agent names it.
UPDATE tasks AS t
SET body = (left(t.body::text, -1) || ',"questionId":' || (a.body -> 'questionCallId')::text || '}')::json
FROM sub_agents AS a
WHERE t.status = 'waiting' AND t.body ->> 'questionId' IS NULL AND a.body ->> 'questionCallId' <> ''
  AND a.user_id = t.user_id AND a.chat_id = t.chat_id AND a.id = t.sub_agent_id;
