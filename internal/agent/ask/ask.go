package ask

import (
	"context"
	"errors"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/condense"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/interrupt"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/tokens"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/ration"
	"github.com/nestorhq/nestor/internal/store"
)

// Asker asks models.
type Asker struct {
	Store  store.Documents
	Models module.Models
	// Feed shows what is being said. Nobody is shown anything without one.
	Feed *feed.Feed
	// Files has what messages name. Without it files count as deleted.
	Files Files
	// InFlight bounds the bytes of files in requests that are under way; see
	// [NewInFlight]. Defaults to no bound.
	InFlight *ration.Ration
	// Room reports why no model should be called for the document at a path: there is no
	// room for what would come of it. Defaults to room for all.
	Room func(nestor.Path) error
	// ContextTokens is the size from which a conversation is condensed.
	// Defaults to 120,000 or 80% of the model's window, whichever is less.
	ContextTokens int

	meter tokens.Meter
	calls calls
}

// Prompt is what a model is asked.
type Prompt struct {
	Job        *nestor.Job
	Connection string
	// Model answers in place of that of the connection. It is told the whole
	// conversation, however long.
	Model     llm.Model
	System    string
	Turns     []condense.Turn
	Tools     []llm.Tool
	MaxTokens int
	// Draft is the message that the reply becomes; none if nobody reads along. If
	// Writer is set, the draft has begun already.
	Draft  feed.Draft
	Writer *feed.Writer
	// Gap stands between what the draft says already and the reply.
	Gap string
	// Scopes bound what the call may use, with what the job used before it.
	Scopes []budget.Scope
	// Unpaid says why nobody pays for the call: then it is not made, and that is the error.
	// Nil if somebody does.
	Unpaid error
	Before budget.Amount
	// Keep stores a summary that was made on the way.
	Keep func(context.Context, *condense.Summary, *nestor.MessageMetadata) error
	// MayBeEmpty: saying nothing is an answer.
	MayBeEmpty bool
}

// Reply is what a model said, and what that took.
type Reply struct {
	Text  string
	Calls []llm.ToolCall
	Meta  *nestor.MessageMetadata
	Used  budget.Used
	Took  time.Duration
	// Draft ends when the message is written. Drop it if none will be.
	Draft *feed.Writer

	began time.Time
	// spoke: some of the text was shown. held is space that is shown with what follows it.
	spoke bool
	held  string
	first time.Duration // until the model began to say something, 0 if it has not
}

// heard notes that the model says something.
func (r *Reply) heard() {
	if r.first == 0 {
		r.first = time.Since(r.began)
	}
}

// empty reports whether the model said nothing and called nothing.
func (r *Reply) empty() bool { return r.Text == "" && len(r.Calls) == 0 }

// Drop shows that no message comes of what was said.
func (r *Reply) Drop() { r.Draft.Drop() }

// maxContinued is how often a reply that a token limit cut off is continued.
const maxContinued = 25

// maxCondensed is how often a conversation that the provider finds too long is
// condensed further for one call.
const maxCondensed = 5

// Ask asks the model once, showing what it says as it comes. A reply that a limit
// cut off is continued until it is whole; an empty one is asked for again, once; a
// conversation that is too long for the provider is condensed until it takes it. A
// model that declines, or says nothing again, is an error, a [Refusal]. So is an
// interruption: a [Partial] if the model had said something.
func (a *Asker) Ask(ctx context.Context, p Prompt) (*Reply, error) {
	if p.Unpaid != nil {
		return nil, p.Unpaid
	}
	model, size := p.Model, unbounded
	var err error
	if a.Room != nil {
		if err = a.Room(p.Job.Change.Path); err != nil {
			return nil, err
		}
	}
	if model == nil {
		if model, err = a.Models.Open(ctx, p.Job.Change.Path.UserID(), p.Connection); err != nil {
			return nil, err
		}
		size = a.sizeOf(model)
	}
	var giveBack func()
	p.Turns, giveBack, err = a.loaded(ctx, chatdoc.ChatOf(p.Job.Change.Path), model, conversation.VisibleTo(model, p.Turns))
	if err != nil {
		return nil, err
	}
	defer giveBack()
	r := &Reply{Draft: p.Writer, held: p.Gap, began: time.Now()}
	for n := 0; ; n++ {
		req := &llm.Request{System: p.System, Tools: p.Tools, MaxTokens: p.MaxTokens}
		if err = a.fit(ctx, model, req, &p, size, r); err != nil {
			break
		}
		if r.Draft == nil && p.Draft.Path != "" {
			p.Draft.RunID = p.Job.RunID()
			r.Draft = a.Feed.Begin(p.Draft)
		}
		err = a.sayWords(ctx, model, req, &p, r)
		limit, tooLong := llm.TooLong(err)
		if !tooLong || n == maxCondensed {
			break
		}
		size = size.below(a.meter.Request(model.Name(), req), limit)
	}
	r.Took = time.Since(r.began)
	if r.Meta != nil {
		r.Meta.DurationMS, r.Meta.FirstMS = r.Took.Milliseconds(), r.first.Milliseconds()
		if p.Job.Attempt > 1 {
			r.Meta.Attempts = p.Job.Attempt
		}
	}
	var no *Refusal
	switch {
	case errors.As(err, &no):
		no.Reply = r
		return nil, no
	case err != nil && interrupt.Happened(ctx) && r.Used.Calls > 0:
		r.Cut()
		return nil, &Partial{r}
	case err != nil:
		r.Draft.Drop()
		return nil, err
	}
	return r, nil
}

// emptyReply is what a model is told that said nothing.
const emptyReply = "Your last reply was empty: it had no text and called no tool. Reply to the conversation above."

// sayWords asks again if the reply is empty. An agent elsewhere is not: it would be
// given its work a second time.
func (a *Asker) sayWords(ctx context.Context, model llm.Model, req *llm.Request, p *Prompt, r *Reply) error {
	err := a.say(ctx, model, req, p, r)
	if err != nil || !r.empty() || p.MayBeEmpty {
		return err
	}
	if p.Model == nil {
		req.Messages = append(req.Messages, conversation.UserTurn(emptyReply))
		if err := a.say(ctx, model, req, p, r); err != nil && !errors.Is(err, nestor.ErrOverBudget) {
			return err
		}
	}
	if r.empty() {
		return &Refusal{empty: true}
	}
	return nil
}

// say asks until the reply is whole. While it waits it holds on to little: thousands of
// agents may wait at once.
func (a *Asker) say(ctx context.Context, model llm.Model, req *llm.Request, p *Prompt, r *Reply) error {
	var all said
	for n := 0; ; n++ {
		err := a.reserve(ctx, p, model, req, r.Used)
		if n > 0 && errors.Is(err, nestor.ErrOverBudget) {
			return nil // the reply stays cut off, and is paid for
		}
		if err != nil {
			return err
		}
		part, err := a.hear(ctx, model, req, p.Job.ID, r)
		if _, tooLong := llm.TooLong(err); n > 0 && tooLong {
			return nil // likewise
		}
		if err != nil && !(interrupt.Happened(ctx) && a.produced(model.Name(), req, part)) {
			return err
		}
		if part.Model == "" {
			part.Model = model.Name()
		}
		if err == nil && !part.Usage.Estimated {
			a.meter.Learn(part.Model, req, part.Usage.Input)
		}
		all.add(part, r)
		if err != nil {
			return err
		}
		if part.Reason == llm.ReasonRefusal {
			return &Refusal{detail: part.Detail}
		}
		if part.Reason != llm.ReasonLength || len(r.Calls) > 0 || n == maxContinued || len(part.Message.Parts) == 0 ||
			all.text.Len()+len(r.Meta.Reasoning) >= llm.MaxReply {
			return nil
		}
		req.Messages = append(req.Messages, part.Message, conversation.UserTurn("Go on exactly where you stopped, without repeating anything."))
	}
}

// fit puts the conversation into the request, condensed if it is too long. A
// summary that this takes is stored at once, so that no retry makes it again,
// and takes the place of what it covers in the prompt.
func (a *Asker) fit(ctx context.Context, model llm.Model, req *llm.Request, p *Prompt, size size, r *Reply) error {
	began := time.Now()
	writer := &reserving{Model: model, produced: a.produced, reserve: func(ctx context.Context, req *llm.Request, used budget.Used) error {
		return a.reserve(ctx, p, model, req, used)
	}}
	fitted, err := condense.Fit(ctx, condense.Options{
		Model: writer, Meter: &a.meter, Threshold: size.threshold, ModelWindow: size.window,
	}, req, p.Turns)
	if err != nil {
		r.Used = plus(r.Used, writer.used) // paid for, though there is no summary
		r.Used.Model = model.Name()
		return err
	}
	if s := fitted.Summary; s != nil && p.Keep != nil {
		usage, cost := budget.Priced(s.Model, s.Usage)
		meta := &nestor.MessageMetadata{Model: s.Model, Usage: &usage, CostMicros: cost, DurationMS: time.Since(began).Milliseconds()}
		if err := p.Keep(ctx, s, meta); err != nil {
			return err
		}
		p.Turns = condense.After(s, p.Turns)
	}
	req.Messages = make([]llm.Message, len(fitted.Turns))
	for i, t := range fitted.Turns {
		req.Messages[i] = t.Message
	}
	return nil
}

// replyReserve is how many tokens of a reply are reserved where the prompt sets
// no bound.
const replyReserve = 2_000

// reserve sets aside what the call may need, on top of what the calls before it
// used. If others have reserved what it needs, the job is put off, unless it has
// used something already: then it is over budget.
func (a *Asker) reserve(ctx context.Context, p *Prompt, model llm.Model, req *llm.Request, used budget.Used) error {
	if len(p.Scopes) == 0 {
		return nil
	}
	out := int64(req.MaxTokens)
	if out == 0 {
		out = replyReserve
	}
	next, err := budget.Need(model, llm.Usage{Input: int64(a.meter.Request(model.Name(), req)), Output: out}, p.Scopes)
	if err != nil {
		return err
	}
	before := budget.Amount{Tokens: p.Before.Tokens + used.Usage.Tokens(), Micros: p.Before.Micros + used.CostMicros}
	err = budget.Reserve(ctx, a.Store, budget.Of(p.Job), p.Scopes, budget.Amount{
		Tokens: before.Tokens + next.Tokens, Micros: before.Micros + next.Micros,
	})
	switch {
	case !errors.As(err, new(nestor.PutOff)):
		return err
	case before != budget.Amount{}:
		return nestor.Errorf(nestor.CodeOverBudget, "%s", err.Error())
	}
	// A job that waits holds nothing back, not even what an earlier attempt
	// reserved. So two jobs never wait for each other.
	return errors.Join(err, a.Store.Update(ctx, func(tx store.Tx) error { return budget.Release(tx, budget.Of(p.Job), p.Scopes) }))
}
