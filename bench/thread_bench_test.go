package bench

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/records/record"
	"github.com/nestorhq/nestor/internal/domain/records/thread"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/sqlite"
)

// BenchmarkThreadAppend measures what an addition of 500 characters to a thread of 10,000 turns stores: bytes/append is
// the document, x-addition its ratio to the piece as JSON, and copy-bytes what a copy of the whole thread would store.
func BenchmarkThreadAppend(b *testing.B) {
	const turns = 10_000
	s, tip := longThread(b, turns)
	piece := say(strings.Repeat("word ", 100))
	alone, err := json.Marshal(piece)
	if err != nil {
		b.Fatal(err)
	}
	stored, n := 0, 0
	for b.Loop() {
		n++
		next := threadAt(nestor.NewID())
		stored += written(b, s, func(tx store.Tx) (*nestor.Document, error) {
			return thread.Standard.Add(tx, tip, next, []string{"ada", "model"}[n%2], piece)
		})
		tip = next
	}
	b.ReportMetric(float64(stored)/float64(n), "bytes/append")
	b.ReportMetric(float64(stored)/float64(n)/float64(len(alone)), "x-addition")
	b.ReportMetric(float64(turns*len(alone)), "copy-bytes")
}

// BenchmarkThreadFork measures what a fork stores, in the middle of a thread of 10,000 turns and of forks of forks.
func BenchmarkThreadFork(b *testing.B) {
	s, _ := longThread(b, 10_000)
	for _, bm := range []struct {
		name   string
		nested bool
	}{{"of one line", false}, {"of forks", true}} {
		b.Run(bm.name, func(b *testing.B) {
			from, stored, n := threadAt("t5000"), 0, 0
			for b.Loop() {
				n++
				next := threadAt(nestor.NewID())
				stored += written(b, s, func(tx store.Tx) (*nestor.Document, error) { return thread.Standard.Fork(tx, from, next) })
				if bm.nested {
					from = next
				}
			}
			b.ReportMetric(float64(stored)/float64(n), "bytes/fork")
		})
	}
}

// BenchmarkThreadRead reads a thread of 10,000 turns.
func BenchmarkThreadRead(b *testing.B) {
	s, tip := longThread(b, 10_000)
	for b.Loop() {
		err := s.View(b.Context(), func(r store.Reader) error {
			turns, err := thread.Standard.Read(r, tip, 0)
			if len(turns) != 10_000 {
				b.Errorf("%d turns", len(turns))
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func say(text string) record.MessagePartial {
	return record.MessagePartial{Type: record.TextPartial, Payload: record.PartialPayload{Content: &text}}
}

func threadAt(id string) nestor.Path { return record.Of("ada").Child("message-threads", id) }

// written is how many bytes the document has that fn writes.
func written(b *testing.B, s store.Store, fn func(store.Tx) (*nestor.Document, error)) int {
	b.Helper()
	var d *nestor.Document
	err := s.Update(b.Context(), func(tx store.Tx) (err error) {
		d, err = fn(tx)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return len(d.Data)
}

// longThread makes a thread with so many turns, and returns its last state.
func longThread(b *testing.B, turns int) (store.Store, nestor.Path) {
	b.Helper()
	kinds, err := store.NewCatalogue(record.Collections...)
	if err != nil {
		b.Fatal(err)
	}
	s, err := sqlite.Open(context.Background(), filepath.Join(b.TempDir(), "t.db"), store.Options{
		Rules: store.Rules{Catalogue: kinds}, Modules: []store.Schema{{Module: "records", Collections: record.Collections}},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	written(b, s, func(tx store.Tx) (*nestor.Document, error) { return thread.Begin(tx, threadAt("t0"), nil) })
	for i := 0; i < turns; i += 500 {
		written(b, s, func(tx store.Tx) (d *nestor.Document, err error) {
			for j := i; j < i+500 && err == nil; j++ {
				d, err = thread.Standard.Add(tx, threadAt("t"+strconv.Itoa(j)), threadAt("t"+strconv.Itoa(j+1)), []string{"ada", "model"}[j%2], say("hello"))
			}
			return d, err
		})
	}
	return s, threadAt("t" + strconv.Itoa(turns))
}
