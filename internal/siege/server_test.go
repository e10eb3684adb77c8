package siege

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/launch"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// serverVariable makes the test binary the server that is besieged.
const serverVariable = "NESTOR_SIEGE_SERVER"

const (
	// maxStack makes a recursion without end visible within a second. A stack of the
	// server takes some kilobytes.
	maxStack = 32 << 20
	// maxHeap is what a server takes that holds on to everything it reads.
	maxHeap = 1 << 30
)

// order tells the child what to serve.
type order struct {
	Data, DB string
	// Outside is the address of the model, of the HTTP tools and of the webhook.
	Outside string
}

func runServer(text string) int {
	debug.SetMaxStack(maxStack)
	err := serve(text)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func serve(text string) error {
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	tools := filepath.Join(o.Data, "tools.json")
	if err := os.WriteFile(tools, []byte(toolsFile(o.Outside)), 0o600); err != nil {
		return err
	}
	s, err := server.Start(context.Background(), server.Config{
		Data: o.Data, DB: o.DB, Addr: "127.0.0.1:0", Token: servertest.Token, AllowPrivate: true, ToolsFile: tools,
		Triggers: []nestor.Trigger{{
			ID: "siege-hook", Collection: "users/*/orch-chats/*/hooks", Events: []nestor.ChangeType{nestor.Create}, Action: o.Outside + "/hook",
		}},
		Env: func(name string) string {
			return map[string]string{"NESTOR_MODEL": "openai:siege", "OPENAI_API_KEY": "sk-nobody", "OPENAI_BASE_URL": o.Outside + "/v1"}[name]
		},
		Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})), Drain: time.Second,
	})
	if err != nil {
		return err
	}
	go watchHeap()
	fmt.Println(s.URL())
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test wants no more, or is gone
	return s.Close()
}

func watchHeap() {
	for m := new(runtime.MemStats); ; {
		if runtime.ReadMemStats(m); m.HeapAlloc > maxHeap {
			stacks := make([]byte, 1<<20)
			fmt.Fprintf(os.Stderr, "fatal: the server holds %d MB\n%s", m.HeapAlloc>>20, stacks[:runtime.Stack(stacks, true)])
			os.Exit(3)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// toolsFile has a tool that people are asked about, and one to which nobody ever
// says yes.
func toolsFile(outside string) string {
	one := func(name string) string {
		return `{"name":"` + name + `","description":"` + name + `","method":"POST","url":"` + outside + `/tool/` + name + `","allowPrivate":true,"needsApproval":true,
			"parameters":{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}}`
	}
	return `{"http":[` + one("gated") + `,` + one(forbiddenTool) + `]}`
}

// besieged is a running server.
type besieged struct {
	*launch.Process
	stdin io.Closer
	log   *tail
	ended chan struct{} // closed when the process has ended
	err   error         // of the process, once it has ended
}

// begin starts a server with a database of its own.
func begin(t testing.TB, postgres bool, outside string) *besieged {
	t.Helper()
	o := order{Data: t.TempDir(), Outside: outside}
	if postgres {
		o.DB = servertest.Postgres(t)
	}
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &besieged{log: &tail{}, ended: make(chan struct{})}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), serverVariable+"="+string(text), "GORACE=halt_on_error=1 atexit_sleep_ms=0", "GOTRACEBACK=single")
	cmd.Stderr = s.log
	if s.stdin, err = cmd.StdinPipe(); err == nil {
		s.Process, err = launch.Start(cmd)
	}
	if err != nil {
		t.Fatalf("the server does not start: %v\n%s", err, s.log)
	}
	go func() {
		s.err = s.Wait()
		close(s.ended)
	}()
	t.Cleanup(s.end)
	return s
}

// end stops the server, at once if it does not stop by itself.
func (s *besieged) end() {
	s.stdin.Close()
	select {
	case <-s.ended:
	case <-time.After(5 * time.Second):
		_ = s.Process.Process.Kill() // one that has just ended is as good
		<-s.ended
	}
}

// dead reports whether the process has ended.
func (s *besieged) dead() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// tail keeps what a server said last before it ended: of a crash it is the reason.
type tail struct {
	mu      sync.Mutex
	text    bytes.Buffer
	crashed bool
}

func (l *tail) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, mark := range []string{"runtime: ", "fatal", "panic: "} {
		if !l.crashed && bytes.Contains(p, []byte(mark)) {
			l.crashed = true
			l.text.Reset()
		}
	}
	if room := 1<<20 - l.text.Len(); room > 0 {
		l.text.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// String is the reason, and the functions of the module that ran: of several
// goroutines those of the one that is deepest in what agents do.
func (l *tail) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	reason, _, _ := strings.Cut(l.text.String(), "\n")
	deepest, most := "", -1
	for goroutine := range strings.SplitSeq(l.text.String(), "\n\n") {
		if n := strings.Count(goroutine, "/internal/agent"); n > most {
			deepest, most = goroutine, n
		}
	}
	lines := []string{reason}
	for line := range strings.Lines(deepest) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "({")
		line, _, _ = strings.Cut(line, "(0x")
		if strings.HasPrefix(line, "github.com/nestorhq/nestor/internal/") && len(lines) < 14 && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
