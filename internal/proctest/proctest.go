// Package proctest runs programs in processes of their own that end with a test.
package proctest

import (
	"os/exec"
	"regexp"
	"testing"

	"github.com/nestorhq/nestor/internal/launch"
)

// Nestor is the file of the built program: see [launch.Program].
func Nestor(t testing.TB) string {
	t.Helper()
	name, err := launch.Program()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// Run starts a program and waits until it prints its address.
func Run(t testing.TB, cmd *exec.Cmd) *launch.Process {
	t.Helper()
	return RunUntil(t, cmd, launch.AnyURL)
}

// RunUntil starts a program and waits until it prints a text that begins with its address.
func RunUntil(t testing.TB, cmd *exec.Cmd, text *regexp.Regexp) *launch.Process {
	t.Helper()
	p, err := launch.StartUntil(cmd, text)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop() }) // it may have ended
	return p
}
