package crashtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// raceOptions make a child that races fail, and not take a second to exit.
const raceOptions = "GORACE=halt_on_error=1 atexit_sleep_ms=0"

// command is a child about to start. It ends when its standard input does, so
// it cannot outlive the test.
func command(t *testing.T, job task) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), taskVariable+"="+string(text), raceOptions)
	return cmd
}

// run starts a child and waits for its end. It reports whether it was killed; any other
// failure fails the test.
func run(t *testing.T, job task) (killed bool) {
	t.Helper()
	cmd := command(t, job)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	err := cmd.Run()
	if err != nil && !wasKilled(err) {
		t.Fatalf("the child failed: %v\n%s", err, &stderr)
	}
	return err != nil
}

func wasKilled(err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}
