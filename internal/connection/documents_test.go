package connection_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/store/sqlite"
)

func TestConnectionsAreSavedListedAndDeleted(t *testing.T) {
	engines.Each(t, func(t *testing.T, database engines.Database) {
		c := over(t, database(t, store.Options{}), newKey(t))
		ctx := t.Context()
		first := draft("one", "openai", "http://localhost:1/v1")
		first.Data = json.RawMessage(`{"temperature":0.5,"note":"mine"}`)
		first.RetryPolicy = nestor.RetryPolicy{MaxAttempts: 5}
		saved := save(t, c, first, secret)
		if saved.Version != 1 || !saved.HasSecret || saved.ProviderID != "openai" || saved.Name != "one" {
			t.Errorf("saved %+v", saved)
		}
		save(t, c, draft("two", "demo", ""), "")
		list, err := c.List(ctx, user)
		if err != nil || len(list) != 3 || list[0].ID != "default" || !list[0].ReadOnly || !list[1].HasSecret || list[2].HasSecret {
			t.Fatalf("listed %+v, %v", list, err)
		}
		got, err := c.Get(ctx, user, "one")
		if err != nil || got.RetryPolicy.MaxAttempts != 5 || !strings.Contains(string(got.Data), "mine") {
			t.Errorf("got %+v, %v", got, err)
		}
		if others, err := c.List(ctx, "somebody"); err != nil || len(others) != 1 {
			t.Errorf("another user has %+v, %v", others, err)
		}
		if _, err := c.Save(ctx, user, first, connection.Secrets{}, 7); !errors.Is(err, nestor.ErrConflict) {
			t.Errorf("saving an old version: %v", err)
		}
		if err := c.Delete(ctx, user, "one", store.AnyVersion); err != nil {
			t.Fatal(err)
		}
		for name, err := range map[string]error{
			"get":    func() error { _, err := c.Get(ctx, user, "one"); return err }(),
			"open":   func() error { _, err := c.Open(ctx, user, "one"); return err }(),
			"delete": c.Delete(ctx, user, "one", store.AnyVersion),
		} {
			if !errors.Is(err, nestor.ErrNotFound) {
				t.Errorf("%s of what was deleted: %v", name, err)
			}
		}
		if again, err := c.Save(ctx, user, first, connection.Secrets{}, store.AnyVersion); err != nil || again.HasSecret {
			t.Errorf("a new connection inherits a secret: %+v, %v", again, err)
		}
	})
}

func TestANewConnectionDoesNotInheritASecretThatWasLeftBehind(t *testing.T) {
	engines.Each(t, func(t *testing.T, database engines.Database) {
		s := database(t, store.Options{})
		c := over(t, s, newKey(t))
		d := draft("one", "openai", "http://localhost:1/v1")
		save(t, c, d, secret)
		err := s.Update(t.Context(), func(tx store.Tx) error { return tx.Delete("users/local/model-connections/one", store.AnyVersion) })
		if err != nil {
			t.Fatal(err)
		}
		if again, err := c.Save(t.Context(), user, d, connection.Secrets{}, store.AnyVersion); err != nil || again.HasSecret {
			t.Errorf("saved %+v, %v", again, err)
		}
		if got, err := c.Get(t.Context(), user, "one"); err != nil || got.HasSecret {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

func TestASecretIsKeptReplacedAndRemoved(t *testing.T) {
	engines.Each(t, func(t *testing.T, database engines.Database) {
		s := database(t, store.Options{})
		c := over(t, s, newKey(t))
		ctx := t.Context()
		d := draft("one", "openai", "http://localhost:1/v1")
		save(t, c, d, secret)
		d.Name = "Renamed"
		if got, err := c.Save(ctx, user, d, connection.Secrets{}, store.AnyVersion); err != nil || !got.HasSecret || got.Name != "Renamed" {
			t.Errorf("without a secret: %+v, %v", got, err)
		}
		for name, moved := range map[string]connection.Connection{
			"another address": draft("one", "openai", "http://evil.example/v1"),
			"another format":  draft("one", "anthropic", "http://localhost:1/v1"),
		} {
			if _, err := c.Save(ctx, user, moved, connection.Secrets{}, store.AnyVersion); nestor.CodeOf(err) != nestor.CodeInvalid {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got := save(t, c, draft("one", "openai", "http://other.example/v1"), secret); !got.HasSecret {
			t.Errorf("with the secret again: %+v", got)
		}
		// Whoever may write the document alone does not get the secret sent elsewhere.
		err := s.Update(ctx, func(tx store.Tx) error {
			_, err := tx.Patch("users/local/model-connections/one", map[string]any{"baseUrl": "http://evil.example/v1"}, store.AnyVersion)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Open(ctx, user, "one"); !errors.Is(err, nestor.ErrForbidden) {
			t.Errorf("after the address was changed: %v", err)
		}
		if got := save(t, c, draft("one", "openai", "http://evil.example/v1"), ""); got.HasSecret {
			t.Errorf("after removing: %+v", got)
		}
	})
}

func TestASealedSecretDoesNotOpenElsewhere(t *testing.T) {
	s := engines.SQLite(t)(t, store.Options{})
	c := over(t, s, newKey(t))
	for _, id := range []string{"mine", "yours"} {
		save(t, c, draft(id, "openai", "http://localhost:1/v1"), secret+id)
	}
	err := s.Update(t.Context(), func(tx store.Tx) error {
		d, err := tx.Get("secrets/local/model-connections/mine")
		if err != nil {
			return err
		}
		_, err = tx.Put("secrets/local/model-connections/yours", d.Data, store.AnyVersion)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Open(t.Context(), user, "mine"); err != nil {
		t.Error(err)
	}
	if _, err := c.Open(t.Context(), user, "yours"); nestor.CodeOf(err) != nestor.CodeInvalid || !strings.Contains(err.Error(), "decrypted") {
		t.Errorf("a secret was moved: %v", err)
	}
	if _, err := over(t, s, newKey(t)).Open(t.Context(), user, "mine"); nestor.CodeOf(err) != nestor.CodeInvalid {
		t.Errorf("with another key: %v", err)
	}
}

func TestWhatMakesNoSenseIsRefusedWithTheField(t *testing.T) {
	c := open(t)
	save(t, c, draft("a", "demo", ""), "")
	b := draft("b", "demo", "")
	b.FallbackID = "a"
	save(t, c, b, "")
	with := func(change func(*connection.Connection)) connection.Connection {
		d := draft("a", "openai", "http://localhost:1/v1")
		change(&d)
		return d
	}
	for name, tt := range map[string]struct {
		draft  connection.Connection
		secret string
		want   string
	}{
		"no format":                {with(func(c *connection.Connection) { c.AccessFormat = "" }), "", "accessFormat"},
		"no model":                 {with(func(c *connection.Connection) { c.ModelID = " " }), "", "modelId"},
		"an address that is none":  {with(func(c *connection.Connection) { c.BaseURL = "localhost" }), "", "baseUrl"},
		"a password in an address": {with(func(c *connection.Connection) { c.BaseURL = "http://u:" + secret + "@h" }), "", "baseUrl"},
		"a key in an address":      {with(func(c *connection.Connection) { c.BaseURL = "http://h/v1?key=" + secret }), "", "baseUrl"},
		"data that is a list":      {with(func(c *connection.Connection) { c.Data = json.RawMessage(`[]`) }), "", "data must be a JSON object"},
		"data of a wrong type":     {with(func(c *connection.Connection) { c.Data = json.RawMessage(`{"xmlTools":"yes"}`) }), "", "data.xmlTools"},
		"negative XML calls":       {with(func(c *connection.Connection) { c.Data = json.RawMessage(`{"maxXmlCalls":-1}`) }), "", "data.maxXmlCalls"},
		"a duration as a number":   {with(func(c *connection.Connection) { c.Data = json.RawMessage(`{"stallTimeout":5}`) }), "", "a duration is text"},
		"a secret in data":         {with(func(c *connection.Connection) { c.Data = json.RawMessage(`{"api_key":"` + secret + `"}`) }), "", "data.api_key"},
		"negative tokens":          {with(func(c *connection.Connection) { c.Data = json.RawMessage(`{"maxTokens":-1}`) }), "", "data.maxTokens"},
		"a fever":                  {with(func(c *connection.Connection) { c.Data = json.RawMessage(`{"temperature":37}`) }), "", "data.temperature"},
		"too many attempts":        {with(func(c *connection.Connection) { c.RetryPolicy.MaxAttempts = 99 }), "", "retryPolicy.maxAttempts"},
		"a negative limit":         {with(func(c *connection.Connection) { c.Concurrency = -1 }), "", "concurrency"},
		"itself as the fallback":   {with(func(c *connection.Connection) { c.FallbackID = "a" }), "", "fallbackId"},
		"a circle":                 {with(func(c *connection.Connection) { c.FallbackID = "b" }), "", "fallbackId leads back to a"},
		"a fallback that is none":  {with(func(c *connection.Connection) { c.FallbackID = "zzz" }), "", "no model connection zzz"},
		"a fallback that is a path": {
			with(func(c *connection.Connection) { c.FallbackID = "../../x" }), "", "fallbackId is not an id",
		},
		"an id that is a path":      {with(func(c *connection.Connection) { c.ID = "a/b" }), "", "id"},
		"a secret with a line feed": {with(func(*connection.Connection) {}), secret + "\r\nX-Evil: 1", "secret"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.Save(t.Context(), user, tt.draft, connection.Secrets{Secret: &tt.secret}, store.AnyVersion)
			if nestor.CodeOf(err) != nestor.CodeInvalid || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the error shows the secret: %v", err)
			}
		})
	}
	if got, err := c.Get(t.Context(), user, "a"); err != nil || got.AccessFormat != "demo" || got.Version != 1 {
		t.Errorf("a refused save changed something: %+v, %v", got, err)
	}
	for name, err := range map[string]error{
		"saving": func() error {
			_, err := c.Save(t.Context(), user, draft("default", "demo", ""), connection.Secrets{}, 0)
			return err
		}(),
		"deleting": c.Delete(t.Context(), user, "default", 0),
	} {
		if !errors.Is(err, nestor.ErrForbidden) || !strings.Contains(err.Error(), "NESTOR_MODEL") {
			t.Errorf("%s the environment's connection: %v", name, err)
		}
	}
}

func TestADocumentThatIsNoConnectionCanBeSeenRepairedAndDeleted(t *testing.T) {
	s := engines.SQLite(t)(t, store.Options{})
	c := over(t, s, newKey(t))
	spoil := func() {
		t.Helper()
		err := s.Update(t.Context(), func(tx store.Tx) error {
			_, err := tx.Put("users/local/model-connections/bad", map[string]any{"name": 5}, store.AnyVersion)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	spoil()
	list, err := c.List(t.Context(), user)
	if err != nil || len(list) != 2 || !strings.Contains(list[1].Description, "is not a model connection") {
		t.Errorf("listed %+v, %v", list, err)
	}
	save(t, c, draft("bad", "demo", ""), "")
	spoil()
	if err := c.Delete(t.Context(), user, "bad", store.AnyVersion); err != nil {
		t.Error(err)
	}
}

// The whole database, every document and every change are searched, after the
// secret was written, replaced and deleted.
func TestNoSecretIsStoredInTheClear(t *testing.T) {
	dir := t.TempDir()
	s, err := sqlite.Open(t.Context(), filepath.Join(dir, "nestor.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	key, err := access.LoadKey("", filepath.Join(t.TempDir(), "key"))
	if err != nil {
		t.Fatal(err)
	}
	c := over(t, s, key)
	d := draft("one", "openai", "http://localhost:1/v1")
	save(t, c, d, secret)
	save(t, c, d, secret+"2")
	save(t, c, draft("two", "openai", "http://localhost:1/v1"), secret)
	if err := c.Delete(t.Context(), user, "two", store.AnyVersion); err != nil {
		t.Fatal(err)
	}
	changes, err := s.Changes(t.Context(), 0, 100, nil)
	if err != nil || len(changes) < 8 {
		t.Fatalf("%d changes, %v", len(changes), err)
	}
	list, err := c.List(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{changes, list} {
		if text, err := json.Marshal(v); err != nil || strings.Contains(string(text), secret) {
			t.Errorf("%v: %s", err, text)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || !slices.Contains(files, filepath.Join(dir, "nestor.db")) {
		t.Fatalf("files %v, %v", files, err)
	}
	found := false
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found = found || strings.Contains(string(b), "sealed:v1:")
		if strings.Contains(string(b), secret) {
			t.Errorf("%s holds the secret", filepath.Base(file))
		}
	}
	if !found {
		t.Error("the search looks in the wrong place: there is no sealed secret either")
	}
}
