package openai

import (
	"encoding/json"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// decoder turns the chunks of one reply into events.
type decoder struct {
	w *llm.Writer
	// think finds reasoning in the text. Nil leaves the text as it is.
	think   *thinking
	refusal strings.Builder
	// said: something of a reply came.
	said bool
}

func (d *decoder) chunk(c *chunk) error {
	d.w.ReplyID(c.ID)
	if c.Usage != nil {
		d.w.Usage(llm.Usage{
			Input:       c.Usage.PromptTokens,
			CachedInput: c.Usage.PromptTokensDetails.CachedTokens,
			CacheWrite:  c.Usage.PromptTokensDetails.CacheWriteTokens,
			Output:      c.Usage.CompletionTokens,
			Reasoning:   c.Usage.CompletionTokensDetails.ReasoningTokens,
		})
	}
	for i := range c.Choices {
		choice := &c.Choices[i]
		d.said = true
		piece := &choice.Delta
		if choice.Message != nil {
			piece = choice.Message
			for i := range piece.ToolCalls {
				piece.ToolCalls[i].Index = int64(i) // they are whole and have no index
			}
		}
		if err := d.delta(piece); err != nil {
			return err
		}
		if err := d.finish(choice.FinishReason); err != nil {
			return err
		}
	}
	return nil
}

// done ends a reply whose server says that it is over, but not why.
func (d *decoder) done() error {
	if !d.w.Finished() && d.said {
		if err := d.finish("stop"); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) delta(delta *delta) error {
	if err := d.w.Reasoning(llm.Reasoning{Text: delta.reasoning()}); err != nil {
		return err
	}
	if err := d.text(delta.Content.Text); err != nil {
		return err
	}
	if delta.Refusal != "" {
		d.refusal.WriteString(delta.Refusal)
		if err := d.w.Text(delta.Refusal); err != nil {
			return err
		}
	}
	for _, call := range delta.ToolCalls {
		if err := d.w.Call(llm.CallPiece{
			Index:     call.Index,
			ID:        call.ID,
			Name:      call.Function.Name,
			Arguments: string(call.Function.Arguments),
		}); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) text(text string) error {
	if d.think == nil {
		return d.w.Text(text)
	}
	if text == "" {
		return nil
	}
	return d.think.feed(text, d.w)
}

func (d *delta) reasoning() string {
	if d.Content.Thinking != "" {
		return d.Content.Thinking
	}
	for _, field := range []json.RawMessage{d.ReasoningContent, d.Reasoning} {
		var text string
		if len(field) > 0 && json.Unmarshal(field, &text) == nil && text != "" {
			return text
		}
	}
	return ""
}

func (d *decoder) finish(reason string) error {
	if reason == "" {
		return nil
	}
	if d.think != nil {
		if err := d.think.close(d.w); err != nil {
			return err
		}
	}
	switch reason {
	case "length":
		d.w.Finish(llm.ReasonLength)
	case "content_filter":
		d.w.Refuse("its content filter stopped the reply (content_filter)")
	case "refusal":
		d.w.Refuse("")
	case "error", "abort":
		return nestor.Errorf(nestor.CodeUnavailable, "openai gave up on the reply: finish reason %q", reason)
	default:
		// Compatible servers have more words for a natural end than "stop" and
		// "tool_calls"; the calls themselves tell the two apart.
		d.w.Finish(llm.ReasonStop)
	}
	if d.refusal.Len() > 0 {
		d.w.Refuse(d.refusal.String())
	}
	return nil
}
