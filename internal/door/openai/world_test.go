package openai_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// installed makes sure that the stock client is there in the version that
// testdata/package-lock.json pins.
var installed = sync.OnceValue(func() error {
	const modules, stamp = "testdata/node_modules", ".installed-from"
	lock, err := os.ReadFile("testdata/package-lock.json")
	if err != nil {
		return err
	}
	if from, err := os.ReadFile(filepath.Join(modules, stamp)); err == nil && bytes.Equal(from, lock) {
		return nil
	}
	manifest, err := os.ReadFile("testdata/package.json")
	if err != nil {
		return err
	}
	// It is installed beside and moved, so that another run keeps its files.
	work, err := os.MkdirTemp("testdata", "install-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	made := filepath.Join(work, "node_modules")
	for _, step := range []func() error{
		func() error { return os.WriteFile(filepath.Join(work, "package.json"), manifest, 0o600) },
		func() error { return os.WriteFile(filepath.Join(work, "package-lock.json"), lock, 0o600) },
		func() error {
			cmd := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
			cmd.Dir = work
			return cmd.Run()
		},
		func() error { return os.WriteFile(filepath.Join(made, stamp), lock, 0o600) },
		func() error { return os.RemoveAll(modules) },
		func() error { return os.Rename(made, modules) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
})

// node runs a script in testdata and returns what it prints.
func node(t *testing.T, env []string, script string, args ...string) string {
	t.Helper()
	if err := installed(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", append([]string{script}, args...)...)
	cmd.Dir, cmd.Env = "testdata", append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", script, err, out)
	}
	return string(out)
}
