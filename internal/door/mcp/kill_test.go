package mcp_test

import (
	"bufio"
	"io"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// The built program is killed in the middle of a call. The client has the id of the run,
// and gets its end from the program that was started again.
func TestAClientGetsTheEndThoughTheServerIsKilled(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		for _, transport := range []string{"http", "stdio"} {
			t.Run(transport, func(t *testing.T) {
				cfg := cfg
				if cfg.DB == "" {
					cfg.Data = t.TempDir()
				}
				address, kill := serve(t, cfg, "127.0.0.1:0")
				s := play(t, address, servertest.Token, "killed", transport)
				if got := s.hears(); !strings.HasPrefix(got, "run ") {
					t.Fatalf("the client said %q", got)
				}
				kill()
				at, err := url.Parse(address)
				if err != nil {
					t.Fatal(err)
				}
				serve(t, cfg, at.Host)
				s.tells("back")
				s.ends()
			})
		}
	})
}

var addressInGreeting = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// serve runs the program until it is killed or the test ends.
func serve(t *testing.T, cfg server.Config, at string) (address string, kill func()) {
	t.Helper()
	program, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"serve", "--addr", at, "--data", cfg.Data, "--log-level", "error"}
	if cfg.DB != "" {
		args = append(args, "--db", cfg.DB)
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "NESTOR_MODEL=demo", "NESTOR_TOKEN=" + servertest.Token}
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		_ = cmd.Process.Signal(syscall.SIGKILL) // it may have ended
		_ = cmd.Wait()
	}
	t.Cleanup(kill)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if address = addressInGreeting.FindString(lines.Text()); address != "" {
			go io.Copy(io.Discard, out) // ends with the process
			return address, kill
		}
	}
	t.Fatal("it does not listen")
	return "", nil
}
