package agent_test

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// model stands between agents and whoever speaks. It checks what is asked, holds
// requests back at the gates of the world, translates names and keeps account.
type model struct {
	world   *world
	name    string
	speaker llm.Model
}

// account is what one complete reply used.
type account struct {
	job     string
	attempt *nestor.Job // at it, nil where a webhook does the work
	model   string
	usage   llm.Usage
	// summary: it was asked for by package condense.
	summary bool
	// done: the attempt that asked for the reply ended well. What failed
	// attempts used is in no document.
	done bool
}

// Name is the connection's, so that connections named after models have their
// prices.
func (m *model) Name() string { return cmp.Or(m.name, "scripted") }

func (m *model) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		w := m.world
		if err := paired(req.Messages); err != nil {
			w.Errorf("a model was asked what no model answers: %v", err)
		}
		asked := w.names.hideIn(req)
		if err := w.gates.pass(ctx, "model "+lastText(asked)); err != nil {
			yield(nil, llm.Interrupted(ctx, "the reply"))
			return
		}
		var usage llm.Usage
		for ev, err := range m.speaker.Generate(ctx, asked) {
			switch e := ev.(type) {
			case llm.ToolCall:
				e.Arguments = w.names.reveal(e.Arguments)
				ev = e
			case llm.Usage:
				usage = e
			case llm.Finish:
				w.mu.Lock()
				w.replies = append(w.replies, account{
					job: jobOf(ctx), attempt: attemptOf(ctx).of, model: cmp.Or(e.Model, m.Name()), usage: usage, summary: strings.HasPrefix(req.System, "You write the memory"),
				})
				w.mu.Unlock()
			}
			if nestor.CodeOf(err) == nestor.CodeInvalid && strings.HasPrefix(err.Error(), "the script has no reply") {
				w.Error(err)
			}
			if !yield(ev, err) {
				return
			}
			if text, ok := ev.(llm.Text); ok {
				if w.gates.pass(ctx, "said "+text.Text) != nil {
					if usage != (llm.Usage{}) {
						w.mu.Lock()
						w.replies = append(w.replies, account{job: jobOf(ctx), attempt: attemptOf(ctx).of, model: m.Name(), usage: usage})
						w.mu.Unlock()
					}
					yield(nil, llm.Interrupted(ctx, "the reply"))
					return
				}
			}
		}
	}
}

// paired reports what is wrong with a conversation: it is empty, ends with the
// model's own words, or a call in it is not answered right after it was made.
func paired(messages []llm.Message) error {
	if len(messages) == 0 || messages[len(messages)-1].Role == llm.RoleAssistant {
		return fmt.Errorf("nobody said anything")
	}
	open := map[string]bool{}
	for i, m := range messages {
		if m.Role != llm.RoleTool && len(open) > 0 {
			return fmt.Errorf("message %d comes before the results of %v", i, open)
		}
		if len(m.Parts) == 0 {
			return fmt.Errorf("message %d is empty", i)
		}
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.ToolCall:
				open[p.ID] = true
			case llm.ToolResult:
				if !open[p.CallID] {
					return fmt.Errorf("message %d answers %s, which is not open", i, p.CallID)
				}
				delete(open, p.CallID)
			}
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("%v have no results", open)
	}
	return nil
}

// lastText is all that was said to the model since it last spoke.
func lastText(req *llm.Request) string {
	var lines []string
	for _, m := range req.Messages {
		if m.Role == llm.RoleAssistant {
			lines = nil
			continue
		}
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.Text:
				lines = append(lines, p.Text)
			case llm.ToolResult:
				lines = append(lines, p.Name+" "+p.Content)
			}
		}
	}
	return strings.Join(lines, "\n")
}
