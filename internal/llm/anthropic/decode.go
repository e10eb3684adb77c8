package anthropic

import (
	"strings"

	"github.com/anthropics/anthropic-sdk-go"

	"github.com/nestorhq/nestor/internal/llm"
)

// decoder turns the events of one stream into those of package llm.
type decoder struct {
	w      *llm.Writer
	owner  string
	input  input
	reason llm.Reason
	detail string
	// done is set by message_stop: only then is the reply complete.
	done bool
}

func (d *decoder) event(ev anthropic.MessageStreamEventUnion) error {
	switch ev.Type {
	case "message_start":
		d.w.ReplyID(ev.Message.ID)
		u := ev.Message.Usage
		d.input = input{u.InputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens}
	case "content_block_start":
		return d.blockStart(ev.Index, ev.ContentBlock)
	case "content_block_delta":
		return d.blockDelta(ev.Index, ev.Delta)
	case "message_delta":
		d.messageDelta(ev)
	case "message_stop":
		if d.w.Finish(d.reason); d.reason == llm.ReasonRefusal {
			d.w.Refuse(d.detail)
		}
		d.done = true
	}
	return nil
}

func (d *decoder) blockStart(index int64, block anthropic.ContentBlockStartEventContentBlockUnion) error {
	switch block.Type {
	case "text":
		return d.w.Text(block.Text)
	case "thinking":
		return d.w.Reasoning(llm.Reasoning{Text: block.Thinking})
	case "redacted_thinking":
		return d.w.Reasoning(llm.Reasoning{Redacted: llm.Seal(d.owner, block.Data)})
	case "tool_use":
		return d.w.Call(llm.CallPiece{Index: index, ID: block.ID, Name: block.Name})
	}
	return nil
}

func (d *decoder) blockDelta(index int64, delta anthropic.MessageStreamEventUnionDelta) error {
	switch delta.Type {
	case "text_delta":
		return d.w.Text(delta.Text)
	case "thinking_delta":
		return d.w.Reasoning(llm.Reasoning{Text: delta.Thinking})
	case "signature_delta":
		return d.w.Reasoning(llm.Reasoning{Signature: llm.Seal(d.owner, delta.Signature)})
	case "input_json_delta":
		return d.w.Call(llm.CallPiece{Index: index, Arguments: delta.PartialJSON})
	}
	return nil
}

func (d *decoder) messageDelta(ev anthropic.MessageStreamEventUnion) {
	switch ev.Delta.StopReason {
	case "":
	case anthropic.StopReasonMaxTokens, anthropic.StopReasonModelContextWindowExceeded:
		d.reason = llm.ReasonLength
	case anthropic.StopReasonRefusal:
		d.reason, d.detail = llm.ReasonRefusal, ev.Delta.StopDetails.Explanation
		if category := string(ev.Delta.StopDetails.Category); category != "" {
			d.detail = strings.TrimSpace(d.detail + " (" + category + ")")
		}
	case anthropic.StopReasonToolUse:
		d.reason = llm.ReasonToolCalls
	default:
		d.reason = llm.ReasonStop
	}
	u := ev.Usage
	if u.JSON.InputTokens.Valid() {
		d.input = input{u.InputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens}
	}
	d.w.Usage(llm.Usage{
		Input:       d.input.plain + d.input.read + d.input.written,
		CachedInput: d.input.read,
		CacheWrite:  d.input.written,
		Output:      u.OutputTokens,
		Reasoning:   u.OutputTokensDetails.ThinkingTokens,
	})
}

// input counts the tokens of the request in the three parts that Anthropic
// reports: at the start of the stream and, in newer versions, again at its end.
type input struct{ plain, read, written int64 }
