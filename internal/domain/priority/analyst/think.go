package analyst

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// thinkTime bounds one model call. A model that does not answer is asked again.
const thinkTime = 2 * time.Minute

// think asks the model what to do next and commits what it decided.
func (a *Analyst) think(ctx context.Context, _ *nestor.Job, s *situation) (worker.Effect, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, thinkTime, nestor.Errorf(nestor.CodeTimeout, "the model did not answer in %s", thinkTime))
	defer cancel()
	began := time.Now()
	said, err := a.ask(ctx, s.bill, s.path.UserID(), a.request(s))
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		return nil, err
	}
	step := decide(said)
	step.StepNumber, step.Timestamp = s.next(), isoTime(began)
	step.DurationMS = time.Since(began).Milliseconds()
	return s.commit(func(_ store.Tx, session *record.AgentSession, _ *record.ReasoningTrace) error {
		session.Doing = step
		session.ExecutionMetadata.ThinkingTimeMS += step.DurationMS
		session.ExecutionMetadata.TotalTimeMS = s.since()
		return nil
	}), nil
}

const (
	maxThought = 4_000     // characters
	maxInput   = 128 << 10 // bytes
)

// decide makes a step of a reply: its first call, or a plan in its text.
func decide(said llm.Message) *record.ReasoningStep {
	step := &record.ReasoningStep{}
	var text, reasoning strings.Builder
	for _, p := range said.Parts {
		switch p := p.(type) {
		case llm.Text:
			text.WriteString(p.Text)
		case llm.Reasoning:
			reasoning.WriteString(p.Text)
		case llm.ToolCall:
			if step.ToolName == nil { // one tool a step; the model can ask for the others again
				step.ToolName, step.ToolInput = pointer(storable(p.Name)), bounded(storableJSON(p.Arguments))
			}
		}
	}
	thought := strings.TrimSpace(text.String())
	if step.ToolName == nil {
		if object, ok := jsonIn(thought); ok {
			step.ToolName, step.ToolInput = pointer(submitPlan), bounded(storableJSON(object))
			thought = strings.Trim(strings.Replace(thought, object, "", 1), "` \n")
			thought = strings.TrimSpace(strings.TrimSuffix(thought, "```json"))
		}
	}
	if thought == "" {
		thought = strings.TrimSpace(reasoning.String())
	}
	if thought != "" {
		step.Thought = pointer(cut(storable(thought), maxThought))
	}
	return step
}

// bounded is an input that fits in a session. What a longer one says is lost, and the
// model is told.
func bounded(input json.RawMessage) json.RawMessage {
	if len(input) <= maxInput {
		return input
	}
	return encode(map[string]any{tooLong: len(input)})
}

// tooLong, in the input of a step, is how many bytes it had.
const tooLong = "left_out_bytes"

// cut is at most n characters of s, with a mark where it is cut.
func cut(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i] + "…"
		}
	}
	return s
}

func pointer[T any](v T) *T { return &v }

func isoTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// withoutTool is what the model is told that neither called a tool nor gave a plan.
var errWithoutTool = nestor.Errorf(nestor.CodeInvalid, "the reply has neither a call of a tool nor a plan: call one of the tools, or %s", submitPlan)

func errTooLong(input json.RawMessage) error {
	var n map[string]int
	if json.Unmarshal(input, &n) != nil || n[tooLong] == 0 {
		return nil
	}
	return nestor.Errorf(nestor.CodeTooLarge, "the input has %d bytes, more than %d: leave out what is not needed", n[tooLong], maxInput)
}
