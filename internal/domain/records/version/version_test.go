package version_test

import (
	"errors"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/records/record"
	"github.com/nestorhq/nestor/internal/domain/records/version"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

func at(user, id string) nestor.Path { return record.Of(user).Child("text-documents", id) }

// The database itself refuses a second version after the same one, whoever writes it,
// and does not mind versions of other users.
func TestNoTwoVersionsFollowTheSameOne(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		catalogue, err := store.NewCatalogue(record.Collections...)
		if err != nil {
			t.Fatal(err)
		}
		s := open(t, store.Options{
			Rules: store.Rules{Catalogue: catalogue}, Modules: []store.Schema{{Module: "records", Collections: record.Collections}},
		})
		create := func(user, id string, previous *string) error {
			v := version.First(at(user, id), "Plan", "", record.Author{UserID: user})
			v.PreviousID = previous
			return s.Update(t.Context(), func(tx store.Tx) error {
				_, err := tx.Create(at(user, id), v)
				return err
			})
		}
		for _, c := range []struct {
			user, id string
			previous *string
			want     error
		}{
			{"ada", "first", nil, nil},
			{"ada", "another", nil, nil},
			{"ada", "second", new("first"), nil},
			{"ada", "rival", new("first"), nestor.ErrExists},
			{"bob", "second", new("first"), nil},
		} {
			if err := create(c.user, c.id, c.previous); !errors.Is(err, c.want) && err != c.want {
				t.Errorf("%s of %s: %v", c.id, c.user, err)
			}
		}
		wrong := version.First(at("ada", "wrong"), "Plan", "", record.Author{UserID: "ada"})
		wrong.Type = "html"
		err = s.Update(t.Context(), func(tx store.Tx) error {
			_, err := tx.Create(at("ada", "wrong"), wrong)
			return err
		})
		if !errors.Is(err, nestor.ErrInvalid) {
			t.Errorf("a document of another type: %v", err)
		}
	})
}
