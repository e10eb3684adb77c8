package feed_test

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// reader follows the feed event by event.
type reader struct {
	*testing.T
	next func() (feed.Event, error, bool)
	stop func()
	at   feed.Position
}

func (f *fixture) read(from feed.Position, globs ...nestor.Glob) *reader {
	f.Helper()
	if len(globs) == 0 {
		globs = []nestor.Glob{"users/**"}
	}
	r := &reader{T: f.T}
	r.next, r.stop = iter.Pull2(f.feed.Events(f.Context(), from, globs...))
	f.Cleanup(r.stop)
	return r
}

var live = feed.Position{Seq: feed.Live}

// event is the next change or delta.
func (r *reader) event() (feed.Event, error) {
	for {
		e, err, ok := r.next()
		if err == nil && !ok {
			err = errors.New("the stream ended")
		}
		if err == nil {
			r.at = e.Position
		}
		if err != nil || e.Change != nil || e.Delta != nil {
			return e, err
		}
	}
}

// say is the next change or delta in a line.
func (r *reader) say() string {
	r.Helper()
	e, err := r.event()
	if err != nil {
		r.Fatal(err)
	}
	if e.Change != nil {
		return string(e.Change.Type) + " " + e.Change.Path.ID()
	}
	d := e.Delta
	line := d.Path.ID() + " " + string(d.Kind)
	if d.Text != "" {
		line += fmt.Sprintf(" %d %q", d.Offset, d.Text)
	}
	if d.Tool != nil {
		line += fmt.Sprintf(" %s %s %s", d.Tool.CallID, d.Tool.Name, d.Tool.Status)
	}
	return line
}

func (r *reader) want(lines ...string) {
	r.Helper()
	for _, line := range lines {
		if got := r.say(); got != line {
			r.Fatalf("got %s, want %s", got, line)
		}
	}
}

// resume leaves and comes back with the text form of its position.
func (f *fixture) resume(r *reader) *reader {
	f.Helper()
	r.stop()
	at, err := feed.ParsePosition(r.at.String())
	if err != nil {
		f.Fatal(err)
	}
	return f.read(at)
}

// mark makes and reads a delta, after which r has read all that came before.
func (f *fixture) mark(r *reader) {
	f.Helper()
	w := f.feed.Begin(message("mark"))
	w.Text(".")
	r.want(`mark text 0 "."`)
	w.Done()
	r.want("mark done")
}

func TestWhoResumesGetsExactlyWhatFollowed(t *testing.T) {
	f := start(t, engines.SQLite(t), feed.Options{})
	r := f.read(live)
	f.mark(r)
	a, b := f.feed.Begin(message("a")), f.feed.Begin(message("b"))
	a.Text("a1")
	r.want(`a text 0 "a1"`)
	a.Reasoning("a!")
	a.Text("a2")
	b.Text("b1")
	a.Text("a3")
	r.want(`a reasoning 0 "a!"`)
	r = f.resume(r) // between the two texts of one draft
	r.want(`a text 2 "a2a3"`)
	b.Text("b2")
	a.Text("a4")
	r = f.resume(r) // between two drafts
	r.want(`b text 0 "b1"`, `a text 6 "a4"`)
	a.Done()
	r = f.resume(r) // a ended: its document tells
	r.want(`b text 2 "b2"`)
	b.Drop() // no document will
	r = f.resume(r)
	r.want("b drop")
	f.mark(f.resume(r))
}

func TestASubscriberIsToldWhereItStands(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		f := start(t, open, feed.Options{Beat: time.Millisecond})
		r := f.read(live, "users/u1/**")
		if e, err, _ := r.next(); err != nil || e.Change != nil || e.Delta != nil {
			t.Fatalf("when it had caught up it was told %+v, %v", e, err)
		}
		seq := f.write(f.store, "users/u2/notes/x") // nothing for it
		for e := (feed.Event{}); e.Position.Seq != seq; {
			var err error
			if e, err, _ = r.next(); err != nil || e.Change != nil || e.Delta != nil {
				t.Fatalf("it was told %+v, %v", e, err)
			}
		}
	})
}

func TestChangesAndDeltasShareOnePosition(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		f := start(t, open, feed.Options{})
		r := f.read(live)
		f.mark(r)
		w := f.feed.Begin(message("m1"))
		w.Text("one")
		f.write(f.store, "users/u1/notes/a")
		r.want(`m1 text 0 "one"`, "create a")
		r.stop()
		f.write(f.store, "users/u1/notes/b")
		w.Text(" two")
		f.write(f.store, "users/u1/notes/c")
		r = f.resume(r)
		got := []string{r.say(), r.say(), r.say()}
		slices.Sort(got) // a text may come before or after the change of another document
		if want := []string{"create b", "create c", `m1 text 3 " two"`}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		f.mark(r)
	})
}

func TestAPositionOfAnotherProcessBeginsDraftsAnew(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		f := start(t, open, feed.Options{})
		w := f.feed.Begin(message("m1"))
		w.Text("lost with the proc")
		r := f.read(live)
		r.want(`m1 text 0 "lost with the proc"`)
		r.stop()

		next := start(t, open, feed.Options{})
		w, other := next.feed.Begin(message("m1")), next.feed.Begin(message("m2"))
		w.Text("again")
		other.Text("more")
		r = next.resume(r)
		r.want("m1 restart", `m1 text 0 "again"`)
		r = next.resume(r) // in the middle of that batch
		r.want("m2 restart", `m2 text 0 "more"`)
		w.Text("!")
		r = next.resume(r)
		r.want(`m1 text 5 "!"`)
	})
}

func TestAPositionThatTheLogNeverHadAsksForAResync(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		f := start(t, open, feed.Options{})
		seq := f.write(f.store, "users/u1/notes/a")
		if _, err := f.read(feed.Position{Seq: seq + 1000}).event(); nestor.CodeOf(err) != nestor.CodeTooOld {
			t.Errorf("got %v", err)
		}
	})
}

func TestDropsAreToldToWhoWasAway(t *testing.T) {
	const remembered = 1024
	f := start(t, engines.SQLite(t), feed.Options{Buffer: 10})
	r, attached := f.read(live), f.read(live)
	f.mark(r)
	f.mark(attached)
	r.stop()
	open := f.feed.Begin(message("open"))
	open.Text("still here")
	for i := range remembered {
		f.feed.Begin(message(fmt.Sprintf("m%d", i))).Drop()
	}
	again := f.resume(r)
	again.want(`open text 0 "still here"`)
	for i := range remembered {
		again.want(fmt.Sprintf("m%d drop", i))
	}
	f.feed.Begin(message("one-more")).Drop()
	// That is too much to remember. So all drafts are void, as after a restart
	// of the process, and those that are open are told anew.
	epoch := func(r *reader) string { return strings.Split(r.at.String(), ".")[1] }
	before := epoch(r)
	for name, r := range map[string]*reader{"who comes back": f.resume(r), "who is behind": attached} {
		r.want("open restart", `open text 0 "still here"`)
		if epoch(r) == before {
			t.Errorf("%s is told so under the same name: %s", name, r.at)
		}
	}
	f.mark(f.read(live, "users/u1/orch-chats/c1/messages/mark")) // who joins is not told of drops
}

func TestWritersAndReadersInParallel(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		const writers, words = 20, 200
		f := start(t, open, feed.Options{})
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() {
				heard := map[nestor.Path]string{}
				ended := 0
				for e, err := range f.feed.Events(t.Context(), live, "users/u1/orch-chats/**") {
					switch {
					case err != nil:
						t.Error(err)
						return
					case e.Delta == nil:
					case e.Delta.Kind == feed.KindText:
						if n := utf8.RuneCountInString(heard[e.Delta.Path]); n != e.Delta.Offset {
							t.Errorf("%s: text for %d came at %d", e.Delta.Path, e.Delta.Offset, n)
						}
						heard[e.Delta.Path] += e.Delta.Text
					case e.Delta.Kind == feed.KindDone:
						if want := strings.Repeat("wörd ", words); heard[e.Delta.Path] != want {
							t.Errorf("%s: heard %q", e.Delta.Path, heard[e.Delta.Path])
						}
						if ended++; ended == writers {
							return
						}
					}
				}
			})
		}
		f.following(3)
		for i := range writers {
			group.Go(func() {
				w := f.feed.Begin(message(fmt.Sprintf("m%d", i)))
				for range words {
					w.Text("wörd ")
				}
				w.Done()
			})
		}
		group.Wait()
	})
}

// However a reader is cut off and comes back, and however its deltas were
// merged, what it puts together is what was said, without a gap or a repeat.
func TestCutsLoseAndRepeatNothing(t *testing.T) {
	f := start(t, engines.SQLite(t), feed.Options{})
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		id := func(i int) string { return fmt.Sprintf("r%d-%d", round, i) }
		writers := make([]*feed.Writer, 3)
		for i := range writers {
			writers[i] = f.feed.Begin(message(id(i)))
		}
		end := f.feed.Begin(message(id(len(writers)))) // the youngest: heard last
		ends := 0
		said, heard := map[string]string{}, map[string]string{}
		r := f.read(live)
		listen := func(events int) { // up to the end of what was said
			ends++
			end.Restart()
			end.Text(strconv.Itoa(ends))
			for n := 0; n != events; n++ {
				e, err := r.event()
				if err != nil {
					rt.Fatal(err)
				}
				d, key := e.Delta, e.Delta.Path.ID()
				if d.Path == message(id(len(writers))).Path {
					if d.Text == strconv.Itoa(ends) {
						return
					}
					continue
				}
				switch d.Kind {
				case feed.KindRestart:
					heard[key], heard[key+"?"] = "", ""
					continue
				case feed.KindReasoning:
					key += "?"
				}
				if utf8.RuneCountInString(heard[key]) != d.Offset {
					rt.Fatalf("%s has %q when it is told %q at %d", key, heard[key], d.Text, d.Offset)
				}
				heard[key] += d.Text
			}
		}
		word := rapid.StringMatching(`[a-zä€]{1,3}`)
		rt.Repeat(map[string]func(*rapid.T){
			"speak": func(rt *rapid.T) {
				i, s := rapid.IntRange(0, 2).Draw(rt, "who"), word.Draw(rt, "word")
				writers[i].Text(s)
				said[id(i)] += s
			},
			"think": func(rt *rapid.T) {
				i, s := rapid.IntRange(0, 2).Draw(rt, "who"), word.Draw(rt, "word")
				writers[i].Reasoning(s)
				said[id(i)+"?"] += s
			},
			"retry": func(rt *rapid.T) {
				i := rapid.IntRange(0, 2).Draw(rt, "who")
				writers[i].Restart()
				said[id(i)], said[id(i)+"?"] = "", ""
			},
			"listen": func(rt *rapid.T) { listen(rapid.IntRange(1, 5).Draw(rt, "events")) },
			"cut": func(rt *rapid.T) {
				if r.at != (feed.Position{}) {
					r = f.resume(r)
				}
			},
		})
		listen(-1)
		for key := range said {
			if said[key] != heard[key] {
				rt.Errorf("%s: said %q, heard %q", key, said[key], heard[key])
			}
		}
		r.stop()
		for _, w := range append(writers, end) {
			w.Done()
		}
	})
}
