package mcp_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/launch"
	"github.com/nestorhq/nestor/internal/proctest"
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
				process := serve(t, cfg, "127.0.0.1:0")
				s := play(t, process.URL, servertest.Token, "killed", transport)
				if got := s.hears(); !strings.HasPrefix(got, "run ") {
					t.Fatalf("the client said %q", got)
				}
				process.Kill()
				serve(t, cfg, process.Address())
				s.tells("back")
				s.ends()
			})
		}
	})
}

// serve runs the program until it is killed or the test ends.
func serve(t *testing.T, cfg server.Config, at string) *launch.Process {
	t.Helper()
	args := []string{"serve", "--addr", at, "--data", cfg.Data, "--log-level", "error"}
	if cfg.DB != "" {
		args = append(args, "--db", cfg.DB)
	}
	cmd := exec.CommandContext(t.Context(), proctest.Nestor(t), args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "NESTOR_MODEL=demo", "NESTOR_TOKEN=" + servertest.Token}
	cmd.Stderr = t.Output()
	return proctest.Run(t, cmd)
}
