package analyst

import (
	"context"

	"github.com/nestorhq/nestor/internal/domain/priority/vector"
	"github.com/nestorhq/nestor/internal/store"
)

// Words is a [Library] without a model or memory: it compares tasks by their words,
// each time anew.
type Words struct{ Store store.Documents }

func (w Words) tasks(ctx context.Context, userID string) (k *known, err error) {
	err = w.Store.View(ctx, func(r store.Reader) (err error) {
		k, err = readTasks(r, userID)
		return err
	})
	return k, err
}

// Search implements [Library].
func (w Words) Search(ctx context.Context, userID, query string, limit int, threshold float64) ([]vector.Hit, error) {
	k, err := w.tasks(ctx, userID)
	if err != nil {
		return nil, err
	}
	q := vector.Lexical(query)
	x := vector.NewIndex(len(q), len(k.tasks))
	for _, t := range k.tasks {
		if err := x.Add(t.ID, vector.Lexical(t.Text)); err != nil {
			return nil, err
		}
	}
	return x.Search(q, limit, threshold)
}

// Vectors implements [Library].
func (w Words) Vectors(ctx context.Context, userID string, taskIDs []string) (map[string][]float32, error) {
	k, err := w.tasks(ctx, userID)
	if err != nil {
		return nil, err
	}
	all := map[string][]float32{}
	for _, id := range taskIDs {
		if k.has(id) {
			all[id] = vector.Lexical(k.task(id).Text)
		}
	}
	return all, nil
}
