package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/nestorhq/nestor/internal/launch"
)

// node is a server that is started again whenever it ends, as a service manager
// does, always at the same address.
type node struct {
	name, address string
	command       func() *exec.Cmd
	log           *os.File
	journal       *journal

	mu      sync.Mutex
	process *os.Process // nil while it does not run
	stopped bool        // it is not started again
	frozen  time.Time   // until when
	done    chan struct{}
}

// startNodes builds the program, migrates the database and starts the nodes.
func (s *soak) startNodes(ctx context.Context, model, tools string) (err error) {
	if s.Nestor == "" {
		if s.Nestor, err = launch.Program(); err != nil {
			return err
		}
	}
	files, err := s.writeFiles(tools)
	if err != nil {
		return err
	}
	env := append(os.Environ(), "NESTOR_DB="+s.database.URL()+"&pool_max_conns=16", "NESTOR_TOKEN="+ownerToken, "NESTOR_SECRET_KEY="+secretKey,
		"NESTOR_MODEL=openai:soak-1", "OPENAI_BASE_URL="+model+"/v1", "OPENAI_API_KEY=sk-soak")
	migrate := exec.CommandContext(ctx, s.Nestor, "migrate", "--data", s.Folder)
	migrate.Env = env
	if out, err := migrate.CombinedOutput(); err != nil {
		return fmt.Errorf("nestor migrate: %w\n%s", err, out)
	}
	for i := range s.Nodes {
		n := &node{name: fmt.Sprintf("node%d", i+1), journal: s.journal, done: make(chan struct{})}
		if n.address, err = freeAddress(); err != nil {
			return err
		}
		if n.log, err = os.Create(filepath.Join(s.Folder, n.name+".log")); err != nil {
			return err
		}
		args := []string{
			"serve", "--addr", n.address, "--data", filepath.Join(s.Folder, n.name), "--lease", s.Lease.String(), "--drain", "2s",
			"--user-tokens", "1000000000", "--tools", files.tools, "--agents", files.agents,
		}
		if s.Limit > 0 {
			args = append(args, "--user-concurrency", strconv.Itoa(s.Limit))
		}
		if s.nats != nil {
			args = append(args, "--nats", s.nats.url())
		}
		n.command = func() *exec.Cmd {
			cmd := exec.Command(s.Nestor, args...)
			cmd.Env, cmd.Stdout, cmd.Stderr = env, n.log, n.log
			cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
			return cmd
		}
		s.nodes = append(s.nodes, n)
		go n.keep()
	}
	for _, n := range s.nodes {
		if err := n.ready(ctx); err != nil {
			return err
		}
	}
	return nil
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// keep runs the node until it is stopped.
func (n *node) keep() {
	defer close(n.done)
	runtime.LockOSThread() // the process is told of the end of the thread that started it
	defer runtime.UnlockOSThread()
	for {
		n.mu.Lock()
		if n.stopped {
			n.mu.Unlock()
			return
		}
		cmd := n.command()
		err := cmd.Start()
		if err == nil {
			n.process = cmd.Process
		}
		n.mu.Unlock()
		if err == nil {
			err = cmd.Wait()
		}
		n.journal.note("%s ended: %v", n.name, err)
		n.mu.Lock()
		n.process = nil
		n.mu.Unlock()
		time.Sleep(200 * time.Millisecond) // as long as a service manager takes
	}
}

// signal reports whether there was a process to send it to.
func (n *node) signal(sig syscall.Signal) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.process != nil && n.process.Signal(sig) == nil
}

// freeze stops the node for a while, without its knowing.
func (n *node) freeze(d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.process == nil {
		return
	}
	frozen := n.process
	_ = frozen.Signal(syscall.SIGSTOP) // one that has just ended is as good
	n.frozen = time.Now().Add(d)
	time.AfterFunc(d, func() {
		_ = frozen.Signal(syscall.SIGCONT)
		n.journal.note("%s goes on", n.name)
	})
}

func (n *node) isFrozen() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return time.Now().Before(n.frozen)
}

// ready waits until the node answers.
func (n *node) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, time.Minute, fmt.Errorf("%s does not answer: see its log", n.name))
	defer cancel()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, n.url()+"/readyz", http.NoBody)
		if err != nil {
			return err
		}
		if res, err := http.DefaultClient.Do(req); err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (n *node) url() string { return "http://" + n.address }

// stopNodes ends all nodes for good.
func (s *soak) stopNodes() error {
	var failures []error
	for _, n := range s.nodes {
		n.mu.Lock()
		n.stopped = true
		n.mu.Unlock()
		n.signal(syscall.SIGCONT)
		n.signal(syscall.SIGTERM)
	}
	for _, n := range s.nodes {
		<-n.done
		failures = append(failures, n.log.Close())
	}
	return errors.Join(failures...)
}
