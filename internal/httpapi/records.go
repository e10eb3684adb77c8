package httpapi

import (
	"errors"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// RecordCount is how many records there are.
type RecordCount struct {
	Count int `json:"count"`
}

// DeletedRecord is the event of a record that is no more.
type DeletedRecord struct {
	ID string `json:"id"`
}

// CloneRequest says what the copy of a record is to be called.
type CloneRequest struct {
	ID string `json:"id,omitempty"`
}

// CloneID is what the copy is to be called that a request asks for, which may say nothing.
func (r *Request) CloneID() (string, error) {
	var said CloneRequest
	if r.ContentLength != 0 {
		if err := r.Decode(&said); err != nil {
			return "", err
		}
	}
	return NewRecordID(said.ID)
}

// WriteRecord answers with the record that fn writes, if the caller may act on the one at p.
func (r *Request) WriteRecord(p nestor.Path, fn func(store.Tx) (*nestor.Document, error)) (any, error) {
	var d *nestor.Document
	err := r.Act(p, func(tx store.Tx) (err error) {
		d, err = fn(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

// MaxRecords is how many records one request makes. It bounds how long others are kept
// from writing.
const MaxRecords = 100

// CheckBatch refuses a batch of no records, or of too many, and charges the caller for
// each.
func (r *Request) CheckBatch(n int) error {
	if n == 0 || n > MaxRecords {
		return nestor.Errorf(nestor.CodeInvalid, "a batch has 1 to %d records, not %d", MaxRecords, n).With("field", "records")
	}
	r.Charge(n - 1)
	return nil
}

// InBatch says which record of a batch an error is about.
func InBatch(index int, err error) error {
	var known *nestor.Error
	if !errors.As(err, &known) || known.Code == nestor.CodeInternal {
		return err
	}
	told := nestor.Errorf(known.Code, "record %d: %w", index, err)
	for name, value := range known.Details {
		told = told.With(name, value)
	}
	return told.With("index", index)
}

// NewRecordID is the id of a new record: the one that a client wants, unless it is a
// word of the API, or else one that is made.
func NewRecordID(id string) (string, error) {
	switch {
	case id == "":
		return nestor.NewID(), nil
	case slices.Contains([]string{"batch", "count", "stream", "summaries"}, id):
		return "", nestor.Errorf(nestor.CodeInvalid, "no record has the id %q, which is a word of the API", id).With("field", "id")
	}
	if err := nestor.CheckID(id); err != nil {
		return "", nestor.Errorf(nestor.CodeInvalid, "%w", err).With("field", "id")
	}
	return id, nil
}

// Count counts the documents of a query that the caller may read. The store does,
// where the rules need not look at each.
func (r *Request) Count(q store.Query) (RecordCount, error) {
	var n int
	err := r.View(func(docs store.Reader) (err error) {
		n, err = store.Count(docs, q)
		return err
	})
	return RecordCount{n}, err
}

// StreamRecords tells what becomes of the records of a collection. Who wants to miss
// nothing opens it and lists them then. Show is how a record is shown.
func StreamRecords(collection string, show func(*nestor.Document) (any, error)) Stream {
	return Stream{
		// The path stands for any record of the kind: who may read one there may follow.
		Path: nestor.Path(collection + "/stream"), Also: []nestor.Glob{nestor.Glob(collection + "/*")},
		Of: func(c *nestor.Change) ([]Event, error) {
			switch {
			case c.Path.Collection() != collection:
				return nil, nil
			case c.After == nil:
				return []Event{{Name: "deleted", Data: DeletedRecord{c.Path.ID()}}}, nil
			}
			shown, err := show(c.After)
			if err != nil {
				return nil, err
			}
			if c.Type == nestor.Create {
				return []Event{{Name: "created", Data: shown}}, nil
			}
			return []Event{{Name: "updated", Data: shown}}, nil
		},
	}
}
