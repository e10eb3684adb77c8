package openai_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/nestorhq/nestor/internal/llm"
)

// Each reply is sent at once and in pieces of every size: a mark may be cut
// anywhere.
func TestThinkingInTheTextBecomesReasoning(t *testing.T) {
	for _, tt := range []struct{ name, reply, reasoning, text string }{
		{"before the answer", "<think>\nHm, 2 < 3.\n</think>\n\nIt is 3.", "\nHm, 2 < 3.\n", "It is 3."},
		{"between words", "A <think>b</think> c", "b", "A c"},
		{"twice", "<think>a</think>b<think>c</think>d", "ac", "bd"},
		{"cut off at a limit", "<think>Hm, let me", "Hm, let me", ""},
		{"in a fence", "Look:\n```xml\n<think>a</think>\n```\nend", "", "Look:\n```xml\n<think>a</think>\n```\nend"},
		{"in a fence of tildes", "~~~\n<think>a</think>\n~~~\n<think>b</think>c", "b", "~~~\n<think>a</think>\n~~~\nc"},
		{"in a span", "Write `<think>` or ``<think>``, then <think>a</think>b", "a", "Write `<think>` or ``<think>``, then b"},
		{"after a lone backtick", "a ` b\n<think>c</think>d", "c", "a ` b\nd"},
		{"a mention that never ends", "Use the <think> tag.", " tag.", "Use the <think> tag."},
		{"something like it", "a <thin b </think> c", "", "a <thin b </think> c"},
		{"nothing", "Hi", "", "Hi"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for size := 1; size <= len(tt.reply); size++ {
				var chunks []string
				for piece := range slices.Chunk([]byte(tt.reply), size) {
					text, err := json.Marshal(string(piece))
					if err != nil {
						t.Fatal(err)
					}
					chunks = append(chunks, `{"choices":[{"delta":{"content":`+string(text)+`}}]}`)
				}
				events, err := replay(t, append(chunks, `{"choices":[{"delta":{},"finish_reason":"stop"}]}`)...)
				if err != nil {
					t.Fatal(err)
				}
				var reasoning, text string
				for _, ev := range events {
					switch ev := ev.(type) {
					case llm.Reasoning:
						reasoning += ev.Text
					case llm.Text:
						text += ev.Text
					}
				}
				if reasoning != tt.reasoning || text != tt.text {
					t.Errorf("in pieces of %d: thought %q, said %q; want %q, %q", size, reasoning, text, tt.reasoning, tt.text)
				}
			}
		})
	}
}
