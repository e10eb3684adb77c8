package feed

import (
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
)

// outward is the stream of what this node's drafts say to another node.
type outward struct {
	stream int64 // 0: it is to begin anew
	number int64 // of the last message
	at     time.Time
	sent   map[*Writer]*progress // of the drafts that the other node was told of
	dirty  map[*Writer]bool      // what has more to tell
	ask    bool                  // the other node waits for an answer
}

// progress is how much of a draft was sent.
type progress struct{ restarts, changes, text, reasoning int }

// maxSaid is about how many bytes of text one message has; the rest goes with the
// next one.
const maxSaid = 64 << 10

// changed notes that a draft of this node has more to tell, or has ended.
func (r *relay) changed(w *Writer) {
	if r == nil || w.origin != "" {
		return
	}
	r.watchers.Match(string(w.draft.Path), func(p *peer) {
		if !p.out.dirty[w] {
			p.out.dirty[w] = true
			r.wake()
		}
	})
}

// tell makes the next message to a node, nil if there is nothing to say.
func (r *relay) tell(p *peer, now time.Time) *said {
	o := &p.out
	var open []int64
	if o.stream == 0 {
		open = r.begin(p)
	}
	pieces := o.pieces()
	beat := len(o.sent) > 0 && now.Sub(o.at) >= stillThere
	if open == nil && len(pieces) == 0 && !beat {
		return nil
	}
	if len(o.dirty) > 0 { // there was no room
		r.wake()
	}
	o.number++
	o.at = now
	return &said{Stream: o.stream, Number: o.number, Open: open, Pieces: pieces}
}

// begin begins a stream anew, with the drafts that the node watches. It returns
// nil if there is nothing to tell, and nothing was told before that has ended.
func (r *relay) begin(p *peer) (open []int64) {
	o := &p.out
	told := len(o.sent) > 0 || o.ask
	o.sent, o.dirty, o.ask = map[*Writer]*progress{}, map[*Writer]bool{}, false
	open = []int64{}
	for _, w := range r.feed.open {
		if w.origin == "" && w.changes > 0 && r.watchedBy(p, w.draft.Path) {
			o.dirty[w] = true
			open = append(open, w.id)
		}
	}
	r.streams++
	o.stream, o.number = r.streams, 0
	if len(open) == 0 && !told {
		return nil
	}
	return open
}

// pieces are what is new, of the oldest drafts first.
func (o *outward) pieces() (out []piece) {
	room := maxSaid
	for _, w := range slices.SortedFunc(maps.Keys(o.dirty), func(a, b *Writer) int { return int(a.id - b.id) }) {
		if room <= 0 {
			break
		}
		did := o.sent[w]
		if did == nil && w.ended != 0 {
			delete(o.dirty, w) // its document tells
			continue
		}
		piece, all := w.piece(o.sent, &room)
		out = append(out, piece)
		if all {
			delete(o.dirty, w)
		}
		if all && w.ended != 0 {
			delete(o.sent, w)
		}
	}
	return out
}

// piece is what is new in a draft, as much as there is room for, and whether that
// is all. It counts as sent.
func (w *Writer) piece(sent map[*Writer]*progress, room *int) (p piece, all bool) {
	p.ID = w.id
	did := sent[w]
	if did == nil {
		did = &progress{}
		sent[w] = did
		p.Begin = &beginning{Draft: w.draft, After: w.after, Begun: w.begun.UnixMilli()}
	}
	if did.restarts != w.restarts {
		*did = progress{restarts: w.restarts}
	}
	p.Restarts = w.restarts
	p.Reasoning, p.ReasoningOffset = w.reasoning.next(&did.reasoning, room)
	p.Text, p.TextOffset = w.text.next(&did.text, room)
	if did.reasoning < len(w.reasoning.said) || did.text < len(w.text.said) {
		return p, false
	}
	for _, t := range w.tools {
		if t.change > did.changes {
			p.Tools = append(p.Tools, t.tool)
		}
	}
	did.changes = w.changes
	if p.End = w.end; w.ended != 0 && w.end == "" {
		p.End = KindRestart
	}
	*room -= overhead
	return p, true
}

// next takes what follows the first from bytes, whole characters, and moves from.
func (t *text) next(from, room *int) (s string, offset int) {
	if *from >= len(t.said) { // all was sent, or the text is gone with the draft
		return "", 0
	}
	offset = *from
	end := min(len(t.said), offset+max(*room, utf8.UTFMax))
	for end < len(t.said) && !utf8.RuneStart(t.said[end]) {
		end--
	}
	*room -= end - offset
	*from = end
	return string(t.said[offset:end]), offset
}

// listen takes what a node watches.
func (r *relay) listen(p *peer, w *watch) {
	switch {
	case w.All:
		if w.Version < p.version {
			return
		}
		for g := range p.globs {
			r.watchers.Remove(g, p)
		}
		p.globs = map[nestor.Glob]bool{}
		// A message is missing that may have said that the node let go of drafts
		// which it wants to hear of again.
		p.out.stream = 0
		r.wake()
	case w.Version <= p.version:
		return // it came before
	case w.Version != p.version+1:
		r.ask(p, ask{Watch: true})
		return
	}
	p.version = w.Version
	for _, g := range w.Remove {
		if p.globs[g] {
			delete(p.globs, g)
			r.watchers.Remove(g, p)
		}
	}
	r.unheard(p)
	for _, g := range w.Add {
		if g, err := nestor.ParseGlob(string(g)); err == nil && !p.globs[g] {
			p.globs[g] = true
			r.watchers.Add(g, p)
		}
	}
	r.reconsider(p)
}

// unheard lets go of what a node was told and does not watch any more. It has
// dropped that, and is told all of it if it comes back to it.
func (r *relay) unheard(p *peer) {
	for w := range p.out.sent {
		if !r.watchedBy(p, w.draft.Path) {
			delete(p.out.sent, w)
			delete(p.out.dirty, w)
		}
	}
}

// reconsider finds out which drafts a node wants to hear of now.
func (r *relay) reconsider(p *peer) {
	for _, w := range r.feed.open {
		if w.origin == "" && w.changes > 0 && p.out.sent[w] == nil && r.watchedBy(p, w.draft.Path) {
			p.out.dirty[w] = true
			r.wake()
		}
	}
}

func (r *relay) watchedBy(p *peer, path nestor.Path) (yes bool) {
	r.watchers.Match(string(path), func(q *peer) { yes = yes || p == q })
	return yes
}
