package a2a_test

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

// serve starts the program. The process ends with the test.
func serve(t *testing.T, env ...string) *launch.Process {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), proctest.Nestor(t), "serve", "--addr", "127.0.0.1:0", "--log-level", "error", "--allow-private")
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "NESTOR_MODEL=demo", "NESTOR_TOKEN=" + servertest.Token}, env...)
	cmd.Stderr = t.Output()
	return proctest.Run(t, cmd)
}

// A server is killed in the middle of a stream. The client goes on with the same task at
// the next one, and gets the whole answer.
func TestAStreamOfAServerThatWasKilledIsTakenUpAgain(t *testing.T) {
	for engine, db := range map[string]func(testing.TB) string{"sqlite": nil, "postgres": servertest.Postgres} {
		t.Run(engine, func(t *testing.T) {
			env := []string{"NESTOR_DATA=" + t.TempDir()}
			if db != nil {
				env = append(env, "NESTOR_DB="+db(t))
			}
			process := serve(t, env...)
			client := nodetest.Script(t, stock, []string{"NESTOR_URL=" + process.URL, "NESTOR_KEY=" + servertest.Token}, "resume.mjs", "What can you do?")
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
			process.Kill()
			if _, err := io.WriteString(in, serve(t, env...).URL+"\n"); err != nil {
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
