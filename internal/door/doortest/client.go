// Package doortest has tests of doors run the stock clients of their protocols.
package doortest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var installing sync.Mutex

// Install fetches the packages that the lock file of a folder names, unless they are
// there. They are installed beside and moved, so that another run keeps its files.
func Install(t *testing.T, dir string) {
	t.Helper()
	installing.Lock()
	defer installing.Unlock()
	const stamp = ".installed-from"
	modules := filepath.Join(dir, "node_modules")
	lock, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	if from, err := os.ReadFile(filepath.Join(modules, stamp)); err == nil && bytes.Equal(from, lock) {
		return
	}
	manifest, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	work, err := os.MkdirTemp(dir, "node_modules.")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(work)
	made := filepath.Join(work, "node_modules")
	for _, step := range []func() error{
		func() error { return os.WriteFile(filepath.Join(work, "package.json"), manifest, 0o600) },
		func() error { return os.WriteFile(filepath.Join(work, "package-lock.json"), lock, 0o600) },
		func() error {
			run(t, command(t, work, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"))
			return nil
		},
		func() error { return os.WriteFile(filepath.Join(made, stamp), lock, 0o600) },
		func() error { return os.RemoveAll(modules) },
		func() error { return os.Rename(made, modules) },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
}

// Client is a script of a folder that is about to run.
func Client(t *testing.T, dir string, env []string, script string, args ...string) *exec.Cmd {
	t.Helper()
	Install(t, dir)
	cmd := command(t, dir, "node", append([]string{script}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	return cmd
}

// Run runs a script of a folder to its end, and fails the test if that fails.
func Run(t *testing.T, dir string, env []string, script string, args ...string) string {
	t.Helper()
	return run(t, Client(t, dir, env, script, args...))
}

// RunDocumented runs the first piece of JavaScript of a page of the documentation, as it
// stands there, with the packages of testdata.
func RunDocumented(t *testing.T, page string, env []string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(text), "```js\n")
	code, _, ok := strings.Cut(code, "```")
	if !ok {
		t.Fatalf("%s has no JavaScript", page)
	}
	Install(t, "testdata")
	script, err := os.CreateTemp("testdata", "documented-*.mjs")
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(script.Name())
	if _, err := script.WriteString(code); err != nil {
		t.Fatal(err)
	}
	if err := script.Close(); err != nil {
		t.Fatal(err)
	}
	return Run(t, "testdata", env, filepath.Base(script.Name()))
}

// tooLong is when a client is taken for stuck.
const tooLong = 2 * time.Minute

func command(t *testing.T, dir, name string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(t.Context(), tooLong)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	return cmd
}

func run(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return string(out)
}
