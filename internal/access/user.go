package access

import (
	"context"
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Local is the user who runs the server, and the only one of a server without
// logins.
const Local = "local"

// User is a person who may log in, stored at users/{id}. Everything below that
// path is theirs.
type User struct {
	nestor.Meta
	Name  string `json:"name"`
	Email string `json:"email,omitempty"`
	// Admin may look after users, keys, jobs and triggers.
	Admin bool `json:"admin"`
	// Disabled users cannot log in, and no session or key of theirs works.
	Disabled bool `json:"disabled"`
}

// standing are the fields of a user that decide about every request.
type standing struct {
	Admin    bool `json:"admin"`
	Disabled bool `json:"disabled"`
}

const maxUserText = 200

func userPath(id string) nestor.Path { return nestor.Path("users/" + id) }

// password is what is stored of one.
type password struct {
	nestor.Meta
	Hash string `json:"hash"`
}

// owner says whose a login is.
type owner struct {
	UserID string `json:"userId"`
}

// NewUser is a user to be added.
type NewUser struct {
	// ID is that of the user's document. Defaults to a random one.
	ID string
	// Name defaults to the id.
	Name string
	// Email defaults to none.
	Email string
	Admin bool
}

// AddUser makes a user with a password. A user logs in by id, name or e-mail,
// so no two users share one of these, whatever the case of its letters.
func (g *Gate) AddUser(ctx context.Context, u NewUser, pass string) (User, error) {
	if u.ID == "" {
		u.ID = nestor.NewID()
	}
	if u.Name == "" {
		u.Name = u.ID
	}
	if err := u.check(); err != nil {
		return User{}, err
	}
	if err := checkPassword(pass); err != nil {
		return User{}, err
	}
	hash, err := g.passwords.hash(ctx, pass)
	if err != nil {
		return User{}, err
	}
	var saved *nestor.Document
	err = g.opts.Store.Update(ctx, func(tx store.Tx) (err error) {
		if saved, err = tx.Create(userPath(u.ID), User{Name: u.Name, Email: u.Email, Admin: u.Admin}); err != nil {
			return err
		}
		for _, login := range []string{u.ID, u.Name, u.Email} {
			if err := claim(tx, login, u.ID); err != nil {
				return err
			}
		}
		if _, err = tx.Put(secretPath("passwords", u.ID), password{Hash: hash}, store.AnyVersion); err != nil {
			return err
		}
		return note(ctx, tx, u.ID, UserAdded, "")
	})
	if err != nil {
		return User{}, err
	}
	return nestor.As[User](saved)
}

// claim makes login lead to a user. A login of a user who was deleted is free
// again.
func claim(tx store.Tx, login, userID string) error {
	if login == "" {
		return nil
	}
	p := secretPath("logins", loginID(login))
	held, err := store.Find[owner](tx, p)
	if err != nil || held != nil && held.UserID == userID {
		return err
	}
	if held != nil {
		u, err := store.Find[standing](tx, userPath(held.UserID))
		if err != nil {
			return err
		}
		if u != nil {
			return nestor.Errorf(nestor.CodeExists, "there is a user who logs in as %q already", login)
		}
	}
	_, err = tx.Put(p, owner{userID}, store.AnyVersion)
	return err
}

// release frees a login that leads to a user.
func release(tx store.Tx, login, userID string) error {
	if login == "" {
		return nil
	}
	p := secretPath("logins", loginID(login))
	held, err := store.Find[owner](tx, p)
	if err != nil || held == nil || held.UserID != userID {
		return err
	}
	return tx.Delete(p, store.AnyVersion)
}

// loginID is the id under which a login is found.
func loginID(login string) string {
	return nestor.DeriveID("login", strings.ToLower(strings.TrimSpace(login)))
}

func (u *NewUser) check() error {
	if err := nestor.CheckID(u.ID); err != nil {
		return err
	}
	for field, text := range map[string]string{"name": u.Name, "email": u.Email} {
		if !utf8.ValidString(text) || utf8.RuneCountInString(text) > maxUserText || strings.ContainsFunc(text, unicode.IsControl) ||
			strings.TrimSpace(text) != text {
			return nestor.Errorf(nestor.CodeInvalid,
				"%s has at most %d characters, none of them control characters, and no space around it", field, maxUserText).With("field", field)
		}
	}
	if u.Email == "" {
		return nil
	}
	if a, err := mail.ParseAddress(u.Email); err != nil || a.Address != u.Email {
		return nestor.Errorf(nestor.CodeInvalid, "email is an address such as ada@example.com").With("field", "email")
	}
	return nil
}

// SetPassword gives a user another password, or their first one, and ends all
// sessions of theirs. Keys go on working.
func (g *Gate) SetPassword(ctx context.Context, on OnUser, pass string) error {
	userID := on.user
	if err := checkPassword(pass); err != nil {
		return err
	}
	hash, err := g.passwords.hash(ctx, pass)
	if err != nil {
		return err
	}
	defer g.records.clear()
	return g.opts.Store.Update(ctx, func(tx store.Tx) error {
		if _, err := tx.Get(userPath(userID)); err != nil {
			return err
		}
		if err := claim(tx, userID, userID); err != nil {
			return err
		}
		if _, err := tx.Put(secretPath("passwords", userID), password{Hash: hash}, store.AnyVersion); err != nil {
			return err
		}
		if err := remove(tx, secretPath("failures", userID)); err != nil {
			return err
		}
		if err := endSessions(tx, userID, 0); err != nil {
			return err
		}
		return note(ctx, tx, userID, PasswordSet, "")
	})
}

// IsAdmin reports whether a user is an administrator. [Local] is one by nature,
// unless there is a document that says otherwise.
func IsAdmin(r store.Reader, userID string) (bool, error) {
	u, err := store.Find[standing](r, userPath(userID))
	if err != nil {
		return false, err
	}
	if u == nil {
		return userID == Local, nil
	}
	return u.Admin && !u.Disabled, nil
}

// User returns one user.
func (g *Gate) User(ctx context.Context, id string) (u User, err error) {
	if err := nestor.CheckID(id); err != nil {
		return User{}, err
	}
	err = g.opts.Store.View(ctx, func(r store.Reader) error {
		d, err := r.Get(userPath(id))
		if err != nil {
			return err
		}
		u, err = nestor.As[User](d)
		return err
	})
	return u, err
}

// Users returns a page of users, oldest first. Limit and cursor are those of
// [store.Query].
func (g *Gate) Users(ctx context.Context, limit int, cursor string) (list []User, next string, err error) {
	next, err = listed(ctx, g, store.Query{Collection: "users", Limit: limit, Cursor: cursor}, &list)
	return list, next, err
}

// listed reads a page of documents.
func listed[T any](ctx context.Context, g *Gate, q store.Query, list *[]T) (next string, err error) {
	err = g.opts.Store.View(ctx, func(r store.Reader) error {
		page, err := r.Query(q)
		if err != nil {
			return err
		}
		*list, next = nil, page.Next
		for _, d := range page.Items {
			if v, err := nestor.As[T](d); err == nil { // skips what others put there
				*list = append(*list, v)
			}
		}
		return nil
	})
	return next, err
}
