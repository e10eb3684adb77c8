package xmlcall

import (
	"fmt"
	"strings"

	"github.com/nestorhq/nestor/internal/llm"
)

const (
	resultTag       = "tool_result"
	malformedPrefix = "malformed call: "
)

// argumentsText is what a native tool call carries as its arguments.
func argumentsText(c *Call) string {
	if c.Args != nil {
		return string(c.Args)
	}
	return malformedPrefix + c.Err.Error() + "\n" + c.Raw
}

// malformed returns what was wrong and the text the model wrote, if arguments
// came from a call that could not be taken apart.
func malformed(arguments string) (reason, raw string, ok bool) {
	rest, ok := strings.CutPrefix(arguments, malformedPrefix)
	reason, raw, _ = strings.Cut(rest, "\n")
	return reason, raw, ok
}

// request is the request without tools: in the system prompt and in text.
func (g *grammar) request(req *llm.Request) *llm.Request {
	out := *req
	out.Tools, out.ToolChoice = nil, ""
	out.Messages = g.messages(req.Messages)
	if len(g.tools) > 0 {
		section := g.prompt(req.ToolChoice)
		out.System = section
		if req.System != "" {
			out.System = req.System + "\n\n" + section
		}
	}
	return &out
}

// messages writes calls and results as text. Results are a user's message then,
// and neighbours of one role are joined: many chat templates want the roles to
// alternate.
func (g *grammar) messages(messages []llm.Message) []llm.Message {
	out := make([]llm.Message, 0, len(messages))
	reasons := make(map[string]string) // by call id: why it could not be read
	for _, m := range messages {
		role := m.Role
		if role == llm.RoleTool {
			role = llm.RoleUser
		}
		joined := len(out) > 0 && out[len(out)-1].Role == role
		if !joined {
			out = append(out, llm.Message{Role: role})
		}
		last := &out[len(out)-1]
		for i, part := range m.Parts {
			switch part := part.(type) {
			case llm.ToolCall:
				last.Parts = appendBlock(last.Parts, g.write(part.Name, part.Arguments))
				if reason, _, ok := malformed(part.Arguments); ok {
					reasons[part.ID] = reason
				}
			case llm.ToolResult:
				// Whoever refused the arguments could only say that they are no JSON.
				if reason, ok := reasons[part.CallID]; ok && part.IsError {
					part.Content = "The call could not be read: " + reason
				}
				last.Parts = appendBlock(last.Parts, resultText(part))
			case llm.Text:
				if i == 0 && joined {
					last.Parts = appendBlock(last.Parts, part.Text)
				} else {
					last.Parts = append(last.Parts, part)
				}
			default:
				last.Parts = append(last.Parts, part)
			}
		}
	}
	return out
}

// appendBlock adds text that starts on a line of its own.
func appendBlock(parts []llm.Part, text string) []llm.Part {
	if text == "" {
		return parts
	}
	if n := len(parts); n > 0 {
		if before, ok := parts[n-1].(llm.Text); ok {
			parts[n-1] = llm.Text{Text: strings.TrimRight(before.Text, "\n") + "\n" + text}
			return parts
		}
	}
	return append(parts, llm.Text{Text: text})
}

// resultText marks a result as such. Only what would end the mark is escaped:
// results are often markup that the model should see as it is.
func resultText(r llm.ToolResult) string {
	status := ""
	if r.IsError {
		status = ` status="error"`
	}
	content := strings.ReplaceAll(r.Content, "</"+resultTag, "&lt;/"+resultTag)
	return fmt.Sprintf("<%s name=\"%s\"%s>\n%s\n</%s>", resultTag, escape(r.Name), status, content, resultTag)
}
