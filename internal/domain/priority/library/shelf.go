package library

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/domain/priority/tasks"
	"github.com/nestorhq/nestor/internal/domain/priority/vector"
	"github.com/nestorhq/nestor/internal/store"
)

// How many documents are read at a time: those with texts are large.
const (
	documentsPage = 20
	vectorsPage   = 500
)

// shelf is what is remembered of one user.
type shelf struct {
	mu                    sync.Mutex
	documentsAt, vectorAt store.Position
	documents             map[string][]tasks.Task
	vectors               map[vectorKey]stored

	// What follows from them, nil until it is asked for.
	all     []tasks.Task
	indexes map[string]*vector.Index

	bytes atomic.Int64 // roughly how many it takes
}

type vectorKey struct{ document, task string }

type stored struct {
	model, textHash string
	numbers         []float32
}

func newShelf() *shelf {
	return &shelf{documents: map[string][]tasks.Task{}, vectors: map[vectorKey]stored{}, indexes: map[string]*vector.Index{}}
}

// read returns what there is of a user now.
func (l *Library) read(ctx context.Context, userID string) (*shelf, error) {
	if err := nestor.CheckID(userID); err != nil {
		return nil, err
	}
	s := l.shelves.take(userID)
	err := s.update(ctx, l.store, userID)
	l.shelves.put(userID, s)
	return s, err
}

// update reads what was written and deleted since.
func (s *shelf) update(ctx context.Context, from Store, userID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.measure()
	err := s.catchUp(ctx, from, userID)
	if !errors.Is(err, nestor.ErrTooOld) {
		return err
	}
	s.documentsAt, s.vectorAt = store.Position{}, store.Position{}
	clear(s.documents)
	clear(s.vectors)
	s.changed()
	return s.catchUp(ctx, from, userID)
}

func (s *shelf) catchUp(ctx context.Context, from Store, userID string) error {
	documents := record.DocumentsOf(userID)
	if err := s.follow(ctx, from, documents, &s.documentsAt, documentsPage, s.document); err != nil {
		return err
	}
	return s.follow(ctx, from, documents+"/*/task-embeddings", &s.vectorAt, vectorsPage, s.vector)
}

// follow hands over what became of the documents of a scope since a position.
func (s *shelf) follow(ctx context.Context, from Store, pattern string, at *store.Position, page int, take func(store.Latest) error) error {
	scope, err := from.Catalogue().Scope(pattern)
	if err != nil {
		return err
	}
	for {
		delta, err := from.Since(ctx, scope, *at, page)
		if err != nil {
			return err
		}
		for _, l := range delta.Items {
			if err := take(l); err != nil {
				return err
			}
			s.changed()
		}
		*at = delta.Next
		if !delta.More {
			return nil
		}
	}
}

// changed forgets what followed from what was there.
func (s *shelf) changed() { s.all, s.indexes = nil, map[string]*vector.Index{} }

func (s *shelf) document(l store.Latest) error {
	id := l.Path.ID()
	delete(s.documents, id)
	if l.Document == nil {
		return nil
	}
	d, err := nestor.As[struct { // not the text that it was found in
		Title            string                   `json:"title"`
		StructuredOutput *record.StructuredOutput `json:"structured_output"`
	}](l.Document)
	if found := tasks.In(id, d.Title, d.StructuredOutput); found != nil {
		s.documents[id] = found
	}
	return err
}

func (s *shelf) vector(l store.Latest) error {
	key := vectorKey{l.Path.Parent().ID(), l.Path.ID()}
	delete(s.vectors, key)
	if l.Document == nil {
		return nil
	}
	e, err := nestor.As[record.TaskEmbedding](l.Document)
	if err != nil {
		return err
	}
	numbers, err := vector.Decode(e.Vector)
	if err != nil {
		return nil // as if there were none
	}
	s.vectors[key] = stored{strings.Clone(e.Model), strings.Clone(e.TextHash), numbers}
	return nil
}

// tasks are all of the user, each once.
func (s *shelf) tasks() []tasks.Task {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list()
}

func (s *shelf) list() []tasks.Task {
	if s.all != nil {
		return s.all
	}
	for _, id := range slices.Sorted(maps.Keys(s.documents)) {
		s.all = append(s.all, s.documents[id]...)
	}
	return s.all
}

// index has the vectors of all tasks, made by one model. It is nil if a task has none.
// By words each has one, whether or not it is stored.
func (s *shelf) index(model string) *vector.Index {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, made := s.indexes[model]
	if !made {
		x = s.build(model)
		s.indexes[model] = x
	}
	return x
}

func (s *shelf) build(model string) *vector.Index {
	all := s.list()
	var x *vector.Index
	if model == vector.LexicalModel {
		x = vector.NewIndex(vector.LexicalDimensions, len(all))
	}
	for _, t := range all {
		key := vectorKey{t.DocumentID, t.ID}
		v, ok := s.vectors[key]
		ok = ok && v.model == model && v.textHash == record.HashText(t.Text)
		switch {
		case ok && x == nil:
			x = vector.NewIndex(len(v.numbers), len(all))
		case !ok && model == vector.LexicalModel:
			v.numbers = vector.Lexical(t.Text)
		case !ok:
			return nil
		}
		if x.Add(t.ID, v.numbers) != nil {
			return nil // of another size
		}
		if ok {
			v.numbers = x.At(x.Len() - 1) // so that they are kept once
			s.vectors[key] = v
		}
	}
	return x
}

// measure notes how much it takes, if that is not known.
func (s *shelf) measure() {
	if s.all != nil {
		return // nothing has changed since
	}
	const each = 200 // for what is around the texts and numbers
	n := 0
	for _, t := range s.list() {
		n += each + len(t.Text) + 4*vector.LexicalDimensions
	}
	for _, v := range s.vectors {
		n += each + 4*len(v.numbers)
	}
	s.bytes.Store(int64(n))
}
