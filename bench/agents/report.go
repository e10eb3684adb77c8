package main

import (
	"fmt"
	"math"
)

// result is a comparison that was made.
type result struct {
	what, unit    string
	floor, nestor float64
	// ratio is what the goal is about. It is to be at most the goal, or at
	// least; a goal of 0 is none.
	ratio, goal float64
	atLeast     bool
}

// report prints a result and keeps it for the summary.
func (b *bench) report(e *engine, r result) {
	line := fmt.Sprintf("%-44s floor %9s   Nestor %9s   ratio %5.2f%s", r.what, amount(r.floor, r.unit), amount(r.nestor, r.unit), r.ratio, r.verdict())
	fmt.Println(" ", line)
	b.results = append(b.results, fmt.Sprintf("%-9s %s", e.name, line))
}

func (r result) verdict() string {
	if r.goal == 0 {
		return ""
	}
	bound, met := "at most", r.ratio <= r.goal
	if r.atLeast {
		bound, met = "at least", r.ratio >= r.goal
	}
	word := "missed"
	if met {
		word = "met"
	}
	return fmt.Sprintf("   goal %s %.1f: %s", bound, r.goal, word)
}

// amount has three digits that count.
func amount(v float64, unit string) string {
	digits := max(0, 2-int(math.Floor(math.Log10(max(v, 1e-3)))))
	if unit != "" {
		unit = " " + unit
	}
	return fmt.Sprintf("%.*f%s", digits, v, unit)
}

func (b *bench) summary() {
	fmt.Println("\nsummary")
	for _, line := range b.results {
		fmt.Println(" ", line)
	}
}
