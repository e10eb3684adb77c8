package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/account/sharing"
	"github.com/nestorhq/nestor/internal/store"
)

// view reads what the caller may read. Nothing else seems to be there.
func (s *server) view(r *http.Request, fn func(store.Reader) error) error {
	return sharing.View(r.Context(), s.Store, s.Rules, fn)
}

// update writes what the caller may write.
func (s *server) update(r *http.Request, fn func(store.Tx) error) error {
	return s.Store.Update(asked(r), func(all store.Tx) error { return fn(s.guarded(r, all)) })
}

// asked is the context of a write that the caller asks for. A webhook that does the
// work of a stage is a part of the runtime.
func asked(r *http.Request) context.Context {
	if callerOf(r).Kind == access.AsWebhook {
		return r.Context()
	}
	ctx := store.FromOutside(r.Context())
	if r.Method == http.MethodDelete {
		return store.Ending(ctx)
	}
	return ctx
}

// guarded is a transaction in which the caller writes what they may, under their
// own name.
func (s *server) guarded(r *http.Request, all store.Tx) store.Tx {
	return sharing.Tx(all, s.Rules, callerOf(r))
}

// act runs fn in a transaction that is not limited by rules, if the caller may
// act on the document at p. It is for routes that know what may change.
func (s *server) act(r *http.Request, p nestor.Path, fn func(store.Tx) error) error {
	return s.Store.Update(asked(r), func(tx store.Tx) error {
		if err := s.mayAct(tx, r, p); err != nil {
			return err
		}
		return fn(tx)
	})
}

// checkAct reports why the caller may not act on the document at p, which need
// not exist.
func (s *server) checkAct(r *http.Request, p nestor.Path) error {
	return s.Store.View(r.Context(), func(all store.Reader) error { return s.mayAct(all, r, p) })
}

// checkReach reports why the caller's credential is not for the document at p,
// which an act on another document writes.
func checkReach(r *http.Request, p nestor.Path) error {
	if callerOf(r).Reaches(p, access.ToAct, time.Now()) {
		return nil
	}
	return nestor.Errorf(nestor.CodeForbidden, "your token or key is not for %s", p.Collection())
}

// speaker is in whose name the caller speaks.
func speaker(r *http.Request) string { return sharing.Speaker(callerOf(r)) }

// mayDecide refuses decisions about calls that no person makes, and no client of theirs.
func mayDecide(r *http.Request) error {
	if callerOf(r).Kind != access.AsWebhook {
		return nil
	}
	return nestor.Errorf(nestor.CodeForbidden, "people decide about calls, or their clients: a program in the place of a stage does not")
}

// mayName reports why the caller may not name the files of parts in a chat.
func (s *server) mayName(r *http.Request, chat nestor.Path, parts []nestor.Part) error {
	return s.Store.View(r.Context(), func(all store.Reader) error {
		return sharing.MayName(all, s.Rules, callerOf(r), chat, parts)
	})
}

func (s *server) mayAct(all store.Reader, r *http.Request, p nestor.Path) error {
	return s.Rules.On(all, callerOf(r)).MayAt(rules.Act, p)
}
