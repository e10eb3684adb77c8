package sqlite

import (
	"path/filepath"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/testmain"
)

// A transaction that was wrong about one of several documents writes nothing, so the
// others of its group need not run again.
func TestWhoAssumesWrongRunsAgainAlone(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "nestor.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	put := func(p nestor.Path) (d *nestor.Document) {
		t.Helper()
		if err := s.Update(t.Context(), func(tx store.Tx) (err error) {
			d, err = tx.Put(p, map[string]any{}, store.AnyVersion)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return d
	}
	const right, wrong, other = nestor.Path("users/u1/notes/right"), nestor.Path("users/u1/notes/wrong"), nestor.Path("users/u1/notes/other")
	assumed := []*nestor.Document{put(right), put(wrong)}
	put(wrong)

	var others, wrongs int
	inside, goOn := make(chan struct{}, 2), make(chan struct{})
	var both errgroup.Group
	both.Go(func() error {
		return s.Update(t.Context(), func(tx store.Tx) error {
			others++
			if _, err := store.FindDocument(tx, other); err != nil {
				return err
			}
			inside <- struct{}{}
			<-goOn
			_, err := tx.Put(other, map[string]any{}, store.AnyVersion)
			return err
		})
	})
	<-inside
	both.Go(func() error {
		return s.Update(t.Context(), func(tx store.Tx) error {
			wrongs++
			store.Assume(tx, assumed...)
			for _, d := range assumed {
				if _, err := tx.Put(d.Path, map[string]any{"again": true}, store.AnyVersion); err != nil {
					return err
				}
			}
			return nil
		})
	})
	testmain.Until(t, "it waits behind the other, in its group", func() bool { return len(s.writer.queue) > 0 })
	close(goOn)
	if err := both.Wait(); err != nil {
		t.Fatal(err)
	}
	if others != 1 || wrongs != 2 {
		t.Errorf("the one that was wrong ran %d times, want 2, the other one %d times, want 1", wrongs, others)
	}
	for p, want := range map[nestor.Path]int64{right: 2, wrong: 3, other: 1} {
		if d, err := store.LoadDocument(t.Context(), s, p); err != nil || d.Version != want {
			t.Errorf("%s is at version %v, want %d: %v", p, d, want, err)
		}
	}
}
