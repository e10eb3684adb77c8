package gemini

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// decoder turns the responses of one stream into events.
type decoder struct {
	w     *llm.Writer
	owner string
	calls int64
	// said: there is text, or a call, that the reply consists of.
	said bool
}

func (d *decoder) response(resp *response) error {
	d.w.ReplyID(resp.ResponseID)
	if u := resp.UsageMetadata; u != nil {
		d.w.Usage(llm.Usage{
			Input:       u.PromptTokenCount + u.ToolUsePromptTokenCount,
			CachedInput: u.CachedContentTokenCount,
			Output:      u.CandidatesTokenCount + u.ThoughtsTokenCount,
			Reasoning:   u.ThoughtsTokenCount,
		})
	}
	if f := resp.PromptFeedback; f != nil && f.BlockReason != "" {
		d.w.Refuse(strings.TrimSpace("the prompt was blocked: " + f.BlockReason + " " + f.BlockReasonMessage))
	}
	if len(resp.Candidates) == 0 {
		return nil
	}
	candidate := &resp.Candidates[0]
	for i := range candidate.Content.Parts {
		if err := d.part(&candidate.Content.Parts[i]); err != nil {
			return err
		}
	}
	return d.finish(candidate)
}

func (d *decoder) part(p *part) error {
	signature := llm.Seal(d.owner, p.ThoughtSignature)
	switch {
	case p.FunctionCall != nil:
		arguments, err := argumentsText(p.FunctionCall.Args)
		if err != nil {
			return err
		}
		index := d.calls
		d.calls++
		d.said = true
		return d.w.Call(llm.CallPiece{
			Index:     index,
			ID:        p.FunctionCall.ID,
			Name:      p.FunctionCall.Name,
			Arguments: arguments,
			Signature: signature,
		})
	case p.Thought:
		return d.w.Reasoning(llm.Reasoning{Text: p.Text, Signature: signature})
	default:
		d.said = d.said || p.Text != ""
		if err := d.w.Text(p.Text); err != nil {
			return err
		}
		// The signature of a text part stands behind the text.
		return d.w.Reasoning(llm.Reasoning{Signature: signature})
	}
}

// argumentsText writes the arguments down, numbers to the last digit. The text
// on the wire is not kept: Google escapes <, > and & in it, which models and
// people would have to read.
func argumentsText(args json.RawMessage) (string, error) {
	if len(args) == 0 || string(args) == "null" {
		return "", nil
	}
	var values any
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.UseNumber()
	if err := dec.Decode(&values); err != nil {
		return "", err
	}
	text, err := llm.EncodeJSON(values)
	return string(text), err
}

func (d *decoder) finish(c *candidate) error {
	switch c.FinishReason {
	case "", "FINISH_REASON_UNSPECIFIED":
	case "STOP":
		d.w.Finish(llm.ReasonStop)
	case "MAX_TOKENS":
		d.w.Finish(llm.ReasonLength)
	case "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII",
		"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION":
		d.w.Refuse(strings.TrimSpace(c.FinishReason + " " + c.FinishMessage))
	case "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MALFORMED_RESPONSE",
		"MISSING_THOUGHT_SIGNATURE", "OTHER", "IMAGE_OTHER", "NO_IMAGE":
		return d.gaveUp(c)
	default:
		// Newer models have words for an end that are not known here. What they said is
		// good all the same.
		if !d.said {
			return d.gaveUp(c)
		}
		d.w.Finish(llm.ReasonStop)
	}
	return nil
}

// gaveUp is a reply that the provider could not finish: another attempt may do.
func (d *decoder) gaveUp(c *candidate) error {
	return nestor.Errorf(nestor.CodeUnavailable, "gemini gave up on the reply: %s %s", c.FinishReason, c.FinishMessage)
}
