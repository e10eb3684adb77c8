// Package nodetest has tests run what others wrote for Node: stock clients of protocols,
// libraries of browsers, generators.
package nodetest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Install fetches the packages that the nearest lock file names, in a folder or above it,
// unless they are there, and returns the folder that they are in. Most tests share those of
// internal. They are installed beside and moved, so that another run keeps its files.
func Install(t *testing.T, dir string) (packages string) {
	t.Helper()
	dir, wanted, err := locked(dir)
	if err != nil {
		t.Fatal(err)
	}
	const stamp = ".installed-from"
	packages = filepath.Join(dir, "node_modules")
	folder, err := os.Open(dir)
	if err == nil {
		defer folder.Close()
		err = syscall.Flock(int(folder.Fd()), syscall.LOCK_EX) // tests of other packages wait
	}
	if err != nil {
		t.Fatal(err)
	}
	if from, err := os.ReadFile(filepath.Join(packages, stamp)); err == nil && bytes.Equal(from, wanted) {
		return packages
	}
	work, err := os.MkdirTemp(dir, "node_modules.")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(work)
	Copy(t, dir, work, "package.json", "package-lock.json")
	Run(t, work, nil, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	made := filepath.Join(work, "node_modules")
	for _, err := range []error{
		os.WriteFile(filepath.Join(made, stamp), wanted, 0o600), os.RemoveAll(packages), os.Rename(made, packages),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return packages
}

// locked finds the nearest lock file, and what it says.
func locked(dir string) (found string, lock []byte, err error) {
	for dir, err = filepath.Abs(dir); err == nil; dir = filepath.Dir(dir) {
		lock, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
		if err == nil || dir == filepath.Dir(dir) {
			return dir, lock, err
		}
	}
	return dir, nil, err
}

// Copy copies files of a folder into another one.
func Copy(t *testing.T, from, to string, names ...string) {
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

// Script is a script of a folder with its packages, about to run.
func Script(t *testing.T, dir string, env []string, script string, args ...string) *exec.Cmd {
	t.Helper()
	Install(t, dir)
	return command(t, dir, env, "node", append([]string{script}, args...)...)
}

// RunScript runs a script of a folder to its end, and returns what it prints.
func RunScript(t *testing.T, dir string, env []string, script string, args ...string) string {
	t.Helper()
	return run(t, Script(t, dir, env, script, args...))
}

// RunText runs a script that is not in the folder, with the packages of the folder.
func RunText(t *testing.T, dir string, env []string, text string) string {
	t.Helper()
	script, err := os.CreateTemp(dir, "script-*.mjs") // Node looks for packages beside the script
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(script.Name())
	if _, err := script.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := script.Close(); err != nil {
		t.Fatal(err)
	}
	return RunScript(t, dir, env, filepath.Base(script.Name()))
}

// Documented is the first piece of JavaScript of a page of the documentation.
func Documented(t *testing.T, page string) string {
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
	return code
}

// Run runs any program to its end, and returns what it prints.
func Run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	return run(t, command(t, dir, env, name, args...))
}

// tooLong is when a program is taken for stuck.
const tooLong = 2 * time.Minute

func command(t *testing.T, dir string, env []string, name string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(t.Context(), tooLong)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
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
