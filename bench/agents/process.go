package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"github.com/nestorhq/nestor/internal/launch"
)

// process is a server in a process of its own.
type process struct {
	cmd *exec.Cmd
	url string
}

// start runs a program and waits until it prints its URL.
func start(ctx context.Context, env []string, name string, args ...string) (*process, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 15 * time.Second
	p, err := launch.Start(cmd)
	if err != nil {
		return nil, err
	}
	return &process{cmd, p.URL}, nil
}

// stop lets the server end what it does and waits for it.
func (p *process) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return p.cmd.Wait()
}

// kill ends the process as a crash does. A second time does nothing.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// peak is the most memory that the process had, in bytes.
func (p *process) peak() (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, ok := bytes.Cut(status, []byte("VmHWM:"))
	fields := bytes.Fields(rest)
	if !ok || len(fields) == 0 {
		return 0, errors.New("the system does not tell how much memory a process had")
	}
	kilobytes, err := strconv.ParseFloat(string(fields[0]), 64)
	return kilobytes * 1024, err
}

// processorTime is what the process has used of all processors.
func (p *process) processorTime() (time.Duration, error) {
	s, err := readStat(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	return s.own, err
}

// serve is the other side of start: it answers on a free port until it is told
// to stop.
func serve(ctx context.Context, h http.Handler) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + listener.Addr().String())
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		stopped <- server.Shutdown(stop)
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}
