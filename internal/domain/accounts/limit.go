package accounts

import (
	"errors"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// newLimit is how many jobs in the chats of an account run at once.
type newLimit struct {
	Jobs int `json:"jobs"`
}

// maxLimit is more jobs than all nodes together run.
const maxLimit = 1_000_000

func limitPath(r *httpapi.Request) nestor.Path {
	return nestor.Path(store.AccountLimits + "/" + r.PathValue("account"))
}

func (a *Accounts) getLimit(r *httpapi.Request) (any, error) {
	var d *nestor.Document
	err := a.store.View(r.Context(), func(tx store.Reader) (err error) {
		d, err = tx.Get(limitPath(r))
		if errors.Is(err, nestor.ErrNotFound) {
			err = nestor.Errorf(nestor.CodeNotFound, "the account %q has no limit of its own", r.PathValue("account"))
		}
		return err
	})
	return d, err
}

func (a *Accounts) putLimit(r *httpapi.Request) (any, error) {
	var req newLimit
	if err := r.Decode(&req); err != nil {
		return nil, err
	}
	if req.Jobs < 1 || req.Jobs > maxLimit {
		return nil, nestor.Errorf(nestor.CodeInvalid, "jobs is a number from 1 to %d", maxLimit).With("field", "jobs")
	}
	p, err := accountPath(r)
	if err != nil {
		return nil, err
	}
	var d *nestor.Document
	err = a.store.Update(r.Context(), func(tx store.Tx) (err error) {
		if _, err = tx.Get(p); err != nil {
			return err
		}
		d, err = tx.Put(limitPath(r), store.AccountLimit{Jobs: req.Jobs}, store.AnyVersion)
		return err
	})
	return d, err
}

func (a *Accounts) deleteLimit(r *httpapi.Request) (any, error) {
	return nil, a.store.Update(r.Context(), func(tx store.Tx) error { return tx.Delete(limitPath(r), store.AnyVersion) })
}
