package access_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// clock is a time that tests set.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)} }

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// cheap hashes take no time worth mentioning.
var cheap = access.HashCost{Memory: 8, Time: 1, Threads: 1}

const pass = "correct horse battery"

var home = access.Client{Address: "192.0.2.1", Agent: "test"}

// house is a database with gates, each that of a node.
type house struct {
	*testing.T
	store store.Store
	key   *access.Key
	*clock
	texts *texts
}

func newHouse(t *testing.T, open engines.Database) *house {
	t.Helper()
	h := &house{t, open(t, store.Options{}), newKey(t), newClock(), &texts{}}
	h.store.Observe(store.First, h.texts.add)
	return h
}

// withAda runs fn on every engine, with a house that has one gate and the user
// ada.
func withAda(t *testing.T, fn func(t *testing.T, h *house, g *access.Gate)) {
	t.Helper()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		h := newHouse(t, open)
		g := h.gate()
		h.addUser(g, access.NewUser{ID: "ada"})
		fn(t, h, g)
	})
}

func (h *house) gate(change ...func(*access.Options)) *access.Gate {
	opts := access.Options{
		Store: h.store, Key: h.key, Token: "the-local-token", HashCost: cheap, Now: h.time, Logger: slog.New(slog.DiscardHandler),
	}
	for _, fn := range change {
		fn(&opts)
	}
	return access.New(opts)
}

func (h *house) addUser(g *access.Gate, u access.NewUser) access.User {
	h.Helper()
	added, err := g.AddUser(h.Context(), u, pass)
	if err != nil {
		h.Fatal(err)
	}
	return added
}

func (h *house) login(g *access.Gate, login string) access.Tokens {
	h.Helper()
	tokens, err := g.Login(h.Context(), login, pass, home)
	if err != nil {
		h.Fatal(err)
	}
	return tokens
}

// fill writes n empty documents into a collection.
func (h *house) fill(collection string, n int) {
	h.Helper()
	err := h.store.Update(h.Context(), func(tx store.Tx) error {
		for i := range n {
			if _, err := tx.Create(nestor.Path(fmt.Sprintf("%s/x%d", collection, i)), struct{}{}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		h.Fatal(err)
	}
}

// sessions are those of a user, oldest first.
func (h *house) sessions(user string) (list []access.Session) {
	h.Helper()
	err := h.store.View(h.Context(), func(r store.Reader) error {
		page, err := r.Query(store.Query{Collection: "users/" + user + "/sessions", Limit: store.MaxLimit})
		for _, d := range page.Items {
			s, failed := nestor.As[access.Session](d)
			list, err = append(list, s), errors.Join(err, failed)
		}
		return err
	})
	if err != nil {
		h.Fatal(err)
	}
	return list
}

func request(method string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, "http://nestor.example/api/v1/chats", nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

// authenticate presents a token as a program would.
func (h *house) authenticate(g *access.Gate, token string) (access.Caller, error) {
	return g.Authenticate(h.Context(), request("GET", "Authorization", "Bearer "+token))
}

// refused reports an error of another code, and success.
func (h *house) refused(what string, err error, want nestor.Code) {
	h.Helper()
	if nestor.CodeOf(err) != want {
		h.Errorf("%s: %v, want %s", what, err, want)
	}
}

// written is every text that was ever stored.
func (h *house) written() string {
	h.texts.mu.Lock()
	defer h.texts.mu.Unlock()
	return h.texts.all.String()
}

// texts collects what is committed.
type texts struct {
	mu  sync.Mutex
	all strings.Builder
}

func (t *texts) add(c store.Commit) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, change := range c.Changes {
		t.all.WriteString(string(change.Path))
		if change.After != nil {
			t.all.Write(change.After.Data)
		}
	}
}
