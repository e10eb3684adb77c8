package loop

import (
	"slices"
	"strconv"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/ask"
	"github.com/nestorhq/nestor/internal/agent/billing"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/controltool"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/agent/lifecycle"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// outcome turns a reply into its effects: a final answer goes before a question, and
// tools that are called beside either go before that. The calls that this leaves out
// are recorded as skipped and answered, so that the history stays valid.
func (l *Loop) outcome(s *step, r *ask.Reply) worker.Effect {
	if s.end != nil && !s.end.asks {
		s.task, s.chatDoc = l.Memory.LastOf(s.path, chatdoc.TaskPath(s.chat, s.agent.TaskID))
	}
	return func(tx store.Tx) error {
		agent, asRead, err := s.current(tx)
		if err != nil {
			return err
		}
		if agent == nil || agent.Status != nestor.SubAgentActive || agent.Restarts != s.agent.Restarts {
			return l.keepPartial(tx, s, agent, r) // it was cancelled meanwhile; the call is paid for
		}
		if agent.IterationCount != s.agent.IterationCount {
			r.Drop()
			return l.answered(tx, s, r)
		}
		s := *s
		s.agent = *agent
		late := false
		// Whoever speaks to the agent writes its document, too, so nobody did if that
		// is the one that was read. Else this is asked before anything is written, so
		// that the writes can be sent together.
		if (s.end != nil || s.last) && !asRead {
			if late, err = s.spokenTo(tx); err != nil {
				return err
			}
		}
		if err := s.record(tx, r); err != nil {
			return err
		}
		if err := s.chargeBefore(tx); err != nil {
			return err
		}
		if err := l.settle(tx, &s, r); err != nil {
			return err
		}
		if !late {
			if done, err := s.correct(tx, r); done || err != nil {
				return err
			}
		}
		if !late && !s.last && (s.end == nil || s.hasBeside()) {
			if err := s.tellCalls(tx, r); err != nil {
				return err
			}
			return s.callTools(tx, r)
		}
		content := r.Text
		if s.end != nil && (!s.end.asks || !late && !s.last) {
			content = joined(r.Text, s.end.text())
		}
		if err := s.tell(tx, r, content); err != nil {
			return err
		}
		switch {
		case late:
			if err := s.leaveOut(tx, r, -1, "", "Skipped: a new message came meanwhile. Read it first."); err != nil {
				return err
			}
			return chatdoc.Save(tx, s.path, s.agent)
		case s.end != nil && !s.end.asks:
			if err := s.leaveOut(tx, r, s.end.call, delivered, "Skipped: the final answer was given in the same reply."); err != nil {
				return err
			}
			return s.conclude(tx, s.end.answer)
		case s.last:
			return s.giveUp(tx, r)
		}
		if err := s.leaveOut(tx, r, s.end.call, passedOn, "Skipped: another question was asked in the same reply."); err != nil {
			return err
		}
		return s.ask(tx, s.end.question, s.callID(s.end.call))
	}
}

// answered gives up a step because another step was made meanwhile. What it took
// is paid for. If the other step left no call open that will wake the agent, the
// job begins anew: what woke it may still need an answer.
func (l *Loop) answered(tx store.Tx, s *step, r *ask.Reply) error {
	calls, err := chatdoc.All[nestor.ToolCall](tx, chatdoc.CallsOf(s.path))
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(calls, func(c nestor.ToolCall) bool { return !c.Status.Ended() }) {
		return nestor.Errorf(nestor.CodeConflict, "another step of the agent was made meanwhile")
	}
	if err := l.settle(tx, s, r); err != nil {
		return err
	}
	return billing.ChargeUnsaid(tx, s.chat, s.job.Run, s.payers, r.Used.As(s.agent.Role))
}

// current is the agent as the transaction finds it, nil if it is gone, and whether
// that is the document that was read before the model was asked.
func (s *step) current(tx store.Tx) (agent *nestor.SubAgent, asRead bool, err error) {
	store.Assume(tx, s.read)
	if d, err := tx.Get(s.path); err == nil && d == s.read {
		agent := s.agent
		return &agent, true, nil
	}
	agent, err = store.Find[nestor.SubAgent](tx, s.path)
	return agent, false, err
}

// record writes what the model said and counts it.
func (s *step) record(tx store.Tx, r *ask.Reply) error {
	s.count(r)
	s.agent.Work = s.agent.Work.WithReply(r.Meta)
	content := r.Text
	if content == "" && s.end != nil && !s.end.asks {
		content = s.end.answer.Text
	}
	_, err := tx.Create(s.messagePath(), nestor.SubAgentMessage{
		Role: nestor.RoleAssistant, Content: content, ToolCalls: conversation.Requests(r.Calls, s.callID), RepliesTo: s.newest, Metadata: r.Meta,
	})
	return err
}

// count adds up what a reply took.
func (s *step) count(r *ask.Reply) {
	s.agent.IterationCount++
	s.agent.Model = r.Used.Model
	s.agent.Usage = s.agent.Usage.Add(&r.Used.Usage)
	s.agent.CostMicros += r.Used.CostMicros
	s.agent.ModelMS += r.Took.Milliseconds()
}

func (l *Loop) settle(tx store.Tx, s *step, r *ask.Reply) error {
	return l.Billing.Settle(tx, s.job, s.scopes, s.payers, r.Used)
}

// chargeBefore charges the step to the payer when it began, if somebody spoke to
// the agent meanwhile who pays from now on.
func (s *step) chargeBefore(tx store.Tx) error {
	if billing.SamePayer(s.chat, s.payers, s.agent.AskedBy) {
		return nil
	}
	task, err := chatdoc.Get[nestor.Task](tx, chatdoc.TaskPath(s.chat, s.agent.TaskID))
	if err != nil {
		return err
	}
	used := billing.RollUp(&s.agent, &task)
	if err := chatdoc.Save(tx, chatdoc.TaskPath(s.chat, task.ID), task); err != nil {
		return err
	}
	return billing.Charge(tx, s.chat, s.payers, used)
}

func (s *step) callID(i int) string { return s.job.DeriveID("call", strconv.Itoa(i)) }

// What the call that stops an agent is answered with.
const (
	delivered = "Delivered."
	passedOn  = "The question is passed on. The answer follows."
)

// Concluded reports whether an event is the answer to the call of a final answer. The
// agent ends in the same transaction, so there is no step to make about it.
func Concluded(e *store.Event) bool {
	if e.Type != nestor.Create || !store.SubAgentMessages.Has(e.Path) {
		return false
	}
	m := e.AfterBody()
	return m["role"] == string(nestor.RoleTool) && m["name"] == controltool.FinalAnswer && m["content"] == delivered
}

// conclude ends agent and task with the answer.
func (s *step) conclude(tx store.Tx, answer controltool.Answer) error {
	at := chatdoc.TaskPath(s.chat, s.agent.TaskID)
	store.Assume(tx, s.task, s.chatDoc)
	if err := store.Expect(tx, at, s.chat); err != nil {
		return err
	}
	task, err := chatdoc.Get[nestor.Task](tx, at)
	if err != nil {
		return err
	}
	if answer.CouldNot {
		return lifecycle.EndUndone(tx, s.chat, &s.agent, &task, answer.Text)
	}
	return lifecycle.End(tx, s.chat, &s.agent, &task, nestor.TaskSuccess, answer.Text)
}

// giveUp fails an agent that was to conclude and did not.
func (s *step) giveUp(tx store.Tx, r *ask.Reply) error {
	if err := s.leaveOut(tx, r, -1, "", "Skipped: there are no steps left."); err != nil {
		return err
	}
	return endFailed(tx, s.job, s.path, &s.agent, nestor.Errorf(nestor.CodeCancelled,
		"the agent used all of its %d steps and did not conclude", s.agent.IterationLimit))
}

// ask makes agent and task wait for the user.
func (s *step) ask(tx store.Tx, asked controltool.Question, callID string) error {
	task, err := chatdoc.Get[nestor.Task](tx, chatdoc.TaskPath(s.chat, s.agent.TaskID))
	if err != nil {
		return err
	}
	s.agent.Status, s.agent.Question, s.agent.QuestionCallID = nestor.SubAgentWaiting, asked.Question, callID
	task.Status, task.Question, task.QuestionID, task.Choices = nestor.TaskWaiting, asked.Question, callID, asked.Choices
	used := billing.RollUp(&s.agent, &task)
	if err := chatdoc.Save(tx, s.path, s.agent); err != nil {
		return err
	}
	if err := chatdoc.Save(tx, chatdoc.TaskPath(s.chat, task.ID), task); err != nil {
		return err
	}
	return billing.Charge(tx, s.chat, s.agent.AskedBy, used)
}

// spokenTo reports whether a message came that the model had not seen, wherever
// its time puts it among the others. The job that this message caused makes the
// next step.
func (s *step) spokenTo(tx store.Tx) (bool, error) {
	q := chatdoc.MessagesOf(s.path)
	q.Where = store.Where("role", store.Eq, string(nestor.RoleUser))
	heard, err := chatdoc.All[nestor.SubAgentMessage](tx, q)
	return slices.ContainsFunc(heard, func(m nestor.SubAgentMessage) bool { return !s.said.Has(m.ID) }), err
}

// callTools writes the calls of a reply: those that are done with their results,
// the others as the guards admit them. One that stops the agent is kept until all
// others have ended.
func (s *step) callTools(tx store.Tx, r *ask.Reply) error {
	calls := make([]nestor.ToolCall, len(s.calls))
	var before *nestor.ToolCall // in a sequence, the last that is not done
	for i := range s.calls {
		calls[i] = s.call(r, i)
		calls[i].Untold = s.agent.Standing
		if _, done := s.done[i]; done || !s.role.Sequential || !s.beside(i) {
			continue
		}
		if before != nil {
			before.Next, calls[i].Held = calls[i].ID, true
		}
		before = &calls[i]
	}
	var ended []nestor.ToolCall
	open := false
	for i := range calls {
		s.agent.Work = s.agent.Work.WithTool(calls[i].ToolName)
		done, ok := s.done[i]
		var err error
		switch {
		case !s.beside(i) && i == s.end.call:
			calls[i].Status, calls[i].Untold = nestor.ToolCallRunning, false
			err = chatdoc.Save(tx, s.path.Child("tool-calls", calls[i].ID), calls[i])
		case !s.beside(i):
			err = s.skip(tx, &calls[i], "Skipped: another call of the same reply ends the work.")
		case ok:
			err = done.record(tx, s.path, calls[i])
			calls[i].Status = done.Status
			ended = append(ended, calls[i])
		default:
			open = true
			err = lifecycle.Admit(tx, s.tools, s.path, &s.agent, &calls[i])
		}
		if err != nil {
			return err
		}
	}
	if s.end != nil && !open {
		return s.settleEnd(tx, s.end, &calls[s.end.call], ended, false)
	}
	return chatdoc.Save(tx, s.path, s.agent)
}

// call is the document of a call of the reply.
func (s *step) call(r *ask.Reply, i int) nestor.ToolCall {
	c := s.calls[i]
	return nestor.ToolCall{
		Meta: nestor.Meta{ID: s.callID(i)}, AskedBy: s.agent.AskedBy, ToolName: c.Name, Args: conversation.Arguments(c), Sent: s.sent(r, i),
		Status: nestor.ToolCallPending, MessageID: s.messagePath().ID(),
	}
}

// skip writes a call that is not carried out, and tells the model why.
func (s *step) skip(tx store.Tx, call *nestor.ToolCall, why string) error {
	call.Status, call.Error, call.Untold = nestor.ToolCallSkipped, why, false
	if err := chatdoc.Save(tx, s.path.Child("tool-calls", call.ID), call); err != nil {
		return err
	}
	return lifecycle.Answer(tx, s.path, call.ID, call.ToolName, why, false)
}

// leaveOut answers all calls of a reply without running them: the one that is decided
// with the text done, all others as skipped.
func (s *step) leaveOut(tx store.Tx, r *ask.Reply, decided int, done, skipped string) error {
	for i, c := range s.calls {
		var err error
		if i == decided {
			err = lifecycle.Answer(tx, s.path, s.callID(i), c.Name, done, false)
		} else {
			call := s.call(r, i)
			s.agent.Work = s.agent.Work.WithTool(c.Name)
			err = s.skip(tx, &call, skipped)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
