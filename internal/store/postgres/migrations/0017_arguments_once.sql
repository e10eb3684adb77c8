-- Programs that do not know this step would take such calls for calls without
-- arguments; so it is not additive.
--
-- The arguments of a call are stored once, in the message of the model that asked for it;
-- the row of the call says so in their place. Where the model wrote them in another form than
-- rows have, calls that are there keep their copies.
UPDATE sub_agent_tool_calls AS c
SET body = replace(c.body::text, '"args":' || (item.value -> 'function' ->> 'arguments'), '"argsIn": "message"')::json
FROM sub_agent_messages AS m
  CROSS JOIN LATERAL json_array_elements(CASE json_typeof(m.body -> 'toolCalls') WHEN 'array' THEN m.body -> 'toolCalls' END) AS item (value)
WHERE m.user_id = c.user_id AND m.chat_id = c.chat_id AND m.sub_agent_id = c.sub_agent_id AND m.id = c.body ->> 'messageId'
  AND item.value ->> 'id' = c.id AND octet_length(item.value -> 'function' ->> 'arguments') >= 64
  AND (c.body -> 'args')::text = item.value -> 'function' ->> 'arguments'
  AND (SELECT count(*) FROM json_array_elements(m.body -> 'toolCalls') AS other (value) WHERE other.value ->> 'id' = c.id) = 1
  -- only where the same is not said elsewhere in the body, too
  AND length(c.body::text) - length(replace(c.body::text, '"args":' || (item.value -> 'function' ->> 'arguments'), ''))
    = length('"args":' || (item.value -> 'function' ->> 'arguments'));
