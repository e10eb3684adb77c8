package httpapi

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/store"
)

// me is a user as they see themselves.
type me struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Admin bool   `json:"admin"`
	// Kind says how the caller showed who they are.
	Kind access.Kind `json:"kind"`
}

type credentials struct {
	Login    string `json:"login,omitempty"`
	Password string `json:"password,omitempty"`
	// Token is the value of NESTOR_TOKEN, instead of the other two: whoever
	// runs the server signs in with it.
	Token string `json:"token,omitempty"`
}

func (s *server) login(r *http.Request) (response, error) {
	from := s.Gate.ClientOf(r)
	if err := s.logins.Allow(from.Network()); err != nil {
		return response{}, err
	}
	var req credentials
	if err := web.Read(r, &req); err != nil {
		return response{}, err
	}
	var t access.Tokens
	var err error
	switch {
	case req.Token == "":
		t, err = s.Gate.Login(r.Context(), req.Login, req.Password, from)
	case req.Login != "" || req.Password != "":
		err = nestor.Errorf(nestor.CodeInvalid, "log in with login and password or with a token, not with both").With("field", "token")
	default:
		t, err = s.Gate.LoginToken(r.Context(), req.Token, from)
	}
	if err != nil {
		return response{}, err
	}
	return s.begin(r, t)
}

// begun is the answer when a session begins or goes on.
type begun struct {
	User me `json:"user"`
}

// begin hands the tokens of a session to a browser.
func (s *server) begin(r *http.Request, t access.Tokens) (response, error) {
	u, err := s.Gate.User(r.Context(), t.UserID)
	if err != nil {
		return response{}, err
	}
	return response{
		body:    begun{me{ID: u.ID, Name: u.Name, Admin: u.Admin, Kind: access.InSession}},
		cookies: t.Cookies(s.cookiePlace(r), time.Now()),
	}, nil
}

// refresh trades the refresh cookie for the next two cookies.
func (s *server) refresh(r *http.Request) (response, error) {
	cookie, err := r.Cookie(access.RefreshCookie(r.Host))
	if err != nil {
		return response{}, nestor.Errorf(nestor.CodeUnauthenticated, "there is no session to go on with: log in")
	}
	if err := access.CheckOrigin(r, s.Hosts...); err != nil {
		return response{}, err
	}
	t, err := s.Gate.Refresh(r.Context(), cookie.Value)
	if err != nil {
		return response{}, err
	}
	return s.begin(r, t)
}

// logout ends the session of the request, if it has one, and removes the
// cookies in any case.
func (s *server) logout(r *http.Request) (response, error) {
	c, err := s.Gate.Authenticate(r.Context(), r)
	if err != nil && nestor.CodeOf(err) != nestor.CodeUnauthenticated {
		return response{}, err
	}
	if own, ok := c.OwnSession(); ok && err == nil {
		err = s.Gate.EndSession(r.Context(), own)
		if err != nil && !errors.Is(err, nestor.ErrNotFound) {
			return response{}, err
		}
	}
	if cookie, err := r.Cookie(access.RefreshCookie(r.Host)); err == nil { // it outlives the other
		if err := access.CheckOrigin(r, s.Hosts...); err != nil {
			return response{}, err
		}
		if err := s.Gate.EndRefreshable(r.Context(), cookie.Value); err != nil {
			return response{}, err
		}
	}
	return response{cookies: access.NoCookies(s.cookiePlace(r))}, nil
}

func (s *server) getMe(r *http.Request) (response, error) {
	c := callerOf(r)
	answer := me{ID: c.UserID, Name: c.UserID, Admin: c.RequireAdmin() == nil, Kind: c.Kind}
	self, err := access.Named(c.UserID)
	if err != nil { // a grant outside of a user's documents
		return response{body: answer}, nil
	}
	err = s.view(r, func(tx store.Reader) error {
		d, err := store.FindDocument(tx, self.Path())
		if err != nil || d == nil {
			return err
		}
		if u, err := nestor.As[access.User](d); err == nil && u.Name != "" {
			answer.Name = u.Name
		}
		return nil
	})
	return response{body: answer}, err
}

type newPassword struct {
	Current  string `json:"current"`
	Password string `json:"password"`
}

// putPassword changes the caller's own password. All their sessions end; the
// one that asks goes on as a new one.
func (s *server) putPassword(r *http.Request) (response, error) {
	c, from := callerOf(r), s.Gate.ClientOf(r)
	self, err := access.Named(c.UserID)
	if err != nil {
		return response{}, err
	}
	on, err := s.leave(r).OnUser(self)
	if err != nil {
		return response{}, err
	}
	if err := s.logins.Allow(from.Network()); err != nil {
		return response{}, err
	}
	var req newPassword
	if err := web.Read(r, &req); err != nil {
		return response{}, err
	}
	if _, err := s.Gate.Login(r.Context(), c.UserID, req.Current, from); err != nil {
		if nestor.CodeOf(err) == nestor.CodeUnauthenticated { // the caller is known: it is the password that is wrong
			err = nestor.Errorf(nestor.CodeForbidden, "the current password is wrong").With("field", "current")
		}
		return response{}, err
	}
	if err := s.Gate.SetPassword(r.Context(), on, req.Password); err != nil {
		return response{}, err
	}
	if c.Kind != access.InSession {
		return response{}, nil
	}
	t, err := s.Gate.Login(r.Context(), c.UserID, req.Password, from)
	if err != nil {
		return response{}, err
	}
	return s.begin(r, t)
}

func (s *server) listSessions(r *http.Request) (response, error) { return s.listOf(r, "sessions") }

func (s *server) deleteSession(r *http.Request) (response, error) {
	user, err := subject(r)
	if err != nil {
		return response{}, err
	}
	on, err := s.leave(r).OnSession(user, r.PathValue("id"))
	if err != nil {
		return response{}, err
	}
	return response{}, s.Gate.EndSession(r.Context(), on)
}

func (s *server) cookiePlace(r *http.Request) access.CookiePlace {
	return access.CookiePlace{Host: r.Host, Prefix: s.Public.Prefix, Secure: s.isSecure(r)}
}

// isSecure reports whether cookies are for TLS only: the browser speaks it, to
// this server or to a proxy before it. An Origin is believed, too: a client
// that lies only keeps its own cookies from itself.
func (s *server) isSecure(r *http.Request) bool {
	return s.Gate.IsSecure(r) || strings.HasPrefix(r.Header.Get("Origin"), "https://")
}
