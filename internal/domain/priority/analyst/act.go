package analyst

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/worker"
)

// act carries out what the model decided, and commits the step with what it writes.
func (a *Analyst) act(ctx context.Context, job *nestor.Job, s *situation) (worker.Effect, error) {
	began := time.Now()
	step := *s.session.Doing
	step.StepNumber = s.next()
	var made *record.PrioritizedTaskPlan
	var notices []string
	var failure error
	last := s.bill.Pay
	switch name, input := step.ToolName, step.ToolInput; {
	case name == nil:
		failure = errWithoutTool
	case errTooLong(input) != nil:
		failure = errTooLong(input)
	case *name == submitPlan:
		made, notices, failure = s.verify(json.RawMessage(llm.UnwrapArguments(input)))
		if failure == nil {
			step.ToolOutput = encode(map[string]any{"accepted": true, "waves": len(made.ExecutionWaves), "notices": notices})
		}
	default:
		output, done, failed, err := a.useTool(ctx, job, s, *name, input)
		if err != nil {
			return nil, err
		}
		step.ToolOutput, failure = output, failed
		if done != nil {
			s.bill, last = done.bill, done.write
		}
	}
	step.Status = record.StepSuccess
	if failure != nil {
		step.Status, step.Error = record.StepFailed, storable(failure.Error())
	}
	took := time.Since(began).Milliseconds()
	step.DurationMS += took

	alone := made == nil && step.StepNumber >= record.MaxSteps
	if alone {
		var err error
		if made, notices, err = s.withoutModel(); err != nil {
			return nil, err
		}
		notices = append([]string{fmt.Sprintf("The model gave no plan that can be used within %d steps. This one was made without it.", record.MaxSteps)}, notices...)
	}
	total := s.since()
	if made != nil && total > slow.Milliseconds() {
		a.log.Warn("an analysis took long", "session", s.path, "took", time.Duration(total)*time.Millisecond)
	}
	return s.commitWith(last, func(tx store.Tx, session *record.AgentSession, trace *record.ReasoningTrace) error {
		session.Doing = nil
		session.FailedTools = failedTools(session.FailedTools, &step)
		add(trace, step)
		m := &session.ExecutionMetadata
		m.ToolExecutionTimeMS += took
		m.TotalTimeMS = total
		count(m, trace)
		trace.TotalDurationMS = total
		if made != nil {
			session.Partial = alone || len(session.FailedTools) > 0
			if err := s.complete(tx, session, made, notices); err != nil {
				return err
			}
		}
		_, err := tx.Put(TraceOf(s.path), trace, store.AnyVersion)
		return err
	}), nil
}

// slow is the time from which a session is worth a warning.
const slow = 30 * time.Second

func (a *Analyst) useTool(ctx context.Context, job *nestor.Job, s *situation, name string, input json.RawMessage) (output json.RawMessage, done *use, failure, err error) {
	t, unknown := a.tool(name)
	if unknown != nil {
		return nil, nil, unknown, nil
	}
	userID := s.path.UserID()
	return a.carryOut(ctx, t, tool.Call{
		Scope: tool.Scope{UserID: userID, AskedBy: nestor.Askers{userID}, Run: job.Run}, ID: job.ID, Name: name,
		Arguments: llm.UnwrapArguments(input), IdempotencyKey: job.ID,
	})
}

// failedTools are the tools whose last use failed. A call of no tool is none.
func failedTools(failed []string, step *record.ReasoningStep) []string {
	if step.ToolName == nil || *step.ToolName == submitPlan {
		return failed
	}
	failed = slices.DeleteFunc(slices.Clone(failed), func(name string) bool { return name == *step.ToolName })
	if step.Status == record.StepFailed {
		failed = append(failed, *step.ToolName)
	}
	return failed
}

// complete stores the plan, and makes it the current one.
func (s *situation) complete(tx store.Tx, session *record.AgentSession, made *record.PrioritizedTaskPlan, notices []string) error {
	former, err := tx.Query(store.Query{Collection: s.path.Collection(), Where: store.Where("slot", store.Eq, record.SlotCurrent)})
	if err != nil {
		return err
	}
	for _, d := range former.Items {
		if _, err := tx.Patch(d.Path, map[string]any{"slot": nil}, store.AnyVersion); err != nil {
			return err
		}
	}
	session.Status, session.Slot = record.SessionCompleted, record.SlotCurrent
	session.PrioritizedPlan, session.Notices = made, notices
	return nil
}

// add appends a step to a trace, and keeps the trace so small that a document holds
// it: of the oldest outputs only the size is left.
func add(trace *record.ReasoningTrace, step record.ReasoningStep) {
	trace.Steps = append(trace.Steps, step)
	size := 0
	for _, s := range trace.Steps {
		size += len(s.ToolInput) + len(s.ToolOutput)
	}
	for i := range trace.Steps {
		for _, part := range []*json.RawMessage{&trace.Steps[i].ToolOutput, &trace.Steps[i].ToolInput} {
			if size > maxTrace && len(*part) > 1<<10 {
				short := leftOut(len(*part))
				size -= len(*part) - len(short)
				*part = short
			}
		}
	}
	trace.TotalSteps = len(trace.Steps)
	trace.ToolsUsedCount = toolCounts(trace)
}

// maxTrace is how many bytes of inputs and outputs a trace keeps.
const maxTrace = 800 << 10

func leftOut(size int) json.RawMessage { return encode(map[string]int{tooLong: size}) }

// count derives from a trace what a session says about it.
func count(m *record.ExecutionMetadata, trace *record.ReasoningTrace) {
	m.StepsTaken, m.ErrorCount, m.ToolCallCount = len(trace.Steps), 0, toolCounts(trace)
	for _, s := range trace.Steps {
		if s.Status == record.StepFailed {
			m.ErrorCount++
		}
	}
	m.SuccessRate = rounded(float64(m.StepsTaken-m.ErrorCount) / float64(m.StepsTaken))
}

func toolCounts(trace *record.ReasoningTrace) map[string]int {
	counts := map[string]int{}
	for _, s := range trace.Steps {
		if s.ToolName != nil {
			counts[*s.ToolName]++
		}
	}
	return counts
}
