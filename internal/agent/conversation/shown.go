package conversation

import (
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/condense"
	"github.com/nestorhq/nestor/internal/llm"
)

// What a model sees of a chat or of an agent's work, from the instructions down:
//
//   - what people said, what the model said itself, and the results of its calls;
//   - of the rest of a chat what isLlmMessage marks; never what it marks as false;
//   - in place of all that the latest summary covers, the summary: up to the
//     message in its repliesTo or, if there is none, all that is older than the
//     summary, but for what nobody has answered.

// shown reports whether a model sees a message of a chat.
func shown(m *nestor.Message) bool {
	if m.IsLLMMessage != nil {
		return *m.IsLLMMessage
	}
	return m.Role == nestor.RoleUser
}

// summarized puts the summary in place of the turns of an agent that it covers.
func (c Messages) summarized(turns []condense.Turn, summary *Utterance) []condense.Turn {
	through := slices.IndexFunc(turns, func(t condense.Turn) bool { return t.ID == summary.RepliesTo })
	if through < 0 {
		through = c.before(turns, summary)
	}
	return append([]condense.Turn{condense.SummaryTurn(summary.ID, summary.Content)}, turns[through+1:]...)
}

// before is the last turn of the model's last step, with the results of its
// calls, that is older than the summary; -1 if there is none.
func (c Messages) before(turns []condense.Turn, summary *Utterance) int {
	older := map[string]bool{}
	for _, u := range c[:slices.Index(c, summary)] {
		older[u.ID] = true
	}
	through := -1
	for i := 0; i < len(turns); i++ {
		if turns[i].Message.Role != llm.RoleAssistant {
			continue
		}
		whole := older[turns[i].ID]
		for i+1 < len(turns) && turns[i+1].Message.Role == llm.RoleTool {
			i++
			whole = whole && older[turns[i].ID]
		}
		if whole {
			through = i
		}
	}
	return through
}

// isInterrupted reports whether a message is the beginning of a reply.
func isInterrupted(m *nestor.MessageMetadata) bool {
	return m != nil && m.FinishReason == nestor.FinishInterrupted
}

// interruptedMark is what the model is shown below its own words that were
// interrupted.
const interruptedMark = "\n\n[You were interrupted here. What you were about to say or do did not happen.]"
