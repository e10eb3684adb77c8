package records

import (
	"errors"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/records/diff"
	"github.com/nestorhq/nestor/internal/domain/records/record"
	"github.com/nestorhq/nestor/internal/domain/records/version"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// newVersion is what a client saves. Without a title that of the version before
// stays.
type newVersion struct {
	Title   *string `json:"title,omitempty"`
	Content string  `json:"content"`
}

// Difference tells two text documents apart, in the unified format.
type Difference struct {
	FromID  string `json:"fromId"`
	ToID    string `json:"toId"`
	Unified string `json:"unified"`
}

func onlyCurrent(r *httpapi.Request) (*store.Filter, error) {
	switch said := r.URL.Query().Get("current"); said {
	case "", "false":
		return nil, nil
	case "true":
		return store.Where("nextId", store.Eq, nil), nil
	default:
		return nil, nestor.Errorf(nestor.CodeInvalid, "current is true or false, not %q", said).With("field", "current")
	}
}

// cloneTextDocument makes a document with a history of its own.
func cloneTextDocument(tx store.Tx, d *nestor.Document, p nestor.Path) (*nestor.Document, error) {
	v, err := nestor.As[record.TextDocument](d)
	if err != nil {
		return nil, err
	}
	return tx.Create(p, version.First(p.UserID(), p.ID(), v.Title, v.Content))
}

func (Records) saveVersion(r *httpapi.Request) (any, error) {
	p, err := texts.named(r)
	if err != nil {
		return nil, err
	}
	var said newVersion
	if err := r.Decode(&said); err != nil {
		return nil, err
	}
	d, err := act(r, p, func(tx store.Tx) (*nestor.Document, error) { return version.Next(tx, p, said.Title, said.Content) })
	if errors.Is(err, nestor.ErrExists) {
		// The database refused a second version after the same one: now there is a next
		// one to tell of.
		err = r.View(func(docs store.Reader) error {
			_, err := version.Last(docs, p)
			return err
		})
	}
	return d, err
}

// restores is how often a version is restored again because another one was saved
// at the same moment. Each time one of those who compete is through.
const restores = 50

func (Records) restoreVersion(r *httpapi.Request) (made any, err error) {
	p, err := texts.named(r)
	if err != nil {
		return nil, err
	}
	for range restores {
		made, err = act(r, p, func(tx store.Tx) (*nestor.Document, error) { return version.Restore(tx, p) })
		if !errors.Is(err, nestor.ErrConflict) && !errors.Is(err, nestor.ErrExists) {
			break
		}
	}
	return made, err
}

func (Records) listVersions(r *httpapi.Request) (any, error) {
	p, err := texts.named(r)
	if err != nil {
		return nil, err
	}
	v, err := readText(r, p)
	if err != nil {
		return nil, err
	}
	return list(r, version.History(p.Collection(), v.FirstID))
}

func (Records) diffVersions(r *httpapi.Request) (any, error) {
	p, err := texts.named(r)
	if err != nil {
		return nil, err
	}
	other, err := texts.at(r, r.URL.Query().Get("to"))
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "to is the id of a text document: %w", err).With("field", "to")
	}
	from, err := readText(r, p)
	if err != nil {
		return nil, err
	}
	to, err := readText(r, other)
	if err != nil {
		return nil, err
	}
	return Difference{FromID: from.ID, ToID: to.ID, Unified: diff.Unified(from.Content, to.Content)}, nil
}

func readText(r *httpapi.Request, p nestor.Path) (*record.TextDocument, error) {
	d, err := r.Get(p)
	if err != nil {
		return nil, err
	}
	v, err := nestor.As[record.TextDocument](d)
	return &v, err
}
