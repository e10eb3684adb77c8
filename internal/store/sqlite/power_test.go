package sqlite_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Whenever the power fails, every write that was acknowledged before is found
// afterwards, although nothing but what was synced is left of the files.
func TestAWriteThatWasAcknowledgedOutlivesAPowerFailure(t *testing.T) {
	const writers, each = 4, 40
	d := newDisk(t)
	folder := t.TempDir()
	s := open(t, filepath.Join(folder, "nestor.db"), store.Options{})
	path := func(writer, n int) nestor.Path { return nestor.Path(fmt.Sprintf("power/w%d/items/i%d", writer, n)) }
	var acknowledged [writers]atomic.Int64
	progress := make(chan struct{}, writers*each)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for n := range each {
				err := s.Update(t.Context(), func(tx store.Tx) error {
					_, err := tx.Create(path(w, n), map[string]any{"n": n})
					return err
				})
				if err != nil {
					t.Error(err)
				}
				acknowledged[w].Store(int64(n + 1))
				progress <- struct{}{}
			}
		})
	}
	for range writers * each / 10 {
		for range 10 {
			<-progress
		}
		var known [writers]int64
		for w := range known {
			known[w] = acknowledged[w].Load()
		}
		after := open(t, filepath.Join(d.fail(t, folder), "nestor.db"), store.Options{})
		err := after.View(t.Context(), func(r store.Reader) error {
			for w := range known {
				for n := range int(known[w]) {
					if _, err := r.Get(path(w, n)); err != nil {
						t.Errorf("write %d of writer %d was acknowledged: %v", n, w, err)
						return nil
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		after.Close()
	}
	wg.Wait()
}
