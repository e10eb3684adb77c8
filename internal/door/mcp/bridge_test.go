package mcp_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/nestorhq/nestor/internal/proctest"
	"github.com/nestorhq/nestor/internal/servertest"
)

// bridged is nestor mcp as a program starts it.
type bridged struct {
	*testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func bridge(t *testing.T, env []string, args ...string) *bridged {
	t.Helper()
	b := &bridged{T: t, cmd: exec.CommandContext(t.Context(), proctest.Nestor(t), append([]string{"mcp"}, args...)...)}
	b.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "NESTOR_MODEL=demo"}, env...)
	b.cmd.Stderr = t.Output()
	var err error
	if b.in, err = b.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := b.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	b.out = bufio.NewReader(out)
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return b
}

// says writes a line, and reads the next one unless it is a notification.
func (b *bridged) says(line string) (m message) {
	b.Helper()
	if _, err := io.WriteString(b.in, line+"\n"); err != nil {
		b.Fatal(err)
	}
	if strings.Contains(line, `"notifications/`) {
		return m
	}
	answer, err := b.out.ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	if err := json.Unmarshal([]byte(answer), &m); err != nil {
		b.Fatalf("%q: %v", answer, err)
	}
	return m
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"p","version":"1"}}}`

func TestTheProgramServesItselfOverStdio(t *testing.T) {
	b := bridge(t, []string{"NESTOR_DATA=" + t.TempDir()})
	if m := b.says("nonsense"); m.Error == nil || m.Error.Code != -32700 {
		t.Errorf("nonsense: %+v", m)
	}
	if m := b.says(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); m.Error == nil {
		t.Errorf("before the session begins: %+v", m)
	}
	if m := b.says(hello); m.ID != 1 || !strings.Contains(string(m.Result), `"nestor"`) {
		t.Errorf("the session: %+v", m)
	}
	b.says(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if m := b.says(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask_general","arguments":{"message":"Compute 6*7"}}}`); m.ID != 2 || !strings.Contains(string(m.Result), "42") {
		t.Errorf("a call: %+v %s", m, m.Result)
	}
	b.in.Close()
	if rest, err := io.ReadAll(b.out); err != nil || len(rest) > 0 {
		t.Errorf("it also said %q, %v", rest, err)
	}
	if err := b.cmd.Wait(); err != nil {
		t.Errorf("it ends with %v", err)
	}
}

func TestABridgeSaysWhyItCannotBegin(t *testing.T) {
	each(t, func(w *world) {
		for url, why := range map[string]string{w.URL(): "401", "http://127.0.0.1:1": "cannot be reached"} {
			b := bridge(w.T, []string{"NESTOR_TOKEN=" + strings.ToUpper(servertest.Token)}, "--url", url)
			if m := b.says(hello); m.ID != 1 || m.Error == nil || !strings.Contains(m.Error.Message, why) {
				w.Errorf("%s: %+v", url, m.Error)
			}
			// It ends when it is told to, though its client has not.
			if err := b.cmd.Process.Signal(syscall.SIGTERM); err != nil {
				w.Fatal(err)
			}
			_ = b.cmd.Wait() // in whatever way
		}
	})
}
