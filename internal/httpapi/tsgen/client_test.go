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
	install(t, client)
	run(t, client, []string{"NESTOR_BINARY=" + build(t)}, "npm", "test")
}

// build makes the program.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "nestor")
	run(t, root, nil, "go", "build", "-o", binary, "./cmd/nestor")
	return binary
}

// install fetches what the lock file of a folder names, unless it is there. It is
// installed beside and moved, so that another run keeps its files.
func install(t *testing.T, dir string) {
	t.Helper()
	modules := filepath.Join(dir, "node_modules")
	lock, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	const stamp = ".installed-from"
	if from, err := os.ReadFile(filepath.Join(modules, stamp)); err == nil && bytes.Equal(from, lock) {
		return
	}
	work, err := os.MkdirTemp(dir, "node_modules.")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(work)
	copyFiles(t, dir, work, "package.json", "package-lock.json")
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

func copyFiles(t *testing.T, from, to string, names ...string) {
	t.Helper()
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(from, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// run runs a program and returns what it prints.
func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return string(out)
}
