package store_test

import (
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// counted are rows with one document that count how often it is read. The rest of
// [store.Rows] is not asked for.
type counted struct {
	store.Rows
	loads int
}

func (c *counted) Load(p nestor.Path, _ bool) (*nestor.Document, error) {
	c.loads++
	return &nestor.Document{Path: p, Version: 1, Data: []byte(`{"n":1}`)}, nil
}

type countedAlone struct{ *counted }

func (countedAlone) Exclusive() {}

func TestWhatIsReadAndThenWrittenIsReadAgainOnlyIfOthersWriteMeanwhile(t *testing.T) {
	for _, c := range []struct {
		name  string
		alone bool
		want  int
	}{{"one transaction at a time", true, 1}, {"many at once", false, 2}} {
		t.Run(c.name, func(t *testing.T) {
			rows := &counted{}
			var r store.Rows = rows
			if c.alone {
				r = countedAlone{rows}
			}
			s := store.NewSession(t.Context(), r, store.Rules{}.WithDefaults())
			const p = nestor.Path("users/u1/notes/n1")
			if _, err := s.Get(p); err != nil {
				t.Fatal(err)
			}
			d, err := s.Put(p, map[string]any{"n": 2}, 1)
			if err != nil || d.Version != 2 {
				t.Fatalf("Put = %v, %v, want version 2", d, err)
			}
			if rows.loads != c.want {
				t.Errorf("the document was read %d times, want %d", rows.loads, c.want)
			}
		})
	}
}
