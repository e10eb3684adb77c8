package llm

import (
	"strings"
	"testing"
)

func TestCost(t *testing.T) {
	for _, tt := range []struct {
		name  string
		model string
		usage Usage
		want  string // "" for unknown
	}{
		{"charges input and output", "gpt-5", Usage{Input: 1000, Output: 100}, "$0.00225"},
		{"charges a single token exactly", "gpt-5-nano", Usage{Input: 1, CachedInput: 1}, "$0.000000005"},
		{"charges cached input less", "gpt-5", Usage{Input: 1_000_000, CachedInput: 600_000}, "$0.575"},
		{"charges cache writes more", "claude-opus-4-5", Usage{Input: 1_000_000, CachedInput: 500_000, CacheWrite: 400_000}, "$3.25"},
		{"counts reasoning once, as output", "gpt-5", Usage{Output: 1_000_000, Reasoning: 900_000}, "$10"},
		{"charges uncached prices where there is no other", "gpt-5.5", Usage{Input: 10, CacheWrite: 10}, "$0.00005"},
		{"charges short prompts up to the threshold", "gemini-2.5-pro", Usage{Input: 200_000}, "$0.25"},
		{"charges all of a long prompt more", "gemini-2.5-pro", Usage{Input: 200_001, Output: 10}, "$0.5001525"},
		{"knows dated names", "gpt-4.1-mini-2025-04-14", Usage{Input: 1_000_000}, "$0.4"},
		{"knows short dates", "claude-haiku-4-5-20251001", Usage{Output: 1_000_000}, "$5"},
		{"knows previews", "gemini-2.5-flash-preview-09-2025", Usage{Input: 1_000_000}, "$0.3"},
		{"does not take a smaller model for a release", "gpt-4o-mini", Usage{Input: 1_000_000}, "$0.15"},
		{"does not take another version for a release", "claude-opus-5-9", Usage{Input: 1}, ""},
		{"does not take another kind for a release", "gpt-4o-audio-preview", Usage{Input: 1}, ""},
		{"knows nothing of local models", "llama3.3:70b", Usage{Input: 1}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cost, known := Cost(tt.model, tt.usage)
			if known != (tt.want != "") {
				t.Fatalf("known is %v", known)
			}
			if known && cost.String() != tt.want {
				t.Errorf("costs %v, want %v", cost, tt.want)
			}
		})
	}
}

func TestPriceTableIsComplete(t *testing.T) {
	for model, p := range prices() {
		if vectors := strings.Contains(model, "embedding"); p.Input <= 0 || !vectors && p.Output < p.Input || vectors && p.Output != 0 {
			t.Errorf("%s: input %v, output %v", model, Money(p.Input), Money(p.Output))
		}
		if p.CachedInput.or(p.Input) > p.Input || p.CacheWrite.or(p.Input) < p.Input {
			t.Errorf("%s: cached input dearer, or cache writes cheaper than input", model)
		}
		if p.Long != nil && (p.Long.Over <= 0 || p.Long.Input <= p.Input || p.Long.Output <= p.Output) {
			t.Errorf("%s: long prompts are not dearer", model)
		}
	}
}

func TestMoneyString(t *testing.T) {
	for m, want := range map[Money]string{
		0: "$0", 1: "$0.000000000001", dollar: "$1", -dollar / 4: "-$0.25", 1234*dollar + dollar/100: "$1234.01",
	} {
		if got := m.String(); got != want {
			t.Errorf("%d is %q, want %q", int64(m), got, want)
		}
	}
}
