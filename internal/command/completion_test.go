package command

import (
	"context"
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/module"
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

func TestACommandOfAModuleHasFlagsOfItsOwn(t *testing.T) {
	quick := new(bool)
	p := &program{commands: ofModules([]module.Command{{Name: "shelf show", Summary: "Show a shelf", Flags: func(f *flag.FlagSet) module.Run {
		quick = f.Bool("quick", false, "do not dust it")
		return func(context.Context, *module.Call) error { return nil }
	}}})}
	var got []string
	for _, c := range candidates(p, []string{"shelf", "show", "--qui"}) {
		got = append(got, c.word)
	}
	if !slices.Equal(got, []string{"--quick"}) {
		t.Errorf("completed to %q", got)
	}
	f := p.commands[0].newFlags(p)
	var help strings.Builder
	f.SetOutput(&help)
	if err := f.parse([]string{"oak", "--quick"}); err != nil || !*quick || f.Arg(0) != "oak" || f.runs == nil {
		t.Errorf("parsed with %v: %t, %q", err, *quick, f.Args())
	}
	f.Usage()
	if own, others := strings.Index(help.String(), "--quick"), strings.Index(help.String(), "--addr"); own < 0 || others < own {
		t.Errorf("the help begins with others' flags:\n%s", &help)
	}
}
