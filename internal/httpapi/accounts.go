package httpapi

import (
	"net/http"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/store"
)

func (s *server) listAccounts(r *http.Request) (response, error) {
	items := []*nestor.Document{}
	err := s.view(r, func(tx store.Reader) (err error) {
		items, err = account.Accounts(tx, callerOf(r).UserID)
		return err
	})
	return response{body: map[string]any{"items": items}}, err
}

// postAccount makes an account of the caller's. It is theirs to give others
// access, so it takes what it takes to make a key.
func (s *server) postAccount(r *http.Request) (response, error) {
	user, err := access.Named(callerOf(r).UserID)
	if err != nil {
		return response{}, err
	}
	return s.named(r, user.Path(), func(tx store.Tx, name string) (*nestor.Document, error) {
		return account.Create(tx, user.ID(), name)
	})
}

func (s *server) getAccount(r *http.Request) (response, error) {
	p, err := accountPath(r)
	if err != nil {
		return response{}, err
	}
	return s.get(r, p)
}

type newRole struct {
	Role account.Role `json:"role"`
}

// putMember changes the role of a member, and invites everybody else.
func (s *server) putMember(r *http.Request) (response, error) {
	p, err := accountPath(r)
	if err != nil {
		return response{}, err
	}
	var req newRole
	if err := web.Read(r, &req); err != nil {
		return response{}, err
	}
	var invited bool
	err = s.act(r, p, func(tx store.Tx) (err error) {
		invited, err = account.SetMember(tx, callerOf(r).UserID, p.ID(), r.PathValue("user"), req.Role)
		return err
	})
	if err != nil {
		return response{}, err
	}
	res, err := s.get(r, p)
	if invited {
		res.status = http.StatusAccepted
	}
	return res, err
}

func (s *server) deleteMember(r *http.Request) (response, error) {
	p, err := accountPath(r)
	if err != nil {
		return response{}, err
	}
	return response{}, s.act(r, p, func(tx store.Tx) error {
		return account.RemoveMember(tx, callerOf(r).UserID, p.ID(), r.PathValue("user"))
	})
}

func (s *server) listProjects(r *http.Request) (response, error) {
	p, err := accountPath(r)
	if err != nil {
		return response{}, err
	}
	items := []*nestor.Document{}
	err = s.view(r, func(tx store.Reader) (err error) {
		items, err = account.Projects(tx, callerOf(r).UserID, p.ID())
		return err
	})
	if items == nil {
		items = []*nestor.Document{}
	}
	return response{body: map[string]any{"items": items}}, err
}

func (s *server) postProject(r *http.Request) (response, error) {
	p, err := accountPath(r)
	if err != nil {
		return response{}, err
	}
	return s.named(r, p.Child("projects", "new"), func(tx store.Tx, name string) (*nestor.Document, error) {
		return account.CreateProject(tx, callerOf(r).UserID, p.ID(), name)
	})
}

func (s *server) patchAccount(r *http.Request) (response, error) {
	p, err := accountPath(r)
	if err != nil {
		return response{}, err
	}
	return s.changed(r, p, func(tx store.Tx, c account.Changes) (*nestor.Document, error) {
		return account.ChangeAccount(tx, callerOf(r).UserID, p.ID(), c)
	})
}

func (s *server) patchProject(r *http.Request) (response, error) {
	p, err := projectPath(r)
	if err != nil {
		return response{}, err
	}
	return s.changed(r, p, func(tx store.Tx, c account.Changes) (*nestor.Document, error) {
		return account.ChangeProject(tx, callerOf(r).UserID, p.ID(), c)
	})
}

// changed changes an account or a project, for one who may act on it.
func (s *server) changed(r *http.Request, p nestor.Path, change func(store.Tx, account.Changes) (*nestor.Document, error)) (response, error) {
	var req account.Changes
	if err := web.Read(r, &req); err != nil {
		return response{}, err
	}
	var d *nestor.Document
	err := s.act(r, p, func(tx store.Tx) (err error) {
		if d, err = change(tx, req); err != nil {
			return err
		}
		return checkReach(r, d.Path)
	})
	return document(d), err
}

func (s *server) deleteProject(r *http.Request) (response, error) {
	p, err := projectPath(r)
	if err != nil {
		return response{}, err
	}
	return response{}, s.act(r, p, func(tx store.Tx) error { return account.DeleteProject(tx, callerOf(r).UserID, p.ID()) })
}

// listProjectChats lists the chats in a project, whoever's they are.
func (s *server) listProjectChats(r *http.Request) (response, error) {
	limit, err := limitOf(r.URL.Query().Get("limit"))
	if err != nil {
		return response{}, err
	}
	var page store.Page
	err = s.view(r, func(tx store.Reader) (err error) {
		page, err = account.Chats(tx, callerOf(r).UserID, r.PathValue("project"), limit, r.URL.Query().Get("cursor"))
		return err
	})
	return response{body: page}, err
}

type newName struct {
	Name string `json:"name"`
}

// named writes what is given a name, for one who may act on the document at p
// and whose credential reaches what it becomes.
func (s *server) named(r *http.Request, p nestor.Path, write func(store.Tx, string) (*nestor.Document, error)) (response, error) {
	var req newName
	if err := web.Read(r, &req); err != nil {
		return response{}, err
	}
	var d *nestor.Document
	err := s.act(r, p, func(tx store.Tx) (err error) {
		if d, err = write(tx, req.Name); err != nil {
			return err
		}
		return checkReach(r, d.Path)
	})
	if err != nil {
		return response{}, err
	}
	res := document(d)
	res.status = http.StatusCreated
	return res, nil
}

func accountPath(r *http.Request) (nestor.Path, error) {
	return nestor.ParsePath("accounts/" + r.PathValue("account"))
}

// projectPath is where a project lies; its id begins with that of its account.
func projectPath(r *http.Request) (nestor.Path, error) {
	id := r.PathValue("project")
	of, _, _ := strings.Cut(id, ".")
	return nestor.ParsePath("accounts/" + of + "/projects/" + id)
}

// changes is [account.Changes] as clients write it.
type changes struct {
	Name   *string        `json:"name,omitempty"`
	Budget *nestor.Budget `json:"budget,omitempty"`
}
