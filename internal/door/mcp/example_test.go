package mcp_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/nodetest"
	"github.com/nestorhq/nestor/internal/servertest"
)

// The program of the documentation and the example work as they stand, with the packages
// that the tests have.

func TestTheProgramInTheDocumentationWorks(t *testing.T) {
	page, err := os.ReadFile("../../../docs/doors/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	program := regexp.MustCompile("(?s)```js\n(.*?)```").FindSubmatch(page)
	if program == nil {
		t.Fatal("there is no program in the documentation")
	}
	each(t, func(w *world) {
		out := execute(w, program[1], "")
		for _, want := range []string{"calculator began", "42", "success"} {
			if !strings.Contains(out, want) {
				w.Errorf("no %q in %s", want, out)
			}
		}
	})
}

func TestTheExampleWorks(t *testing.T) {
	program, err := os.ReadFile("../../../examples/mcp/main.mjs")
	if err != nil {
		t.Fatal(err)
	}
	if asked, tested := dependency(t, "../../../examples/mcp/package.json"), dependency(t, "../../package.json"); asked != tested {
		t.Errorf("the example wants version %s, and %s is tested", asked, tested)
	}
	each(t, func(w *world) {
		out := execute(w, program, "Friday at 8\n", "Book a table for two")
		for _, want := range []string{"For which day and time", "Friday at 8", "It ended with success.", "**user**: Book a table for two"} {
			if !strings.Contains(out, want) {
				w.Errorf("no %q in %s", want, out)
			}
		}
	})
}

// dependency is the version of the SDK in a package.json.
func dependency(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct{ Dependencies map[string]string }
	if err := json.Unmarshal(data, &manifest); err != nil {
		t.Fatal(err)
	}
	return manifest.Dependencies["@modelcontextprotocol/sdk"]
}

// execute runs a program where it finds the packages, and returns what it prints.
func execute(w *world, program []byte, input string, args ...string) string {
	w.Helper()
	nodetest.Install(w.T, ".")
	folder, err := os.MkdirTemp("testdata", "program.")
	if err != nil {
		w.Fatal(err)
	}
	defer os.RemoveAll(folder)
	name := filepath.Join(folder, "main.mjs")
	if err := os.WriteFile(name, program, 0o600); err != nil {
		w.Fatal(err)
	}
	cmd := exec.CommandContext(w.Context(), "node", append([]string{name}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "NESTOR_URL=" + w.URL(), "NESTOR_KEY=" + servertest.Token}
	cmd.Stdin = strings.NewReader(input)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		w.Errorf("it fails: %v\n%s", err, &out)
	}
	return out.String()
}
