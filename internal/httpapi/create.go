package httpapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"reflect"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/account/sharing"
	"github.com/nestorhq/nestor/internal/store"
)

// maxIdempotencyKey is the limit that other APIs have, too.
const maxIdempotencyKey = 255

// creation is a document to be written.
type creation struct {
	collection string
	// below is the document that it must lie below, if any.
	below nestor.Path
	// acting says that leave to act on below is enough, as far as the credential
	// reaches. Otherwise rules decide about the document itself.
	acting bool
	// id is the client's own, or "".
	id string
	// sent is what the client said. Same, if set, compares the rest of it with the
	// document of an earlier request.
	sent any
	same func(*nestor.Document) error
	// body makes the document, in the transaction that writes it. Rules do not
	// limit what it does there.
	body func(tx store.Tx, p nestor.Path) (any, error)
}

// create writes a new document into a collection, with an id of its own or the
// one that the client gave, or that its Idempotency-Key stands for.
//
// A request that is repeated finds the document of the first one. If the
// document has the fields that the request sent, it is the answer; else the id
// is taken.
func (s *server) create(r *http.Request, c creation) (response, error) {
	id, fresh, err := newID(r, c.collection, c.id)
	if err != nil {
		return response{}, err
	}
	p, err := nestor.ParsePath(c.collection + "/" + id)
	if err != nil {
		return response{}, err
	}
	var d *nestor.Document
	var status int
	err = s.Store.Update(asked(r), func(tx store.Tx) (err error) {
		if c.below != "" { // and a run, if the document begins one, is looked for
			if err := store.Expect(tx, c.below, store.RunAt(p, id)); err != nil {
				return err
			}
		}
		signed := sharing.Signed(tx, callerOf(r))
		written := sharing.Door(tx, s.Rules, callerOf(r), signed)
		guarded := s.Rules.Guard(written, callerOf(r))
		if c.below != "" {
			if _, err := guarded.Get(c.below); err != nil {
				return err
			}
		}
		if c.acting {
			if err := s.mayAct(tx, r, c.below); err != nil {
				return err
			}
			if err := checkReach(r, p); err != nil {
				return err
			}
		}
		if !fresh {
			d, err = guarded.Get(p)
			if err == nil {
				status = http.StatusOK
				if err := says(d, c.sent); err != nil || c.same == nil {
					return err
				}
				return c.same(d)
			}
			if !errors.Is(err, nestor.ErrNotFound) {
				return err
			}
		}
		status = http.StatusCreated
		b, err := c.body(tx, p)
		if err != nil {
			return err
		}
		switch {
		case c.acting:
			d, err = signed.Create(p, b)
		case fresh:
			d, err = s.Rules.CreateNew(written, callerOf(r), p, b)
		default:
			d, err = guarded.Create(p, b)
		}
		return err
	})
	if err != nil {
		return response{}, err
	}
	res := document(d)
	res.status = status
	return res, nil
}

// newID is the id of the document that a request creates. It is fresh if no
// document can have it yet.
func newID(r *http.Request, collection, given string) (id string, fresh bool, err error) {
	key := r.Header.Get("Idempotency-Key")
	switch {
	case given != "":
		return given, false, nestor.CheckID(given)
	case key == "":
		return nestor.NewID(), true, nil
	}
	parts := []string{"Idempotency-Key", collection, key}
	// Where several people write, each has keys of their own: nobody gets what another
	// one said for an answer.
	if user := callerOf(r).UserID; nestor.Path(collection).UserID() != user {
		parts = append(parts, user)
	}
	return nestor.DeriveID(parts...), false, checkKey(key)
}

func checkKey(key string) error {
	if len(key) > maxIdempotencyKey {
		return nestor.Errorf(nestor.CodeInvalid, "an Idempotency-Key has at most %d characters", maxIdempotencyKey)
	}
	return nil
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
