package httpapi

import (
	"net/http"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/store"
)

func (s *server) listUsers(r *http.Request) (response, error) {
	if err := callerOf(r).RequireAdmin(); err != nil {
		return response{}, err
	}
	return s.list(r, store.Query{Collection: "users"}, "")
}

type newUser struct {
	ID       string `json:"id,omitempty"`
	Name     string `json:"name,omitempty"`
	Email    string `json:"email,omitempty"`
	Admin    bool   `json:"admin,omitempty"`
	Password string `json:"password"`
}

func (s *server) postUser(r *http.Request) (response, error) {
	if err := callerOf(r).RequireAdmin(); err != nil {
		return response{}, err
	}
	var req newUser
	if err := read(r, &req); err != nil {
		return response{}, err
	}
	u, err := s.Gate.AddUser(r.Context(), access.NewUser{ID: req.ID, Name: req.Name, Email: req.Email, Admin: req.Admin}, req.Password)
	if err != nil {
		return response{}, err
	}
	return response{status: http.StatusCreated, body: u}, nil
}

// userChange is what administrators change about a user; null leaves it.
type userChange struct {
	Disabled *bool   `json:"disabled,omitempty"`
	Admin    *bool   `json:"admin,omitempty"`
	Password *string `json:"password,omitempty"`
}

var errLocksOut = nestor.Errorf(nestor.CodeInvalid, "nobody locks themselves out: have another administrator do it")

// administered is the user that a request of an administrator is about.
func (s *server) administered(r *http.Request) (nestor.Path, error) {
	if err := callerOf(r).RequireAdmin(); err != nil {
		return "", err
	}
	p, err := nestor.ParsePath("users/" + r.PathValue("id"))
	if err != nil {
		return "", err
	}
	return p, s.checkAct(r, p)
}

func (s *server) patchUser(r *http.Request) (response, error) {
	p, err := s.administered(r)
	if err != nil {
		return response{}, err
	}
	var req userChange
	if err := read(r, &req); err != nil {
		return response{}, err
	}
	if p.ID() == callerOf(r).UserID && (req.Disabled != nil && *req.Disabled || req.Admin != nil && !*req.Admin) {
		return response{}, errLocksOut
	}
	if req.Password != nil {
		if err := s.Gate.SetPassword(r.Context(), p.ID(), *req.Password); err != nil {
			return response{}, err
		}
	}
	if req.Admin != nil {
		if err := s.Gate.SetAdmin(r.Context(), p.ID(), *req.Admin); err != nil {
			return response{}, err
		}
	}
	if req.Disabled != nil {
		if err := s.Gate.SetDisabled(r.Context(), p.ID(), *req.Disabled); err != nil {
			return response{}, err
		}
	}
	return s.get(r, p)
}

// deleteUser removes a user with all that is theirs. They are locked out first,
// and what their agents do is stopped; if it is interrupted after that, it can be
// repeated.
func (s *server) deleteUser(r *http.Request) (response, error) {
	p, err := s.administered(r)
	if err != nil {
		return response{}, err
	}
	if p.ID() == callerOf(r).UserID {
		return response{}, errLocksOut
	}
	err = s.Store.View(r.Context(), func(all store.Reader) error { return account.CanLeave(all, p.ID()) })
	if err != nil {
		return response{}, err
	}
	if err := s.Gate.SetDisabled(r.Context(), p.ID(), true); err != nil {
		return response{}, err
	}
	err = account.DeleteChats(r.Context(), s.Store, p.ID(), func(chat nestor.Path) error {
		if s.Agents == nil {
			return nil
		}
		return s.Agents.Stop(r.Context(), chat, callerOf(r).UserID)
	})
	if err != nil {
		return response{}, err
	}
	return response{}, s.Gate.RemoveUser(r.Context(), p.ID(), func(tx store.Tx) error {
		if err := account.Leave(tx, p.ID()); err != nil {
			return err
		}
		return connection.Forget(tx, p.ID())
	})
}
