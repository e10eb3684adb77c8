package command

import (
	"slices"
	"strings"
	"testing"
)

func TestACommandLineIsCompleted(t *testing.T) {
	p := &program{commands: builtIn()}
	for _, tt := range []struct {
		line []string
		want []string
	}{
		{[]string{"s"}, []string{"serve"}},
		{[]string{"users", ""}, []string{"add", "ls", "rm"}},
		{[]string{"users", "r"}, []string{"rm"}},
		{[]string{"jobs", "ls", "--st"}, []string{"--state"}},
		{[]string{"jobs", "ls", "--state", "dead", "--li"}, []string{"--limit"}},
		{[]string{"keys", "create", "ci", "--e"}, []string{"--expires"}},
		{[]string{"version", "-"}, []string{"--help"}},
		{[]string{"export", ""}, nil}, // a file
		{[]string{"nothing", ""}, nil},
	} {
		var got []string
		for _, c := range candidates(p, tt.line) {
			got = append(got, c.word)
			if c.help == "" {
				t.Errorf("%q: %s is not explained", tt.line, c.word)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q goes on with %q, want %q", tt.line, got, tt.want)
		}
	}
	var first []string
	for _, c := range candidates(p, []string{""}) {
		first = append(first, c.word)
	}
	for _, c := range p.commands {
		if word, _, _ := strings.Cut(c.name, " "); !slices.Contains(first, word) {
			t.Errorf("%q are offered first, without %s", first, word)
		}
	}
}
