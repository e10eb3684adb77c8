package bench

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/nestorhq/nestor/internal/domain/priority/vector"
)

// BenchmarkVectorSearch measures the search of 10,000 tasks for the 20 that are
// most similar, beside a bare loop that multiplies the same numbers and keeps
// nothing.
func BenchmarkVectorSearch(b *testing.B) {
	const n = 10_000
	for _, dimensions := range []int{vector.LexicalDimensions, 1536} {
		b.Run(fmt.Sprintf("%d vectors of %d", n, dimensions), func(b *testing.B) {
			index, numbers := vector.NewIndex(dimensions, n), make([]float32, 0, n*dimensions)
			for i := range n {
				v := randomVector(dimensions)
				if err := index.Add(fmt.Sprint("task-", i), v); err != nil {
					b.Fatal(err)
				}
				numbers = append(numbers, v...)
			}
			query := vector.Normalize(randomVector(dimensions))
			for b.Loop() {
				if hits, err := index.Search(query, 20, -1); err != nil || len(hits) != 20 {
					b.Fatal(len(hits), err)
				}
			}
			search := b.Elapsed() / time.Duration(b.N)
			b.ReportMetric(float64(search.Microseconds())/1000, "ms/search")
			b.ReportMetric(float64(search)/float64(bareSearch(query, numbers)), "x-bare-loop")
		})
	}
}

// bareSearch returns how long it takes to multiply everything once.
func bareSearch(query, numbers []float32) time.Duration {
	const rounds = 20
	start, best := time.Now(), float32(0)
	for range rounds {
		for at := 0; at < len(numbers); at += len(query) {
			sum, v := float32(0), numbers[at:at+len(query)]
			for i, x := range query {
				sum += x * v[i]
			}
			best = max(best, sum)
		}
	}
	if best < 0 {
		panic("the loop was left out")
	}
	return time.Since(start) / rounds
}

func randomVector(dimensions int) []float32 {
	v := make([]float32, dimensions)
	for i := range v {
		v[i] = rand.Float32() - 0.5
	}
	return v
}

// BenchmarkLexical measures how long the vector of a task takes without a model.
func BenchmarkLexical(b *testing.B) {
	for b.Loop() {
		vector.Lexical("Prepare the slides about the quarterly figures for the board meeting on Thursday")
	}
}
