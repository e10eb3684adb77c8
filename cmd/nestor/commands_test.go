package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// listOfSix are the triggers of the first schema, as they stand there.
var listOfSix = filepath.Join("..", "..", "internal", "trigger", "testdata", "syntrix.json")

func TestTheProgramTellsItsVersion(t *testing.T) {
	p := newProgram(t)
	line := regexp.MustCompile(`^nestor \S+.* go1\.\S+ \w+/\w+\n$`)
	asked := p.prints("version")
	if !line.MatchString(asked) {
		t.Errorf("nestor version prints %q", asked)
	}
	for _, flag := range []string{"--version", "-version"} {
		if got := p.prints(flag); got != asked {
			t.Errorf("nestor %s prints %q, want %q", flag, got, asked)
		}
	}
}

func TestCheckingTheTriggersOfTheFirstSchemaTellsWhatTheyLeaveUndone(t *testing.T) {
	got := newProgram(t).prints("triggers", "check", listOfSix)
	want := listOfSix + ": warning: nothing does the work of the built-in trigger on-task-failed: failures are not told in the chat\n" +
		listOfSix + ": warning: nothing does the work of the built-in trigger on-first-message: chats get no title\n" +
		listOfSix + ": ok, 6 triggers\n"
	if got != want {
		t.Errorf("it prints\n%s\nwant\n%s", got, want)
	}
}

func TestABadConditionIsToldWithItsPlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "triggers.json")
	const text = `[
  {"triggerId": "mine", "collection": "users/*/notes",
   "condition": "event.document.status = 'done'",
   "url": "POST /webhook/orchestrator"}
]`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := newProgram(t).command("triggers", "check", file)
	out, err := cmd.CombinedOutput()
	if err == nil || cmd.ProcessState.ExitCode() != 1 || strings.Contains(string(out), ": ok") ||
		!strings.HasPrefix(string(out), "nestor: "+file+`:3:40: trigger "mine": condition`) { // where the single = is
		t.Errorf("%v: %s", err, out)
	}
}
