// Package version keeps the versions of a text document: a list that is linked both
// ways and grows at its end. A version that has a next one never changes, but for
// its links.
package version

import (
	"cmp"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/records/record"
	"github.com/nestorhq/nestor/internal/store"
)

// ReasonNotLast is why an old version does not change.
const ReasonNotLast = "NOT_LAST"

// First is a document that is its first version, to lie at p.
func First(p nestor.Path, title, content string, by record.Author) record.TextDocument {
	return record.TextDocument{
		UserID: p.UserID(), Title: title, Type: record.Markdown, Content: content, FirstID: p.ID(), Number: 1, WrittenBy: &by,
	}
}

// Text is what somebody saves as the next version.
type Text struct {
	// ID defaults to a new one, and Title to that of the version before.
	ID      string
	Title   *string
	Content string
	By      record.Author
}

// Next makes the version that follows the one at p, and links both. It fails if p is
// not the last version; see [Last].
func Next(tx store.Tx, p nestor.Path, t Text) (*nestor.Document, error) {
	now, err := Last(tx, p)
	if err != nil {
		return nil, err
	}
	id := cmp.Or(t.ID, nestor.NewID())
	next := record.TextDocument{
		UserID: now.UserID, Title: now.Title, Type: now.Type, Content: t.Content,
		PreviousID: &now.ID, FirstID: now.FirstID, Number: now.Number + 1, WrittenBy: &t.By,
	}
	if t.Title != nil {
		next.Title = *t.Title
	}
	d, err := tx.Create(at(p, id), next)
	if err != nil {
		return nil, err
	}
	now.NextID = &id
	_, err = tx.Put(p, *now, store.AnyVersion)
	return d, err
}

// Last reads the version at p, which must be the last one: otherwise the error is a
// conflict whose details name the newest.
func Last(r store.Reader, p nestor.Path) (*record.TextDocument, error) {
	d, err := r.Get(p)
	if err != nil {
		return nil, err
	}
	v, err := nestor.As[record.TextDocument](d)
	if err != nil || v.NextID == nil {
		return &v, err
	}
	newest, err := Newest(r, p)
	if err != nil {
		return nil, err
	}
	return nil, nestor.Errorf(nestor.CodeConflict, "%s is an old version: %s is the newest one", p.ID(), newest.ID()).
		With("reason", ReasonNotLast).With("newestId", newest.ID())
}

// Newest is where the last version of the document lies that p is a version of.
func Newest(r store.Reader, p nestor.Path) (nestor.Path, error) {
	d, err := r.Get(p)
	if err != nil {
		return "", err
	}
	v, err := nestor.As[record.TextDocument](d)
	if err != nil {
		return "", err
	}
	page, err := r.Query(store.Query{Collection: p.Collection(), Limit: 1, Where: &store.Filter{And: []store.Filter{
		*store.Where("firstId", store.Eq, v.FirstID), *store.Where("nextId", store.Eq, nil),
	}}})
	switch {
	case err != nil:
		return "", err
	case len(page.Items) == 0:
		return p, nil // its next one was deleted just now, and the links are not mended yet
	}
	return page.Items[0].Path, nil
}

// Restore makes a last version with the text of an old one.
func Restore(tx store.Tx, p nestor.Path, by record.Author) (*nestor.Document, error) {
	d, err := tx.Get(p)
	if err != nil {
		return nil, err
	}
	old, err := nestor.As[record.TextDocument](d)
	if err != nil {
		return nil, err
	}
	newest, err := Newest(tx, p)
	if err != nil {
		return nil, err
	}
	return Next(tx, newest, Text{Title: &old.Title, Content: old.Content, By: by})
}

// Delete removes a document with all its versions; p must be the last one.
func Delete(tx store.Tx, p nestor.Path, version int64) error {
	last, err := Last(tx, p)
	if err != nil {
		return err
	}
	var paths []nestor.Path
	err = each(tx, p, last.FirstID, func(d *nestor.Document) error {
		if d.Path != p {
			paths = append(paths, d.Path)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, old := range paths {
		if err := tx.Delete(old, store.AnyVersion); err != nil {
			return err
		}
	}
	return tx.Delete(p, version)
}

// History asks for the versions of a document, first to last.
func History(collection, firstID string) store.Query {
	return store.Query{Collection: collection, Where: store.Where("firstId", store.Eq, firstID), OrderBy: []store.Order{{Field: "number"}}}
}

// each calls fn with the versions of a document, first to last.
func each(r store.Reader, p nestor.Path, firstID string, fn func(*nestor.Document) error) error {
	q := History(p.Collection(), firstID)
	for {
		page, err := r.Query(q)
		if err != nil {
			return err
		}
		for _, d := range page.Items {
			if err := fn(d); err != nil {
				return err
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return nil
		}
	}
}

// at is where a version lies, beside another one.
func at(p nestor.Path, id string) nestor.Path { return nestor.Path(p.Collection() + "/" + id) }
