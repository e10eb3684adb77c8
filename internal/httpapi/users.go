package httpapi

import (
	"net/http"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/usersecret"
)

func (s *server) listUsers(r *http.Request) (response, error) {
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
	var req newUser
	if err := web.Read(r, &req); err != nil {
		return response{}, err
	}
	u, err := s.Gate.AddUser(r.Context(), access.NewUser{ID: req.ID, Name: req.Name, Email: req.Email, Admin: req.Admin}, req.Password)
	if err != nil {
		return response{}, err
	}
	return response{status: http.StatusCreated, body: u}, nil
}

// userChange is what administrators change about a user. A field that is null
// stays as it is.
type userChange struct {
	Disabled *bool   `json:"disabled,omitempty"`
	Admin    *bool   `json:"admin,omitempty"`
	Password *string `json:"password,omitempty"`
}

var errLocksOut = nestor.Errorf(nestor.CodeInvalid, "nobody locks themselves out: have another administrator do it")

// administered is the user that a request of an administrator is about, and leave
// to act on them.
func (s *server) administered(r *http.Request) (user access.Subject, on access.OnUser, err error) {
	if user, err = access.Named(r.PathValue("id")); err == nil {
		on, err = s.leave(r).OnUser(user)
	}
	return user, on, err
}

func (s *server) patchUser(r *http.Request) (response, error) {
	user, on, err := s.administered(r)
	if err != nil {
		return response{}, err
	}
	var req userChange
	if err := web.Read(r, &req); err != nil {
		return response{}, err
	}
	if user.ID() == callerOf(r).UserID && (req.Disabled != nil && *req.Disabled || req.Admin != nil && !*req.Admin) {
		return response{}, errLocksOut
	}
	if req.Password != nil {
		if err := s.Gate.SetPassword(r.Context(), on, *req.Password); err != nil {
			return response{}, err
		}
	}
	if req.Admin != nil {
		if err := s.Gate.SetAdmin(r.Context(), on, *req.Admin); err != nil {
			return response{}, err
		}
	}
	if req.Disabled != nil {
		if err := s.Gate.SetDisabled(r.Context(), on, *req.Disabled); err != nil {
			return response{}, err
		}
	}
	return s.get(r, user.Path())
}

// deleteUser removes a user with all that is theirs. They are locked out first,
// and what their agents do is stopped; if it is interrupted after that, it can be
// repeated.
func (s *server) deleteUser(r *http.Request) (response, error) {
	user, on, err := s.administered(r)
	if err != nil {
		return response{}, err
	}
	if user.ID() == callerOf(r).UserID {
		return response{}, errLocksOut
	}
	err = s.Store.View(r.Context(), func(all store.Reader) error { return account.CanLeave(all, user.ID()) })
	if err != nil {
		return response{}, err
	}
	if err := s.Gate.SetDisabled(r.Context(), on, true); err != nil {
		return response{}, err
	}
	if err := account.DeleteChats(r.Context(), s.Store, user.ID(), func(chat nestor.Path) error { return s.empty(r, chat) }); err != nil {
		return response{}, err
	}
	if err := s.emptyUser(r, user.Path()); err != nil {
		return response{}, err
	}
	return response{}, s.Gate.RemoveUser(r.Context(), on, func(tx store.Tx) error {
		if err := account.Leave(tx, user.ID()); err != nil {
			return err
		}
		if err := ForgetAnswers(tx, user.ID()); err != nil {
			return err
		}
		if err := usersecret.Forget(tx, user.ID()); err != nil {
			return err
		}
		return connection.Forget(tx, user.ID())
	})
}
