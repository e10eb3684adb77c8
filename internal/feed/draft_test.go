package feed_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/testmain"
)

const chat = nestor.Path("users/u1/orch-chats/c1")

func message(id string) feed.Draft { return feed.Draft{Path: chat.Child("messages", id)} }

func TestADraftIsHeardWhileItIsWritten(t *testing.T) {
	f := start(t, engines.SQLite(t), feed.Options{})
	r := f.read(live)
	f.mark(r)
	w := f.feed.Begin(message("m1"))
	w.Reasoning("let me see")
	r.want(`m1 reasoning 0 "let me see"`)
	w.Text("Grüß")
	r.want(`m1 text 0 "Grüß"`)
	w.Text(" Gott")
	r.want(`m1 text 4 " Gott"`)
	w.Tool("t1", "search", "started")
	r.want("m1 tool t1 search started")
	w.Done()
	r.want("m1 done")
	w.Text("too late")
	w.Drop()
	f.mark(r)
}

// An answer never comes before what it answers, nor after what follows it.
func TestADraftIsToldAfterWhatWasKnownWhenItBegan(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		f := start(t, open, feed.Options{})
		r := f.read(live)
		f.mark(r)
		for i := range 100 {
			asked, answered := fmt.Sprint("asked", i), fmt.Sprint("answered", i)
			f.write(f.store, "users/u1/notes/"+asked)
			w := f.feed.Begin(message(answered))
			w.Text("so")
			if i%2 == 0 { // else it has ended before anybody is told of it
				r.want("create "+asked, answered+` text 0 "so"`)
				w.Text(" it is")
				f.write(f.store, "users/u1/notes/after"+asked)
				r.want(answered+` text 2 " it is"`, "create after"+asked)
				w.Done()
			} else {
				w.Done()
				r.want("create "+asked, answered+` text 0 "so"`)
			}
			r.want(answered + " done")
		}
	})
}

func TestADraftSaysWhoWritesIt(t *testing.T) {
	f := start(t, engines.SQLite(t), feed.Options{})
	d := feed.Draft{Path: chat + "/sub-agents/a1/messages/m1", TaskID: "t1", SubAgentID: "a1"}
	w := f.feed.Begin(d)
	defer w.Drop()
	w.Text("hi")
	for e := range f.feed.Events(t.Context(), live, "users/u1/orch-chats/c1/**") {
		if e.Delta.Draft != d {
			t.Errorf("got %+v", e.Delta.Draft)
		}
		break
	}
}

func TestOnlyDraftsThatMatchAreHeard(t *testing.T) {
	f := start(t, engines.SQLite(t), feed.Options{})
	other := f.feed.Begin(feed.Draft{Path: "users/u2/orch-chats/c1/messages/m1"})
	other.Text("before")
	r := f.read(live, "users/u1/**", "users/*/orch-chats/c1/messages/mark", "users/u1/orch-chats/*/messages/*")
	f.mark(r)
	other.Text("after")
	other.Drop()
	f.mark(r)
}

func TestWhoJoinsHearsWhatWasSaidSoFar(t *testing.T) {
	f := start(t, engines.SQLite(t), feed.Options{})
	w := f.feed.Begin(message("m1"))
	for _, s := range []string{"one", " two", " three"} {
		w.Reasoning("hm")
		w.Text(s)
	}
	w.Tool("t1", "search", "started")
	w.Tool("t1", "search", "done")
	ended := f.feed.Begin(message("m0"))
	ended.Text("gone")
	ended.Done()
	r := f.read(live)
	r.want(`m1 reasoning 0 "hmhmhm"`, `m1 text 0 "one two three"`, "m1 tool t1 search done")
	w.Text(" four")
	r.want(`m1 text 13 " four"`)
}

func TestARetryVoidsWhatWasSaid(t *testing.T) {
	f := start(t, engines.SQLite(t), feed.Options{})
	r := f.read(live)
	f.mark(r)
	w := f.feed.Begin(message("m1"))
	w.Text("wrong")
	w.Tool("t1", "search", "started")
	r.want(`m1 text 0 "wrong"`, "m1 tool t1 search started")
	w.Text(" way")
	w.Restart()
	w.Text("right")
	r.want("m1 restart", `m1 text 0 "right"`)
}

func TestAJobThatIsRunAgainVoidsTheDraftOfItsFirstRun(t *testing.T) {
	f := start(t, engines.SQLite(t), feed.Options{})
	r := f.read(live)
	f.mark(r)
	first := f.feed.Begin(message("m1"))
	first.Text("first")
	r.want(`m1 text 0 "first"`)
	second := f.feed.Begin(message("m1"))
	first.Text(" and more")
	first.Drop()
	r.want("m1 restart")
	second.Text("second")
	r.want(`m1 text 0 "second"`)
	second.Done()
	r.want("m1 done")
}

func TestTheCommitEndsADraft(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		f := start(t, open, feed.Options{})
		r := f.read(live)
		f.mark(r)
		w := f.feed.Begin(feed.Draft{Path: "users/u1/notes/n1"})
		w.Text("all of it")
		seq := f.write(f.store, "users/u1/notes/n1")
		r.want(`n1 text 0 "all of it"`, "n1 done", "create n1")
		if r.at.Seq != seq {
			t.Errorf("the position after change %d is %v", seq, r.at)
		}
		w.Text("too late")
		w.Drop()
		f.mark(r)
	})
}

func TestADraftAboutADocumentThatExistsOutlivesItsUpdates(t *testing.T) {
	f := start(t, engines.SQLite(t), feed.Options{})
	r := f.read(feed.Position{Seq: f.write(f.store, "users/u1/notes/n1")})
	f.mark(r)
	w := f.feed.Begin(feed.Draft{Path: "users/u1/notes/n1"})
	f.write(f.store, "users/u1/notes/n1")
	r.want("update n1")
	w.Tool("t1", "search", "started")
	r.want("n1 tool t1 search started")
}

func TestWhatIsSaidToASlowSubscriberIsMerged(t *testing.T) {
	f := start(t, engines.SQLite(t), feed.Options{Buffer: 10})
	r := f.read(live)
	f.mark(r)
	a, b := f.feed.Begin(message("a")), f.feed.Begin(message("b"))
	for range 5_000 {
		a.Text("a")
		b.Text("b")
	}
	r.want(fmt.Sprintf("a text 0 %q", strings.Repeat("a", 5_000)), fmt.Sprintf("b text 0 %q", strings.Repeat("b", 5_000)))
}

func TestASubscriberThatMissesManyDraftsIsToldWhatIsOpen(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		f := start(t, open, feed.Options{Buffer: 10})
		r := f.read(live)
		f.mark(r)
		w := f.feed.Begin(message("open"))
		w.Text("one")
		r.want(`open text 0 "one"`)
		for i := range 30 {
			d := f.feed.Begin(message(fmt.Sprint("m", i)))
			d.Text("said in vain")
			d.Done()
		}
		dropped := f.feed.Begin(message("dropped"))
		dropped.Drop()
		w.Text(" two")
		seq := f.write(f.store, "users/u1/notes/n1")
		testmain.Until(t, "the feed comes that far", func() bool { return f.feed.Position() >= seq })
		// Those that are done are told by their documents.
		r.want("create n1", `open text 3 " two"`, "dropped drop")
		f.mark(r)
	})
}

func TestADraftIsKeptUpToALimit(t *testing.T) {
	f := start(t, engines.SQLite(t), feed.Options{})
	w := f.feed.Begin(message("m1"))
	piece := strings.Repeat("x", 1<<20)
	for range 10 {
		w.Text(piece)
	}
	w.Text("after a gap")
	r := f.read(live)
	kept := 0
	for kept < 3<<20 {
		e, err := r.event()
		if err != nil || e.Delta.Offset != kept {
			t.Fatalf("after %d bytes come some of %d, %v", kept, e.Delta.Offset, err)
		}
		kept += len(e.Delta.Text)
	}
	if kept != 3<<20 {
		t.Errorf("%d bytes were kept", kept)
	}
	w.Restart()
	w.Text("short")
	r.want("m1 restart", `m1 text 0 "short"`)
}

func TestALongTextComesInPiecesThatCanBeResumed(t *testing.T) {
	f := start(t, engines.SQLite(t), feed.Options{})
	w := f.feed.Begin(message("m1"))
	text := strings.Repeat("xä€😀", 10_000)
	w.Reasoning(text)
	w.Text(text)
	r := f.read(live)
	var heard [2]string
	for n := 0; len(heard[1]) < len(text); n++ {
		e, err := r.event()
		if err != nil {
			t.Fatal(err)
		}
		d, which := e.Delta, 0
		if d.Kind == feed.KindText {
			which = 1
		}
		if utf8.RuneCountInString(heard[which]) != d.Offset || len(d.Text) > 8<<10 || !utf8.ValidString(d.Text) {
			t.Fatalf("after %d characters come %d bytes at %d", utf8.RuneCountInString(heard[which]), len(d.Text), d.Offset)
		}
		heard[which] += d.Text
		if n%3 == 0 {
			r = f.resume(r)
		}
	}
	if heard[0] != text || heard[1] != text {
		t.Errorf("%d and %d bytes were heard of %d", len(heard[0]), len(heard[1]), len(text))
	}
	w.Text("!")
	r.want(`m1 text 40000 "!"`)
}

func TestBrokenTextIsMendedOnce(t *testing.T) {
	f := start(t, engines.SQLite(t), feed.Options{})
	w := f.feed.Begin(message("m1"))
	w.Text("a\xff")
	w.Text("b")
	r := f.read(live)
	r.want("m1 text 0 \"a\uFFFDb\"")
	w.Text("c")
	r.want(`m1 text 3 "c"`)
}

func TestWithoutAFeedNothingIsHeardAndNothingBreaks(t *testing.T) {
	var none *feed.Feed
	w := none.Begin(message("m1"))
	w.Reasoning("a")
	w.Text("b")
	w.Tool("c", "d", "e")
	w.Restart()
	w.Drop()
	w.Done()
}
