package feed

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
)

// inward is the stream of what another node's drafts say to this one.
type inward struct {
	stream, number int64
	lost           bool // something is missing; a new stream was asked for
	asked          time.Time
	heard          time.Time
	mirrors        map[int64]*mirror
	ignored        map[int64]bool // drafts that nobody follows here
}

// mirror is a draft of another node. Its texts may be longer than what its writer
// keeps, and its writer may have ended before it.
type mirror struct {
	writer                    *Writer
	restarts, text, reasoning int
	replaced                  bool // the node has begun another in its place
}

// maxIgnored bounds how many drafts are known not to matter.
const maxIgnored = 4096

// receive takes a message of another node. One that cannot be read is ignored.
func (r *relay) receive(data []byte) {
	var e envelope
	if err := json.Unmarshal(data, &e); err != nil || e.From == "" || e.From == r.id {
		return
	}
	r.feed.mu.Lock()
	defer r.feed.mu.Unlock()
	now := time.Now()
	p := r.peers[e.From]
	if e.Bye {
		if p != nil {
			r.forget(p)
		}
		return
	}
	if p == nil {
		p = r.meet(e.From)
	}
	p.heard = now
	if e.Watch != nil {
		r.listen(p, e.Watch)
	}
	if e.Hello != nil && e.Hello.Version != p.version {
		r.ask(p, ask{Watch: true})
	}
	if e.Ask != nil {
		p.owed = p.owed || e.Ask.Watch
		if e.Ask.Drafts {
			p.out.stream, p.out.ask = 0, true
		}
		r.wake()
	}
	if e.Said != nil {
		r.hear(p, e.Said, now)
	}
}

// meet begins to know a node, which is told what we watch.
func (r *relay) meet(id string) *peer {
	p := &peer{id: id, owed: true, globs: map[nestor.Glob]bool{}}
	p.in.mirrors, p.in.ignored = map[int64]*mirror{}, map[int64]bool{}
	p.out.sent, p.out.dirty = map[*Writer]*progress{}, map[*Writer]bool{}
	r.peers[id] = p
	r.known.Store(int64(len(r.peers)))
	r.wake()
	return p
}

// ask asks a node for what is missing.
func (r *relay) ask(p *peer, a ask) {
	if p.asks == nil {
		p.asks = &ask{}
	}
	p.asks.Watch, p.asks.Drafts = p.asks.Watch || a.Watch, p.asks.Drafts || a.Drafts
	r.asked++
	r.wake()
}

// hear takes a message of a stream.
func (r *relay) hear(p *peer, s *said, now time.Time) {
	in := &p.in
	in.heard = now
	switch {
	case s.Stream < in.stream, s.Stream == in.stream && s.Number <= in.number:
		return // it came before
	case s.Stream > in.stream && s.Number == 1:
		in.stream, in.lost = s.Stream, false
		clear(in.ignored)
		for id := range in.mirrors {
			if !slices.Contains(s.Open, id) {
				r.drop(p, id)
			}
		}
	case s.Stream > in.stream, s.Number > in.number+1, in.lost:
		r.askDrafts(p, now)
		return
	}
	in.number = s.Number
	for i := range s.Pieces {
		if !r.mirror(p, &s.Pieces[i]) {
			r.askDrafts(p, now)
			return
		}
	}
}

// askDrafts asks for a new stream because something is missing. What comes
// meanwhile is not believed.
func (r *relay) askDrafts(p *peer, now time.Time) {
	p.in.lost = true
	if now.Sub(p.in.asked) >= askAgain {
		p.in.asked = now
		r.ask(p, ask{Drafts: true})
	}
}

// mirror adds a piece to what its draft has said. It reports false if something
// before it is missing.
func (r *relay) mirror(p *peer, what *piece) bool {
	m := p.in.mirrors[what.ID]
	switch {
	case m == nil && what.Begin != nil:
		if m = r.beginMirror(p, what); m == nil {
			return true
		}
	case m == nil && p.in.ignored[what.ID]:
		return true
	case m == nil:
		return false
	}
	w := m.writer
	switch {
	case what.Restarts < m.restarts:
		return true
	case what.Restarts > m.restarts:
		if m.restarts, m.text, m.reasoning = what.Restarts, 0, 0; w.changes > 0 {
			w.apply(w.void)
		}
	}
	if !m.say(&m.reasoning, what.Reasoning, what.ReasoningOffset, true) || !m.say(&m.text, what.Text, what.TextOffset, false) {
		return false
	}
	for _, t := range what.Tools {
		if !slices.ContainsFunc(w.tools, func(known toolMark) bool { return known.tool == t }) {
			w.apply(func(n int64) { w.setTool(n, t) })
		}
	}
	switch what.End {
	case "":
	case KindRestart: // the other one begins, and with it this one ends
		m.replaced = true
	default:
		r.feed.finish(w, what.End)
		delete(p.in.mirrors, what.ID)
	}
	return true
}

// say adds what follows the bytes that the mirror has.
func (m *mirror) say(has *int, s string, offset int, reasoning bool) bool {
	if s == "" || offset+len(s) <= *has {
		return true
	}
	if offset > *has {
		return false
	}
	more := s[*has-offset:]
	*has = offset + len(s)
	m.writer.apply(func(n int64) { m.writer.add(n, more, reasoning) })
	return true
}

// beginMirror begins to show a draft of another node, nil if nobody here follows
// it. Two nodes can be at the same draft, when one has taken the job over from the
// other and the other does not know yet. The later one is shown, and our own
// before any other.
func (r *relay) beginMirror(p *peer, what *piece) *mirror {
	b := what.Begin
	if _, err := nestor.ParsePath(string(b.Path)); err != nil || !r.watches(b.Path) {
		p.in.ignored[what.ID] = true
		return nil
	}
	delete(p.in.ignored, what.ID)
	m := &mirror{writer: &Writer{feed: r.feed, draft: b.Draft, after: b.After, origin: p.id, begun: time.UnixMilli(b.Begun)}}
	p.in.mirrors[what.ID] = m
	if old := r.feed.open[b.Path]; old != nil && (old.origin == "" || old.begun.After(m.writer.begun)) {
		m.writer.ended = r.feed.tick()
	} else {
		r.feed.begin(m.writer)
	}
	return m
}

// drop ends a mirror: of what becomes of its draft the document tells.
func (r *relay) drop(p *peer, id int64) {
	r.feed.finish(p.in.mirrors[id].writer, KindDrop)
	delete(p.in.mirrors, id)
	p.in.ignored[id] = true
}

// dropSilent drops the mirrors of a node that has said nothing for too long, and
// lets go of those that were replaced.
func (r *relay) dropSilent(p *peer, now time.Time) {
	if len(p.in.ignored) > maxIgnored {
		clear(p.in.ignored) // at worst something is asked for that nobody follows
	}
	late := now.Sub(p.in.heard) > silence
	for id, m := range p.in.mirrors {
		switch {
		case late:
			r.drop(p, id)
			p.in.lost = true
		case m.replaced && m.writer.ended != 0:
			delete(p.in.mirrors, id)
		}
	}
}
