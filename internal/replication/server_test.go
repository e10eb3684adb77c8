package replication_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/replication"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// self may do what browsers may, below its own user: write chats, tasks and its own
// messages, and read everything but what says so.
type self string

func (u self) UserID() string { return string(u) }

func (u self) MayRead(p nestor.Path, d *nestor.Document) bool {
	return p.UserID() == string(u) && (d == nil || !strings.Contains(string(d.Data), "hidden"))
}

func (u self) MayWrite(op nestor.ChangeType, p nestor.Path, _, after *nestor.Document) error {
	allowed := p.UserID() == string(u)
	if after != nil && store.DefaultCatalogue.Of(p) == store.Messages {
		m, err := nestor.As[nestor.Message](after)
		allowed = allowed && err == nil && m.Role == nestor.RoleUser && op == nestor.Create
	} else if c := store.DefaultCatalogue.Of(p); c != store.Chats && c != store.UserDocuments && c != store.Messages && c != store.Tasks {
		allowed = false
	}
	if !allowed {
		return nestor.Errorf(nestor.CodeForbidden, "%s may not %s %s", u, op, p)
	}
	return nil
}

// caller is whom a header names.
func caller(r *http.Request) (replication.Caller, error) {
	if name := r.Header.Get("X-User"); name != "" {
		return self(name), nil
	}
	return nil, nestor.Errorf(nestor.CodeUnauthenticated, "who are you?")
}

// fixture is a running server that can be stopped and started again.
type fixture struct {
	*testing.T
	database engines.Database
	opts     replication.Options
	wrap     func(store.Store) store.Store
	url      string

	address string
	store   store.Store
	stop    func()
}

func serve(t *testing.T, db engines.Database) *fixture {
	return serveWith(t, db, replication.Options{}, nil)
}

// serveWith serves a store that is wrapped, if so wanted.
func serveWith(t *testing.T, db engines.Database, opts replication.Options, wrap func(store.Store) store.Store) *fixture {
	f := &fixture{T: t, database: db, address: "127.0.0.1:0", opts: opts, wrap: wrap}
	f.start()
	return f
}

func (f *fixture) start() {
	f.Helper()
	f.store = f.database(f.T, store.Options{})
	tail := feed.New(f.store, feed.Options{})
	opts := f.opts
	opts.Store, opts.Feed, opts.Fail = f.store, tail, fail
	opts.Caller = caller
	if f.wrap != nil {
		opts.Store = f.wrap(f.store)
	}
	listener, err := net.Listen("tcp", f.address)
	if err != nil {
		f.Fatal(err)
	}
	f.address = listener.Addr().String()
	f.url = "http://" + f.address + "/replication"
	ctx, cancel := context.WithCancel(context.Background())
	mux := http.NewServeMux()
	mux.Handle("/replication/", http.StripPrefix("/replication", replication.New(opts)))
	server := &http.Server{Handler: mux, BaseContext: func(net.Listener) context.Context { return ctx }}
	done := make(chan error, 2)
	go func() { done <- tail.Run(ctx) }()
	go func() { done <- server.Serve(listener) }()
	stopped := false
	f.stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := server.Close(); err != nil {
			f.Error(err)
		}
		for range 2 {
			if err := <-done; err != nil && !errors.Is(err, http.ErrServerClosed) {
				f.Error(err)
			}
		}
		if err := f.store.Close(); err != nil {
			f.Error(err)
		}
	}
	f.Cleanup(f.stop)
}

// fail answers as the API does, with the code in place of the status.
func fail(w http.ResponseWriter, _ *http.Request, err error) {
	w.WriteHeader(http.StatusTeapot)
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"code": nestor.CodeOf(err), "message": err.Error()}})
}

func (f *fixture) update(fn func(tx store.Tx) error) {
	f.Helper()
	if err := f.store.Update(f.Context(), fn); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) put(p nestor.Path, body any) {
	f.Helper()
	f.update(func(tx store.Tx) error {
		_, err := tx.Put(p, body, store.AnyVersion)
		return err
	})
}

func (f *fixture) delete(p nestor.Path) {
	f.Helper()
	f.update(func(tx store.Tx) error { return tx.Delete(p, store.AnyVersion) })
}

// get returns the document, nil when there is none.
func (f *fixture) get(p nestor.Path) (d *nestor.Document) {
	f.Helper()
	err := f.store.View(f.Context(), func(r store.Reader) (err error) {
		d, err = r.Get(p)
		return err
	})
	if err != nil && !errors.Is(err, nestor.ErrNotFound) {
		f.Fatal(err)
	}
	return d
}

// logged waits until the log tells of the last write, which other transactions
// of the same server can delay. So nothing comes twice later.
func (f *fixture) logged(last nestor.Path) {
	f.Helper()
	for written := f.get(last).Seq; ; runtime.Gosched() {
		seq, err := f.store.LastSeq(f.Context())
		if err != nil {
			f.Fatal(err)
		}
		if seq >= written {
			return
		}
	}
}

func chatPath(user, id string) nestor.Path { return nestor.Path("users/" + user + "/orch-chats/" + id) }

func (f *fixture) chat(user, id string) nestor.Path {
	f.Helper()
	p := chatPath(user, id)
	f.put(p, nestor.Chat{Title: "A chat"})
	return p
}

func say(role nestor.Role, content string) nestor.Message {
	return nestor.Message{Role: role, Content: content}
}

// request sends one as a user and returns the answer's code, "" for success,
// and its text.
func (f *fixture) request(user, method, path, body string) (nestor.Code, string) {
	f.Helper()
	req, err := http.NewRequestWithContext(f.Context(), method, f.url+path, strings.NewReader(body))
	if err != nil {
		f.Fatal(err)
	}
	if user != "" {
		req.Header.Set("X-User", user)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		f.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		f.Fatal(err)
	}
	if res.StatusCode == http.StatusOK {
		return "", string(text)
	}
	var failure struct {
		Error struct{ Code nestor.Code }
	}
	if err := json.Unmarshal(text, &failure); err != nil {
		f.Fatalf("%s %s: %d %s", method, path, res.StatusCode, text)
	}
	return failure.Error.Code, string(text)
}
