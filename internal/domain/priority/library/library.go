package library

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"github.com/nestorhq/nestor/internal/domain/priority/tasks"
	"github.com/nestorhq/nestor/internal/domain/priority/vector"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
)

// Options are what a library works with.
type Options struct {
	Store Store
	// Embedders make vectors behind model connections. Nil: tasks are compared by
	// their words.
	Embedders module.Embedders
	// CacheBytes bounds what is remembered of all users, roughly. Defaults to 256
	// MiB.
	CacheBytes int
	// Logger defaults to slog.Default().
	Logger *slog.Logger
}

// Store is what a library needs of a store.
type Store interface {
	store.Documents
	store.Sync
}

// Library answers questions about the tasks of users, each about one user's alone. It
// is safe for concurrent use.
type Library struct {
	store     Store
	embedders module.Embedders
	log       *slog.Logger
	shelves   shelves
	queries   queries
}

// New makes a library.
func New(opts Options) *Library {
	if opts.CacheBytes == 0 {
		opts.CacheBytes = 256 << 20
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	return &Library{
		store: opts.Store, embedders: opts.Embedders, log: opts.Logger,
		shelves: shelves{limit: opts.CacheBytes, of: map[string]*shelf{}},
		queries: queries{known: map[queryKey][]float32{}},
	}
}

// Tasks returns all tasks of a user, in the order of their documents' ids. Nobody may
// change them.
func (l *Library) Tasks(ctx context.Context, userID string) ([]tasks.Task, error) {
	s, err := l.read(ctx, userID)
	if err != nil {
		return nil, err
	}
	return s.tasks(), nil
}

// Search returns the tasks of a user that are most similar to a text, at most limit,
// the best first, none below the threshold.
func (l *Library) Search(ctx context.Context, userID, query string, limit int, threshold float64) ([]vector.Hit, error) {
	s, t, err := l.prepare(ctx, userID)
	if err != nil || len(s.tasks()) == 0 || strings.TrimSpace(query) == "" {
		return nil, err
	}
	if index := s.index(t.model); index != nil && t.embedder != nil {
		hits, err := l.searchBy(ctx, t, userID, index, query, limit, threshold)
		if err == nil {
			return hits, nil
		}
		if ctx.Err() != nil {
			return nil, err
		}
		l.log.Warn("tasks are searched by their words: the query has no vector", "user", userID, "model", t.model, "error", err)
	}
	return s.index(vector.LexicalModel).Search(vector.Lexical(query), limit, threshold)
}

func (l *Library) searchBy(ctx context.Context, t target, userID string, index *vector.Index, query string, limit int, threshold float64) ([]vector.Hit, error) {
	v, err := l.queries.vector(ctx, t, userID, query)
	if err != nil {
		return nil, err
	}
	return index.Search(v, limit, threshold)
}

// Vectors returns those of tasks by id, of length 1 and all of one model. Tasks that
// the user does not have are left out.
func (l *Library) Vectors(ctx context.Context, userID string, taskIDs []string) (map[string][]float32, error) {
	s, t, err := l.prepare(ctx, userID)
	if err != nil {
		return nil, err
	}
	index := s.index(t.model)
	if index == nil {
		index = s.index(vector.LexicalModel)
	}
	asked := map[string]bool{}
	for _, id := range taskIDs {
		asked[id] = true
	}
	found := map[string][]float32{}
	for i := range index.Len() {
		if id := index.ID(i); asked[id] {
			found[id] = slices.Clone(index.At(i))
		}
	}
	return found, nil
}

// prepare reads what there is of a user, and sees to it that vectors of the connected
// model will be.
func (l *Library) prepare(ctx context.Context, userID string) (*shelf, target, error) {
	s, err := l.read(ctx, userID)
	if err != nil {
		return nil, target{}, err
	}
	t, err := l.target(ctx, userID)
	if err == nil && !t.noted && len(s.tasks()) > 0 {
		err = l.note(ctx, userID, t.model)
	}
	return s, t, err
}
