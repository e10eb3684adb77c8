package orchestrator

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/ask"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/condense"
	"github.com/nestorhq/nestor/internal/agent/controltool"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/interrupt"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
)

const (
	// maxMistakes is how often the model may correct calls that made no sense.
	maxMistakes = 4
	// maxToolSteps is how many replies of a turn may call tools. Then it has to answer.
	maxToolSteps = 10
)

// unable is the error of a model that made no sense until the end. What that took is paid for.
type unable struct {
	*ask.Reply
	cause error
}

func (u *unable) Error() string { return u.cause.Error() }
func (u *unable) Unwrap() error { return u.cause }

// converse asks the model until it has an answer. Calls of its own tools are run at
// once, and recorded with what it said: they may run again after a crash. Orders are
// carried out with the answer and not before, so that what is said of them is true. Words beside
// a call that makes no sense are void: the model is told, and speaks again.
func (o *Orchestrator) converse(ctx context.Context, t *turn, p ask.Prompt) ([]order, *ask.Reply, error) {
	own := o.Toolbox.OfOrchestrator(ctx)
	p.Tools = o.offer(ctx, t)
	var plan []order
	var void *ask.Reply // what was said in vain, and is paid for with the next reply
	mistakes := 0
	for {
		if t.reply == maxToolSteps {
			p.Tools = nil
			p.Turns = append(p.Turns, condense.Turn{ID: "steps", Message: conversation.UserTurn("No more tools can be called for this answer. Answer now, from what you know.")})
		}
		r, err := o.Asker.Ask(ctx, p)
		if err != nil {
			return nil, nil, after(ctx, void, err)
		}
		r = joined(void, r)
		s := o.sort(ctx, t, own, r)
		plan = append(plan, s.orders...)
		if len(s.ran) == 0 && s.mistake == nil {
			return plan, r, nil
		}
		p.Turns = append(p.Turns, condense.Turn{ID: "reply", Message: partsOf(r)}, condense.Turn{ID: "reply", Message: s.results})
		if s.mistake != nil {
			r.Text = ""
			if mistakes++; mistakes == maxMistakes {
				r.Drop()
				return nil, nil, &unable{r, s.mistake}
			}
		}
		if len(s.ran) == 0 {
			r.Draft.Restart()
			void, p.Writer, p.Before = r, r.Draft, r.Used.Amount()
			continue
		}
		if err := o.record(ctx, t, r, s.ran); err != nil {
			return nil, nil, err
		}
		void, p.Writer, p.Before = nil, nil, budget.Amount{}
		t.reply++
		p.Draft.Path = t.messagePath()
	}
}

// after is the error of a reply that comes after one that was void.
func after(ctx context.Context, void *ask.Reply, err error) error {
	if void == nil {
		return err
	}
	var no *ask.Refusal
	var part *ask.Partial
	switch {
	case errors.As(err, &no):
		no.Reply = joined(void, no.Reply)
	case errors.As(err, &part):
		part.Reply = joined(void, part.Reply)
	case interrupt.Happened(ctx):
		return &ask.Partial{Reply: void}
	case errors.Is(err, nestor.ErrOverBudget):
		return &unable{void, err}
	}
	return err
}

// joined is a reply with what the ones before it took, which said nothing that counts.
func joined(void, r *ask.Reply) *ask.Reply {
	if void == nil {
		return r
	}
	r.Took += void.Took
	r.Used.Calls += void.Used.Calls
	r.Used.Usage = *r.Used.Usage.Add(&void.Used.Usage)
	r.Used.CostMicros += void.Used.CostMicros
	r.Meta.Usage, r.Meta.CostMicros = &r.Used.Usage, r.Used.CostMicros
	r.Meta.DurationMS, r.Meta.FirstMS = r.Took.Milliseconds(), void.Meta.FirstMS
	return r
}

func partsOf(r *ask.Reply) llm.Message {
	return conversation.AssistantTurn(r.Text, conversation.Requests(r.Calls, func(i int) string { return r.Calls[i].ID }), r.Meta)
}

// sorted are the calls of a reply: those of tools, which were run, and orders.
type sorted struct {
	ran     []ranCall
	orders  []order
	mistake error       // the last one, nil if all calls make sense
	results llm.Message // for the model
}

// ranCall is a call of a tool with what came of it.
type ranCall struct {
	call  llm.ToolCall
	said  string
	files []nestor.Part
}

func (o *Orchestrator) sort(ctx context.Context, t *turn, own *tool.Registry, r *ask.Reply) sorted {
	s := sorted{results: llm.Message{Role: llm.RoleTool}}
	tell := func(c *llm.ToolCall, content string, failed bool) {
		s.results.Parts = append(s.results.Parts, llm.ToolResult{CallID: c.ID, Name: c.Name, Content: content, IsError: failed})
	}
	for i := range r.Calls {
		c := &r.Calls[i]
		if _, ok := own.Lookup(c.Name); ok {
			ran, failed := o.run(ctx, t, own, *c, i)
			s.ran = append(s.ran, ran)
			tell(c, ran.said, failed)
			continue
		}
		if c.Name == controltool.NothingToAdd && t.of == conclusion {
			tell(c, nothingAdded, false)
			continue
		}
		next, err := o.understand(t, c)
		if err != nil {
			s.mistake = err
			tell(c, err.Error(), true)
			continue
		}
		s.orders = append(s.orders, next)
		tell(c, "Accepted. It is carried out with your answer: tell the user in a sentence, and do not call it again.", false)
	}
	return s
}

// run runs a call of a tool for those who asked.
func (o *Orchestrator) run(ctx context.Context, t *turn, own *tool.Registry, c llm.ToolCall, i int) (r ranCall, failed bool) {
	id := t.job.DeriveID("tool", strconv.Itoa(t.reply), strconv.Itoa(i))
	result := own.Execute(ctx, tool.Call{
		Scope: tool.Scope{UserID: t.path.UserID(), ChatID: t.path.ID(), AskedBy: t.askers.Or(t.path.UserID()), Run: t.job.Run},
		ID:    id, Name: c.Name, Arguments: conversation.ArgumentText(conversation.Arguments(c)), IdempotencyKey: id,
	})
	files := o.Files.Keep(ctx, t.path, &result)
	return ranCall{c, result.Said(), files}, result.Status != nestor.ToolCallSuccess
}

// record writes a reply that calls tools, with what came of the calls, so that no crash has
// the model asked again. The answer follows.
func (o *Orchestrator) record(ctx context.Context, t *turn, r *ask.Reply, calls []ranCall) error {
	return o.Store.Update(ctx, func(tx store.Tx) error {
		if err := o.pay(tx, t, r); err != nil {
			return err
		}
		message := nestor.Message{
			Role: nestor.RoleAssistant, Type: nestor.MessageToolCall, Content: strings.TrimSpace(r.Text), IsLLMMessage: new(true),
			RepliesTo: t.dialogue.Newest(), Metadata: r.Meta,
		}
		for i, c := range calls {
			message.ToolCalls = conversation.AppendRequest(message.ToolCalls, t.job.DeriveID("tool", strconv.Itoa(t.reply), strconv.Itoa(i)), c.call)
		}
		if _, err := tx.Create(t.messagePath(), message); err != nil {
			return err
		}
		for i, c := range calls {
			id := message.ToolCalls[i].ID
			if err := chatdoc.Save(tx, t.path.Child("messages", nestor.DeriveID("result", id)), nestor.Message{
				Role: nestor.RoleTool, Type: nestor.MessageToolResult, Content: c.said, Parts: c.files, ToolCallID: id, IsLLMMessage: new(true),
			}); err != nil {
				return err
			}
		}
		return nil
	})
}
