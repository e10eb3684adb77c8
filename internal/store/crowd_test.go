package store_test

import (
	"testing"

	"github.com/nestorhq/nestor/internal/store"
)

func TestFewOfManyNodesLookAfterTheOthers(t *testing.T) {
	looks := func(others, times int) (n int) {
		for range times {
			if store.OneOfFew(others) {
				n++
			}
		}
		return n
	}
	for others := range 4 {
		if n := looks(others, 100); n != 100 {
			t.Errorf("of %d nodes each looks %d times of 100", others+1, n)
		}
	}
	// Four of a thousand on average.
	if n := looks(999, 100_000); n < 300 || n > 500 {
		t.Errorf("a node of 1000 looks %d times of 100,000", n)
	}
}
