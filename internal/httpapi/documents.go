package httpapi

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/account/sharing"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/store"
)

// getAt answers with the document at the path that pathOf finds in the URL.
func getAt(pathOf func(*http.Request) (nestor.Path, error)) handler {
	return func(s *server, r *http.Request) (response, error) {
		p, err := pathOf(r)
		if err != nil {
			return response{}, err
		}
		return s.get(r, p)
	}
}

func (s *server) get(r *http.Request, p nestor.Path) (response, error) {
	var d *nestor.Document
	err := s.view(r, func(tx store.Reader) (err error) {
		d, err = tx.Get(p)
		return err
	})
	return document(d), err
}

func (s *server) putDocument(r *http.Request) (response, error) {
	return s.writeDocument(r, store.Tx.Put)
}

func (s *server) patchDocument(r *http.Request) (response, error) {
	return s.writeDocument(r, store.Tx.Patch)
}

func (s *server) writeDocument(r *http.Request, write func(store.Tx, nestor.Path, any, int64) (*nestor.Document, error)) (response, error) {
	p, err := documentPath(r)
	if err != nil {
		return response{}, err
	}
	version, err := ifMatch(r)
	if err != nil {
		return response{}, err
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return response{}, err
	}
	var before, d *nestor.Document
	err = s.update(r, func(tx store.Tx) (err error) {
		if before, err = store.FindDocument(tx, p); err != nil {
			return err
		}
		d, err = write(tx, p, json.RawMessage(body), version)
		return err
	})
	res := document(d)
	if err == nil && before == nil {
		res.status = http.StatusCreated
	}
	return res, err
}

// deleteAt deletes the document at the path that pathOf finds in the URL.
func deleteAt(pathOf func(*http.Request) (nestor.Path, error)) handler {
	return func(s *server, r *http.Request) (response, error) {
		p, err := pathOf(r)
		if err != nil {
			return response{}, err
		}
		version, err := ifMatch(r)
		if err != nil {
			return response{}, err
		}
		return response{}, s.remove(r, p, version)
	}
}

// remove deletes a document and all below it. Agents do not go on in a chat that
// is gone: they are stopped first.
func (s *server) remove(r *http.Request, p nestor.Path, version int64) error {
	if err := s.beforeDelete(r, p, version); err != nil {
		return err
	}
	return s.update(r, func(tx store.Tx) error { return tx.Delete(p, version) })
}

// beforeDelete stops what goes on in a chat that the caller may delete.
func (s *server) beforeDelete(r *http.Request, p nestor.Path, version int64) error {
	if s.Agents == nil || !store.Chats.Has(p) {
		return nil
	}
	var d *nestor.Document
	err := s.Store.Update(r.Context(), func(tx store.Tx) (err error) {
		if d, err = store.FindDocument(tx, p); err != nil || d == nil {
			return err
		}
		if err := s.Rules.MayDelete(tx, callerOf(r), d); err != nil {
			return err
		}
		return sharing.MayDelete(tx, s.Rules, callerOf(r), p)
	})
	if errors.Is(err, nestor.ErrNotFound) {
		return nil // the caller does not see it: the delete answers as if there were no chat
	}
	if err != nil || d == nil || version != store.AnyVersion && version != d.Version {
		return err // without an error here, the delete itself says what is wrong
	}
	return s.empty(r, p)
}

func (s *server) query(r *http.Request) (response, error) {
	var q store.Query
	if err := web.Read(r, &q); err != nil {
		return response{}, err
	}
	var page store.Page
	err := s.view(r, func(tx store.Reader) (err error) {
		page, err = tx.Query(q)
		return err
	})
	return response{body: page}, err
}

func (s *server) schemas(*http.Request) (response, error) {
	schemas := map[string]json.RawMessage{}
	for _, c := range s.Store.Catalogue().All() {
		schemas[c.Name] = c.Schema()
	}
	return response{body: schemas}, nil
}

func documentPath(r *http.Request) (nestor.Path, error) { return nestor.ParsePath(r.PathValue("path")) }

func document(d *nestor.Document) response {
	if d == nil {
		return response{}
	}
	return response{body: d, etag: strconv.FormatInt(d.Version, 10)}
}

// ifMatch is the version that the client saw, store.AnyVersion if it does not
// say.
func ifMatch(r *http.Request) (int64, error) {
	h := r.Header.Get("If-Match")
	if h == "" || h == "*" {
		return store.AnyVersion, nil
	}
	h = strings.TrimPrefix(h, "W/") // a proxy that compresses makes it weak
	v, err := strconv.ParseInt(strings.Trim(h, `"`), 10, 64)
	if err != nil || v < 1 {
		return 0, nestor.Errorf(nestor.CodeInvalid, "If-Match is the version of a document, such as \"3\", not %q", h)
	}
	return v, nil
}
