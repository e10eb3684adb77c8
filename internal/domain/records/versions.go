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
	FromID string `json:"fromId"`
	// ToID is empty for a text that is not stored.
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

// byOwner says that the person wrote a document whose it is: the calls of this module
// are about the caller's own.
func byOwner(p nestor.Path) record.Author { return record.Author{UserID: p.UserID()} }

// authoredChange is a change with who made it. What is told of an agent that wrote the
// version before goes.
type authoredChange struct {
	textDocumentChange
	WrittenBy map[string]any `json:"writtenBy"`
}

func readTextChange(r *httpapi.Request) (any, error) {
	var said textDocumentChange
	err := r.Decode(&said)
	return authoredChange{said, map[string]any{
		"userId": r.UserID(), "role": nil, "chatId": nil, "taskId": nil, "subAgentId": nil, "toolCallId": nil,
	}}, err
}

// cloneTextDocument makes a document with a history of its own.
func cloneTextDocument(tx store.Tx, d *nestor.Document, p nestor.Path) (*nestor.Document, error) {
	v, err := nestor.As[record.TextDocument](d)
	if err != nil {
		return nil, err
	}
	return tx.Create(p, version.First(p, v.Title, v.Content, byOwner(p)))
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
	d, err := r.WriteRecord(p, func(tx store.Tx) (*nestor.Document, error) {
		return version.Next(tx, p, version.Text{Title: said.Title, Content: said.Content, By: byOwner(p)})
	})
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
		made, err = r.WriteRecord(p, func(tx store.Tx) (*nestor.Document, error) { return version.Restore(tx, p, byOwner(p)) })
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

func (Records) searchTexts(r *httpapi.Request) (any, error) {
	p, err := texts.at(r, "any")
	if err != nil {
		return nil, err
	}
	limit, cursor, err := r.Page()
	if err != nil {
		return nil, err
	}
	var page httpapi.List[version.Summary]
	err = r.View(func(docs store.Reader) (err error) {
		page.Items, page.Next, err = version.Search(docs, p.Collection(), r.URL.Query().Get("q"), limit, cursor)
		return err
	})
	return page, err
}

// listHistory has the versions of a document without their contents, last to first.
func (Records) listHistory(r *httpapi.Request) (any, error) {
	p, err := texts.named(r)
	if err != nil {
		return nil, err
	}
	limit, cursor, err := r.Page()
	if err != nil {
		return nil, err
	}
	all := httpapi.List[version.Summary]{Items: []version.Summary{}}
	err = r.View(func(docs store.Reader) error {
		latest, err := version.Latest(docs, p)
		if err != nil {
			return err
		}
		if latest == nil {
			return nestor.Errorf(nestor.CodeNotFound, "there is no text document %s", p.ID())
		}
		last, err := nestor.As[record.TextDocument](latest)
		if err != nil {
			return err
		}
		q := version.History(p.Collection(), last.FirstID)
		q.OrderBy[0].Desc, q.Limit, q.Cursor = true, limit, cursor
		page, err := docs.Query(q)
		if err != nil {
			return err
		}
		all.Items, all.Next = all.Items[:0], page.Next
		for _, d := range page.Items {
			s, err := version.Summarise(d)
			if err != nil {
				return err
			}
			all.Items = append(all.Items, s)
		}
		return nil
	})
	return all, err
}

// comparedText is a text that is not stored.
type comparedText struct {
	Content string `json:"content"`
}

func (Records) diffText(r *httpapi.Request) (any, error) {
	p, err := texts.named(r)
	if err != nil {
		return nil, err
	}
	var said comparedText
	if err := r.Decode(&said); err != nil {
		return nil, err
	}
	from, err := readText(r, p)
	if err != nil {
		return nil, err
	}
	return Difference{FromID: from.ID, Unified: diff.Unified(from.Content, said.Content)}, nil
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
