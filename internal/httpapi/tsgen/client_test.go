package tsgen_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// The tests of the TypeScript client talk to the real program.
func TestTheTypeScriptClientWorks(t *testing.T) {
	binary, err := filepath.Abs(filepath.Join(t.TempDir(), "nestor"))
	if err != nil {
		t.Fatal(err)
	}
	run(t, "../../..", nil, "go", "build", "-o", binary, "./cmd/nestor")
	install(t)
	run(t, client, []string{"NESTOR_BINARY=" + binary}, "npm", "test")
}

// install fetches what the lock file names, unless it is there. It is installed
// beside and moved, so that another run keeps its files.
func install(t *testing.T) {
	t.Helper()
	const modules = client + "/node_modules"
	lock, err := os.ReadFile(client + "/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	const stamp = ".installed-from"
	if from, err := os.ReadFile(filepath.Join(modules, stamp)); err == nil && bytes.Equal(from, lock) {
		return
	}
	work, err := os.MkdirTemp(client, "node_modules.")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(work)
	for _, name := range []string{"package.json", "package-lock.json"} {
		data, err := os.ReadFile(filepath.Join(client, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(work, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	run(t, work, nil, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	made := filepath.Join(work, "node_modules")
	for _, err := range []error{
		os.WriteFile(filepath.Join(made, stamp), lock, 0o600), os.RemoveAll(modules), os.Rename(made, modules),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func run(t *testing.T, dir string, env []string, name string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
}
