// Package usersecret keeps secrets that users give names: keys of services that their
// graphs call.
//
// A secret is sealed with the key of the server and lies at
// secrets/{userId}/named-secrets/{name}, which no caller of the API reaches. Texts refer to
// it as {{secret:NAME}}, and whoever is about to send such a text fills the value in.
package usersecret

import (
	"context"
	"regexp"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store"
)

const collection = "named-secrets"

// The length of a value, in bytes. A shorter one could not be hidden where it comes back:
// it would be part of ordinary text.
const (
	minValue = 8
	maxValue = 4000
)

var (
	name      = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`)
	reference = regexp.MustCompile(`\{\{secret:([A-Za-z_][A-Za-z0-9_]{0,99})\}\}`)
)

// Secrets are those of all users. They are safe for concurrent use.
type Secrets struct {
	Store store.Documents
	Key   *access.Key
}

// Named is a secret without its value.
type Named struct {
	Name string `json:"name"`
	// UpdatedAt is when its value was given, in Unix milliseconds.
	UpdatedAt int64 `json:"updatedAt"`
}

type sealed struct {
	Sealed string `json:"sealed"`
}

func at(userID, name string) nestor.Path {
	return nestor.Path(nestor.Secrets+"/"+userID).Child(collection, name)
}

// CheckName refuses what cannot be the name of a secret.
func CheckName(text string) error {
	if !name.MatchString(text) {
		return nestor.Errorf(nestor.CodeInvalid, "the name of a secret has letters, digits and _, up to 100, and begins with no digit").With("field", "name")
	}
	return nil
}

// Put gives a secret its value.
func (s *Secrets) Put(ctx context.Context, userID, name, value string) (Named, error) {
	if err := CheckName(name); err != nil {
		return Named{}, err
	}
	if len(value) < minValue || len(value) > maxValue {
		return Named{}, nestor.Errorf(nestor.CodeInvalid, "a secret has %d to %d bytes", minValue, maxValue).With("field", "value")
	}
	for _, c := range value {
		if c < ' ' || c == 0x7f {
			return Named{}, nestor.Errorf(nestor.CodeInvalid, "a secret has no line breaks and no control characters").With("field", "value")
		}
	}
	p := at(userID, name)
	var d *nestor.Document
	err := s.Store.Update(ctx, func(tx store.Tx) (err error) {
		d, err = tx.Put(p, sealed{s.Key.Seal(string(p), value)}, store.AnyVersion)
		return err
	})
	if err != nil {
		return Named{}, err
	}
	return Named{name, d.UpdatedAt}, nil
}

// List returns the secrets of a user, by name.
func (s *Secrets) List(ctx context.Context, userID string) (all []Named, err error) {
	err = s.Store.View(ctx, func(r store.Reader) error {
		all = []Named{}
		q := store.Query{Collection: at(userID, "x").Collection(), OrderBy: []store.Order{{Field: "id"}}, Limit: store.MaxLimit}
		for {
			page, err := r.Query(q)
			if err != nil {
				return err
			}
			for _, d := range page.Items {
				all = append(all, Named{d.Path.ID(), d.UpdatedAt})
			}
			if q.Cursor = page.Next; q.Cursor == "" {
				return nil
			}
		}
	})
	return all, err
}

// Delete removes a secret.
func (s *Secrets) Delete(ctx context.Context, userID, name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	return s.Store.Update(ctx, func(tx store.Tx) error {
		kept, err := store.Find[sealed](tx, at(userID, name))
		if err == nil && kept == nil {
			err = nestor.Errorf(nestor.CodeNotFound, "there is no secret %s", name)
		}
		if err != nil {
			return err
		}
		return tx.Delete(at(userID, name), store.AnyVersion)
	})
}

// Open returns the values of secrets of a user, by name.
func (s *Secrets) Open(ctx context.Context, userID string, names []string) (map[string]string, error) {
	values := map[string]string{}
	err := s.Store.View(ctx, func(r store.Reader) error {
		for _, name := range names {
			p := at(userID, name)
			kept, err := store.Find[sealed](r, p)
			if err == nil && kept == nil {
				err = nestor.Errorf(nestor.CodeInvalid, "there is no secret %s: give it a value first", name)
			}
			if err != nil {
				return err
			}
			if values[name], err = s.Key.Open(string(p), kept.Sealed); err != nil {
				return err
			}
		}
		return nil
	})
	return values, err
}

// Forget removes all secrets of a user who is about to be deleted.
func Forget(tx store.Tx, userID string) error { return store.Clear(tx, at(userID, "x").Collection()) }

// Names are the secrets that a text refers to.
func Names(text string) (names []string) {
	for _, found := range reference.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(names, found[1]) {
			names = append(names, found[1])
		}
	}
	return names
}

// Fill puts values where a text refers to them.
func Fill(text string, values map[string]string) string {
	return reference.ReplaceAllStringFunc(text, func(found string) string {
		return values[reference.FindStringSubmatch(found)[1]]
	})
}
