package runs

import (
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/domain/runs/view"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// RunShare is a link to a run, for anyone who has it, stored at
// users/{userId}/run-shares/{id}. The link itself is shown once, when it is made.
//
// Whoever opens the link sees what happened in the run, as far as the one who made the link
// may read it at that moment, and nothing else.
type RunShare struct {
	nestor.Meta
	UserID string `json:"userId,omitempty"`
	RunID  string `json:"runId"`
	// By is who made the link.
	By string `json:"by"`
	// ExpiresAt is when the link ends, in Unix milliseconds, 0 for never.
	ExpiresAt int64 `json:"expiresAt,omitempty"`
}

// Shares has a document for each link.
var Shares = func() *store.Collection {
	c := store.NewCollection[RunShare]("run_shares", nil, "users/{userId}/run-shares/{id}", store.Column[string]("runId"))
	c.ServerWrites = true
	c.Indexes = [][]string{{"runId"}}
	c.BeforeDelete = func(s *store.Session, doomed []*nestor.Document) ([]*nestor.Document, error) {
		return forget(c, s, doomed)
	}
	return c
}()

// link is what counts: the plain document only shows it. It lies among the secrets, which
// nobody reads or writes from outside.
type link struct {
	Digest    string `json:"digest"`
	UserID    string `json:"userId"`
	RunID     string `json:"runId"`
	By        string `json:"by"`
	ExpiresAt int64  `json:"expiresAt,omitempty"`
}

func linkPath(id string) nestor.Path {
	return nestor.Path(nestor.Secrets+"/shares").Child("runs", id)
}

// forget has the link go with its document.
func forget(shares *store.Collection, s *store.Session, doomed []*nestor.Document) (also []*nestor.Document, err error) {
	for _, d := range doomed {
		if !shares.Has(d.Path) {
			continue
		}
		secret, err := s.GetToWrite(linkPath(d.Path.ID()))
		if err != nil {
			return nil, err
		}
		if secret != nil {
			also = append(also, secret)
		}
	}
	return also, nil
}

// maxShares bounds the links to one run.
const maxShares = 50

// SharedRun is a link that was just made. It is not told again.
type SharedRun struct {
	RunShare
	// Token is the end of the link: /shared/TOKEN.
	Token string `json:"token"`
}

// newShare is what a caller decides about a link.
type newShare struct {
	// ExpiresAt is when the link ends, in Unix milliseconds. Defaults to never.
	ExpiresAt int64 `json:"expiresAt,omitempty"`
}

// share makes a link. Who may act on the run may: a link shows it to the world.
func (r *Runs) share(req *httpapi.Request) (any, error) {
	p, run, err := r.visible(req)
	if err != nil {
		return nil, err
	}
	var in newShare
	if err := req.Decode(&in); err != nil {
		return nil, err
	}
	if in.ExpiresAt != 0 && in.ExpiresAt <= nestor.Millis(time.Now()) {
		return nil, nestor.Errorf(nestor.CodeInvalid, "expiresAt is a time to come, in Unix milliseconds").With("field", "expiresAt")
	}
	if err := req.MayAct(about(p, &run)); err != nil {
		return nil, err
	}
	if err := req.ViewAs(req.UserID(), func(docs store.Reader) error { return sees(docs, p, &run) }); err != nil {
		return nil, nestor.Errorf(nestor.CodeForbidden, "a link shows what its maker may read, and this run is another user's")
	}
	id, token, digest := access.NewShare()
	share := RunShare{RunID: run.ID, By: req.UserID(), ExpiresAt: in.ExpiresAt}
	var saved *nestor.Document
	err = r.store.Update(store.FromOutside(req.Context()), func(tx store.Tx) error {
		others, err := sharesOf(tx, p)
		if err != nil {
			return err
		}
		if len(others) >= maxShares {
			return nestor.Errorf(nestor.CodeTooLarge, "%d links lead to the run: revoke one first", len(others))
		}
		if _, err := tx.Create(linkPath(id), link{digest, run.UserID, run.ID, share.By, share.ExpiresAt}); err != nil {
			return err
		}
		saved, err = tx.Create(sharePath(p, id), share)
		return err
	})
	if err != nil {
		return nil, err
	}
	share, err = nestor.As[RunShare](saved)
	return SharedRun{share, token}, err
}

// about is what somebody acts on who acts on a run.
func about(p nestor.Path, run *nestor.Run) nestor.Path {
	if run.ChatID != "" {
		return chatOf(run)
	}
	return p
}

func sharePath(run nestor.Path, id string) nestor.Path {
	return nestor.Path(run.Tenant()).Child("run-shares", id)
}

func sharesOf(docs store.Reader, run nestor.Path) (all []RunShare, err error) {
	q := store.Query{Collection: run.Tenant() + "/run-shares", Where: store.Where("runId", store.Eq, run.ID())}
	err = store.Each(docs, q, func(_ nestor.Path, s *RunShare) {
		all = append(all, *s)
	})
	return all, err
}

// mine reports whether the caller made a link, or the run is theirs.
func mine(req *httpapi.Request, p nestor.Path, s *RunShare) bool {
	return s.By == req.UserID() || p.UserID() == req.UserID()
}

// shares lists the links to a run: all to its user, and to others their own.
func (r *Runs) shares(req *httpapi.Request) (any, error) {
	p, _, err := r.visible(req)
	if err != nil {
		return nil, err
	}
	list := httpapi.List[RunShare]{Items: []RunShare{}}
	err = r.store.View(req.Context(), func(docs store.Reader) error {
		list.Items = list.Items[:0]
		all, err := sharesOf(docs, p)
		for i := range all {
			if mine(req, p, &all[i]) {
				list.Items = append(list.Items, all[i])
			}
		}
		return err
	})
	return list, err
}

// revoke ends a link, at once. Who made it may, even if they may not see the run any more,
// and so may the user whose run it is.
func (r *Runs) revoke(req *httpapi.Request) (any, error) {
	p, err := at(req)
	if err != nil {
		return nil, err
	}
	id := req.PathValue("share")
	if err := req.Reaches(sharePath(p, id)); err != nil {
		return nil, err
	}
	return nil, r.store.Update(store.FromOutside(req.Context()), func(tx store.Tx) error {
		s, err := store.Find[RunShare](tx, sharePath(p, id))
		if err != nil {
			return err
		}
		if s == nil || s.RunID != p.ID() || !mine(req, p, s) {
			return nestor.Errorf(nestor.CodeNotFound, "there is no link %s to the run", id)
		}
		return tx.Delete(sharePath(p, id), store.AnyVersion)
	})
}

// noShare is what everybody is told whose link does not work, whatever the reason.
func noShare() error {
	return nestor.Errorf(nestor.CodeNotFound, "this link does not work: it was revoked or has expired, or what it led to is gone")
}

// opened calls fn with the run that the token in a request leads to, and a reader of what
// the one who made the link may read now.
func (r *Runs) opened(req *httpapi.Request, fn func(store.Reader, *nestor.Run) error) error {
	if err := req.Stranger(); err != nil {
		return err
	}
	l, err := r.linked(req)
	if err != nil {
		return err
	}
	if l == nil {
		if err := req.Guessed(); err != nil {
			return err
		}
		return noShare()
	}
	p := nestor.Path("users/"+l.UserID).Child("runs", l.RunID)
	run, err := store.Load[nestor.Run](req.Context(), r.store, p)
	if err != nil {
		return err
	}
	if run == nil {
		return noShare()
	}
	err = req.ViewAs(l.By, func(docs store.Reader) error {
		err := sees(docs, p, run)
		if err == nil && run.ChatID != "" { // a run outlives its chat
			_, err = docs.Get(chatOf(run))
		}
		if nestor.CodeOf(err) == nestor.CodeNotFound {
			return noShare()
		}
		if err != nil {
			return err
		}
		return fn(docs, run)
	})
	if nestor.CodeOf(err) == nestor.CodeUnauthenticated { // its maker is locked out
		return noShare()
	}
	return err
}

// linked is the link of which a request has the token, nil if there is none that counts.
func (r *Runs) linked(req *httpapi.Request) (found *link, err error) {
	token := req.PathValue("token")
	id, ok := access.ParseShare(token)
	if !ok {
		return nil, nil
	}
	err = r.store.View(req.Context(), func(docs store.Reader) error {
		l, err := store.Find[link](docs, linkPath(id))
		if err != nil || l == nil || !access.IsShare(l.Digest, token) || l.ExpiresAt != 0 && l.ExpiresAt <= nestor.Millis(time.Now()) {
			return err
		}
		shown, err := store.FindDocument(docs, nestor.Path("users/"+l.UserID).Child("run-shares", id))
		if shown != nil {
			found = l
		}
		return err
	})
	return found, err
}

// sharedTree is the tree of a run without what tells of anything else.
func (r *Runs) sharedTree(req *httpapi.Request) (any, error) {
	part, err := partOf(req)
	if err != nil {
		return nil, err
	}
	var tree view.RunTree
	err = r.opened(req, func(docs store.Reader, run *nestor.Run) (err error) {
		tree, err = view.Read(docs, run, part)
		tree.Run = view.Public(run)
		return err
	})
	return tree, err
}

func (r *Runs) sharedStep(req *httpapi.Request) (any, error) {
	var step view.RunStep
	err := r.opened(req, func(docs store.Reader, run *nestor.Run) (err error) {
		step, err = view.Step(docs, run, req.URL.Query().Get("row"))
		for i := range step.Decisions {
			step.Decisions[i].By = ""
		}
		return err
	})
	return step, err
}
