package wording

import (
	"testing"
)

func TestExcerptsCountCharacters(t *testing.T) {
	tests := []struct {
		text string
		n    int
		want string
	}{
		{"short", 5, "short"},
		{"longer", 5, "longe…"},
		{" äöü ", 3, "äöü"},
		{"äöüß", 3, "äöü…"},
		{"a b c", 2, "a…"},
		{"", 3, ""},
	}
	for _, tt := range tests {
		if got := Excerpt(tt.text, tt.n); got != tt.want {
			t.Errorf("excerpt(%q, %d) = %q, want %q", tt.text, tt.n, got, tt.want)
		}
	}
}
