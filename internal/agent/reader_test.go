package agent_test

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/feed"
)

// reader follows the chat as a browser does: it shows what is being written as
// drafts, until the documents come.
type reader struct {
	mu     sync.Mutex
	drafts map[nestor.Path]*draft
	seq    int64 // of the last change it saw
	// steps tells in words what happened to drafts.
	steps []string
}

// draft is what a reader knows of a message that is being written.
type draft struct {
	feed.Draft
	text, reasoning string
	ended           bool
}

// read follows until ctx ends.
func (w *world) read(ctx context.Context) error {
	for e, err := range w.bench.feed.Events(ctx, feed.Position{Seq: feed.Live}, nestor.Glob(w.chat+"/**")) {
		if err != nil {
			return err
		}
		w.reader.mu.Lock()
		if e.Delta != nil {
			w.reader.take(e.Delta)
		}
		if e.Change != nil {
			w.reader.arrive(e.Change)
		}
		w.reader.mu.Unlock()
		w.poke()
	}
	return nil
}

func (r *reader) take(d *feed.Delta) {
	known := r.drafts[d.Path]
	if known == nil || known.ended {
		known = &draft{Draft: d.Draft}
		r.drafts[d.Path] = known
	}
	switch d.Kind {
	case feed.KindText:
		known.text = string([]rune(known.text)[:d.Offset]) + d.Text
	case feed.KindReasoning:
		known.reasoning = string([]rune(known.reasoning)[:d.Offset]) + d.Text
	case feed.KindRestart:
		r.note(known, "void")
		known.text, known.reasoning = "", ""
	case feed.KindDrop:
		r.note(known, "dropped")
		known.ended = true
	case feed.KindDone:
		known.ended = true
	}
}

// arrive ends the draft of a document that is there.
func (r *reader) arrive(c *nestor.Change) {
	r.seq = c.Seq
	if known := r.drafts[c.Path]; known != nil && c.Type == nestor.Create {
		known.ended = true
		r.note(known, "kept")
	}
}

func (r *reader) note(d *draft, what string) {
	r.steps = append(r.steps, fmt.Sprintf("%s: %s", what, d.text))
}

// checkDrafts: every draft ends, whether its message comes or not. It waits until
// the reader has seen all that was committed.
func (w *world) checkDrafts() {
	w.Helper()
	var last int64
	for _, c := range w.log.sorted() {
		if c.Path != w.chat && w.chat.Contains(c.Path) {
			last = c.Seq
		}
	}
	w.until("all drafts have ended", func() bool {
		w.reader.mu.Lock()
		defer w.reader.mu.Unlock()
		for _, d := range w.reader.drafts {
			if !d.ended {
				return false
			}
		}
		return w.reader.seq >= last
	})
}

// draftOf is what was shown of a message before it was there.
func (w *world) draftOf(p nestor.Path) *draft {
	w.reader.mu.Lock()
	defer w.reader.mu.Unlock()
	return w.reader.drafts[p]
}

// happened is what became of drafts with text, in order.
func (w *world) happened() string {
	w.reader.mu.Lock()
	defer w.reader.mu.Unlock()
	return strings.Join(w.reader.steps, "\n")
}
