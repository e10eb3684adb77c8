package demo

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor/internal/tool/calc"
)

func TestExpressions(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"What is 6*7?", []string{"6*7"}},
		{"what's 2 + 2, 3*3 and 10 / 4", []string{"2 + 2", "3*3", "10 / 4"}},
		{"(1 + 2) * 3 please", []string{"(1 + 2) * 3"}},
		{"the sum (12+30) is known", []string{"(12+30)"}},
		{"15% of 80", []string{"(15/100*80)"}},
		{"12 times 12 plus 1", []string{"12 * 12 + 1"}},
		{"the square root of 144", []string{"sqrt(144)"}},
		{"7 squared minus 1.5", []string{"7^2 - 1.5"}},
		{"1,250 divided by 5", []string{"1250 / 5"}},
		{"2 to the power of 10", []string{"2 ^ 10"}},
		{"3 x 4", []string{"3 * 4"}},
		{"on 2026-01-31 or 1/2/2026, from 2020-2024, 24/7, with Go 1.26.8", nil},
		{"see https://example.org/1+1 or 42", nil},
		{"no numbers here", nil},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			got := expressions(tt.text)
			if !slices.Equal(got, tt.want) {
				t.Fatalf("got %q, want %q", got, tt.want)
			}
			for _, e := range got {
				if _, err := calc.Eval(e); err != nil {
					t.Errorf("the calculator rejects %q: %v", e, err)
				}
			}
		})
	}
}

func TestPlaces(t *testing.T) {
	tests := []struct{ text, want string }{
		{"time in Tokyo, London and New York", "Asia/Tokyo Europe/London America/New_York"},
		{"in são paulo?", "America/Sao_Paulo"},
		{"Europe/Berlin and GMT", "Europe/Berlin UTC"},
		{"the Romeo and Parisian", ""},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			var zones []string
			for _, p := range placesIn(tt.text) {
				zones = append(zones, p.zone)
			}
			if got := strings.Join(zones, " "); got != tt.want {
				t.Errorf("got %s", got)
			}
		})
	}
	for _, p := range towns {
		if _, err := time.LoadLocation(p.zone); err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
	}
}

func TestParts(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"small talk has none", "hello there", nil},
		{"one question is one part", "What is 6*7?", []string{"What is 6*7?"}},
		{"a numbered list", "Please do:\n1. What is 2+2?\n2. research Rust\n", []string{"What is 2+2?", "research Rust"}},
		{"a list takes its lead along", "Research these languages:\n- Go\n- Rust", []string{"Research these languages: Go", "Research these languages: Rust"}},
		{"and also", "Research Go and also tell me the time in Tokyo", []string{"Research Go", "tell me the time in Tokyo"}},
		{"several questions", "What is 2+2? What time is it in Paris? Thanks!", []string{"What is 2+2?", "What time is it in Paris?"}},
		{"a joint before a new request", "Look up Erlang, compute 3*4 and write a report on bees.", []string{"Look up Erlang", "compute 3*4", "write a report on bees."}},
		{"research on X, Y and Z", "Research Go, Rust and Zig.", []string{"Research Go", "Research Rust", "Research Zig"}},
		{"times in X, Y and Z are one part", "What time is it in Tokyo, London and New York?", []string{"What time is it in Tokyo, London and New York?"}},
		{"sums are one part", "Calculate 2+2, 3*3 and 10/4", []string{"Calculate 2+2, 3*3 and 10/4"}},
		{"a comparison is one part", "Compare Go, Rust and Zig", []string{"Compare Go, Rust and Zig"}},
		{"too many go to the last", "1. 1+1\n2. 2+2\n3. 3+3\n4. 4+4\n5. 5+5\n6. 6+6\n7. 7+7", []string{"1+1", "2+2", "3+3", "4+4", "5+5", "6+6\n7+7"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := parts(tt.text); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
