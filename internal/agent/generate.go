package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/condense"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/tokens"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
)

// Asker asks models.
type Asker struct {
	Store  store.Documents
	Models module.Models
	// Feed shows what is being said. Nobody is shown anything without one.
	Feed *feed.Feed
	// ContextTokens is the size from which a conversation is condensed.
	// Defaults to 120,000 or 80% of the model's window, whichever is less.
	ContextTokens int

	meter tokens.Meter
}

// prompt is what a model is asked.
type prompt struct {
	job        *nestor.Job
	connection string
	system     string
	turns      []condense.Turn
	tools      []llm.Tool
	maxTokens  int
	// draft is the message that the reply becomes; none for what nobody reads
	// while it is written. If writer is set, it has begun already.
	draft  feed.Draft
	writer *feed.Writer
	// scopes bound what the call may use, with what the job used before it.
	scopes []budget.Scope
	before budget.Amount
	// keep stores a summary that was made on the way.
	keep func(context.Context, *condense.Summary, *nestor.MessageMetadata) error
}

// reply is what a model said, and what that took.
type reply struct {
	text  string
	calls []llm.ToolCall
	meta  *nestor.MessageMetadata
	used  budget.Used
	took  time.Duration
	// draft ends when the message is there. If it is not going to be, drop it.
	draft *feed.Writer
}

// drop shows that no message comes of what was said.
func (r *reply) drop() { r.draft.Drop() }

// maxContinued is how often a reply that a token limit cut off is continued.
const maxContinued = 25

// maxCondensed is how often a conversation that the provider finds too long is
// condensed further for one call.
const maxCondensed = 5

// generate asks the model once, showing what it says as it comes. A reply that
// a limit cut off is continued until it is whole; a conversation that is too
// long for the provider is condensed until it takes it. That the model declines
// is an error, a [refusal], and so is that it was interrupted, a [partial] if it
// had said something.
func (a *Asker) generate(ctx context.Context, p prompt) (*reply, error) {
	model, err := a.Models.Open(ctx, p.job.Change.Path.UserID(), p.connection)
	if err != nil {
		return nil, err
	}
	p.turns = visibleTo(model, p.turns)
	r := &reply{draft: p.writer}
	size := a.sizeOf(model)
	began := time.Now()
	for n := 0; ; n++ {
		req := &llm.Request{System: p.system, Tools: p.tools, MaxTokens: p.maxTokens}
		if err = a.fit(ctx, model, req, &p, size, r); err != nil {
			break
		}
		if r.draft == nil && p.draft.Path != "" {
			r.draft = a.Feed.Begin(p.draft)
		}
		err = a.say(ctx, model, req, p, r)
		limit, tooLong := llm.TooLong(err)
		if !tooLong || n == maxCondensed {
			break
		}
		size = size.below(a.meter.Request(model.Name(), req), limit)
	}
	r.took = time.Since(began)
	if r.meta != nil {
		r.meta.DurationMS = r.took.Milliseconds()
	}
	var no *refusal
	switch {
	case errors.As(err, &no):
		no.reply = r
		return nil, no
	case err != nil && interrupted(ctx) && r.used.Calls > 0:
		r.cut()
		return nil, &partial{r}
	case err != nil:
		r.draft.Drop()
		return nil, err
	}
	return r, nil
}

func (a *Asker) say(ctx context.Context, model llm.Model, req *llm.Request, p prompt, r *reply) error {
	var text strings.Builder
	var blocks []llm.Reasoning
	for n := 0; ; n++ {
		err := a.reserve(ctx, p, model, req, r.used)
		if n > 0 && errors.Is(err, nestor.ErrOverBudget) {
			return nil // cut off it stays, and is paid for
		}
		if err != nil {
			return err
		}
		part, err := stream(model.Generate(ctx, req), r.draft)
		if _, tooLong := llm.TooLong(err); n > 0 && tooLong {
			return nil // so does this
		}
		if err != nil && !(interrupted(ctx) && a.produced(model.Name(), req, &part)) {
			return err
		}
		answered := model.Name()
		if part.Model != "" {
			answered = part.Model
		}
		if err == nil && !part.Usage.Estimated {
			a.meter.Learn(answered, req, part.Usage.Input)
		}
		priced, cost := budget.Priced(answered, part.Usage)
		r.used.Model, r.used.Calls = answered, r.used.Calls+1
		r.used.Usage = *r.used.Usage.Add(&priced)
		r.used.CostMicros += cost
		for _, piece := range part.Message.Parts {
			switch piece := piece.(type) {
			case llm.Text:
				text.WriteString(storable(piece.Text))
			case llm.Reasoning:
				blocks = append(blocks, piece)
			case llm.ToolCall:
				piece.Arguments = storable(piece.Arguments)
				r.calls = append(r.calls, piece)
			}
		}
		r.text = strings.TrimSpace(text.String())
		r.meta = &nestor.MessageMetadata{
			Model: answered, Usage: &r.used.Usage, CostMicros: r.used.CostMicros, FinishReason: string(part.Reason),
			Reasoning: encodeReasoning(blocks),
		}
		if err != nil {
			return err
		}
		if part.Reason == llm.ReasonRefusal {
			return &refusal{detail: part.Detail}
		}
		if part.Reason != llm.ReasonLength || len(r.calls) > 0 || n == maxContinued || len(part.Message.Parts) == 0 ||
			text.Len()+len(r.meta.Reasoning) >= llm.MaxReply {
			return nil
		}
		req.Messages = append(req.Messages, part.Message, userTurn("Go on exactly where you stopped, without repeating anything."))
	}
}

// stream collects a reply and shows it as it comes.
func stream(events func(func(llm.Event, error) bool), draft *feed.Writer) (llm.Reply, error) {
	return llm.Collect(func(yield func(llm.Event, error) bool) {
		for ev, err := range events {
			switch ev := ev.(type) {
			case llm.Text:
				draft.Text(ev.Text)
			case llm.Reasoning:
				draft.Reasoning(ev.Text)
			}
			if !yield(ev, err) {
				return
			}
		}
	})
}

// fit puts the conversation into the request, condensed if it is too long. A
// summary that this takes is stored at once, so that no retry makes it again,
// and takes the place of what it covers in the prompt.
func (a *Asker) fit(ctx context.Context, model llm.Model, req *llm.Request, p *prompt, size size, r *reply) error {
	began := time.Now()
	writer := &reserving{Model: model, produced: a.produced, reserve: func(ctx context.Context, req *llm.Request, used budget.Used) error {
		return a.reserve(ctx, *p, model, req, used)
	}}
	fitted, err := condense.Fit(ctx, condense.Options{
		Model: writer, Meter: &a.meter, Threshold: size.threshold, ModelWindow: size.window,
	}, req, p.turns)
	if err != nil {
		r.used = plus(r.used, writer.used) // nobody gets a summary for it
		r.used.Model = model.Name()
		return err
	}
	if s := fitted.Summary; s != nil && p.keep != nil {
		usage, cost := budget.Priced(s.Model, s.Usage)
		meta := &nestor.MessageMetadata{Model: s.Model, Usage: &usage, CostMicros: cost, DurationMS: time.Since(began).Milliseconds()}
		if err := p.keep(ctx, s, meta); err != nil {
			return err
		}
		p.turns = condense.After(s, p.turns)
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

// reserve sets aside what the call may need, on top of what the calls before
// it used. If others have reserved what it needs, it is put off, unless it has
// used something already: then there is no room for more of it.
func (a *Asker) reserve(ctx context.Context, p prompt, model llm.Model, req *llm.Request, used budget.Used) error {
	if len(p.scopes) == 0 {
		return nil
	}
	out := int64(req.MaxTokens)
	if out == 0 {
		out = replyReserve
	}
	next, err := budget.Need(model, llm.Usage{Input: int64(a.meter.Request(model.Name(), req)), Output: out}, p.scopes)
	if err != nil {
		return err
	}
	before := budget.Amount{Tokens: p.before.Tokens + used.Usage.Tokens(), Micros: p.before.Micros + used.CostMicros}
	err = budget.Reserve(ctx, a.Store, p.job.ID, p.scopes, budget.Amount{
		Tokens: before.Tokens + next.Tokens, Micros: before.Micros + next.Micros,
	})
	switch {
	case !errors.As(err, new(nestor.PutOff)):
		return err
	case before != budget.Amount{}:
		return nestor.Errorf(nestor.CodeOverBudget, "%s", err.Error())
	}
	// Who waits holds nothing back, not even what an attempt before this one
	// reserved. So two never wait for each other.
	return errors.Join(err, a.Store.Update(ctx, func(tx store.Tx) error { return budget.Release(tx, p.job.ID, p.scopes) }))
}

func encodeReasoning(blocks []llm.Reasoning) json.RawMessage {
	if len(blocks) == 0 {
		return nil
	}
	text := encode(blocks) // texts always encode
	if bytes.Contains(text, []byte(escapedNUL)) {
		return nil // it cannot be stored, and must not be changed
	}
	return text
}

// escapedNUL is the one character that no document can hold, as JSON has it.
const escapedNUL = `\u0000`

// storable is a text without that character.
func storable(s string) string { return strings.ReplaceAll(s, "\x00", "\uFFFD") }

// requests turns a model's calls into their stored form, under ids that are
// ours: those of providers may repeat or not be fit for a path. Theirs are kept
// beside them.
func requests(calls []llm.ToolCall, id func(i int) string) []nestor.ToolRequest {
	var list []nestor.ToolRequest
	for i, c := range calls {
		list = appendRequest(list, id(i), c)
	}
	return list
}

// appendRequest keeps the provider's id, unless it repeats within the message:
// then it would not tell which call a result is for.
func appendRequest(list []nestor.ToolRequest, id string, c llm.ToolCall) []nestor.ToolRequest {
	r := nestor.ToolRequest{
		ID: id, ProviderID: c.ID, Type: "function", Signature: c.Signature,
		Function: nestor.FunctionCall{Name: c.Name, Arguments: c.Arguments},
	}
	if slices.ContainsFunc(list, func(before nestor.ToolRequest) bool { return before.ProviderID == c.ID }) {
		r.ProviderID = ""
	}
	return append(list, r)
}
