package vector_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor"

	"github.com/nestorhq/nestor/internal/domain/priority/vector"
)

// The index finds what sorting all similarities finds.
func TestSearchIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dimensions, n := rapid.IntRange(1, 40).Draw(t, "dimensions"), rapid.IntRange(0, 60).Draw(t, "vectors")
		limit, threshold := rapid.IntRange(0, 70).Draw(t, "limit"), rapid.SampledFrom([]float64{-1, 0, 0.4, 0.7}).Draw(t, "threshold")
		number := rapid.Float32Range(-3, 3)
		draw := func(label string) []float32 { return rapid.SliceOfN(number, dimensions, dimensions).Draw(t, label) }

		query, index := draw("query"), vector.NewIndex(dimensions, 0)
		var want []vector.Hit
		for i := range n {
			v := draw("vector")
			if i%3 == 2 {
				v = slices.Clone(query) // some are equal
			}
			hit := vector.Hit{ID: fmt.Sprintf("t%02d", n-i)}
			if err := index.Add(hit.ID, v); err != nil {
				t.Fatal(err)
			}
			hit.Similarity = min(float64(vector.Dot(vector.Normalize(slices.Clone(query)), vector.Normalize(v))), 1)
			if hit.Similarity >= threshold {
				want = append(want, hit)
			}
		}
		slices.SortFunc(want, func(a, b vector.Hit) int {
			return cmp.Or(-cmp.Compare(a.Similarity, b.Similarity), cmp.Compare(a.ID, b.ID))
		})
		want = want[:min(limit, len(want))]
		got, err := index.Search(query, limit, threshold)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got  %v\nwant %v", got, want)
		}
	})
}

func TestDotIsTheSumOfProducts(t *testing.T) {
	for n := range 40 {
		a, b, want := make([]float32, n), make([]float32, n), 0.0
		for i := range n {
			a[i], b[i] = rand.Float32(), rand.Float32()
			want += float64(a[i]) * float64(b[i])
		}
		if got := float64(vector.Dot(a, b)); math.Abs(got-want) > 1e-4 {
			t.Errorf("of %d numbers it is %v, want %v", n, got, want)
		}
	}
}

func TestVectorsOfAnotherSizeAreRefused(t *testing.T) {
	index := vector.NewIndex(3, 1)
	if err := index.Add("a", []float32{1, 2}); nestor.CodeOf(err) != nestor.CodeInvalid {
		t.Errorf("added: %v", err)
	}
	if _, err := index.Search([]float32{1, 2, 3, 4}, 1, 0); nestor.CodeOf(err) != nestor.CodeInvalid {
		t.Errorf("searched: %v", err)
	}
	if index.Len() != 0 {
		t.Errorf("it holds %d", index.Len())
	}
}

func TestAddDoesNotChangeWhatItIsGiven(t *testing.T) {
	v, index := []float32{3, 4}, vector.NewIndex(2, 1)
	if err := index.Add("a", v); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(v, []float32{3, 4}) || !slices.Equal(index.At(0), []float32{0.6, 0.8}) || index.ID(0) != "a" {
		t.Errorf("given %v, kept %v as %s", v, index.At(0), index.ID(0))
	}
}

func TestBytesAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.Float32(), 1, 50).Draw(t, "vector")
		if got, err := vector.Decode(vector.Encode(v)); err != nil || !slices.Equal(got, v) {
			t.Fatalf("%v became %v: %v", v, got, err)
		}
	})
	for name, bad := range map[string][]byte{
		"nothing":        nil,
		"half a number":  {1, 2, 3, 4, 5, 6},
		"not a number":   vector.Encode([]float32{1, float32(math.NaN())}),
		"without an end": vector.Encode([]float32{float32(math.Inf(-1))}),
	} {
		if _, err := vector.Decode(bad); nestor.CodeOf(err) != nestor.CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}
