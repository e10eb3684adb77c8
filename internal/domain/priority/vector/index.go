package vector

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/nestorhq/nestor"
)

// Index finds the vectors that are most similar to one. It looks at all of them,
// so what it finds is exact. It may be searched by many at once, but not while
// something is added.
type Index struct {
	dimensions int
	ids        []string
	numbers    []float32 // of all vectors, one after the other, each of length 1
}

// Hit is a vector that was found.
type Hit struct {
	ID         string
	Similarity float64 // the cosine, between -1 and 1
}

// NewIndex returns an index of vectors with so many dimensions, with room for some.
func NewIndex(dimensions, room int) *Index {
	return &Index{dimensions: dimensions, ids: make([]string, 0, room), numbers: make([]float32, 0, room*dimensions)}
}

// Add copies a vector into the index.
func (x *Index) Add(id string, v []float32) error {
	if len(v) != x.dimensions {
		return nestor.Errorf(nestor.CodeInvalid, "the vector of %s has %d dimensions, not %d", id, len(v), x.dimensions)
	}
	x.ids = append(x.ids, id)
	x.numbers = append(x.numbers, v...)
	Normalize(x.at(len(x.ids) - 1))
	return nil
}

// Len is how many vectors there are, and Dimensions how many numbers each has.
func (x *Index) Len() int        { return len(x.ids) }
func (x *Index) Dimensions() int { return x.dimensions }

// ID is the id of the i-th vector that was added.
func (x *Index) ID(i int) string { return x.ids[i] }

// At is the i-th vector that was added, of length 1. Nobody may change it.
func (x *Index) At(i int) []float32 { return x.at(i) }

func (x *Index) at(i int) []float32 {
	return x.numbers[i*x.dimensions : (i+1)*x.dimensions : (i+1)*x.dimensions]
}

// Search returns at most limit vectors whose similarity to the query is at least
// threshold, the most similar first, equals by id.
func (x *Index) Search(query []float32, limit int, threshold float64) ([]Hit, error) {
	if len(query) != x.dimensions {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the query has %d dimensions, the vectors have %d", len(query), x.dimensions)
	}
	if limit <= 0 {
		return nil, nil
	}
	query = Normalize(slices.Clone(query))
	found := worstFirst{}
	for i, id := range x.ids {
		hit := Hit{id, min(float64(Dot(query, x.at(i))), 1)}
		switch {
		case hit.Similarity < threshold:
		case len(found) < limit:
			heap.Push(&found, hit)
		case compare(hit, found[0]) < 0:
			found[0] = hit
			heap.Fix(&found, 0)
		}
	}
	slices.SortFunc(found, compare)
	return found, nil
}

// compare puts the better hit first.
func compare(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.ID, b.ID))
}

// worstFirst is a heap of the best hits so far: the worst of them is the first to
// give way.
type worstFirst []Hit

func (h worstFirst) Len() int           { return len(h) }
func (h worstFirst) Less(i, j int) bool { return compare(h[i], h[j]) > 0 }
func (h worstFirst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *worstFirst) Push(hit any)      { *h = append(*h, hit.(Hit)) }
func (h *worstFirst) Pop() any          { panic("nothing is taken away") }
