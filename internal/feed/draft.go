package feed

import (
	"sort"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
)

// Draft describes a message that is being written. Its text travels to
// subscribers as deltas while it grows; the message document is written once,
// when it is complete.
type Draft struct {
	// Path of the document that the draft becomes.
	Path nestor.Path `json:"path"`
	// TaskID and SubAgentID say on whose behalf the model speaks; the
	// orchestrator has neither.
	TaskID     string `json:"taskId,omitempty"`
	SubAgentID string `json:"subAgentId,omitempty"`
	// RunID is the run that it is part of.
	RunID string `json:"runId,omitempty"`
}

// Kind says what a delta does to its draft.
type Kind string

// The kinds of deltas. Text and reasoning are two texts of their own.
const (
	KindText      Kind = "text"
	KindReasoning Kind = "reasoning"
	// KindTool tells of a tool call of the draft. It is for show only.
	KindTool Kind = "tool"
	// KindRestart: what was said so far is void.
	KindRestart Kind = "restart"
	// KindDone: all was said; the document is committed or about to be.
	KindDone Kind = "done"
	// KindDrop: there will be no document.
	KindDrop Kind = "drop"
)

// Delta is one event of a draft. A reader that sets its text from Offset on,
// rather than appending to it, is right whatever it has seen before.
type Delta struct {
	Draft
	Kind Kind `json:"kind"`
	// Text is what was said, and Offset the number of characters (Unicode code
	// points) of the same kind before it.
	Text   string `json:"text,omitempty"`
	Offset int    `json:"offset"`
	Tool   *Tool  `json:"tool,omitempty"`
}

// Tool is the state of a tool call in a delta of [KindTool].
type Tool struct {
	CallID string `json:"callId"`
	Name   string `json:"name"`
	Status string `json:"status"`
}

const (
	// maxDraft bounds the memory of one draft, in bytes. Beyond it no more
	// text is kept or passed on; the document brings it.
	maxDraft = 4 << 20
	// maxTools bounds the tool calls that a draft tells of.
	maxTools = 128
)

// Writer writes a draft. Its methods never wait for a subscriber, do nothing
// once the draft has ended or on a nil Writer, and may be called concurrently.
type Writer struct {
	feed  *Feed
	draft Draft
	id    int64 // drafts in the order they began
	after int64 // the newest change that was known when the draft began
	// origin is the node that writes the draft, "" for this one, and begun when it
	// began to.
	origin string
	begun  time.Time

	// All below is guarded by feed.mu.
	early             bool // subscribers were not told yet of all that was known when the draft began
	restarts, changes int  // how often it was restarted, and changed in all
	text, reasoning   text
	full              bool
	marks             []mark // since the last restart, in order of n
	tools             []toolMark
	restarted         int64 // number of the delta that voided what was before
	ended             int64 // number of the delta that ended the draft, 0 while it is open
	end               Kind
	latest            int64 // number of the latest delta
	held              *held // what subscribers need of a draft that has ended
	forgotten         bool  // that was pushed off the shelf
}

// mark is how far a draft had come with the delta of that number.
type mark struct {
	n               int64
	text, reasoning point
}

const markSize = 24

// size is about how many bytes the draft takes.
func (w *Writer) size() int {
	return len(w.text.said) + len(w.reasoning.said) + markSize*len(w.marks) + overhead
}

// forget lets go of what was said: its document tells.
func (w *Writer) forget() {
	w.text, w.reasoning, w.marks, w.tools, w.forgotten = text{}, text{}, nil, nil, true
}

type toolMark struct {
	n      int64
	change int // which one of the draft's
	tool   Tool
}

// Begin opens a draft. A draft that is open at the same path already is void:
// its writer's job is being run again. On a nil Feed it returns nil, which is a
// Writer, too.
func (f *Feed) Begin(d Draft) *Writer {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.begin(&Writer{draft: d, after: f.heard.newest.Load(), begun: time.Now()})
}

func (f *Feed) begin(w *Writer) *Writer {
	f.begun++
	w.feed, w.id = f, f.begun
	d := w.draft
	if old := f.open[d.Path]; old != nil {
		old.ended = f.tick()
		if w.restarted = old.ended; old.early {
			w.restarted = old.restarted
			delete(f.early, old)
		}
		w.latest = w.restarted
		f.retire(old, false)
	}
	f.open[d.Path] = w
	if w.early = w.after > f.position; w.early {
		f.early[w] = true
	} else if w.restarted > 0 {
		f.stir(w)
	}
	return w
}

// Text adds to what the model says.
func (w *Writer) Text(s string) { w.say(s, false) }

// Reasoning adds to what the model thinks.
func (w *Writer) Reasoning(s string) { w.say(s, true) }

func (w *Writer) say(s string, reasoning bool) {
	if w == nil || s == "" {
		return
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	w.change(func(n int64) { w.add(n, s, reasoning) })
}

// add is what say does. The text is valid UTF-8.
func (w *Writer) add(n int64, s string, reasoning bool) {
	w.full = w.full || len(w.text.said)+len(w.reasoning.said)+len(s)+markSize*(len(w.marks)+1) > maxDraft
	if w.full {
		return
	}
	if reasoning {
		w.reasoning.add(s)
	} else {
		w.text.add(s)
	}
	if last := len(w.marks) - 1; last < 0 || w.marks[last].n != n {
		w.marks = append(w.marks, mark{n: n})
	}
	last := &w.marks[len(w.marks)-1]
	last.text, last.reasoning = w.text.end(), w.reasoning.end()
}

// Tool tells how a tool call of the draft is doing.
func (w *Writer) Tool(callID, name, status string) {
	w.change(func(n int64) { w.setTool(n, Tool{callID, name, status}) })
}

func (w *Writer) setTool(n int64, tool Tool) {
	t := toolMark{n, w.changes, tool}
	for i := range w.tools {
		if w.tools[i].tool.CallID == tool.CallID {
			w.tools[i] = t
			return
		}
	}
	if len(w.tools) < maxTools {
		w.tools = append(w.tools, t)
	}
}

// Restart voids what was said so far: a retry begins anew.
func (w *Writer) Restart() {
	w.change(w.void)
}

func (w *Writer) void(n int64) {
	w.text, w.reasoning, w.full = text{}, text{}, false
	w.marks, w.tools, w.restarted = nil, nil, n
	w.restarts++
}

// Done ends the draft because all was said and its document is committed or
// about to be. The feed does so by itself when it sees the document created.
func (w *Writer) Done() { w.finish(KindDone) }

// Drop ends the draft because nothing will come of it.
func (w *Writer) Drop() { w.finish(KindDrop) }

func (w *Writer) finish(end Kind) {
	if w == nil {
		return
	}
	w.feed.mu.Lock()
	defer w.feed.mu.Unlock()
	w.feed.finish(w, end)
}

// becomes reports whether a change is the document that the draft was for. A
// document that was there before is what the draft is about, not what it becomes.
func (w *Writer) becomes(c *nestor.Change) bool { return c.Type == nestor.Create && c.Seq > w.after }

// change applies fn, which is given the number of the delta, to an open draft
// and tells the subscribers.
func (w *Writer) change(fn func(n int64)) {
	if w == nil {
		return
	}
	w.feed.mu.Lock()
	defer w.feed.mu.Unlock()
	w.apply(fn)
}

// apply is what change does, for who holds the lock.
func (w *Writer) apply(fn func(n int64)) {
	if w.ended != 0 {
		return
	}
	w.changes++
	if w.early { // it gets its number later
		fn(w.restarted)
		w.feed.relay.changed(w)
		return
	}
	w.latest = w.feed.tick()
	fn(w.latest)
	w.feed.stir(w)
}

// since yields what the deltas after number from, up to upto, did to the draft,
// in as few deltas as possible. Each comes with its place among all that a
// subscriber is told in one batch; a place never changes. Places up to seen are
// left out. A reader that may hold something stale begins anew. It reports false
// if yield wanted no more.
func (w *Writer) since(from, upto int64, stale bool, seen int64, yield func(place int64, d Delta) bool) bool {
	give := func(step, piece int, d Delta) bool {
		d.Draft = w.draft
		place := (w.id*steps+int64(step))*pieces + int64(piece)
		return place <= seen || yield(place, d)
	}
	if (stale || from < w.restarted && w.restarted <= upto) && !give(0, 0, Delta{Kind: KindRestart}) {
		return false
	}
	a, b := w.at(from), w.at(upto)
	say := func(step int, kind Kind) func(int, point, []byte) bool {
		return func(piece int, begin point, s []byte) bool {
			return give(step, piece, Delta{Kind: kind, Text: string(s), Offset: int(begin.runes)})
		}
	}
	if !w.reasoning.pieces(a.reasoning, b.reasoning, say(1, KindReasoning)) || !w.text.pieces(a.text, b.text, say(2, KindText)) {
		return false
	}
	for i, t := range w.tools {
		if from < t.n && t.n <= upto && !give(3+i, 0, Delta{Kind: KindTool, Tool: &t.tool}) {
			return false
		}
	}
	ended := from < w.ended && w.ended <= upto && w.end != ""
	return !ended || give(3+maxTools, 0, Delta{Kind: w.end})
}

const (
	// steps is more than any step of since, and pieces than any text has.
	steps  = 4 + maxTools
	pieces = 2 * maxDraft / pieceSize
)

// at is how far the draft had come with delta number n.
func (w *Writer) at(n int64) mark {
	after := sort.Search(len(w.marks), func(i int) bool { return w.marks[i].n > n })
	if after == 0 {
		return mark{}
	}
	return w.marks[after-1]
}
