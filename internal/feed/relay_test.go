package feed_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/bus"
	"github.com/nestorhq/nestor/internal/bus/bustest"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/store"
)

// shared is a log that several nodes follow, and nothing else of a store.
type shared struct {
	store.Store
	mu      sync.Mutex
	changes []nestor.Change
	wakes   []chan struct{}
}

func (s *shared) Catalogue() *store.Catalogue { return store.DefaultCatalogue }

func (s *shared) Observe(store.Turn, func(store.Commit)) {}

func (s *shared) Wake() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := make(chan struct{}, 1)
	s.wakes = append(s.wakes, c)
	return c
}

func (s *shared) LastSeq(context.Context) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int64(len(s.changes)), nil
}

func (s *shared) Changes(_ context.Context, after int64, limit int, _ func(nestor.Path) bool) ([]nestor.Change, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rest := s.changes[after:]
	return slices.Clone(rest[:min(limit, len(rest))]), nil
}

// create writes a document and wakes all nodes.
func (s *shared) create(p nestor.Path) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes = append(s.changes, nestor.Change{Seq: int64(len(s.changes)) + 1, Type: nestor.Create, Path: p, Version: 1, After: &nestor.Document{Path: p}})
	for _, c := range s.wakes {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// station is a node: a feed on the shared log with its end of the net.
type station struct {
	*feed.Feed
	bus  *bustest.Node
	stop func()
}

func newStation(t testing.TB, s *shared, net *bustest.Net, opts feed.Options) *station {
	n := &station{bus: net.Join()}
	opts.Bus = n.bus
	n.Feed = feed.New(s, opts)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { _ = n.bus.Run(ctx) })
	wg.Go(func() {
		if err := n.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	n.stop = sync.OnceFunc(func() { cancel(); wg.Wait() })
	return n
}

// screen shows what a client that follows a node would.
type screen struct {
	mu     sync.Mutex
	drafts map[nestor.Path]*shown
	seen   []string
	at     feed.Position
	stop   func()
}

type shown struct {
	text, reasoning []rune
	tools           map[string]string
}

func (n *station) show(t testing.TB, from feed.Position, globs ...nestor.Glob) *screen {
	return n.showOn(t, &screen{drafts: map[nestor.Path]*shown{}, at: from}, globs...)
}

// showOn goes on with what another screen showed.
func (n *station) showOn(t testing.TB, before *screen, globs ...nestor.Glob) *screen {
	from := before.at
	s := &screen{drafts: before.drafts, at: from}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for e, err := range n.Events(ctx, from, globs...) {
			if err != nil {
				t.Error(err)
				return
			}
			s.take(e)
		}
	})
	s.stop = sync.OnceFunc(func() { cancel(); wg.Wait() })
	return s
}

func (s *screen) take(e feed.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = e.Position
	if e.Change != nil {
		delete(s.drafts, e.Change.Path)
		s.seen = append(s.seen, "create "+e.Change.Path.ID())
	}
	d := e.Delta
	if d == nil {
		return
	}
	s.seen = append(s.seen, fmt.Sprintf("%s %s %d %q", d.Path.ID(), d.Kind, d.Offset, d.Text))
	on := s.drafts[d.Path]
	if on == nil || d.Kind == feed.KindRestart {
		on = &shown{tools: map[string]string{}}
		s.drafts[d.Path] = on
	}
	switch d.Kind {
	case feed.KindText:
		on.text = append(on.text[:d.Offset], []rune(d.Text)...)
	case feed.KindReasoning:
		on.reasoning = append(on.reasoning[:d.Offset], []rune(d.Text)...)
	case feed.KindTool:
		on.tools[d.Tool.CallID] = d.Tool.Status
	case feed.KindDone, feed.KindDrop:
		delete(s.drafts, d.Path)
	}
}

// shows is what is on the screen, a draft a line.
func (s *screen) shows() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []string
	for p, d := range s.drafts {
		if len(d.text)+len(d.reasoning)+len(d.tools) > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s|%s|%v", p.ID(), string(d.reasoning), string(d.text), d.tools))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func (s *screen) heard() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

var reply = feed.Draft{Path: "users/u1/orch-chats/c1/messages/m1", TaskID: "t1"}

const everything = nestor.Glob("users/u1/**")

// nodes are two of them, of which the second has a client.
type nodes struct {
	*testing.T
	log  *shared
	net  *bustest.Net
	a, b *station
}

func withNodes(t *testing.T, fn func(w nodes)) {
	synctest.Test(t, func(t *testing.T) {
		w := nodes{T: t, log: &shared{}, net: &bustest.Net{}}
		w.a = newStation(t, w.log, w.net, feed.Options{})
		w.b = newStation(t, w.log, w.net, feed.Options{})
		defer w.b.stop()
		defer w.a.stop()
		synctest.Wait()
		fn(w)
	})
}

func (w nodes) want(s *screen, want string) {
	w.Helper()
	synctest.Wait()
	if got := s.shows(); got != want {
		w.Errorf("the screen shows\n%s\nwant\n%s", got, want)
	}
}

// later lets time pass.
func later(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestWhatIsSaidOnOneNodeIsHeardOnAnother(t *testing.T) {
	withNodes(t, func(w nodes) {
		s := w.b.show(w, feed.Position{Seq: feed.Live}, everything)
		defer s.stop()
		later(time.Second)
		d := w.a.Begin(reply)
		d.Reasoning("hm")
		w.want(s, "m1: hm||map[]")
		for _, r := range "Grüße aus Köln 😀" {
			d.Text(string(r))
		}
		d.Tool("c1", "search", "started")
		later(100 * time.Millisecond)
		w.want(s, "m1: hm|Grüße aus Köln 😀|map[c1:started]")
		d.Restart()
		d.Text("anew")
		later(100 * time.Millisecond)
		w.want(s, "m1: |anew|map[]")
		w.log.create(reply.Path)
		later(100 * time.Millisecond)
		w.want(s, "")
		if got := s.heard(); !slices.Contains(got, "create m1") {
			t.Errorf("the document did not come: %v", got)
		}
		other := w.a.Begin(feed.Draft{Path: "users/u1/notes/n1"})
		other.Text("for nothing")
		later(100 * time.Millisecond)
		w.want(s, "n1: |for nothing|map[]")
		other.Drop()
		later(100 * time.Millisecond)
		w.want(s, "")
	})
}

func TestWhoComesInTheMiddleOfAReplyOnAnotherNodeIsToldAllOfIt(t *testing.T) {
	withNodes(t, func(w nodes) {
		d := w.a.Begin(reply)
		long := strings.Repeat("äöü€😀 ", 40_000)
		d.Text(long)
		later(time.Second)
		s := w.b.show(w, feed.Position{Seq: feed.Live}, everything)
		defer s.stop()
		later(time.Second)
		w.want(s, "m1: |"+long+"|map[]")
		d.Text("end")
		later(time.Second)
		w.want(s, "m1: |"+long+"end|map[]")
		for _, m := range w.net.Sent() {
			if len(m.Data) > 256<<10 || !utf8.Valid(m.Data) {
				t.Errorf("a message has %d bytes, valid %t", len(m.Data), utf8.Valid(m.Data))
			}
		}
	})
}

func TestANodeThatIsAloneOrUnwatchedSendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net, log := &bustest.Net{}, &shared{}
		a := newStation(t, log, net, feed.Options{})
		defer a.stop()
		own := a.show(t, feed.Position{Seq: feed.Live}, everything)
		defer own.stop()
		a.Begin(reply).Text("to myself")
		later(time.Minute)
		if sent := net.Sent(); len(sent) != 1 || !bytes.Contains(sent[0].Data, []byte("hello")) {
			t.Errorf("alone it sent %d messages: %s", len(sent), sent)
		}
		b := newStation(t, log, net, feed.Options{})
		defer b.stop()
		s := b.show(t, feed.Position{Seq: feed.Live}, "users/u2/**")
		defer s.stop()
		later(time.Minute)
		a.Begin(feed.Draft{Path: "users/u1/notes/n1"}).Text("a secret of u1")
		later(time.Minute)
		for _, m := range net.Sent() {
			if bytes.Contains(m.Data, []byte("secret")) || bytes.Contains(m.Data, []byte("to myself")) || bytes.Contains(m.Data, []byte(`"said"`)) {
				t.Errorf("it sent what nobody watches: %s", m.Data)
			}
		}
	})
}

func TestAMessageThatIsLostDoubledOrLateGarblesNothing(t *testing.T) {
	for name, fate := range map[string]func(n int) (int, bool){
		"lost":        func(n int) (int, bool) { return 1 - n%3/2, false },
		"doubled":     func(int) (int, bool) { return 2, false },
		"late":        func(n int) (int, bool) { return 1, n%2 == 0 },
		"all at once": func(n int) (int, bool) { return n % 3, n%5 == 0 },
	} {
		t.Run(name, func(t *testing.T) {
			withNodes(t, func(w nodes) {
				s := w.b.show(w, feed.Position{Seq: feed.Live}, everything)
				defer s.stop()
				later(time.Second)
				n := 0
				w.net.Fate(func(bus.Message) (int, bool) { n++; return fate(n) })
				d, want := w.a.Begin(reply), ""
				for i := range 200 {
					piece := fmt.Sprintf("%d€", i)
					d.Text(piece)
					want += piece
					later(30 * time.Millisecond)
					if got, ok := strings.CutPrefix(s.shows(), "m1: |"); ok {
						got, _ = strings.CutSuffix(got, "|map[]")
						if !strings.HasPrefix(want, got) {
							t.Fatalf("it shows %s, and said was %s", got, want)
						}
					}
				}
				w.net.Fate(nil)
				later(5 * time.Second)
				w.want(s, "m1: |"+want+"|map[]")
			})
		})
	}
}

func TestTheDraftOfANodeThatDiesEndsAndItsSuccessorIsHeard(t *testing.T) {
	withNodes(t, func(w nodes) {
		s := w.b.show(w, feed.Position{Seq: feed.Live}, everything)
		defer s.stop()
		later(time.Second)
		w.a.Begin(reply).Text("what a dead node said")
		later(10 * time.Second)
		w.want(s, "m1: |what a dead node said|map[]")
		w.a.bus.Cut() // as by kill -9: nothing more is heard
		later(time.Second)
		c := newStation(w, w.log, w.net, feed.Options{})
		defer c.stop()
		later(time.Second)
		next := c.Begin(reply)
		next.Text("what its successor says")
		later(time.Second)
		w.want(s, "m1: |what its successor says|map[]")
		later(10 * time.Second)
		w.want(s, "m1: |what its successor says|map[]")
		c.bus.Cut()
		later(5 * time.Second)
		w.want(s, "")
		// One that comes back, as from being frozen, is heard again.
		c.bus.Mend()
		next.Text(", again")
		later(5 * time.Second)
		w.want(s, "m1: |what its successor says, again|map[]")
	})
}

func TestOurOwnDraftIsShownBeforeThatOfANodeWhoseJobWeTookOver(t *testing.T) {
	withNodes(t, func(w nodes) {
		s := w.b.show(w, feed.Position{Seq: feed.Live}, everything)
		defer s.stop()
		later(time.Second)
		zombie := w.a.Begin(reply)
		zombie.Text("old")
		later(time.Second)
		w.b.Begin(reply).Text("new")
		zombie.Text(" and late")
		later(10 * time.Second)
		w.want(s, "m1: |new|map[]")
		w.b.bus.Cut()
		later(10 * time.Second)
		w.b.bus.Mend()
		later(10 * time.Second)
		w.want(s, "m1: |new|map[]")
	})
}

func TestADraftThatWasSentNowhereEndsForWhoComesBack(t *testing.T) {
	withNodes(t, func(w nodes) {
		s := w.b.show(w, feed.Position{Seq: feed.Live}, everything)
		later(time.Second)
		d := w.a.Begin(reply)
		d.Text("half")
		later(time.Second)
		w.want(s, "m1: |half|map[]")
		s.stop()
		later(time.Minute)
		if n := w.b.Relayed().Drafts; n != 0 {
			t.Errorf("%d drafts are shown to nobody", n)
		}
		d.Drop()
		later(time.Minute)
		back := w.b.show(w, s.at, everything)
		defer back.stop()
		later(time.Second)
		if got := back.heard(); !slices.Contains(got, `m1 drop 0 ""`) {
			t.Errorf("who comes back keeps a ghost: %v", got)
		}
	})
}

func TestWhoLetsGoAndComesBackIsToldAllThoughMessagesWereLost(t *testing.T) {
	for name, away := range map[string]func(w nodes, comeBack func()){
		"that it let go": func(w nodes, comeBack func()) {
			w.net.Fate(func(m bus.Message) (int, bool) {
				if bytes.Contains(m.Data, []byte(`"remove"`)) {
					return 0, false
				}
				return 1, false
			})
			later(5 * time.Second)
			w.net.Fate(nil)
			comeBack()
		},
		"because it was cut off": func(w nodes, comeBack func()) {
			w.b.bus.Cut()
			later(5 * time.Second)
			comeBack()
			w.b.bus.Mend()
		},
	} {
		t.Run(name, func(t *testing.T) {
			withNodes(t, func(w nodes) {
				s := w.b.show(w, feed.Position{Seq: feed.Live}, everything)
				later(time.Second)
				w.a.Begin(reply).Text("all of it")
				later(time.Second)
				w.want(s, "m1: |all of it|map[]")
				s.stop()
				away(w, func() { s = w.b.show(w, feed.Position{Seq: feed.Live}, everything) })
				defer func() { s.stop() }()
				later(15 * time.Second)
				w.want(s, "m1: |all of it|map[]")
			})
		})
	}
}

func TestFiftyDraftsAtOnceAreSentTogether(t *testing.T) {
	withNodes(t, func(w nodes) {
		s := w.b.show(w, feed.Position{Seq: feed.Live}, everything)
		defer s.stop()
		later(time.Second)
		w.net.Sent()
		var want []string
		for i := range 50 {
			d := w.a.Begin(feed.Draft{Path: nestor.Path(fmt.Sprintf("users/u1/notes/n%02d", i))})
			text := ""
			for j := range 50 {
				text += fmt.Sprintf("%d ", j)
			}
			want = append(want, fmt.Sprintf("n%02d: |%s|map[]", i, text))
			go func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				for j := range 50 {
					d.Text(fmt.Sprintf("%d ", j))
					time.Sleep(20 * time.Millisecond)
				}
			}()
		}
		later(2 * time.Second)
		w.want(s, strings.Join(want, "\n"))
		sent := len(w.net.Sent())
		t.Logf("50 drafts of 50 words a second took %d messages in 2 seconds", sent)
		if sent > 100 {
			t.Errorf("2500 words took %d messages", sent)
		}
	})
}

// act is one step of a random play.
type act struct {
	kind, node, draft int
	text              string
	long, pause       time.Duration
}

var acts = rapid.Custom(func(t *rapid.T) act {
	return act{
		kind: rapid.IntRange(0, 8).Draw(t, "kind"), node: rapid.IntRange(0, 2).Draw(t, "node"), draft: rapid.IntRange(0, 2).Draw(t, "draft"),
		text: rapid.StringN(1, 20, 60).Draw(t, "text"), long: time.Duration(rapid.IntRange(0, 8).Draw(t, "long")) * time.Second,
		pause: time.Duration(rapid.IntRange(0, 60).Draw(t, "pause")) * time.Millisecond,
	}
})

// Whatever is said, lost and cut, and whoever comes and goes: when all is quiet
// every screen shows what every node says, and nothing else.
func TestScreensShowWhatNodesSayWhateverHappensToMessages(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		loss, seed := rapid.IntRange(0, 4).Draw(rt, "loss"), rapid.Uint64Range(0, 1000).Draw(rt, "seed")
		script := rapid.SliceOfN(acts, 1, 40).Draw(rt, "script")
		var wrong string
		synctest.Test(t, func(t *testing.T) { wrong = play(t, script, loss, seed) })
		if wrong != "" {
			rt.Error(wrong)
		}
	})
}

// play plays a script on three nodes with a screen each and returns what is wrong
// in the end.
func play(t *testing.T, script []act, loss int, seed uint64) (wrong string) {
	net, log := &bustest.Net{}, &shared{}
	all := []*station{newStation(t, log, net, feed.Options{Buffer: 3}), newStation(t, log, net, feed.Options{}), newStation(t, log, net, feed.Options{Buffer: 3})}
	screens := make([]*screen, len(all))
	for i, n := range all {
		defer n.stop()
		screens[i] = n.show(t, feed.Position{Seq: feed.Live}, everything)
	}
	later(time.Second)
	random := rand.New(rand.NewPCG(1, seed))
	net.Fate(func(bus.Message) (int, bool) {
		if random.IntN(10) < loss {
			return random.IntN(3), random.IntN(3) == 0
		}
		return 1, false
	})
	writers, texts := map[string]*feed.Writer{}, map[string]string{}
	for _, a := range script {
		n, id := all[a.node], fmt.Sprintf("n%d-%d", a.node, a.draft)
		w := writers[id]
		switch {
		case a.kind == 7:
			n.bus.Cut()
			later(a.long)
			n.bus.Mend()
		case a.kind == 8:
			old := screens[a.node]
			old.stop()
			later(a.long)
			screens[a.node] = n.showOn(t, old, everything)
		case w == nil:
			writers[id], texts[id] = n.Begin(feed.Draft{Path: nestor.Path("users/u1/notes/" + id)}), ""
		case a.kind == 5:
			w.Restart()
			texts[id] = ""
		case a.kind == 6:
			w.Drop()
			delete(writers, id)
			delete(texts, id)
		default:
			w.Text(a.text)
			texts[id] += strings.ToValidUTF8(a.text, "\uFFFD")
		}
		later(a.pause)
	}
	net.Fate(nil)
	later(20 * time.Second)
	var want []string
	for id, text := range texts {
		if text != "" {
			want = append(want, fmt.Sprintf("%s: |%s|map[]", id, text))
		}
	}
	slices.Sort(want)
	for i, s := range screens {
		if got := s.shows(); got != strings.Join(want, "\n") {
			wrong += fmt.Sprintf("node %d shows\n%s\nwant\n%s\n", i, got, strings.Join(want, "\n"))
		}
		s.stop()
	}
	return wrong
}
