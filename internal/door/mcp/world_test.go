package mcp_test

import (
	"bufio"
	"context"
	"io"
	"iter"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/nodetest"
	"github.com/nestorhq/nestor/internal/proctest"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/server"
	"github.com/nestorhq/nestor/tool"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// world is a server that listens, and whoever has its token.
type world struct {
	*servertest.Person
	model *gated
}

// each runs fn with a server on every engine.
func each(t *testing.T, fn func(w *world)) {
	t.Helper()
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		model := &gated{Model: demo.New(demo.Options{Instant: true})}
		cfg.Model, cfg.Addr = model, "127.0.0.1:0"
		cfg.Tools = []*tool.Tool{refund()}
		fn(&world{servertest.Enter(t, cfg), model})
	})
}

// refund is a tool that somebody has to approve.
func refund() *tool.Tool {
	type order struct {
		Order string `json:"order"`
	}
	return tool.New("refund", tool.Options{Description: "Pays an order back.", NeedsApproval: true},
		func(_ context.Context, o order) (string, error) { return o.Order + " was paid back", nil })
}

// gated is a model that can be made to wait, except for the titles of chats.
type gated struct {
	llm.Model
	mu   sync.Mutex
	goOn chan struct{} // nil lets all go
}

// hold makes the model wait until release is called.
func (g *gated) hold() (release func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.goOn = make(chan struct{})
	return sync.OnceFunc(func() { close(g.goOn) })
}

func (g *gated) Generate(ctx context.Context, r *llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		g.mu.Lock()
		goOn := g.goOn
		g.mu.Unlock()
		if goOn != nil && len(r.Tools) > 0 {
			select {
			case <-goOn:
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return
			}
		}
		g.Model.Generate(ctx, r)(yield)
	}
}

// script is a run of testdata/client.mjs.
type script struct {
	*testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// play starts a scenario of the stock client.
func play(t *testing.T, url, token, scenario, transport string) *script {
	t.Helper()
	nodetest.Install(t, ".")
	s := &script{T: t, cmd: exec.CommandContext(t.Context(), "node", "testdata/client.mjs", scenario, transport)}
	s.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "NESTOR_URL=" + url, "NESTOR_TOKEN=" + token, "NESTOR_BINARY=" + proctest.Nestor(t)}
	s.cmd.Stderr = t.Output()
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.out = bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return s
}

// hears is the next line that the script says.
func (s *script) hears() string {
	s.Helper()
	line, err := s.out.ReadString('\n')
	if err != nil {
		s.Fatalf("the client said %q and ended: %v, %v", line, err, s.cmd.Wait())
	}
	return line[:len(line)-1]
}

func (s *script) tells(line string) {
	s.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.Fatal(err)
	}
}

// ends waits for the end of a script that found everything as it should be.
func (s *script) ends() {
	s.Helper()
	if got := s.hears(); got != "ok" {
		s.Errorf("the client said %q", got)
	}
	if err := s.cmd.Wait(); err != nil {
		s.Error(err)
	}
}
