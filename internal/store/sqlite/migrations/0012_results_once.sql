-- Programs that do not know this step would take such calls for calls without a
-- result; so it is not additive.
--
-- The result of a call is stored once, in the message that answers it; the row
-- of the call says so in its place.
UPDATE sub_agent_tool_calls AS c
SET body = replace(c.body, '"result":' || (m.body -> 'content'), '"resultIn": "answer"')
FROM sub_agent_messages AS m
WHERE m.user_id = c.user_id AND m.chat_id = c.chat_id AND m.sub_agent_id = c.sub_agent_id AND m.tool_call_id = c.id
  AND length(m.body ->> 'content') >= 64 AND c.body ->> 'result' = m.body ->> 'content'
  -- only where the same is not said elsewhere in the body, too
  AND length(c.body) - length(replace(c.body, '"result":' || (m.body -> 'content'), '')) = length('"result":' || (m.body -> 'content'));
