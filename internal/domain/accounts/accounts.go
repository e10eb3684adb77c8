package accounts

import (
	"net/http"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

func (a *Accounts) listAccounts(r *httpapi.Request) (any, error) {
	items := []*nestor.Document{}
	err := r.View(func(tx store.Reader) (err error) {
		items, err = account.Accounts(tx, r.UserID())
		return err
	})
	return httpapi.List[*nestor.Document]{Items: items}, err
}

// postAccount makes an account of the caller's. They can give others access to
// it, so it takes leave to act on the caller, as making a key does.
func (a *Accounts) postAccount(r *httpapi.Request) (any, error) {
	user, err := access.Named(r.UserID())
	if err != nil {
		return nil, err
	}
	return named(r, user.Path(), func(tx store.Tx, name string) (*nestor.Document, error) {
		return account.Create(tx, user.ID(), name)
	})
}

func (a *Accounts) getAccount(r *httpapi.Request) (any, error) {
	p, err := accountPath(r)
	if err != nil {
		return nil, err
	}
	return r.Get(p)
}

type newRole struct {
	Role account.Role `json:"role"`
}

// putMember changes the role of a member, and invites everybody else.
func (a *Accounts) putMember(r *httpapi.Request) (any, error) {
	p, err := accountPath(r)
	if err != nil {
		return nil, err
	}
	var req newRole
	if err := r.Decode(&req); err != nil {
		return nil, err
	}
	var invited bool
	err = r.Act(p, func(tx store.Tx) (err error) {
		invited, err = account.SetMember(tx, r.UserID(), p.ID(), r.PathValue("user"), req.Role)
		return err
	})
	if err != nil {
		return nil, err
	}
	d, err := r.Get(p)
	if invited && err == nil {
		return httpapi.Answered{Status: http.StatusAccepted, Body: d}, nil
	}
	return d, err
}

func (a *Accounts) deleteMember(r *httpapi.Request) (any, error) {
	p, err := accountPath(r)
	if err != nil {
		return nil, err
	}
	return nil, r.Act(p, func(tx store.Tx) error {
		return account.RemoveMember(tx, r.UserID(), p.ID(), r.PathValue("user"))
	})
}

func (a *Accounts) listProjects(r *httpapi.Request) (any, error) {
	p, err := accountPath(r)
	if err != nil {
		return nil, err
	}
	items := []*nestor.Document{}
	err = r.View(func(tx store.Reader) (err error) {
		items, err = account.Projects(tx, r.UserID(), p.ID())
		return err
	})
	if items == nil {
		items = []*nestor.Document{}
	}
	return httpapi.List[*nestor.Document]{Items: items}, err
}

func (a *Accounts) postProject(r *httpapi.Request) (any, error) {
	p, err := accountPath(r)
	if err != nil {
		return nil, err
	}
	return named(r, p.Child("projects", "new"), func(tx store.Tx, name string) (*nestor.Document, error) {
		return account.CreateProject(tx, r.UserID(), p.ID(), name)
	})
}

func (a *Accounts) patchAccount(r *httpapi.Request) (any, error) {
	p, err := accountPath(r)
	if err != nil {
		return nil, err
	}
	return changed(r, p, func(tx store.Tx, c account.Changes) (*nestor.Document, error) {
		return account.ChangeAccount(tx, r.UserID(), p.ID(), c)
	})
}

func (a *Accounts) patchProject(r *httpapi.Request) (any, error) {
	p, err := projectPath(r)
	if err != nil {
		return nil, err
	}
	return changed(r, p, func(tx store.Tx, c account.Changes) (*nestor.Document, error) {
		return account.ChangeProject(tx, r.UserID(), p.ID(), c)
	})
}

// changed changes an account or a project, for one who may act on it.
func changed(r *httpapi.Request, p nestor.Path, change func(store.Tx, account.Changes) (*nestor.Document, error)) (any, error) {
	var req account.Changes
	if err := r.Decode(&req); err != nil {
		return nil, err
	}
	var d *nestor.Document
	err := r.Act(p, func(tx store.Tx) (err error) {
		if d, err = change(tx, req); err != nil {
			return err
		}
		return r.Reaches(d.Path)
	})
	return d, err
}

func (a *Accounts) deleteProject(r *httpapi.Request) (any, error) {
	p, err := projectPath(r)
	if err != nil {
		return nil, err
	}
	return nil, r.Act(p, func(tx store.Tx) error { return account.DeleteProject(tx, r.UserID(), p.ID()) })
}

// listProjectChats lists the chats in a project, whoever's they are.
func (a *Accounts) listProjectChats(r *httpapi.Request) (any, error) {
	limit, cursor, err := r.Page()
	if err != nil {
		return nil, err
	}
	var page store.Page
	err = r.View(func(tx store.Reader) (err error) {
		page, err = account.Chats(tx, r.UserID(), r.PathValue("project"), limit, cursor)
		return err
	})
	return page, err
}

type newName struct {
	Name string `json:"name"`
}

// named writes an account or a project with the name in the request. The caller
// may act on the document at p, and their credential must reach what is
// written.
func named(r *httpapi.Request, p nestor.Path, write func(store.Tx, string) (*nestor.Document, error)) (any, error) {
	var req newName
	if err := r.Decode(&req); err != nil {
		return nil, err
	}
	var d *nestor.Document
	err := r.Act(p, func(tx store.Tx) (err error) {
		if d, err = write(tx, req.Name); err != nil {
			return err
		}
		return r.Reaches(d.Path)
	})
	return d, err
}

func accountPath(r *httpapi.Request) (nestor.Path, error) {
	return nestor.ParsePath("accounts/" + r.PathValue("account"))
}

// projectPath is where a project lies; its id begins with that of its account.
func projectPath(r *httpapi.Request) (nestor.Path, error) {
	id := r.PathValue("project")
	of, _, _ := strings.Cut(id, ".")
	return nestor.ParsePath("accounts/" + of + "/projects/" + id)
}

// changes is [account.Changes] as clients write it.
type changes struct {
	Name   *string        `json:"name,omitempty"`
	Budget *nestor.Budget `json:"budget,omitempty"`
}
