// Package pgserver runs PostgreSQL servers of one's own, which tests and the soak
// may crash.
package pgserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
)

// Server is a PostgreSQL of one's own. It is set up as one that must lose nothing:
// fsync and synchronous_commit are on. It ends with the process that started it.
type Server struct {
	bin     string // folder of the programs
	dir     string
	port    int
	account *syscall.Credential // the server refuses to run as root
	running *postmaster
}

// postmaster is one run of the server.
type postmaster struct {
	process *os.Process
	output  bytes.Buffer
	ended   chan struct{}
}

// startLimit bounds how long a server may take to answer, recovery included.
const startLimit = time.Minute

// Start starts a server with an empty database. Close it.
func Start(ctx context.Context) (*Server, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin}
	if s.dir, err = os.MkdirTemp("", "nestor-pg-"); err != nil {
		return nil, err
	}
	if err := s.create(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close ends the server and removes its files.
func (s *Server) Close() error {
	s.stop(syscall.SIGQUIT)
	return os.RemoveAll(s.dir)
}

func (s *Server) create(ctx context.Context) (err error) {
	if os.Getuid() == 0 {
		if s.account, err = accountOf("postgres"); err != nil {
			return err
		}
		if err := os.Chown(s.dir, int(s.account.Uid), int(s.account.Gid)); err != nil {
			return err
		}
	}
	initdb := exec.CommandContext(ctx, filepath.Join(s.bin, "initdb"), "-D", s.data(), "-U", "nestor",
		"--auth", "trust", "--encoding", "UTF8", "--locale", "C.UTF-8")
	initdb.Dir, initdb.SysProcAttr = s.dir, &syscall.SysProcAttr{Credential: s.account}
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	if s.port, err = freePort(); err != nil {
		return err
	}
	return s.start()
}

// programs is the folder of the newest PostgreSQL on this machine.
func programs() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return "", errors.Join(errors.New("there is no PostgreSQL: scripts/with-postgres installs it"), err)
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
		return n
	}
	return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })), nil
}

func accountOf(name string) (*syscall.Credential, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return nil, err
	}
	uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
	gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(uidErr, gidErr)
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// Address is where the server listens.
func (s *Server) Address() string { return fmt.Sprintf("127.0.0.1:%d", s.port) }

// URL leads to the server's database.
func (s *Server) URL() string {
	return "postgres://nestor@" + s.Address() + "/postgres?sslmode=disable"
}

// Crash ends the server without a checkpoint, as a power failure would, and
// starts it again. What it had not written to disk is lost.
func (s *Server) Crash() error {
	s.stop(syscall.SIGQUIT)
	return s.start()
}

// Restart ends the server as an administrator does who does not wait for clients,
// and starts it again.
func (s *Server) Restart() error {
	s.stop(syscall.SIGINT)
	return s.start()
}

// Kill kills the process of one client's connection, whereupon the server drops
// all of them and recovers.
func (s *Server) Kill() error {
	return s.with(func(ctx context.Context, conn *pgx.Conn) error {
		var pid int
		err := conn.QueryRow(ctx, `SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
			ORDER BY random() LIMIT 1`).Scan(&pid)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			if errors.Is(err, syscall.ESRCH) { // it has just ended by itself
				return nil
			}
			return err
		}
		_, _ = conn.Exec(ctx, "SELECT pg_sleep(60)") // until it is dropped, too
		again, err := s.connect(ctx)
		if err != nil {
			return err
		}
		return again.Close(ctx)
	})
}

// Terminate ends all connections but its own, as an administrator would.
func (s *Server) Terminate() error {
	return s.with(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")
		return err
	})
}

// Schema makes an empty schema and returns the URL that leads to it.
func (s *Server) Schema() (string, error) {
	name := "t_" + strings.ToLower(nestor.NewID())
	return s.URL() + "&search_path=" + name, s.with(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "CREATE SCHEMA "+name)
		return err
	})
}

func (s *Server) with(fn func(context.Context, *pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	conn, err := s.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return fn(ctx, conn)
}

func (s *Server) start() error {
	p := &postmaster{ended: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		// The server is told of the end of the thread that started it, so this
		// one lasts as long as the server.
		runtime.LockOSThread()
		defer close(p.ended)
		cmd := exec.Command(filepath.Join(s.bin, "postgres"), "-D", s.data(), "-p", strconv.Itoa(s.port), "-k", s.dir,
			"-c", "listen_addresses=127.0.0.1", "-c", "fsync=on", "-c", "synchronous_commit=on", "-c", "full_page_writes=on",
			"-c", "max_connections=200", "-c", "shared_buffers=64MB", "-c", "deadlock_timeout=200ms")
		cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, &p.output, &p.output
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.account, Pdeathsig: syscall.SIGQUIT}
		err := cmd.Start()
		p.process = cmd.Process
		started <- err
		if err == nil {
			_ = cmd.Wait() // it is ended by signals
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	s.running = p
	return s.with(func(context.Context, *pgx.Conn) error { return nil })
}

// connect waits until the server answers.
func (s *Server) connect(ctx context.Context) (*pgx.Conn, error) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := pgx.Connect(ctx, s.URL())
		if err == nil {
			return conn, nil
		}
		select {
		case <-s.running.ended:
			return nil, fmt.Errorf("the server ended:\n%s", &s.running.output)
		case <-ctx.Done():
			return nil, fmt.Errorf("the server does not answer: %w", err)
		case <-tick.C:
		}
	}
}

func (s *Server) stop(how syscall.Signal) {
	if s.running == nil {
		return
	}
	_ = s.running.process.Signal(how) // unless it has ended
	<-s.running.ended
	s.running = nil
}
