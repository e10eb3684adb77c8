package orchestrator

import (
	"strings"
	"testing"
)

func TestTitlesAreCleanedUp(t *testing.T) {
	tests := []struct{ name, said, want string }{
		{"what was asked for", "Height of the Eiffel Tower", "Height of the Eiffel Tower"},
		{"quotes and a full stop", `"Height of the Tower."`, "Height of the Tower"},
		{"quotes of other languages", "„Höhe des Turms“", "Höhe des Turms"},
		{"Markdown", "# **Height of the Tower**", "Height of the Tower"},
		{"more than a line", "Height of the Tower\n\nI hope you like it!", "Height of the Tower"},
		{"more than five words", "The height of the Eiffel Tower in Paris", "The height of the Eiffel"},
		{"an apostrophe inside", "Anna's first day", "Anna's first day"},
		{"white space", "  Height \t of it  ", "Height of it"},
		{"nothing", " \n ", ""},
		{"nothing but marks", `"**"`, ""},
		{"a word without end", strings.Repeat("ü", 100), strings.Repeat("ü", 60) + "…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := cleanTitle(tt.said); got != tt.want {
				t.Errorf("%q became %q, want %q", tt.said, got, tt.want)
			}
		})
	}
}

func TestProvenance(t *testing.T) {
	tests := []struct{ name, said, basis, want string }{
		{"told by the model itself", `I answered "Four." as you said "for four".`, "for four", `I answered "Four." as you said "for four".`},
		{"the model forgot the basis", `I answered "Four."`, "for four", "I answered \"Four.\"\n\nThe agent asked: “How many?” I answered: “Four.”, because you said: “for four”"},
		{"the model said nothing", "", "for four", "The agent asked: “How many?” I answered: “Four.”, because you said: “for four”"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := provenance("How many?", tt.said, "Four.", tt.basis); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}
