package openai_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/launch"
	"github.com/nestorhq/nestor/internal/nodetest"
	"github.com/nestorhq/nestor/internal/proctest"
	"github.com/nestorhq/nestor/internal/servertest"
)

// A server that is killed in the middle of a stream goes on with the run when it is back,
// and the stock client gets the end: see testdata/crash.mjs.
func TestTheEndComesThoughTheServerIsKilled(t *testing.T) {
	for name, more := range map[string]func(*testing.T) []string{
		"sqlite":   func(*testing.T) []string { return nil },
		"postgres": func(t *testing.T) []string { return []string{"NESTOR_DB=" + servertest.Postgres(t)} },
	} {
		t.Run(name, func(t *testing.T) {
			env := append([]string{
				"PATH=" + os.Getenv("PATH"), "NESTOR_MODEL=demo", "NESTOR_DATA=" + t.TempDir(), "NESTOR_TOKEN=" + servertest.Token, "NESTOR_LEASE=10s",
			}, more(t)...)
			killed(t, env)
		})
	}
}

func killed(t *testing.T, env []string) {
	process := serve(t, env)
	script := nodetest.Script(t, "testdata", []string{"NESTOR_URL=" + process.URL, "NESTOR_KEY=" + servertest.Token}, "crash.mjs")
	var failure strings.Builder
	script.Stderr = &failure
	in, err := script.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := script.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := script.Start(); err != nil {
		t.Fatal(err)
	}
	kills := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if lines.Text() != "kill" {
			t.Log(lines.Text())
			continue
		}
		kills++
		process.Kill()
		process = serve(t, env)
		if _, err := io.WriteString(in, process.URL+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	if err := script.Wait(); err != nil || kills != 2 {
		t.Errorf("after %d kills: %v\n%s", kills, err, failure.String())
	}
}

// serve starts the program. It ends with the test.
func serve(t *testing.T, env []string) *launch.Process {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), proctest.Nestor(t), "serve", "--addr", "127.0.0.1:0", "--log-level", "error")
	cmd.Env, cmd.Stderr = env, t.Output()
	return proctest.Run(t, cmd)
}
