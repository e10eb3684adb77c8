package main

import (
	"os"
	"strings"
	"testing"
)

// Every mutant can still be made, and its test is the one that guarantees
// against it. Whether the test notices, `make mutate` finds out.
func TestEveryMutantBreaksAPromiseThatATestGuarantees(t *testing.T) {
	const root = "../.."
	list, err := parse(mutants)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 40 {
		t.Errorf("there are only %d mutants", len(list))
	}
	guarantees, err := os.ReadFile(root + "/docs/guarantees.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		if _, err := m.broken(root); err != nil {
			t.Error(err)
		}
		if !strings.Contains(string(guarantees), "`"+m.notices+"`") {
			t.Errorf("%s: docs/guarantees.md does not name %s", m.promise, m.notices)
		}
	}
}

func TestAMutantThatIsNotOneIsRefused(t *testing.T) {
	for _, text := range []string{
		"", "a promise\nfile.go\ndir TestX", "a promise\nfile.go\ndir\n-old\n+new", "a promise\nfile.go\ndir TestX\n+new", "a promise\nfile.go\ndir TestX\n-a\n+a", "a promise\nfile.go\ndir TestX\nold",
	} {
		if _, err := parse(text); err == nil {
			t.Errorf("accepted: %q", text)
		}
	}
}
