package llm

import "slices"

// sendable returns a conversation in which every call has a name and an id that
// every provider takes. Models invent names, such as multi_tool_use.parallel, and
// servers give two calls of a reply one id; a provider would refuse the history for
// ever. Who keeps the conversation keeps what the model sent. Messages that are
// fine are passed on as they are.
func sendable(messages []Message, tools []Tool) []Message {
	copied := false
	changed := map[string]ToolCall{} // by id: calls that are sent in another form
	for i := range messages {
		parts := sendableCalls(messages[i].Parts, tools, changed)
		if len(changed) > 0 && messages[i].Role == RoleTool {
			parts = answering(parts, changed)
		}
		if parts == nil || len(messages[i].Parts) == 0 || &parts[0] == &messages[i].Parts[0] {
			continue
		}
		if !copied {
			messages, copied = slices.Clone(messages), true
		}
		messages[i].Parts = parts
	}
	return messages
}

// sendableCalls copies the parts of a message only if a call in it has to change,
// and notes which.
func sendableCalls(parts []Part, tools []Tool, changed map[string]ToolCall) []Part {
	whole := parts
	for i, p := range parts {
		call, ok := p.(ToolCall)
		if !ok {
			continue
		}
		sent := call
		if !slices.ContainsFunc(tools, func(t Tool) bool { return t.Name == call.Name }) {
			sent.Name = WireName(call.Name)
		}
		if call.ProviderID != "" && slices.ContainsFunc(whole[:i], func(p Part) bool {
			before, ok := p.(ToolCall)
			return ok && before.ProviderID == call.ProviderID
		}) {
			sent.ProviderID = ""
		}
		if sent == call {
			continue
		}
		if &parts[0] == &whole[0] {
			parts = slices.Clone(parts)
		}
		parts[i], changed[call.ID] = sent, sent
	}
	return parts
}

// answering gives results the names and ids that their calls are sent with.
func answering(parts []Part, changed map[string]ToolCall) []Part {
	whole := parts
	for i, p := range parts {
		result, ok := p.(ToolResult)
		if !ok {
			continue
		}
		call, ok := changed[result.CallID]
		if !ok {
			continue
		}
		if &parts[0] == &whole[0] {
			parts = slices.Clone(parts)
		}
		result.Name, result.ProviderID = call.Name, call.ProviderID
		parts[i] = result
	}
	return parts
}

// maxWireName is the longest name that all providers take.
const maxWireName = 64

// WireName is the name of a tool in a form that every provider takes: up to 64
// letters, digits, "_" and "-", of which the first is a letter or "_". A name that
// has the form stays as it is.
func WireName(name string) string {
	clean := make([]byte, 0, min(len(name), maxWireName)+1)
	for _, r := range name {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', r == '_':
		case '0' <= r && r <= '9', r == '-':
			if len(clean) == 0 {
				clean = append(clean, '_')
			}
		default:
			r = '_'
		}
		if len(clean) == maxWireName {
			break
		}
		clean = append(clean, byte(r))
	}
	if len(clean) == 0 {
		return "unnamed"
	}
	return string(clean)
}
