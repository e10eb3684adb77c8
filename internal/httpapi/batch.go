package httpapi

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/store"
)

// maxOperations bounds how long one batch keeps others from writing.
const maxOperations = 100

type batch struct {
	Operations []batchOperation `json:"operations"`
}

// batchOperation is one write, as the routes of documents do it.
type batchOperation struct {
	Op   batchOp     `json:"op"`
	Path nestor.Path `json:"path"`
	// Body is the document, or what a patch changes; a delete has none.
	Body json.RawMessage `json:"body,omitempty"`
	// IfMatch is the version that the document must have, like the header of that
	// name.
	IfMatch *int64 `json:"ifMatch,omitempty"`
}

type batchOp string

const (
	opCreate batchOp = "create"
	opPut    batchOp = "put"
	opPatch  batchOp = "patch"
	opDelete batchOp = "delete"
)

type batchAnswer struct {
	Written []written `json:"written"`
}

// written is what became of an operation. After a delete there is no version.
type written struct {
	Path    nestor.Path `json:"path"`
	Version int64       `json:"version,omitempty"`
}

// postBatch carries out all operations in one transaction or, if one of them is
// refused, none. Rules decide about each as if it came alone, after those
// before it.
func (s *server) postBatch(r *http.Request) (response, error) {
	var b batch
	if err := web.Read(r, &b); err != nil {
		return response{}, err
	}
	if err := b.check(); err != nil {
		return response{}, err
	}
	key, err := newAnswerKey(r, b)
	if err != nil {
		return response{}, err
	}
	if callerOf(r).Kind != access.AsLocal {
		s.writes.Charge(callerOf(r).UserID, len(b.Operations)-1)
	}
	var answer *batchAnswer
	at := 0 // the operation under way
	err = s.Store.Update(asked(r), func(all store.Tx) (err error) {
		at = len(b.Operations)
		if answer, err = key.find(all); err != nil || answer != nil {
			return err
		}
		if answer, err = s.carryOut(r, all, b.Operations, &at); err != nil {
			return err
		}
		return key.keep(all, answer)
	})
	if err != nil && at < len(b.Operations) { // only the end of the transaction gives it its code, on either engine
		err = b.Operations[at].refused(at, err)
	}
	if errors.Is(err, nestor.ErrExists) && key.path != "" {
		answer, err = s.answeredMeanwhile(r, key, err)
	}
	if err != nil {
		return response{}, err
	}
	return response{body: answer}, nil
}

// answeredMeanwhile looks for the answer to the same request, which another
// connection may have carried out meanwhile. If there is none, the request has
// failed for another reason.
func (s *server) answeredMeanwhile(r *http.Request, key answerKey, failed error) (answer *batchAnswer, err error) {
	err = s.Store.View(r.Context(), func(all store.Reader) (err error) {
		answer, err = key.find(all)
		return err
	})
	if err == nil && answer == nil {
		err = failed
	}
	return answer, err
}

// carryOut makes the operations in their order. At tells the caller which one
// is under way.
func (s *server) carryOut(r *http.Request, all store.Tx, operations []batchOperation, at *int) (*batchAnswer, error) {
	documents := make([]*nestor.Document, len(operations))
	for i, o := range operations {
		*at = i
		// Rules remember what they looked up, and the operation before may have
		// changed that. So each operation has a guard of its own.
		d, err := o.carryOut(s.guarded(r, all))
		if err == nil {
			// The store holds writes back until somebody queries. So the query finds
			// what is wrong now, and gives the document its version.
			_, err = all.Query(store.Query{Collection: o.Path.Collection(), Limit: 1})
		}
		if err != nil {
			return nil, err
		}
		documents[i] = d
	}
	*at = len(operations)
	answer := &batchAnswer{Written: make([]written, len(operations))}
	for i, o := range operations {
		answer.Written[i].Path = o.Path
		if documents[i] != nil {
			answer.Written[i].Version = documents[i].Version
		}
	}
	return answer, nil
}

func (o *batchOperation) carryOut(tx store.Tx) (*nestor.Document, error) {
	version := store.AnyVersion
	if o.IfMatch != nil {
		version = *o.IfMatch
	}
	switch o.Op {
	case opCreate:
		return tx.Create(o.Path, o.Body)
	case opPut:
		return tx.Put(o.Path, o.Body, version)
	case opPatch:
		return tx.Patch(o.Path, o.Body, version)
	}
	return nil, tx.Delete(o.Path, version)
}

// check reports what is wrong with a batch, whoever sends it.
func (b *batch) check() error {
	if n := len(b.Operations); n == 0 || n > maxOperations {
		return nestor.Errorf(nestor.CodeInvalid, "a batch has 1 to %d operations, not %d", maxOperations, n).With("field", "operations")
	}
	for i, o := range b.Operations {
		if err := o.check(); err != nil {
			return o.refused(i, err)
		}
	}
	return nil
}

func (o *batchOperation) check() error {
	invalid := func(text string) error { return nestor.Errorf(nestor.CodeInvalid, "%s", text) }
	switch o.Op {
	case opCreate, opPut, opPatch:
		if o.Body == nil {
			return invalid("there is no body")
		}
	case opDelete:
		if o.Body != nil {
			return invalid("a delete has no body")
		}
	default:
		return invalid("op is create, put, patch or delete")
	}
	if o.IfMatch != nil && (o.Op == opCreate || *o.IfMatch < 1) {
		return invalid("ifMatch is the version of a document that is there, such as 3")
	}
	p, err := nestor.ParsePath(string(o.Path))
	if err != nil {
		return err
	}
	if o.Op == opDelete && store.Chats.Has(p) {
		// Deleting a chat stops its agents first, and no rollback starts them again.
		return invalid("a chat is deleted by itself, with DELETE")
	}
	return nil
}

// refused says which operation an error is about. Internal errors stay as they
// are.
func (o *batchOperation) refused(index int, err error) error {
	var known *nestor.Error
	if !errors.As(err, &known) || known.Code == nestor.CodeInternal {
		return err
	}
	named := nestor.Errorf(known.Code, "operation %d, %s %s: %w", index, o.Op, o.Path, err)
	for name, value := range known.Details {
		named = named.With(name, value)
	}
	named = named.With("index", index).With("path", o.Path)
	if known.Code == nestor.CodeConflict && o.IfMatch != nil {
		return web.PreconditionFailed{Err: named}
	}
	return named
}
