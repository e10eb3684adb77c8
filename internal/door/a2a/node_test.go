package a2a_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// stock is the folder of the stock client.
const stock = "testdata"

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
	for _, name := range []string{"package.json", "package-lock.json"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
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

// run runs a program to its end and returns what it prints.
func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %v\n%s", cmd, err, out)
	}
	return string(out)
}
