package condense

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

//go:embed summarise.md
var instruction string

const (
	// leastChunk is the number of tokens below which reading on in chunks makes
	// no sense.
	leastChunk = 250
	// mostCalls bounds what a summary may cost. To get through a longer history
	// in so many calls, its longest steps are cut.
	mostCalls = 16
)

// summarise makes a summary of the turns before end, including the summary
// among them. It always succeeds, unless ctx ends: what the model does not do
// is done by an outline.
func (v *view) summarise(ctx context.Context, o Options, end int) (*Summary, error) {
	w := &writer{
		written: v.scale,
		wanted:  v.summary,
		limit:   v.summary + v.reserve - v.turn(SummaryTurn("", "")),
		summary: &Summary{Through: v.turns[end-1].ID},
	}
	sofar, quote := v.sofar()
	if v.lastUser() >= 0 && quote != "" {
		sofar += heading + quote // something newer is going to be quoted
	}
	steps := v.steps(v.first, end)
	if o.Model != nil {
		w.model, w.read = o.Model, cutter{scale: scale{o.Meter, o.Model.Name()}}
		w.wanted, w.limit = min(w.wanted, o.ModelWindow/6), min(w.limit, o.ModelWindow/4)
		var err error
		if sofar, steps, err = w.fold(ctx, o.ModelWindow, sofar, steps); err != nil {
			return nil, err
		}
	}
	if len(steps) > 0 {
		sofar = w.outline(sofar, steps, v.summary)
	}
	w.summary.Text = v.compose(sofar, v.quote(end), v.summaryRoom(end))
	return w.summary, nil
}

// writer makes one summary. It counts what it writes in the tokens of the model
// that the conversation is for, and what it reads in those of the model that
// does the work.
type writer struct {
	written scale
	read    cutter
	model   llm.Model
	// wanted is how long a summary should be, limit how long it may be.
	wanted, limit int
	summary       *Summary
}

// fold has the model read chunk after chunk, each together with the summary of
// all before it. It returns the summary as far as it got and the steps that are
// not in it.
func (w *writer) fold(ctx context.Context, window int, sofar string, steps [][]Turn) (string, [][]Turn, error) {
	sofar = w.written.cut(sofar, w.limit, "")
	// The reply needs room in the window as well, and a count may be off.
	room := window/10*8 - w.limit - w.size("")
	chunk := room - w.limit
	if chunk < leastChunk {
		return sofar, steps, nil
	}
	texts := w.transcripts(steps, chunk)
	for len(steps) > 0 && w.summary.Calls < mostCalls {
		n := w.fitting(texts, room-w.size(sofar)+w.size(""))
		text, err := w.ask(ctx, w.request(sofar, texts[:n]))
		if err != nil {
			return "", nil, err
		}
		if text == "" {
			break
		}
		sofar, steps, texts = text, steps[n:], texts[n:]
	}
	return sofar, steps, nil
}

// transcripts are the steps as the model reads them, none longer than a chunk,
// and together no more than the calls can take in: two calls in a row read at
// least one chunk.
func (w *writer) transcripts(steps [][]Turn, chunk int) []string {
	texts, lengths := make([]string, len(steps)), make([]int, len(steps))
	for i, step := range steps {
		texts[i] = transcript(step)
		lengths[i] = w.read.text(texts[i])
	}
	longest := max(min(waterLevel(lengths, mostCalls/2*chunk), chunk), leastPiece)
	for i, step := range steps {
		if lengths[i] > longest {
			texts[i] = w.read.cut(transcript(w.read.squeeze(withoutOpaque(step), longest)), longest, "")
		}
	}
	return texts
}

// fitting is how many texts, at least one, fit one request.
func (w *writer) fitting(texts []string, room int) int {
	for n, text := range texts {
		if room -= w.read.text(text + "\n\n"); room < 0 {
			return max(n, 1)
		}
	}
	return len(texts)
}

// size is what a request takes without a conversation in it.
func (w *writer) size(sofar string) int {
	return w.read.meter.Request(w.read.model, w.request(sofar, nil))
}

func (w *writer) request(sofar string, texts []string) *llm.Request {
	var b strings.Builder
	if sofar != "" {
		fmt.Fprintf(&b, "<summary_so_far>\n%s\n</summary_so_far>\n\n", sofar)
	}
	fmt.Fprintf(&b, "<conversation>\n%s\n</conversation>\n\n", strings.Join(texts, "\n\n"))
	fmt.Fprintf(&b, "Write the new summary now. It may have up to %d words.", max(w.wanted*6/10, 20))
	message := llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: b.String()}}}
	return &llm.Request{System: instruction, Messages: []llm.Message{message}}
}

// ask returns the model's summary, or nothing if it gave none that is of use. A
// failure is no reason to stop, unless somebody wants us to.
func (w *writer) ask(ctx context.Context, req *llm.Request) (string, error) {
	if ctx.Err() != nil {
		return "", llm.Interrupted(ctx, "the summary of the conversation")
	}
	reply, err := llm.Collect(w.model.Generate(ctx, req))
	w.summary.Calls++
	w.summary.Usage = sum(w.summary.Usage, reply.Usage)
	switch {
	case ctx.Err() != nil && err != nil:
		return "", llm.Interrupted(ctx, "the summary of the conversation")
	case errors.Is(err, nestor.ErrCancelled):
		return "", err
	case err != nil || reply.Reason == llm.ReasonRefusal:
		return "", nil
	}
	name := w.model.Name()
	if reply.Model != "" {
		name = reply.Model
	}
	text := strings.TrimSpace(plainText(reply.Message))
	if text == "" || w.written.text(text) > w.limit {
		return "", nil
	}
	w.summary.Model = name
	return text, nil
}

func sum(a, b llm.Usage) llm.Usage {
	return llm.Usage{
		Input: a.Input + b.Input, CachedInput: a.CachedInput + b.CachedInput, CacheWrite: a.CacheWrite + b.CacheWrite,
		Output: a.Output + b.Output, Reasoning: a.Reasoning + b.Reasoning,
	}
}
