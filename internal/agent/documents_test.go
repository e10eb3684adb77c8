package agent_test

import (
	"errors"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

func (w *world) update(fn func(store.Tx) error) {
	w.Helper()
	if err := w.bench.store.Update(w.Context(), fn); err != nil {
		w.Fatal(err)
	}
}

func (w *world) view(fn func(store.Reader) error) {
	w.Helper()
	if err := w.bench.store.View(w.Context(), fn); err != nil {
		w.Fatal(err)
	}
}

// list reads the documents of a collection below p, oldest first.
func list[T any](w *world, p nestor.Path, collection string) (found []T) {
	w.Helper()
	for _, d := range w.documents(string(p) + "/" + collection) {
		found = append(found, decode[T](w, d))
	}
	return found
}

// documents reads a collection. Of a world that has come to its end it does so
// once.
func (w *world) documents(collection string) (found []*nestor.Document) {
	w.Helper()
	if found, ok := w.ended[collection]; ok {
		return found
	}
	w.view(func(r store.Reader) error {
		found = nil
		for q := (store.Query{Collection: collection}); ; {
			page, err := r.Query(q)
			if err != nil {
				return err
			}
			found = append(found, page.Items...)
			if q.Cursor = page.Next; q.Cursor == "" {
				return nil
			}
		}
	})
	if w.ended != nil {
		w.ended[collection] = found
	}
	return found
}

// load reads one document.
func load[T any](w *world, p nestor.Path) T {
	w.Helper()
	d := w.document(p)
	if d == nil {
		w.Fatalf("there is no %s", p)
	}
	return decode[T](w, d)
}

// document reads one document, nil if there is none.
func (w *world) document(p nestor.Path) (d *nestor.Document) {
	w.Helper()
	if w.ended != nil {
		found := w.documents(p.Collection())
		if i := slices.IndexFunc(found, func(d *nestor.Document) bool { return d.Path == p }); i >= 0 {
			return found[i]
		}
		return nil
	}
	w.view(func(r store.Reader) (err error) {
		if d, err = r.Get(p); errors.Is(err, nestor.ErrNotFound) {
			return nil
		}
		return err
	})
	return d
}

func decode[T any](w *world, d *nestor.Document) T {
	w.Helper()
	v, err := nestor.As[T](d)
	if err != nil {
		w.Fatal(err)
	}
	return v
}

// under reports whether a document lies in a collection of that name.
func under(p nestor.Path, collection string) bool {
	return strings.HasSuffix(p.Collection(), "/"+collection)
}
