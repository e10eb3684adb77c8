package a2a_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/nodetest"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
)

// build makes the program.
func build(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "nestor")
	nodetest.Run(t, "../../..", nil, "go", "build", "-o", name, "./cmd/nestor")
	return name
}

var anyURL = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// serve starts the program and returns where it listens. The process ends with the test.
func serve(t *testing.T, name string, env ...string) (url string, process *os.Process) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, "serve", "--addr", "127.0.0.1:0", "--log-level", "error", "--allow-private")
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "NESTOR_MODEL=demo", "NESTOR_TOKEN=" + servertest.Token}, env...)
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // the context of the test kills it
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if url = anyURL.FindString(lines.Text()); url != "" {
			go io.Copy(io.Discard, out) // ends with the process
			return url, cmd.Process
		}
	}
	t.Fatal("it printed no address")
	return "", nil
}

// A server is killed in the middle of a stream. The client goes on with the same task at
// the next one, and gets the whole answer.
func TestAStreamOfAServerThatWasKilledIsTakenUpAgain(t *testing.T) {
	name := build(t)
	for engine, db := range map[string]func(testing.TB) string{"sqlite": nil, "postgres": pgtest.URL} {
		t.Run(engine, func(t *testing.T) {
			env := []string{"NESTOR_DATA=" + t.TempDir()}
			if db != nil {
				env = append(env, "NESTOR_DB="+db(t))
			}
			url, process := serve(t, name, env...)
			client := nodetest.Script(t, stock, []string{"NESTOR_URL=" + url, "NESTOR_KEY=" + servertest.Token}, "resume.mjs", "What can you do?")
			client.Stderr = t.Output()
			out, err := client.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			in, err := client.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := client.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(out)
			if !lines.Scan() || lines.Text() != "streaming" {
				t.Errorf("the client printed %q", lines.Text())
			}
			if err := process.Kill(); err != nil {
				t.Fatal(err)
			}
			url, _ = serve(t, name, env...)
			if _, err := io.WriteString(in, url+"\n"); err != nil {
				t.Fatal(err)
			}
			if !lines.Scan() || !strings.Contains(lines.Text(), "demo model") {
				t.Errorf("the client got %q", lines.Text())
			}
			if err := client.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}
