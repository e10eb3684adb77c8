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
	case step.Error != "":
		failure = nestor.Errorf(nestor.CodeInvalid, "%s", step.Error)
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
	if made != nil && len(s.session.Skipped) > 0 {
		notices = append(notices, s.skipped())
	}
	total := s.since()
	if made != nil && total > slow.Milliseconds() {
		a.log.Warn("an analysis took long", "session", s.path, "took", time.Duration(total)*time.Millisecond)
	}
	return s.commitWith(last, func(tx store.Tx, session *record.AgentSession, trace *record.ReasoningTrace) error {
		session.Doing, session.Next = upcoming(session.Next, step.StepNumber)
		session.FailedTools = failedTools(session.FailedTools, &step)
		add(trace, step)
		m := &session.ExecutionMetadata
		m.ToolExecutionTimeMS += took
		m.TotalTimeMS = total
		count(m, trace)
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

// upcoming is the first of the other calls of a reply, as the step after one, and those
// after it.
func upcoming(calls []record.ReasoningStep, after int) (*record.ReasoningStep, []record.ReasoningStep) {
	if len(calls) == 0 {
		return nil, nil
	}
	step := calls[0]
	step.StepNumber, step.Timestamp = after+1, isoTime(time.Now())
	return &step, calls[1:]
}

// failedTools are the tools whose last use failed. A call of no tool, or of one that does
// not exist, is none.
func failedTools(failed []string, step *record.ReasoningStep) []string {
	if !isTool(step) {
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
	session.Status, session.Slot, session.Doing, session.Next = record.SessionCompleted, record.SlotCurrent, nil, nil
	session.PrioritizedPlan, session.Notices = made, notices
	return nil
}

// add appends a step to a trace, and keeps the trace so small that a document holds
// it: of the oldest outputs only the size is left.
func add(trace *record.ReasoningTrace, step record.ReasoningStep) {
	trace.Steps = append(trace.Steps, step)
	trace.TotalDurationMS = 0
	size := 0
	for _, s := range trace.Steps {
		trace.TotalDurationMS += s.DurationMS
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

// leftOut stands for an input or output of so many bytes.
func leftOut(size int) json.RawMessage { return encode(map[string]int{"left_out_bytes": size}) }

// count derives from a trace what a session says about it. Errors are uses of tools that
// failed; a step may fail without one.
func count(m *record.ExecutionMetadata, trace *record.ReasoningTrace) {
	m.StepsTaken, m.ErrorCount, m.ToolCallCount = len(trace.Steps), 0, toolCounts(trace)
	good := 0
	for i := range trace.Steps {
		s := &trace.Steps[i]
		if s.Status == record.StepSuccess {
			good++
		}
		if s.Status == record.StepFailed && isTool(s) {
			m.ErrorCount++
		}
	}
	m.SuccessRate = rounded(float64(good) / float64(m.StepsTaken))
}

func toolCounts(trace *record.ReasoningTrace) map[string]int {
	counts := map[string]int{}
	for i := range trace.Steps {
		if s := &trace.Steps[i]; isTool(s) || isPlan(s) {
			counts[*s.ToolName]++
		}
	}
	return counts
}

// isTool reports whether a step is a use of a tool that exists.
func isTool(s *record.ReasoningStep) bool {
	return s.ToolName != nil && slices.Contains(toolNames, *s.ToolName)
}

func isPlan(s *record.ReasoningStep) bool { return s.ToolName != nil && *s.ToolName == submitPlan }
