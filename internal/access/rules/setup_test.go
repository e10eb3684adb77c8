package rules_test

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/agent"
	"github.com/nestorhq/nestor/internal/domain/accounts"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
)

// members reads roles from where they are kept.
type members struct{}

func (members) Role(r store.Reader, accountID, userID string) (string, error) {
	d, err := r.Get(nestor.Path("accounts/" + accountID))
	if err != nil {
		return "", err
	}
	a, err := nestor.As[struct{ Members map[string]string }](d)
	return a.Members[userID], err
}

var start = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// clock is a time that tests set.
type clock struct{ now time.Time }

func (c *clock) time() time.Time { return c.now }

// modules are the rules of those that have some.
var modules = module.List{agent.Module(agent.Settings{}), accounts.Module}.Rules()

func newEngine(t testing.TB, file string) (*rules.Engine, *clock) {
	t.Helper()
	key, err := access.LoadKey("", filepath.Join(t.TempDir(), "key"))
	if err != nil {
		t.Fatal(err)
	}
	c := &clock{start}
	opts := rules.Options{Modules: modules, Members: members{}, Key: key, Now: c.time}
	if file != "" {
		opts.Name, opts.File = "rules.json", []byte(file)
	}
	e, err := rules.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return e, c
}

func save(t testing.TB, s store.Documents, docs map[nestor.Path]string) {
	t.Helper()
	err := s.Update(t.Context(), func(tx store.Tx) error {
		for _, p := range slices.Sorted(maps.Keys(docs)) { // what is above comes first
			if _, err := tx.Create(p, json.RawMessage(docs[p])); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// inMemory is a reader of documents that are not in a database.
type inMemory map[nestor.Path]string

func (m inMemory) Get(p nestor.Path) (*nestor.Document, error) {
	body, ok := m[p]
	if !ok {
		return nil, nestor.Errorf(nestor.CodeNotFound, "there is no document %s", p)
	}
	return &nestor.Document{Path: p, Version: 1, Data: json.RawMessage(body)}, nil
}

func (m inMemory) Query(store.Query) (store.Page, error) {
	return store.Page{}, nestor.Errorf(nestor.CodeInternal, "this is not a database")
}

func session(user string) access.Caller {
	return access.Caller{UserID: user, Kind: access.InSession, Ends: start.Add(time.Hour)}
}

func admin(c access.Caller) access.Caller {
	c.Admin = true
	return c
}

func key(user string, scopes ...string) access.Caller {
	return access.Caller{UserID: user, Kind: access.WithKey, Scopes: scopes}
}

func webhook(user string, p nestor.Path) access.Caller {
	return access.Caller{
		UserID: user, Kind: access.AsWebhook, Ends: start.Add(time.Hour),
		Grant: access.Grant{User: user, Path: p, Expires: start.Add(time.Hour).Unix()},
	}
}

func ended(c access.Caller) access.Caller {
	c.Ends = start
	return c
}

var (
	anonymous = access.Caller{Kind: access.Anonymous}
	local     = access.Caller{UserID: access.Local, Admin: true, Kind: access.AsLocal}
)
