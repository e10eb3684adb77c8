package feed_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// say is what a program of a user says; it must have the code want.
func say(t *testing.T, r *feed.Remote, d feed.Draft, user string, w feed.Words, want nestor.Code) {
	t.Helper()
	if _, err := r.Say(d, user, w); nestor.CodeOf(err) != want {
		t.Fatalf("%s says %.100v: %v, want %q", user, w, err, want)
	}
}

func TestARemoteDraftIsHeardUntilItsDocumentIsWritten(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		f := start(t, open, feed.Options{})
		remote := feed.NewRemote(f.feed, feed.RemoteOptions{})
		r := f.read(live)
		f.mark(r)
		note := feed.Draft{Path: "users/u1/notes/n1"}
		say(t, remote, note, "u1", feed.Words{Reasoning: "hm"}, "")
		r.want(`n1 reasoning 0 "hm"`)
		say(t, remote, note, "u1", feed.Words{Text: "wrong"}, "")
		r.want(`n1 text 0 "wrong"`)
		say(t, remote, note, "u1", feed.Words{Restart: true, Text: "right"}, "")
		r.want("n1 restart", `n1 text 0 "right"`)
		say(t, remote, note, "u1", feed.Words{}, "")
		say(t, remote, note, "u1", feed.Words{Text: " so"}, "")
		r.want(`n1 text 5 " so"`)
		f.write(f.store, "users/u1/notes/n1")
		if first, second := r.say(), r.say(); !strings.Contains(first+second, "n1 done") {
			t.Errorf("the document came as %s, %s", first, second)
		}
		say(t, remote, message("m2"), "u1", feed.Words{Text: "another"}, "")
		r.want(`m2 text 0 "another"`)
		say(t, remote, message("m2"), "u1", feed.Words{Text: " one", Drop: true}, "")
		r.want(`m2 text 7 " one"`, "m2 drop")
		say(t, remote, message("m2"), "u1", feed.Words{Drop: true}, "")
		f.mark(r)
	})
}

func TestARemoteDraftWhoseWriterIsGoneIsDropped(t *testing.T) {
	f := start(t, engines.SQLite(t), feed.Options{})
	remote := feed.NewRemote(f.feed, feed.RemoteOptions{Silence: time.Millisecond, PerUser: 100 << 10})
	r := f.read(live)
	f.mark(r)
	for range 20 { // each leaves the room that it had
		say(t, remote, message("m1"), "u1", feed.Words{Text: strings.Repeat("x", 80<<10)}, "")
		for r.say() != "m1 drop" { // what was said comes first, in pieces, unless it was dropped before
		}
	}
}

func TestNobodySpeaksInAnothersDraft(t *testing.T) {
	f := start(t, engines.SQLite(t), feed.Options{})
	remote := feed.NewRemote(f.feed, feed.RemoteOptions{})
	say(t, remote, message("m1"), "u1", feed.Words{Text: "mine"}, "")
	say(t, remote, message("m1"), "u2", feed.Words{Text: "no, mine"}, nestor.CodeConflict)
	say(t, remote, message("m1"), "u2", feed.Words{Drop: true}, nestor.CodeConflict)
	ours := f.feed.Begin(message("m2"))
	say(t, remote, message("m2"), "u1", feed.Words{Text: "no, mine"}, nestor.CodeConflict)
	ours.Drop()
	say(t, remote, message("m2"), "u1", feed.Words{Text: "now mine"}, "")
	f.feed.Begin(message("m2")) // a stage of the server takes over
	say(t, remote, message("m2"), "u1", feed.Words{Text: "still mine"}, nestor.CodeConflict)
}

func TestWhatRemoteDraftsTakeIsBounded(t *testing.T) {
	f := start(t, engines.SQLite(t), feed.Options{})
	remote := feed.NewRemote(f.feed, feed.RemoteOptions{PerUser: 2 << 20, All: 3 << 20})
	whole := strings.Repeat("x", 1<<20)
	say(t, remote, message("m0"), "u1", feed.Words{Text: whole + "x"}, nestor.CodeTooLarge)
	say(t, remote, message("m1"), "u1", feed.Words{Text: whole}, "")
	say(t, remote, message("m1"), "u1", feed.Words{Text: "x"}, nestor.CodeTooLarge)
	say(t, remote, message("m1"), "u1", feed.Words{Restart: true, Text: whole}, "")
	say(t, remote, message("m2"), "u1", feed.Words{Text: whole}, nestor.CodeRateLimited)
	say(t, remote, message("m3"), "u2", feed.Words{Text: whole}, "")
	say(t, remote, message("m4"), "u3", feed.Words{Text: whole}, nestor.CodeRateLimited)
	say(t, remote, message("m1"), "u1", feed.Words{Drop: true}, "")
	say(t, remote, message("m2"), "u1", feed.Words{Text: whole}, "")
	for i := range 200 { // how many there are is bounded, too
		_, err := remote.Say(message("many"+string(rune('a'+i%26))+strings.Repeat("x", i/26)), "u4", feed.Words{})
		if nestor.CodeOf(err) == nestor.CodeRateLimited {
			return
		}
	}
	t.Error("a user may have any number of drafts open")
}
