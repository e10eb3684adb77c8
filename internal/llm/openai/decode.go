package openai

import (
	"encoding/json"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// decoder turns the chunks of one reply into events.
type decoder struct {
	w       *llm.Writer
	refused bool
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
		if err := d.delta(&choice.Delta); err != nil {
			return err
		}
		if err := d.finish(choice.FinishReason); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) delta(delta *delta) error {
	if err := d.w.Reasoning(llm.Reasoning{Text: delta.reasoning()}); err != nil {
		return err
	}
	if err := d.w.Text(delta.Content); err != nil {
		return err
	}
	if delta.Refusal != "" {
		d.refused = true
		if err := d.w.Text(delta.Refusal); err != nil {
			return err
		}
	}
	for _, call := range delta.ToolCalls {
		d.w.Call(llm.CallPiece{
			Index:     call.Index,
			ID:        call.ID,
			Name:      call.Function.Name,
			Arguments: call.Function.Arguments,
		})
	}
	return nil
}

func (d *delta) reasoning() string {
	for _, field := range []json.RawMessage{d.ReasoningContent, d.Reasoning} {
		var text string
		if len(field) > 0 && json.Unmarshal(field, &text) == nil && text != "" {
			return text
		}
	}
	return ""
}

func (d *decoder) finish(reason string) error {
	switch reason {
	case "":
	case "length":
		d.w.Finish(llm.ReasonLength)
	case "content_filter":
		d.w.Finish(llm.ReasonRefusal)
	case "error", "abort":
		return nestor.Errorf(nestor.CodeUnavailable, "openai gave up on the reply: finish reason %q", reason)
	default:
		// Compatible servers have more words for a natural end than "stop" and
		// "tool_calls"; the calls themselves tell the two apart.
		d.w.Finish(llm.ReasonStop)
	}
	if reason != "" && d.refused {
		d.w.Finish(llm.ReasonRefusal)
	}
	return nil
}
