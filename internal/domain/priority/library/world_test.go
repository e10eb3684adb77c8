package library_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/domain/priority/library"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/domain/priority/tasks"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
)

func TestMain(m *testing.M) { testmain.Run(m) }

const (
	ann    = "ann"
	bob    = "bob"
	secret = "sk-live-0123456789abcdef"
)

var quiet = slog.New(slog.DiscardHandler)

// world is a store with a worker that makes vectors, and an HTTP server whose models
// do. Which of them is connected can change.
type world struct {
	*testing.T
	open    func() store.Store
	store   store.Store
	library *library.Library
	server  *llmtest.EmbedServer
	ended   chan struct{}

	connections *connection.Connections
	mu          sync.Mutex
	connected   string
}

func each(t *testing.T, fn func(*world)) {
	engines.Each(t, func(t *testing.T, open engines.Database) { fn(newWorld(t, open)) })
}

func newWorld(t *testing.T, open engines.Database) *world {
	t.Helper()
	list := module.List{module.Of[*library.Library]{
		Name: "prioritisation", Collections: record.Collections, Reactions: library.Reactions,
		Handlers: []module.Handler[*library.Library]{{
			Stage: library.Stage, Run: (*library.Library).EmbedTasks, Exhausted: (*library.Library).EmbedFailed,
		}},
	}}
	kinds, err := list.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	set, err := trigger.New(nil, trigger.Options{BuiltIn: list.Triggers()})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, ended: make(chan struct{}, 1), server: llmtest.OpenAIEmbeddings.Serve(t, meaning)}
	w.open = func() store.Store {
		return open(t, store.Options{Rules: store.Rules{Catalogue: kinds, Planner: set}, Modules: list.Schemas()})
	}
	w.store = w.open()
	w.connect()
	w.library = w.another(w.store, 0)
	handlers := module.Handlers(w.library, []module.Handler[*library.Library]{{
		Stage: library.Stage, Run: (*library.Library).EmbedTasks, Exhausted: (*library.Library).EmbedFailed,
	}})
	work := worker.New(w.store, worker.Options{
		Handlers: handlers, Logger: quiet,
		Plan: func(id string) (worker.Plan, bool) {
			p, ok := module.Plan(set)(id)
			p.Retry.InitialBackoff = nestor.Duration(time.Millisecond) // no test waits for longer than it must
			return p, ok
		},
		Hooks: worker.Hooks{Ended: func(*nestor.Job, worker.Outcome, time.Duration) {
			select {
			case w.ended <- struct{}{}:
			default:
			}
		}},
	})
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- work.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	<-work.Joined()
	return w
}

// another is the library of another node, or one with another cache.
func (w *world) another(s store.Store, cacheBytes int) *library.Library {
	return library.New(library.Options{Store: s, Embedders: w, CacheBytes: cacheBytes, Logger: quiet})
}

// connect gives ann and bob two connections each, of one model each, over real HTTP.
func (w *world) connect() {
	w.Helper()
	key, err := access.LoadKey("", filepath.Join(w.TempDir(), "key"))
	if err != nil {
		w.Fatal(err)
	}
	w.connections, err = connection.New(connection.Options{
		Store: w.store, Key: key, Env: func(string) string { return "" }, AllowPrivate: true,
		HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
	})
	if err != nil {
		w.Fatal(err)
	}
	given := secret
	for _, user := range []string{ann, bob} {
		for _, id := range []string{"model-a", "model-b"} {
			_, err := w.connections.Save(w.Context(), user, connection.Connection{
				Meta: nestor.Meta{ID: id}, AccessFormat: connection.OpenAI, ModelID: "chat", BaseURL: w.server.URL, EmbeddingModel: id,
				RetryPolicy: nestor.RetryPolicy{MaxAttempts: 1},
			}, connection.Secrets{Secret: &given}, store.AnyVersion)
			if err != nil {
				w.Fatal(err)
			}
		}
	}
}

// use makes a connection the default one; "" is none that makes vectors.
func (w *world) use(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.connected = id
}

// Embedder implements [module.Embedders].
func (w *world) Embedder(ctx context.Context, userID, _ string) (llm.Embedder, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.connections.Embedder(ctx, userID, w.connected)
}

// meaning knows that a car is an automobile, which no comparison of words does.
func meaning(text string) []float32 {
	text = strings.ToLower(text)
	v := []float32{0.01, 0.01, 1}
	for i, words := range [][]string{{"car", "automobile"}, {"garden", "lawn"}} {
		if slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) }) {
			v[i], v[2] = 1, 0
		}
	}
	return v
}

// writes stores a document with tasks. Their ids are those of the texts, or stand in
// front of them: "t1: Wash the car".
func (w *world) writes(userID, id string, tasks ...string) {
	w.Helper()
	w.stores(userID, id, record.DocumentCompleted, tasks...)
	w.idle()
}

func (w *world) stores(userID, id string, status record.DocumentStatus, tasks ...string) {
	w.Helper()
	d := record.SourceDocument{UserID: userID, Title: id, Content: "x", SourceType: "text", Status: status, StructuredOutput: &record.StructuredOutput{ExtractedBy: "rules"}}
	for _, text := range tasks {
		name, rest, ok := strings.Cut(text, ": ")
		if !ok {
			name, rest = nestor.DeriveID(id, text), text
		}
		d.StructuredOutput.Tasks = append(d.StructuredOutput.Tasks, record.ExtractedTask{ID: name, Text: rest, EffortHours: 1})
	}
	w.update(func(tx store.Tx) error {
		_, err := tx.Put(documentPath(userID, id), d, store.AnyVersion)
		return err
	})
}

func documentPath(userID, id string) nestor.Path {
	return record.Of(userID).Child("processed-documents", id)
}

func (w *world) update(fn func(store.Tx) error) {
	w.Helper()
	if err := w.store.Update(w.Context(), fn); err != nil {
		w.Fatal(err)
	}
}

// idle waits until no job is left.
func (w *world) idle() {
	w.Helper()
	for {
		counts, err := w.store.CountJobs(w.Context())
		if err != nil {
			w.Fatal(err)
		}
		if counts[nestor.JobReady]+counts[nestor.JobRunning]+counts[nestor.JobBlocked] == 0 {
			return
		}
		select {
		case <-w.ended:
		case <-time.After(30 * time.Second):
			w.Fatalf("jobs do not end: %v", counts)
		}
	}
}

// vectors are how many there are of a user, by model.
func (w *world) vectors(userID string) string {
	w.Helper()
	counts := map[string]int{}
	err := w.store.View(w.Context(), func(r store.Reader) error {
		clear(counts)
		q := store.Query{Flat: record.Embeddings.Name, Where: store.Where("userId", store.Eq, userID), Limit: store.MaxLimit}
		for {
			page, err := r.Query(q)
			if err != nil {
				return err
			}
			for _, d := range page.Items {
				e, err := nestor.As[record.TaskEmbedding](d)
				if err != nil {
					return err
				}
				counts[e.Model]++
			}
			if q.Cursor = page.Next; q.Cursor == "" {
				return nil
			}
		}
	})
	if err != nil {
		w.Fatal(err)
	}
	var all []string
	for model, n := range counts {
		all = append(all, fmt.Sprint(model, " ", n))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func (w *world) wantVectors(userID, want string) {
	w.Helper()
	if got := w.vectors(userID); got != want {
		w.Errorf("the vectors of %s are %q, want %q", userID, got, want)
	}
}

// finds searches with a library and returns the texts.
func (w *world) finds(l *library.Library, userID, query string, threshold float64) string {
	w.Helper()
	hits, err := l.Search(w.Context(), userID, query, 10, threshold)
	if err != nil {
		w.Fatal(err)
	}
	all, err := l.Tasks(w.Context(), userID)
	if err != nil {
		w.Fatal(err)
	}
	var texts []string
	for _, h := range hits {
		i := slices.IndexFunc(all, func(t tasks.Task) bool { return t.ID == h.ID })
		if i < 0 {
			w.Errorf("%s is no task of %s", h.ID, userID)
			continue
		}
		texts = append(texts, all[i].Text)
	}
	return strings.Join(texts, " | ")
}

func (w *world) wantFound(l *library.Library, userID, query, want string) {
	w.Helper()
	if got := w.finds(l, userID, query, 0.5); got != want {
		w.Errorf("%s searches for %q and finds %q, want %q", userID, query, got, want)
	}
}

// set is what a user's vectors are to be made by.
func (w *world) set(userID string) (set record.VectorSet) {
	w.Helper()
	err := w.store.View(w.Context(), func(r store.Reader) error {
		found, err := store.Find[record.VectorSet](r, record.VectorSetOf(userID))
		if found != nil {
			set = *found
		}
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return set
}
