package openai_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/nestorhq/nestor/internal/nodetest"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
)

// A server that is killed in the middle of a stream goes on with the run when it is back,
// and the stock client gets the end: see testdata/crash.mjs.
func TestTheEndComesThoughTheServerIsKilled(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "nestor")
	if out, err := exec.Command("go", "build", "-o", binary, "../../../cmd/nestor").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, more := range map[string]func(*testing.T) []string{
		"sqlite":   func(*testing.T) []string { return nil },
		"postgres": func(t *testing.T) []string { return []string{"NESTOR_DB=" + pgtest.URL(t)} },
	} {
		t.Run(name, func(t *testing.T) {
			env := append([]string{
				"PATH=" + os.Getenv("PATH"), "NESTOR_MODEL=demo", "NESTOR_DATA=" + t.TempDir(), "NESTOR_TOKEN=" + servertest.Token, "NESTOR_LEASE=1s",
			}, more(t)...)
			killed(t, binary, env)
		})
	}
}

func killed(t *testing.T, binary string, env []string) {
	process, url := serve(t, binary, env)
	script := nodetest.Script(t, "testdata", []string{"NESTOR_URL=" + url, "NESTOR_KEY=" + servertest.Token}, "crash.mjs")
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
		if err := process.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = process.Wait() // it was killed
		process, url = serve(t, binary, env)
		if _, err := io.WriteString(in, url+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	if err := script.Wait(); err != nil || kills != 2 {
		t.Errorf("after %d kills: %v\n%s", kills, err, failure.String())
	}
}

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// serve starts the program and returns where it listens. It ends with the test.
func serve(t *testing.T, binary string, env []string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, "serve", "--addr", "127.0.0.1:0", "--log-level", "error")
	cmd.Env, cmd.Stderr = env, t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		_ = cmd.Wait()
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if url := address.FindString(lines.Text()); url != "" {
			go io.Copy(io.Discard, out) // ends with the process
			return cmd, url
		}
	}
	t.Fatal("it does not say where it listens")
	return nil, ""
}
