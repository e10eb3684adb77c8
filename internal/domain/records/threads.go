package records

import (
	"errors"
	"strconv"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/records/record"
	"github.com/nestorhq/nestor/internal/domain/records/thread"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// WholeThread is a thread with all turns, its own and those that it shares.
type WholeThread struct {
	record.MessageThread
	Turns []thread.Turn `json:"turns"`
}

// newPartial is a piece that a client adds.
type newPartial struct {
	SenderID string                `json:"senderId"`
	Partial  record.MessagePartial `json:"partial"`
}

var lastParameter = httpapi.TextParameter("last", "Only this many turns, the last ones. Defaults to all.", "20")

func showThread(r *httpapi.Request, p nestor.Path) (any, error) {
	var last int64
	if said := r.URL.Query().Get("last"); said != "" {
		n, err := strconv.ParseInt(said, 10, 64)
		if err != nil || n < 1 {
			return nil, nestor.Errorf(nestor.CodeInvalid, "last is a number of turns, at least 1").With("field", "last")
		}
		last = n
	}
	var whole WholeThread
	return &whole, r.View(func(docs store.Reader) error {
		d, err := docs.Get(p)
		if err != nil {
			return err
		}
		if whole.MessageThread, err = nestor.As[record.MessageThread](d); err != nil {
			return err
		}
		whole.Turns, err = thread.Standard.Read(docs, p, last)
		return err
	})
}

// additions is how often a piece is added again because another one was added to the
// same thread at the same moment. The second time it is a fork.
const additions = 3

func (Records) addPartial(r *httpapi.Request) (made any, err error) {
	parent, err := threads.named(r)
	if err != nil {
		return nil, err
	}
	var said newPartial
	if err := r.Decode(&said); err != nil {
		return nil, err
	}
	if err := errors.Join(checkSender(said.SenderID), said.Partial.Check()); err != nil {
		return nil, err
	}
	p, err := threads.fresh(r, "")
	if err != nil {
		return nil, err
	}
	if _, err := r.Get(parent); err != nil { // a key may be for other threads alone
		return nil, err
	}
	for range additions {
		made, err = r.WriteRecord(p, func(tx store.Tx) (*nestor.Document, error) {
			return thread.Standard.Add(tx, parent, p, said.SenderID, said.Partial)
		})
		if !errors.Is(err, nestor.ErrExists) {
			break
		}
	}
	return made, err
}

// removeThread deletes a thread that no other continues.
func removeThread(tx store.Tx, p nestor.Path, version int64) error {
	below, err := tx.Query(store.Query{Collection: p.Collection(), Where: store.Where("parentId", store.Eq, p.ID()), Limit: 1})
	if err != nil {
		return err
	}
	if len(below.Items) > 0 {
		child := below.Items[0].Path.ID()
		return nestor.Errorf(nestor.CodeConflict, "the thread %s continues this one: delete it first", child).With("childId", child)
	}
	return tx.Delete(p, version)
}
