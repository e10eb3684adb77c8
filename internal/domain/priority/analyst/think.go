package analyst

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/lenient"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// thinkTime bounds one model call. A model that does not answer is asked again.
const thinkTime = 2 * time.Minute

// think asks the model what to do next and commits what it decided: all calls of its reply.
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
	steps, skipped := fitting(s.names.decide(said), s.next())
	took := time.Since(began).Milliseconds()
	steps[0].StepNumber, steps[0].Timestamp, steps[0].DurationMS = s.next(), isoTime(began), took
	return s.commit(func(_ store.Tx, session *record.AgentSession, _ *record.ReasoningTrace) error {
		session.Doing, session.Next = &steps[0], steps[1:]
		session.Skipped = append(session.Skipped, skipped...)
		session.ExecutionMetadata.ThinkingTimeMS += took
		session.ExecutionMetadata.TotalTimeMS = s.since()
		return nil
	}), nil
}

const (
	maxThought = 4_000     // characters
	maxInput   = 128 << 10 // bytes of one call
	maxInputs  = 512 << 10 // and of all calls of a reply, so that a session holds them
)

// decide makes steps of a reply: one of each call, the plan last so that what the others
// find counts in it, or a plan in the text. There is at least one step. Steps have the ids of
// tasks, and what people read of them calls tasks by their texts.
func (n *names) decide(said llm.Message) (steps []record.ReasoningStep) {
	var text, reasoning strings.Builder
	var plans []record.ReasoningStep
	left := maxInputs
	for _, p := range said.Parts {
		switch p := p.(type) {
		case llm.Text:
			text.WriteString(p.Text)
		case llm.Reasoning:
			reasoning.WriteString(p.Text)
		case llm.ToolCall:
			step := n.called(p.Name, p.Arguments, min(maxInput, left))
			left -= len(step.ToolInput)
			if p.Name == submitPlan {
				plans = append(plans, step)
			} else {
				steps = append(steps, step)
			}
		}
	}
	steps = append(steps, plans...)
	thought := strings.TrimSpace(text.String())
	if len(steps) == 0 {
		step := record.ReasoningStep{}
		if object, ok := lenient.Object(thought, planKey); ok {
			step = n.called(submitPlan, object, maxInput)
			thought = strings.Trim(strings.Replace(thought, object, "", 1), "` \n")
			thought = strings.TrimSpace(strings.TrimSuffix(thought, "```json"))
		}
		steps = []record.ReasoningStep{step}
	}
	if thought == "" {
		thought = strings.TrimSpace(reasoning.String())
	}
	if thought != "" {
		steps[0].Thought = pointer(cut(storable(n.spoken(thought)), maxThought))
	}
	return steps
}

// called is the step of a call. An input that is no object, or does not fit, is kept as an
// object that tells so, with the error that the step is going to have.
func (n *names) called(name, arguments string, limit int) record.ReasoningStep {
	if strings.TrimSpace(arguments) == "" {
		arguments = "{}"
	}
	step := record.ReasoningStep{ToolName: pointer(storable(name)), ToolInput: n.storable(arguments)}
	if len(step.ToolInput) > limit {
		step.Error = fmt.Sprintf("the input has %d bytes, which is too much: leave out what is not needed", len(step.ToolInput))
		step.ToolInput = leftOut(len(step.ToolInput))
	} else if step.ToolInput[0] != '{' {
		step.Error = fmt.Sprintf("the input of %s is not of the form that was described: it is no JSON object", excerpt(*step.ToolName, 64))
		step.ToolInput = encode(map[string]json.RawMessage{"no_object": step.ToolInput})
	}
	return step
}

// fitting are the steps for which there is room from a step on, and the names of the tools
// whose calls are skipped. The last step is kept for the plan.
func fitting(steps []record.ReasoningStep, next int) (fit []record.ReasoningStep, skipped []string) {
	room := record.MaxSteps - next
	for _, step := range steps {
		if len(fit) < room || isPlan(&step) && len(fit) == room || len(steps) == 1 {
			fit = append(fit, step)
		} else {
			skipped = append(skipped, *step.ToolName)
		}
	}
	if len(fit) == 0 {
		fit, skipped = steps[:1], skipped[1:]
	}
	return fit, skipped
}

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
