package httpapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"reflect"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// maxIdempotencyKey is the length that others allow, too.
const maxIdempotencyKey = 255

// create writes a new document into a collection, with an id of its own or the
// one that the client gave, or that its Idempotency-Key stands for.
//
// A request that is repeated meets the document of the first one. If that says
// what the request says, in the fields sent, it is the answer; else the id is
// taken.
func (s *server) create(r *http.Request, collection, id string, sent any, body func(store.Tx) (any, error)) (response, error) {
	id, err := newID(r, collection, id)
	if err != nil {
		return response{}, err
	}
	p, err := nestor.ParsePath(collection + "/" + id)
	if err != nil {
		return response{}, err
	}
	if err := callerOf(r).allow(p); err != nil {
		return response{}, err
	}
	var d *nestor.Document
	var status int
	err = s.Store.Update(r.Context(), func(tx store.Tx) (err error) {
		d, err = tx.Get(p)
		if err == nil {
			status = http.StatusOK
			return says(d, sent)
		}
		if !errors.Is(err, nestor.ErrNotFound) {
			return err
		}
		status = http.StatusCreated
		b, err := body(tx)
		if err != nil {
			return err
		}
		d, err = tx.Create(p, b)
		return err
	})
	if err != nil {
		return response{}, err
	}
	res := document(d)
	res.status = status
	return res, nil
}

// newID is the id of the document that a request creates.
func newID(r *http.Request, collection, given string) (string, error) {
	key := r.Header.Get("Idempotency-Key")
	switch {
	case given != "":
		return given, nestor.CheckID(given)
	case key == "":
		return nestor.NewID(), nil
	case len(key) > maxIdempotencyKey:
		return "", nestor.Errorf(nestor.CodeInvalid, "an Idempotency-Key has at most %d characters", maxIdempotencyKey)
	}
	return nestor.DeriveID("Idempotency-Key", collection, key), nil
}

// says fails unless the document has every field that was sent, as sent.
func says(d *nestor.Document, sent any) error {
	var fields, has map[string]any
	raw, err := json.Marshal(sent)
	if err == nil {
		err = errors.Join(json.Unmarshal(raw, &fields), json.Unmarshal(d.Data, &has))
	}
	if err != nil {
		return err
	}
	for name, value := range fields {
		if !reflect.DeepEqual(has[name], value) {
			return nestor.Errorf(nestor.CodeExists, "there is a document %s already, and its %s is another one", d.Path, name)
		}
	}
	return nil
}
