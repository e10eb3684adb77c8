package search

import (
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
)

// asking reads what tools may read: the documents that all askers of a call may
// read by the rules, as if they were signed in, within the reach of the call's run. Nobody's
// rights as an administrator count.
type asking struct {
	store.Reader // what the first of them may read
	judges       []*rules.Judge
	chat         nestor.Path // where what is found is told, "" for outside of chats
}

// chatOf is the chat that a call is made in.
func chatOf(scope tool.Scope) nestor.Path {
	return nestor.Path("users/"+scope.UserID).Child("orch-chats", scope.ChatID)
}

// askingFor fails if the work that the call is part of has no rights any more; see
// [access.OnBehalf].
func askingFor(e *rules.Engine, all store.Reader, scope tool.Scope) (*asking, error) {
	work := access.Work{Run: scope.Run, Askers: scope.AskedBy.Or(scope.UserID)}
	if scope.ChatID != "" {
		work.Chat = chatOf(scope)
	}
	authority, err := access.OnBehalf(all, work, time.Now())
	if err != nil {
		return nil, err
	}
	a := &asking{chat: authority.Chat}
	for _, caller := range authority.Callers {
		if a.Reader == nil {
			a.Reader = e.Reader(all, caller)
		}
		a.judges = append(a.judges, e.On(all, caller))
	}
	return a, nil
}

// Get implements [store.Reader].
func (a *asking) Get(p nestor.Path) (*nestor.Document, error) {
	d, err := a.Reader.Get(p)
	if err != nil {
		return nil, err
	}
	if err := a.may(d); err != nil {
		return nil, err
	}
	return d, nil
}

// Query implements [store.Reader]. A page may be short and still have a next one.
func (a *asking) Query(q store.Query) (store.Page, error) {
	page, err := a.Reader.Query(q)
	if err != nil {
		return store.Page{}, err
	}
	readable := []*nestor.Document{}
	for _, d := range page.Items {
		switch err := a.may(d); nestor.CodeOf(err) {
		case "":
			readable = append(readable, d)
		case nestor.CodeNotFound:
		default:
			return store.Page{}, err
		}
	}
	page.Items = readable
	return page, nil
}

// may reports why one of the askers may not read a document.
func (a *asking) may(d *nestor.Document) error {
	for _, j := range a.judges {
		if err := j.May(rules.Read, d.Path, d, nil); err != nil {
			return err
		}
	}
	return nil
}
