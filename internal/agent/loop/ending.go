package loop

import (
	"context"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/ask"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/controltool"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/agent/lifecycle"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/worker"
)

// An agent stops by an answer or a question. Calls beside it in the same reply are
// carried out first: meanwhile the call that stops the agent is open, as any other,
// and its document holds the answer or question. When all others have ended it
// counts, or the model is told why it does not. So whatever happens in between, a
// crash, a pause, a cancellation, a word of somebody, finds an agent that waits for
// its calls.

// ending is how a reply stops the agent: an answer goes before a question.
type ending struct {
	// call is which call of the reply it is, -1 for plain text.
	call     int
	asks     bool
	answer   controltool.Answer
	question controltool.Question
}

// endingOf is nil if the agent goes on.
func (s *step) endingOf(r *ask.Reply) *ending {
	if len(s.calls) == 0 && r.Text != "" {
		answer := controltool.Answer{Text: r.Text}
		if s.form != nil {
			if answer, s.unfit = s.form.ReadText(r.Text); s.unfit != nil {
				return nil
			}
		}
		return &ending{call: -1, answer: answer}
	}
	var question *ending
	for i, c := range s.calls {
		e, err := s.readEnding(c.Name, c.Arguments)
		switch {
		case err != nil:
			s.unfit = err
		case e == nil:
		case !e.asks:
			e.call = i
			return e
		case question == nil:
			e.call = i
			question = e
		}
	}
	return question
}

// readEnding is nil if a call does not stop the agent. The error says, for the model, why an
// answer is none.
func (s *step) readEnding(name, arguments string) (*ending, error) {
	switch name {
	case controltool.FinalAnswer:
		read := controltool.ReadAnswer
		if s.form != nil {
			read = s.form.Read
		}
		answer, err := read(arguments)
		if err != nil {
			return nil, err
		}
		return &ending{answer: answer}, nil
	case controltool.AskUser:
		if question, ok := controltool.ReadQuestion(arguments); ok {
			return &ending{asks: true, question: question}, nil
		}
	}
	return nil, nil
}

// text is what the ending says.
func (e *ending) text() string {
	if e.asks {
		return e.question.Question
	}
	return e.answer.Text
}

var ends = []string{controltool.FinalAnswer, controltool.AskUser}

// beside reports whether a call of a reply is one beside what stops the agent. Of
// several that would, one counts.
func (s *step) beside(i int) bool { return s.end == nil || !slices.Contains(ends, s.calls[i].Name) }

// hasBeside reports whether calls are to be carried out before the agent stops.
func (s *step) hasBeside() bool {
	for i := range s.calls {
		if s.end != nil && s.beside(i) {
			return true
		}
	}
	return false
}

// keptCall is the only call of a conversation that is open, if it stops the agent.
func keptCall(said conversation.Messages) *nestor.ToolRequest {
	open := said.Open()
	if len(open) != 1 || !slices.Contains(ends, tool.MeantName(ends, open[0].Function.Name)) {
		return nil
	}
	return &open[0]
}

// stop has a kept answer or question count.
func (l *Loop) stop(s *step) worker.Effect {
	s.task, s.chatDoc = l.Memory.LastOf(s.path, chatdoc.TaskPath(s.chat, s.agent.TaskID))
	return func(tx store.Tx) error {
		_, err := s.settleKept(tx, true)
		return err
	}
}

// goesOn reports whether a kept answer or question does not count. Then the model has
// been told why, and the job goes on with the next step: another delivery of it finds
// that made.
func (l *Loop) goesOn(ctx context.Context, s *step) (told bool, err error) {
	err = l.Store.Update(ctx, func(tx store.Tx) error {
		told, err = s.settleKept(tx, false)
		return err
	})
	return told, err
}

// settleKept ends the kept call as it stands in the transaction. Unless it may count,
// it is only ended if it does not.
func (s *step) settleKept(tx store.Tx, mayCount bool) (ended bool, err error) {
	agent, asRead, err := s.current(tx)
	if err != nil || agent == nil || agent.Status != nestor.SubAgentActive || agent.Paused != nil && *agent.Paused {
		return false, err
	}
	call, err := store.Find[nestor.ToolCall](tx, s.path.Child("tool-calls", s.kept))
	if err != nil || call == nil || call.Status != nestor.ToolCallRunning {
		return false, err
	}
	e, err := s.readEnding(call.ToolName, conversation.ArgumentText(call.Args))
	if err != nil || e == nil {
		return false, nil // it is not ours to end
	}
	late := s.said.SpokenAfter(call.MessageID)
	if !late && !asRead {
		if late, err = s.spokenTo(tx); err != nil {
			return false, err
		}
	}
	beside, err := s.siblings(tx, call)
	if err != nil || !mayCount && e.invalid(beside, late) == "" {
		return false, err
	}
	now := *s
	now.agent = *agent
	return true, now.settleEnd(tx, e, call, beside, late)
}

// siblings are the calls of the same reply that were to be carried out.
func (s *step) siblings(tx store.Tx, call *nestor.ToolCall) (calls []nestor.ToolCall, err error) {
	for _, id := range s.said.CallsOf(call.MessageID) {
		one, err := store.Find[nestor.ToolCall](tx, s.path.Child("tool-calls", id))
		if err != nil {
			return nil, err
		}
		if one != nil && id != call.ID && !slices.Contains(ends, one.ToolName) {
			calls = append(calls, *one)
		}
	}
	return calls, nil
}

// settleEnd ends the call that stops the agent, when those beside it have ended.
func (s *step) settleEnd(tx store.Tx, e *ending, call *nestor.ToolCall, beside []nestor.ToolCall, late bool) error {
	if why := e.invalid(beside, late); why != "" {
		if err := lifecycle.FinishCall(tx, s.path, call, nestor.ToolCallSkipped, why); err != nil {
			return err
		}
		return chatdoc.Save(tx, s.path, s.agent)
	}
	said := delivered
	if e.asks {
		said = passedOn
	}
	if err := lifecycle.FinishCall(tx, s.path, call, nestor.ToolCallSuccess, said); err != nil {
		return err
	}
	if err := s.tellEnd(tx, e, call); err != nil {
		return err
	}
	if e.asks {
		return s.ask(tx, e.question, call.ID)
	}
	return s.conclude(tx, e.answer)
}

// invalid says, in words for the model, why an answer or question does not count, ""
// if it does. An answer that was given before an agent had its result lacks that.
func (e *ending) invalid(beside []nestor.ToolCall, late bool) string {
	not, again := "Not delivered: ", "give the answer again."
	if e.asks {
		not, again = "Not asked: ", "ask again if you still need to."
	}
	failed := func(c nestor.ToolCall) bool { return c.Status != nestor.ToolCallSuccess }
	delegated := func(c nestor.ToolCall) bool { return c.ToolName == controltool.CreateAgent }
	switch {
	case late:
		return not + "a new message came meanwhile. Read it first, then " + again
	case slices.ContainsFunc(beside, failed):
		return not + "a call beside it failed. Look at the results, then " + again
	case slices.ContainsFunc(beside, delegated):
		return not + "the agent had no result yet. Look at its result, then " + again
	}
	return ""
}
