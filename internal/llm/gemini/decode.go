package gemini

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"

	"google.golang.org/genai"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// decoder turns the responses of one stream into events.
type decoder struct {
	w     *llm.Writer
	owner string
	calls int64
}

func (d *decoder) response(resp *genai.GenerateContentResponse) error {
	d.w.ReplyID(resp.ResponseID)
	if u := resp.UsageMetadata; u != nil {
		d.w.Usage(llm.Usage{
			Input:       int64(u.PromptTokenCount) + int64(u.ToolUsePromptTokenCount),
			CachedInput: int64(u.CachedContentTokenCount),
			Output:      int64(u.CandidatesTokenCount) + int64(u.ThoughtsTokenCount),
			Reasoning:   int64(u.ThoughtsTokenCount),
		})
	}
	if f := resp.PromptFeedback; f != nil && f.BlockReason != "" {
		d.w.Refuse(strings.TrimSpace("the prompt was blocked: " + string(f.BlockReason) + " " + f.BlockReasonMessage))
	}
	if len(resp.Candidates) == 0 {
		return nil
	}
	candidate := resp.Candidates[0]
	if candidate.Content != nil {
		for _, p := range candidate.Content.Parts {
			if err := d.part(p); err != nil {
				return err
			}
		}
	}
	return d.finish(candidate)
}

func (d *decoder) part(p *genai.Part) error {
	signature := llm.Seal(d.owner, base64.StdEncoding.EncodeToString(p.ThoughtSignature))
	switch {
	case p.FunctionCall != nil:
		arguments, err := encodeArgs(p.FunctionCall.Args)
		if err != nil {
			return err
		}
		index := d.calls
		d.calls++
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
		if err := d.w.Text(p.Text); err != nil {
			return err
		}
		// The signature of a text part stands behind the text.
		return d.w.Reasoning(llm.Reasoning{Signature: signature})
	}
}

// encodeArgs writes the arguments down. There is no text to keep: on the wire
// they are an object whose order and number format mean nothing.
func encodeArgs(args map[string]any) (string, error) {
	if args == nil {
		return "", nil
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(args); err != nil {
		return "", err
	}
	return string(bytes.TrimSpace(buf.Bytes())), nil
}

func (d *decoder) finish(c *genai.Candidate) error {
	switch c.FinishReason {
	case "", genai.FinishReasonUnspecified:
	case genai.FinishReasonStop:
		d.w.Finish(llm.ReasonStop)
	case genai.FinishReasonMaxTokens:
		d.w.Finish(llm.ReasonLength)
	case genai.FinishReasonSafety, genai.FinishReasonRecitation, genai.FinishReasonLanguage,
		genai.FinishReasonBlocklist, genai.FinishReasonProhibitedContent, genai.FinishReasonSPII,
		genai.FinishReasonImageSafety, genai.FinishReasonImageProhibitedContent, genai.FinishReasonImageRecitation:
		d.w.Refuse(strings.TrimSpace(string(c.FinishReason) + " " + c.FinishMessage))
	default:
		// A malformed call or an unforeseen trouble: another attempt may do.
		return nestor.Errorf(nestor.CodeUnavailable, "gemini gave up on the reply: %s %s", c.FinishReason, c.FinishMessage)
	}
	return nil
}
