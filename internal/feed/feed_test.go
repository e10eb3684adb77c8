package feed_test

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

type fixture struct {
	*testing.T
	store store.Store
	feed  *feed.Feed
}

func start(t *testing.T, open engines.Database, opts feed.Options) *fixture {
	t.Helper()
	return startOn(t, open(t, store.Options{}), opts)
}

func startOn(t *testing.T, s store.Store, opts feed.Options) *fixture {
	t.Helper()
	f := &fixture{T: t, store: s, feed: feed.New(s, opts)}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- f.feed.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return f
}

func (f *fixture) write(s store.Store, path string) int64 {
	f.Helper()
	var d *nestor.Document
	err := s.Update(f.Context(), func(tx store.Tx) (err error) {
		d, err = tx.Put(nestor.Path(path), map[string]any{}, store.AnyVersion)
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	return d.Seq
}

// following waits until n subscribers follow live.
func (f *fixture) following(n int) {
	testmain.Until(f, "so many follow", func() bool { return f.feed.Subscribers() == n })
}

// changes yields those of a subscription.
func (f *fixture) changes(ctx context.Context, after int64, globs ...nestor.Glob) iter.Seq2[*nestor.Change, error] {
	return func(yield func(*nestor.Change, error) bool) {
		for e, err := range f.feed.Follow(ctx, after, 0, globs...) {
			if (e.Change != nil || err != nil) && !yield(e.Change, err) {
				return
			}
		}
	}
}

// take reads n changes.
func (f *fixture) take(n int, after int64, globs ...nestor.Glob) []string {
	f.Helper()
	var got []string
	for c, err := range f.changes(f.Context(), after, globs...) {
		if err != nil {
			f.Fatal(err)
		}
		if got = append(got, string(c.Type)+" "+c.Path.ID()); len(got) == n {
			break
		}
	}
	return got
}

func TestASubscriberGetsThePastThenTheLiveChangesInOrder(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		f := start(t, open, feed.Options{})
		f.write(f.store, "users/u1/notes/a")
		f.write(f.store, "users/u1/notes/b")
		got := make(chan []string)
		followed := make(chan struct{})
		go func() {
			var ids []string
			for c, err := range f.changes(t.Context(), 0, "users/u1/**") {
				if err != nil {
					t.Error(err)
				}
				if ids = append(ids, c.Path.ID()); len(ids) == 2 {
					close(followed)
				}
				if len(ids) == 5 {
					break
				}
			}
			got <- ids
		}()
		<-followed
		f.write(f.store, "users/u1/notes/c")
		f.write(f.store, "users/u2/notes/x")
		f.write(f.store, "users/u1/notes/d")
		f.write(f.store, "users/u1/notes/e")
		if ids := <-got; !slices.Equal(ids, []string{"a", "b", "c", "d", "e"}) {
			t.Errorf("got %v", ids)
		}
	})
}

// What the server notes for itself comes neither live nor from the log, and a subscriber
// goes on beyond it.
func TestDocumentsThatNobodyFollowsAreLeftOut(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		tallies := store.NewCollection[struct {
			nestor.Meta
			UserID string `json:"userId,omitempty"`
		}]("tallies", nil, "users/{userId}/tallies/{id}")
		tallies.Unfollowed = true
		kinds, err := store.NewCatalogue(tallies)
		if err != nil {
			t.Fatal(err)
		}
		f := startOn(t, open(t, store.Options{Rules: store.Rules{Catalogue: kinds}, Modules: []store.Schema{{Module: "tallies", Collections: kinds.All()}}}), feed.Options{})
		some := func() {
			f.write(f.store, "users/u1/tallies/x")
			f.write(f.store, "users/u1/tallies/x")
		}
		some()
		f.write(f.store, "users/u1/notes/a")
		some()
		got := make(chan []string)
		go func() { got <- f.take(2, 0, "users/**") }()
		f.following(1)
		some()
		f.write(f.store, "users/u1/notes/b")
		if ids := <-got; !slices.Equal(ids, []string{"create a", "create b"}) {
			t.Errorf("got %v", ids)
		}
	})
}

func TestASubscriberResumesAtTheExactChange(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		f := start(t, open, feed.Options{})
		var seqs []int64
		for _, id := range []string{"a", "b", "c", "d"} {
			seqs = append(seqs, f.write(f.store, "users/u1/notes/"+id))
		}
		if got := f.take(2, seqs[1], "users/**"); !slices.Equal(got, []string{"create c", "create d"}) {
			t.Errorf("after b came %v", got)
		}
	})
}

func TestSeveralGlobsGiveEachChangeOnce(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		f := start(t, open, feed.Options{})
		go func() {
			f.following(1)
			f.write(f.store, "users/u1/notes/a")
			f.write(f.store, "users/u1/notes/b")
		}()
		if got := f.take(2, feed.Live, "users/u1/**", "users/*/notes/*"); !slices.Equal(got, []string{"create a", "create b"}) {
			t.Errorf("got %v", got)
		}
	})
}

func TestWritesOfAnotherProcessArrive(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		f := start(t, open, feed.Options{Poll: 10_000_000})
		other := open(t, store.Options{})
		f.write(f.store, "users/u1/notes/a")
		f.write(other, "users/u1/notes/b")
		f.write(f.store, "users/u1/notes/c")
		if got := f.take(3, 0, "users/**"); !slices.Equal(got, []string{"create a", "create b", "create c"}) {
			t.Errorf("got %v", got)
		}
	})
}

func TestASlowSubscriberReadsTheLogAndHoldsUpNobody(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		f := start(t, open, feed.Options{Buffer: 10})
		first := f.write(f.store, "users/u1/notes/a")
		reading, release := make(chan struct{}), make(chan struct{})
		got := make(chan []string)
		go func() {
			var ids []string
			for c, err := range f.changes(t.Context(), first-1, "users/**") {
				if err != nil {
					t.Error(err)
				}
				if ids = append(ids, c.Path.ID()); len(ids) == 2 {
					close(reading)
					<-release
				}
				if len(ids) == 53 {
					break
				}
			}
			got <- ids
		}()
		f.following(1)
		f.write(f.store, "users/u1/notes/b")
		<-reading
		want := []string{"a", "b"}
		for i := range 50 { // none of these waits for the reader
			want = append(want, fmt.Sprintf("n%d", i))
			f.write(f.store, "users/u1/notes/"+want[i+2])
		}
		if got := f.take(1, first, "users/u1/notes/n49"); !slices.Equal(got, []string{"create n49"}) {
			t.Errorf("another subscriber got %v", got)
		}
		close(release)
		f.following(1) // it is live again
		f.write(f.store, "users/u1/notes/last")
		if ids := <-got; !slices.Equal(ids, append(want, "last")) {
			t.Errorf("the slow one got %v", ids)
		}
	})
}

func TestAPositionOutsideTheLogAsksForAResync(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, store.Options{Retention: store.Retention{Log: -1}})
		f := &fixture{T: t, store: s}
		f.write(s, "users/u1/notes/a")
		last := f.write(s, "users/u1/notes/b")
		for { // other transactions of the server may delay what can be swept
			n, err := s.Sweep(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if n > 0 {
				break
			}
		}
		f = start(t, open, feed.Options{})
		for _, err := range f.changes(t.Context(), 0, "**") {
			if nestor.CodeOf(err) != nestor.CodeTooOld {
				t.Fatalf("got %v", err)
			}
		}
		if got := f.take(1, last-1, "**"); len(got) != 1 {
			t.Errorf("got %v", got)
		}
	})
}

func TestThousandsOfSubscribersEachGetTheirOwn(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		const many = 3000
		f := start(t, open, feed.Options{})
		got := make(chan string, many)
		for i := range many {
			go func() {
				for c, err := range f.changes(t.Context(), feed.Live, nestor.Glob(fmt.Sprintf("users/u%d/**", i))) {
					if err != nil {
						t.Error(err)
					}
					got <- fmt.Sprintf("u%d %s", i, c.Path.UserID())
					return
				}
			}()
		}
		f.following(many)
		err := f.store.Update(t.Context(), func(tx store.Tx) error {
			for i := range many {
				if _, err := tx.Create(nestor.Path(fmt.Sprintf("users/u%d/notes/n", i)), map[string]any{}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for range many {
			var want, have string
			if _, err := fmt.Sscan(<-got, &want, &have); err != nil || want != have {
				t.Fatalf("%s got a change of %s", want, have)
			}
		}
		f.following(0)
	})
}

func TestAFeedThatTheLogLeftBehindStartsAnew(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		stuck := &stuckLog{Store: open(t, store.Options{})}
		f := startOn(t, stuck, feed.Options{Poll: 10 * time.Millisecond, Logger: slog.New(slog.DiscardHandler)})
		end := make(chan error)
		go func() {
			for _, err := range f.changes(t.Context(), feed.Live, "**") {
				if err != nil {
					end <- err
				}
			}
		}()
		f.following(1)
		stuck.swept.Store(true)
		f.write(open(t, store.Options{}), "users/u1/notes/missed")
		if err := <-end; nestor.CodeOf(err) != nestor.CodeTooOld {
			t.Errorf("the subscriber was told %v", err)
		}
		stuck.swept.Store(false)
		f.write(stuck, "users/u1/notes/a")
		if got := f.take(1, 0, "users/u1/notes/a"); !slices.Equal(got, []string{"create a"}) {
			t.Errorf("afterwards came %v", got)
		}
	})
}

func TestWhoComesWhileTheLogIsReadGetsWhatWasNotReadForThem(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		elsewhere := open(t, store.Options{})
		late := &lateLog{Store: open(t, store.Options{}), wanted: make(chan bool), goOn: make(chan struct{})}
		f := &fixture{T: t}
		f.write(elsewhere, "users/u1/notes/a")
		f = startOn(t, late, feed.Options{Poll: 10 * time.Millisecond})
		f.take(1, 0, "users/u1/**") // it has begun, after that
		f.following(0)
		late.armed.Store(true)
		f.write(elsewhere, "users/u1/notes/a")
		if <-late.wanted {
			t.Error("a document is wanted that nobody follows")
		}
		got := make(chan *nestor.Change)
		go func() {
			for c, err := range f.changes(t.Context(), feed.Live, "users/u1/**") {
				if err != nil {
					t.Error(err)
				}
				if got <- c; err != nil || c.Type == nestor.Update {
					return
				}
			}
		}()
		f.following(1)
		late.goOn <- struct{}{}
		c := <-got
		if c.Type == nestor.Create { // the feed did not know yet that it was complete
			c = <-got
		}
		if c.Type != nestor.Update || c.Before == nil || c.After == nil {
			t.Errorf("they were told %+v", c)
		}
	})
}

// lateLog stops the first reading that asks what is wanted, once it is armed.
type lateLog struct {
	store.Store
	armed  atomic.Bool
	wanted chan bool
	goOn   chan struct{}
}

func (l *lateLog) Changes(ctx context.Context, after int64, limit int, wanted func(nestor.Path) bool) ([]nestor.Change, error) {
	return l.Store.Changes(ctx, after, limit, func(p nestor.Path) bool {
		answer := wanted(p)
		if l.armed.Swap(false) {
			l.wanted <- answer
			<-l.goOn
		}
		return answer
	})
}

// stuckLog pretends that the log was swept past everybody.
type stuckLog struct {
	store.Store
	swept atomic.Bool
}

func (s *stuckLog) Changes(ctx context.Context, after int64, limit int, wanted func(nestor.Path) bool) ([]nestor.Change, error) {
	if s.swept.Load() {
		return nil, nestor.ErrTooOld
	}
	return s.Store.Changes(ctx, after, limit, wanted)
}
