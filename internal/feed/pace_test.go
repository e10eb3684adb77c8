package feed_test

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// pacer reads at its own pace and knows what it has yet to see.
type pacer struct {
	glob nestor.Glob
	next func() (feed.Event, error, bool)
	stop func()
	at   feed.Position
	due  []string // path and version
}

func (p *pacer) follow(f *fixture) {
	p.next, p.stop = iter.Pull2(f.feed.Events(f.Context(), p.at, p.glob))
}

// Buffers are so small here that everybody falls behind all the time. Whatever
// their pace, whether they come back or stay, and whoever writes, all see every
// change once and in order.
func TestEveryReaderSeesEveryChangeOnceWhateverItsPace(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		f := start(t, open, feed.Options{Buffer: 2, BufferBytes: 6_000, HeldBytes: 10_000, Poll: 1_000_000})
		other := open(t, store.Options{})
		rapid.Check(t, func(rt *rapid.T) {
			begin := f.write(f.store, "marks/begin")
			for f.feed.Position() < begin {
				if _, err := f.store.LastSeq(t.Context()); err != nil {
					rt.Fatal(err)
				}
			}
			readers := []*pacer{{glob: "users/**"}, {glob: "users/u1/**"}, {glob: "users/*/notes/n1"}}
			for _, r := range readers {
				r.at = feed.Position{Seq: begin}
				r.follow(f)
			}
			defer func() {
				for _, r := range readers {
					r.stop()
				}
			}()
			read := func(r *pacer, n int) {
				for len(r.due) > 0 && n > 0 {
					e, err, ok := r.next()
					if err != nil || !ok {
						rt.Fatalf("%s ended with %v", r.glob, err)
					}
					r.at = e.Position
					if e.Change == nil {
						continue
					}
					if got := fmt.Sprintf("%s %d", e.Change.Path, e.Change.Version); got != r.due[0] {
						rt.Fatalf("%s saw %s, want %s", r.glob, got, r.due[0])
					}
					doc, err := e.Document(t.Context())
					if err != nil || doc.Seq != e.Change.Seq {
						rt.Fatalf("%s: %v, %v", r.due[0], doc, err)
					}
					r.due, n = r.due[1:], n-1
				}
			}
			acts := map[string]func(*rapid.T){
				"write": func(rt *rapid.T) {
					by := rapid.SampledFrom([]store.Store{f.store, f.store, other}).Draw(rt, "by")
					all := []string{"users/u1/notes/n1", "users/u1/notes/n2", "users/u1/notes/n3", "users/u2/notes/n1", "users/u2/x/x"}
					paths := rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, 5, rapid.ID).Draw(rt, "paths")
					size := rapid.SampledFrom([]int{0, 0, 100, 4_000, 7_000}).Draw(rt, "size")
					docs := make([]*nestor.Document, len(paths))
					err := by.Update(t.Context(), func(tx store.Tx) (err error) {
						for i, p := range paths {
							body := map[string]any{"text": strings.Repeat("x", size)}
							if docs[i], err = tx.Put(nestor.Path(p), body, store.AnyVersion); err != nil {
								return err
							}
						}
						return nil
					})
					if err != nil {
						rt.Fatal(err)
					}
					slices.SortFunc(docs, func(a, b *nestor.Document) int { return int(a.Seq - b.Seq) })
					for _, d := range docs {
						for _, r := range readers {
							if r.glob.Match(string(d.Path)) {
								r.due = append(r.due, fmt.Sprintf("%s %d", d.Path, d.Version))
							}
						}
					}
				},
				"read": func(rt *rapid.T) {
					read(rapid.SampledFrom(readers).Draw(rt, "who"), rapid.IntRange(1, 10).Draw(rt, "changes"))
				},
				"come back": func(rt *rapid.T) {
					r := rapid.SampledFrom(readers).Draw(rt, "who")
					r.stop()
					r.follow(f)
				},
			}
			for _, act := range rapid.SliceOfN(rapid.SampledFrom([]string{"write", "write", "read", "come back"}), 4, 12).Draw(rt, "acts") {
				acts[act](rt)
			}
			for _, r := range readers {
				read(r, len(r.due))
			}
		})
		if held := f.feed.Held(); held != 0 {
			t.Errorf("%d bytes are kept for nobody", held)
		}
	})
}
