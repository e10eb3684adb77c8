package demo

import (
	"strings"
	"testing"
)

func TestTitlesHaveThreeToFiveWordsAndNoQuotes(t *testing.T) {
	tests := map[string]string{
		"":                  "A short chat",
		"Hello":             "A short chat",
		"hi, what is this?": "What is this",
		"What is 15% of 80, and what time is it in Tokyo?": "What is 15% of 80",
		"What is 6*7?":               "What is 6*7",
		"Research Go, Rust and Zig.": "Research Go, Rust and Zig",
		`Compare "Go" and Rust`:      "Compare Go and Rust",
		"Research bees":              "Chat: Research bees",
		"taxes":                      "Chat about Taxes",
		"Can you help me with my taxes? I have no idea where to start.":    "Help me with my taxes",
		"Write a document about our team day: a walk, a lunch and a quiz.": "Write document about team day",
		"Please write a long report about the history of the city of Rome": "Write long report about history",
		"Read https://example.org/a":                                       "Read web page",
		"Version 1.5 of the tool fails":                                    "Version 1.5 of tool fails",
		"Wie wird das Wetter morgen?\nUnd übermorgen?":                     "Wie wird das Wetter morgen",
	}
	for text, want := range tests {
		got := title(text)
		if n := len(strings.Fields(got)); got != want || n < leastWords || n > mostWords || strings.ContainsAny(got, `"'“”`) {
			t.Errorf("title of %q is %q, want %q", text, got, want)
		}
	}
}
