package replication

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// pushRow is one write of a client.
type pushRow struct {
	New json.RawMessage `json:"newDocumentState"`
	// Assumed is the state that the client believes the master to have; none
	// when it knows of no master.
	Assumed json.RawMessage `json:"assumedMasterState"`
}

// push carries out the writes of a client, each on its own, and answers with
// the masters of those that were not accepted. For those that never will be,
// the header [RefusedHeader] says why. If one fails for a passing reason the
// request fails, after the others were tried: the client sends all of them
// again.
func (s *server) push(w http.ResponseWriter, r *http.Request, caller Caller) error {
	c, err := s.collection(r.PathValue("flat"))
	if err != nil {
		return err
	}
	rows, err := s.readRows(w, r)
	if err != nil {
		return err
	}
	p := &pusher{s, r, caller, c, r.URL.Query()}
	answer := []byte{'['}
	var failed error
	var refused refusals
	for _, row := range rows {
		master, why, err := p.write(r.Context(), row)
		if err != nil {
			failed = err
			continue
		}
		if why != nil {
			refused.add(*why)
		}
		if master != nil && len(answer) > 1 {
			answer = append(answer, ',')
		}
		answer = append(answer, master...)
	}
	if failed != nil {
		return failed
	}
	refused.tell(w.Header())
	_ = writeJSON(w, append(answer, ']'))
	return nil
}

func (s *server) readRows(w http.ResponseWriter, r *http.Request) ([]pushRow, error) {
	r.Body = http.MaxBytesReader(w, r.Body, s.MaxBody)
	text, err := io.ReadAll(r.Body)
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return nil, nestor.Errorf(nestor.CodeTooLarge, "a push has at most %d bytes: use a smaller batchSize", tooLarge.Limit)
	}
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the push was cut off: %w", err)
	}
	var rows []pushRow
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "a push is a list of newDocumentState and assumedMasterState: %v", err)
	}
	if err := s.Check(r, text); err != nil {
		return nil, err
	}
	if len(rows) > s.MaxRows {
		return nil, nestor.Errorf(nestor.CodeTooLarge, "a push has at most %d documents: use a smaller batchSize", s.MaxRows)
	}
	return rows, nil
}

type pusher struct {
	*server
	request    *http.Request
	caller     Caller
	collection *store.Collection
	params     url.Values // for ids that the documents do not carry
}

// errNotMaster: what the client assumed is not what the master is.
var errNotMaster = nestor.Errorf(nestor.CodeConflict, "the document has changed")

// write carries out one row. If it was not accepted it returns the master. It
// also returns why, unless the master itself shows that somebody else was
// faster.
func (p *pusher) write(ctx context.Context, row pushRow) (master []byte, why *refusal, err error) {
	next, err := readState(p.collection, row.New)
	if err != nil {
		return nil, nil, err
	}
	if next.id == "" {
		return nil, nil, nestor.Errorf(nestor.CodeInvalid, "a document state has no id")
	}
	var assumed *state
	if len(row.Assumed) > 0 && string(row.Assumed) != "null" {
		if assumed, err = readState(p.collection, row.Assumed); err != nil {
			return nil, nil, err
		}
	}
	path, err := p.path(next)
	if err != nil {
		return p.nothing(next), refusalOf(next.id, err), nil // there can be no such document
	}
	if next.deleted {
		err = p.BeforeDelete(p.request, path)
	}
	if err == nil {
		err = p.Store.Update(store.FromOutside(ctx), func(tx store.Tx) error { return p.apply(tx, path, next, assumed) })
	}
	if err == nil || !final(err) {
		return nil, nil, err
	}
	why = refusalOf(next.id, err)
	master, err = p.master(ctx, path, next)
	return master, why, err
}

// apply writes next if the master is the one that was assumed. What the caller
// may not read does not exist for them: neither the answer nor its reason
// depends on whether it is there, or on what it says.
func (p *pusher) apply(tx store.Tx, path nestor.Path, next, assumed *state) error {
	before, err := tx.Get(path)
	if err != nil && nestor.CodeOf(err) != nestor.CodeNotFound {
		return err
	}
	if before != nil && !p.caller.MayRead(path, before) {
		return p.applyHidden(path, next)
	}
	master, err := masterState(p.collection, before)
	if err != nil {
		return err
	}
	next, assumed = inherit(placed[p.collection], next, assumed, master)
	if next.equal(master) {
		return nil // it came before, or somebody did the same
	}
	if assumed == nil {
		// If the client knows of no master, the document is a new one. If it was
		// deleted, this is an old push that comes again.
		deleted, err := tx.Deleted(path)
		if err != nil {
			return err
		}
		assumed = &state{deleted: !deleted}
	}
	if !assumed.equal(master) {
		return errNotMaster
	}
	return p.replace(tx, path, before, master, next)
}

// applyHidden answers for a document that the caller may not read, as if it
// were not there. It writes nothing.
func (p *pusher) applyHidden(path nestor.Path, next *state) error {
	if next.deleted {
		return nil // so it is gone already
	}
	body, err := json.Marshal(next.fields)
	if err != nil {
		return err
	}
	if err := p.caller.MayWrite(nestor.Create, path, nil, &nestor.Document{Path: path, Data: body}); err != nil {
		return err
	}
	return errNotMaster
}

func (p *pusher) replace(tx store.Tx, path nestor.Path, before *nestor.Document, master, next *state) error {
	if next.deleted {
		if err := p.caller.MayWrite(nestor.Delete, path, before, nil); err != nil {
			return err
		}
		return tx.Delete(path, before.Version)
	}
	op, write := nestor.Create, func() (*nestor.Document, error) { return tx.Create(path, next.fields) }
	if before != nil {
		op, write = nestor.Update, func() (*nestor.Document, error) { return tx.Put(path, next.over(master), before.Version) }
	}
	after, err := write()
	if err != nil {
		return err
	}
	return p.caller.MayWrite(op, path, before, after)
}

// path is where a document belongs.
func (p *pusher) path(s *state) (nestor.Path, error) {
	if p.collection == store.UserDocuments {
		scope, err := p.ownScope(p.params.Get("collection"))
		if err != nil {
			return "", err
		}
		return nestor.ParsePath(scope.String() + "/" + s.id)
	}
	keys := make([]string, len(s.keys))
	for i, k := range p.collection.Keys {
		keys[i] = s.keys[i]
		if keys[i] == "" {
			keys[i] = p.params.Get(k.Field)
		}
		if keys[i] == "" && i == 0 {
			keys[i] = p.caller.UserID()
		}
		if err := nestor.CheckID(keys[i]); err != nil {
			return "", err
		}
	}
	if err := nestor.CheckID(s.id); err != nil {
		return "", err
	}
	return p.collection.Path(keys, s.id), nil
}

// final reports whether a write will never be accepted as it is.
func final(err error) bool {
	switch nestor.CodeOf(err) {
	case nestor.CodeInvalid, nestor.CodeUnauthenticated, nestor.CodeForbidden, nestor.CodeNotFound,
		nestor.CodeExists, nestor.CodeConflict, nestor.CodeTooLarge:
		return true
	}
	return false
}

// master is the document that the client is to have instead of its own.
func (p *pusher) master(ctx context.Context, path nestor.Path, s *state) ([]byte, error) {
	var d *nestor.Document
	err := p.Store.View(ctx, func(r store.Reader) (err error) {
		d, err = r.Get(path)
		return err
	})
	switch {
	case nestor.CodeOf(err) == nestor.CodeNotFound, err == nil && !p.caller.MayRead(path, d):
		return p.nothing(s), nil
	case err != nil:
		return nil, err
	}
	return appendDocument(nil, p.collection, d), nil
}

// nothing stands for a document that does not exist, or that the caller may not
// read, under the ids that the client gave it.
func (p *pusher) nothing(s *state) []byte {
	return appendDeleted(nil, p.collection, s.keys, s.id, 0, 0, 0)
}
