package crashtest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// trace is a pipe that any number of children and the test write to. A line is
// shorter than what a pipe takes at once, so the order in which lines come out
// is the order in which things happened, across all processes.
type trace struct {
	r, w  *os.File
	lines *bufio.Scanner
}

// event is one line of a trace.
type event struct {
	who, what string
	args      []string
}

func newTrace(t *testing.T) *trace {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Close()
		w.Close()
	})
	return &trace{r: r, w: w, lines: bufio.NewScanner(r)}
}

func line(who, what string, args ...any) string {
	return fmt.Sprintln(append([]any{who, what}, args...)...)
}

func (tr *trace) note(who, what string, args ...any) {
	// It fails only when nobody reads any more.
	_, _ = io.WriteString(tr.w, line(who, what, args...))
}

// next waits for the next event.
func (tr *trace) next(t *testing.T) event {
	t.Helper()
	if !tr.lines.Scan() {
		t.Fatalf("the trace ended: %v", tr.lines.Err())
	}
	f := strings.Fields(tr.lines.Text())
	return event{f[0], f[1], f[2:]}
}

// expect waits for one event and fails if it is another.
func (tr *trace) expect(t *testing.T, who, what string, args ...any) {
	t.Helper()
	want := line(who, what, args...)
	if e := tr.next(t); e.String() != want {
		t.Fatalf("%swhile waiting for %s", e, want)
	}
}

func (e event) String() string {
	return strings.Join(append([]string{e.who, e.what}, e.args...), " ") + "\n"
}

// process is a running child. Its end appears in the trace: "killed", or
// "exited" with its status.
type process struct {
	name   string
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stderr bytes.Buffer
	ended  chan struct{}
}

// start starts a child that writes to the trace.
func (tr *trace) start(t *testing.T, job task) *process {
	t.Helper()
	p := &process{name: job.Name, cmd: command(t, job), ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = tr.w, &p.stderr
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		if err := p.cmd.Wait(); wasKilled(err) {
			tr.note(p.name, "killed")
		} else {
			tr.note(p.name, "exited", p.cmd.ProcessState.ExitCode())
		}
	}()
	t.Cleanup(func() {
		tr.r.Close() // whoever waits for room in the pipe goes on
		p.signal(syscall.SIGKILL)
		<-p.ended
		if t.Failed() && p.stderr.Len() > 0 {
			t.Logf("%s said:\n%s", p.name, &p.stderr)
		}
	})
	return p
}

// signal has no effect on a child that has ended.
func (p *process) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) }
