package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/agent"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
)

const token = "a-token-for-the-benchmark"

// server has the API and, below /bare, the floor, on one store without
// triggers: what agents would do with a message is not measured here.
type server struct {
	address string
	store   store.Store
	stop    func() error
}

func start(open opener) (*server, error) {
	dir, err := os.MkdirTemp("", "nestor-bench-api")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	s, db, err := open(ctx, dir)
	if err != nil {
		cancel()
		return nil, err
	}
	quiet := slog.New(slog.DiscardHandler)
	key, err := access.LoadKey("", filepath.Join(dir, "key"))
	if err != nil {
		cancel()
		return nil, err
	}
	engine, err := rules.New(rules.Options{Modules: module.List{agent.Module(agent.Settings{})}.Rules(), Members: account.Members{}, Key: key})
	if err != nil {
		cancel()
		return nil, err
	}
	f := feed.New(s, feed.Options{Logger: quiet})
	followed := make(chan error, 1)
	go func() { followed <- f.Run(ctx) }()
	api, err := httpapi.New(httpapi.Options{
		Store: s, Feed: f, Gate: access.New(access.Options{Store: s, Key: key, Token: token, Logger: quiet}), Rules: engine,
		StreamsPerUser: 4096, // subscribers are all of one user here
		Metrics:        http.NotFoundHandler(), Stopping: ctx, Logger: quiet,
	})
	if err != nil {
		cancel()
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", api)
	mux.HandleFunc("POST /bare/", bare(s, insert))
	mux.HandleFunc("GET /bare/", bare(s, list))
	mux.Handle("GET /bare/events", newBroadcast(s))
	mux.Handle("GET /bare/pull", &barePull{db})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		cancel()
		return nil, err
	}
	srv := &http.Server{Handler: mux}
	go srv.Serve(listener)
	return &server{listener.Addr().String(), s, func() error {
		cancel()
		return firstOf(srv.Close(), <-followed, db.Close(), s.Close(), os.RemoveAll(dir))
	}}, seed(ctx, s)
}

// seed makes a chat to write to and one with messages to list.
func seed(ctx context.Context, s store.Store) error {
	return s.Update(ctx, func(tx store.Tx) error {
		for _, chat := range []nestor.Path{chats + "busy", chats + "full"} {
			if _, err := tx.Put(chat, nestor.Chat{}, store.AnyVersion); err != nil {
				return err
			}
		}
		for i := range 200 {
			m := nestor.Message{Role: nestor.RoleUser, Type: nestor.MessageText, Content: strings.Repeat("words ", 40)}
			if _, err := tx.Put(nestor.Path(fmt.Sprintf("%sfull/messages/m%d", chats, i)), m, store.AnyVersion); err != nil {
				return err
			}
		}
		return nil
	})
}

const chats = "users/local/orch-chats/"

// bare is a handler without anything that an API has to have.
func bare(s store.Store, do func(store.Store, *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answer, err := do(s, r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	}
}

func insert(s store.Store, r *http.Request) (d any, err error) {
	m := nestor.Message{Role: nestor.RoleUser, Type: nestor.MessageText, IsLLMMessage: new(true)}
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		return nil, err
	}
	p := nestor.Path(chats + "busy/messages/" + nestor.NewID())
	err = s.Update(r.Context(), func(tx store.Tx) (err error) {
		d, err = tx.Create(p, m)
		return err
	})
	return d, err
}

func list(s store.Store, r *http.Request) (page any, err error) {
	limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil {
		return nil, err
	}
	err = s.View(r.Context(), func(tx store.Reader) (err error) {
		page, err = tx.Query(store.Query{Collection: chats + "full/messages", Limit: limit})
		return err
	})
	return page, err
}
