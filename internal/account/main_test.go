package account_test

import (
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// env is a store and the account "team" with a member of each role.
type env struct {
	*testing.T
	s    store.Store
	team string
}

func each(t *testing.T, fn func(e env)) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		e := env{T: t, s: open(t, store.Options{})}
		e.team = e.write(func(tx store.Tx) (*nestor.Document, error) { return account.Create(tx, "olga", "Team") }).Path.ID()
		e.must(e.setMember("olga", e.team, "mia", account.Member))
		e.must(e.setMember("olga", e.team, "vito", account.Viewer))
		fn(e)
	})
}

// sub runs fn as a test of its own on the same store.
func (e env) sub(name string, fn func(e env)) {
	e.Run(name, func(t *testing.T) { fn(env{t, e.s, e.team}) })
}

func (e env) must(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}

// code fails unless err has the code; "" is for no error.
func (e env) code(want nestor.Code, err error) {
	e.Helper()
	if got := nestor.CodeOf(err); got != want {
		e.Errorf("the error is %q (%v), want %q", got, err, want)
	}
}

func (e env) update(fn func(store.Tx) error) error { return e.s.Update(e.Context(), fn) }

func (e env) view(fn func(store.Reader) error) error { return e.s.View(e.Context(), fn) }

func (e env) write(fn func(store.Tx) (*nestor.Document, error)) (d *nestor.Document) {
	e.Helper()
	e.must(e.update(func(tx store.Tx) (err error) {
		d, err = fn(tx)
		return err
	}))
	return d
}

// setMember gives a user a role and has them accept.
func (e env) setMember(by, id, user string, role account.Role) error {
	return e.update(func(tx store.Tx) error {
		invited, err := account.SetMember(tx, by, id, user, role)
		if err == nil && invited {
			err = account.Accept(tx, user, id)
		}
		return err
	})
}

// users makes people users.
func (e env) users(ids ...string) {
	e.Helper()
	for _, id := range ids {
		e.write(func(tx store.Tx) (*nestor.Document, error) {
			return tx.Create(nestor.Path("users/"+id), map[string]any{"name": id})
		})
	}
}

func (e env) removeMember(by, id, user string) error {
	return e.update(func(tx store.Tx) error { return account.RemoveMember(tx, by, id, user) })
}

// project makes a project of the team and returns its id.
func (e env) project(name string) string {
	e.Helper()
	return e.write(func(tx store.Tx) (*nestor.Document, error) {
		return account.CreateProject(tx, "mia", e.team, name)
	}).Path.ID()
}

func (e env) deleteProject(by, id string) error {
	return e.update(func(tx store.Tx) error { return account.DeleteProject(tx, by, id) })
}

// chat creates a chat where [account.Place] says it belongs.
func (e env) chat(user, project, id string) (accountID, projectID string, err error) {
	err = e.update(func(tx store.Tx) (err error) {
		accountID, projectID, err = account.Place(tx, user, project)
		if err != nil {
			return err
		}
		_, err = tx.Create(nestor.Path("users/"+user).Child("orch-chats", id), nestor.Chat{AccountID: accountID, ProjectID: projectID})
		return err
	})
	return accountID, projectID, err
}

// get is nil for what is not there.
func (e env) get(p nestor.Path) (d *nestor.Document) {
	e.Helper()
	err := e.view(func(r store.Reader) (err error) {
		d, err = r.Get(p)
		return err
	})
	if nestor.CodeOf(err) != nestor.CodeNotFound {
		e.must(err)
	}
	return d
}

// role is "" for a user who is no member.
func (e env) role(id, user string) (role account.Role) {
	e.Helper()
	err := e.view(func(r store.Reader) (err error) {
		role, err = account.RoleOf(r, id, user)
		return err
	})
	if nestor.CodeOf(err) != nestor.CodeNotFound {
		e.must(err)
	}
	return role
}

// ids lists what a query of the package returns.
func (e env) ids(list func(store.Reader) ([]*nestor.Document, error)) (ids []string) {
	e.Helper()
	e.must(e.view(func(r store.Reader) error {
		ids = nil
		docs, err := list(r)
		for _, d := range docs {
			ids = append(ids, d.Path.ID())
		}
		return err
	}))
	return ids
}

func (e env) accounts(user string) []string {
	e.Helper()
	return e.ids(func(r store.Reader) ([]*nestor.Document, error) { return account.Accounts(r, user) })
}
