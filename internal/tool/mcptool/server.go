package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/tool"
)

// Server is one MCP server and its tools. It is safe for concurrent use.
type Server struct {
	config Config
	opts   Options
	dial   dialer

	// ctx ends when the server is closed; every call and attempt heeds it.
	ctx    context.Context
	cancel context.CancelCauseFunc
	// connecting is held, as a semaphore of one, while conn is replaced.
	connecting chan struct{}
	watchers   sync.WaitGroup
	closing    sync.Once

	mu      sync.Mutex // guards the rest; never held while waiting
	conn    *connection
	tools   []*tool.Tool
	left    []tool.LeftOut
	stale   bool // tools do not reflect the server any more
	backoff backoff
}

// NewServer prepares a server without connecting to it.
func NewServer(c Config, opts Options) (*Server, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	s := &Server{config: c, opts: opts.withDefaults(), connecting: make(chan struct{}, 1), stale: true}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.dial = newDialer(c, s.opts.Environ)
	return s, nil
}

// Name is the server's name in the configuration.
func (s *Server) Name() string { return s.config.Name }

// Tools connects if need be and returns the server's tools by name. The list
// is kept until the server announces a change or is started anew. If the
// server cannot be reached, Tools returns the tools it knew last, together
// with the error.
func (s *Server) Tools(ctx context.Context) ([]*tool.Tool, error) {
	_, err := s.do(ctx, "listing tools", true, s.list)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools, err
}

// LeftOut are tools that the server listed last and that cannot be offered, the first 500.
func (s *Server) LeftOut() []tool.LeftOut {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left
}

// source says whose tools they are.
func (s *Server) source() string { return "MCP server " + s.config.Name }

// Close ends the connection and the process, and waits for both. Calls that
// are under way fail.
func (s *Server) Close() error {
	s.closing.Do(func() {
		s.cancel(nestor.Errorf(nestor.CodeUnavailable, "MCP server %s is closed", s.config.Name))
		s.connecting <- struct{}{} // for good: nobody connects any more
		s.mu.Lock()
		conn := s.conn
		s.mu.Unlock()
		if conn != nil {
			conn.close()
		}
		s.watchers.Wait()
	})
	return nil
}

// markStale notes that the tools are to be listed anew. It reports whether that was
// not known: a server may announce changes as often as it likes.
func (s *Server) markStale() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.stale
	s.stale = true
	return !was
}

// call makes one call. Lost says that the server may have carried it out although
// there is an error.
func (s *Server) call(ctx context.Context, name string, call tool.Call) (output tool.Output, lost bool, err error) {
	lost, err = s.do(ctx, "calling "+name, call.Effect != tool.Once, func(ctx context.Context, conn *connection) error {
		result, err := conn.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(call.Arguments)})
		if err != nil {
			return err
		}
		output, err = render(result)
		return err
	})
	return output, lost, err
}

// do makes a request on a living connection. If it gets lost with a dead one,
// do makes it once more on a new connection, provided that the server did
// nothing yet or the request is repeatable. Lost says that the server may have
// carried out a request that ended in an error.
func (s *Server) do(
	ctx context.Context, doing string, repeatable bool, request func(context.Context, *connection) error,
) (lost bool, err error) {
	ctx, stop := s.bind(ctx)
	defer stop()
	for attempt := 1; ; attempt++ {
		conn, err := s.connect(ctx)
		if err != nil {
			return false, err
		}
		err = request(ctx, conn)
		var told *nestor.Error
		switch {
		case err == nil || errors.As(err, &told):
			return false, err
		case ctx.Err() != nil:
			return true, context.Cause(ctx)
		}
		fate := conn.fate(err)
		if fate == refused || fate == unknown {
			s.drop(conn)
			if attempt == 1 && (fate == refused || repeatable) {
				continue
			}
		}
		return fate == unknown, s.explain(doing, fate, repeatable, err)
	}
}

// codeRejected is what the SDK wraps an HTTP status such as 503 in.
const codeRejected = -32005

// maxTold bounds the text of an error that a server decides on in bytes.
const maxTold = 2 << 10

// told is the text of an error for people and models: a server says in it what it likes,
// at any length.
func (s *Server) told(err error) string {
	return firstOf(s.dial.mask.Hide(tool.Visible(err.Error())), maxTold)
}

// explain words an error of the SDK for the model.
func (s *Server) explain(doing string, fate fate, repeatable bool, err error) error {
	var answer *jsonrpc.Error
	if errors.As(err, &answer) && fate == answered && answer.Code != codeRejected {
		return nestor.Errorf(nestor.CodeInvalid, "MCP server %s: %s", s.config.Name, s.told(errors.New(answer.Message)))
	}
	note := ""
	if fate == unknown && !repeatable {
		note = " (the connection was lost; the call may have taken effect)"
	}
	return nestor.Errorf(nestor.CodeUnavailable, "MCP server %s: %s: %s%s", s.config.Name, doing, s.told(err), note)
}

// bind makes ctx end when the server is closed, too.
func (s *Server) bind(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.ctx, func() { cancel(context.Cause(s.ctx)) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// connect returns the living connection, or makes one.
func (s *Server) connect(ctx context.Context) (*connection, error) {
	select {
	case s.connecting <- struct{}{}:
		defer func() { <-s.connecting }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	s.mu.Lock()
	conn, backoff := s.conn, s.backoff
	s.mu.Unlock()
	if conn.alive() {
		return conn, nil
	}
	if pause := backoff.pause(time.Now()); pause > 0 {
		return nil, nestor.Errorf(nestor.CodeUnavailable, "MCP server %s is down (%w); the next attempt to reach it is in %s",
			s.config.Name, backoff.last, pause.Round(time.Second))
	}
	conn, err := s.dial.dial(ctx, func() {
		if s.markStale() {
			s.opts.OnChange()
		}
	})
	if err != nil {
		err = nestor.Errorf(nestor.CodeOf(err), "%s", s.told(err))
		if ctx.Err() == nil { // else it is the caller who gave up, not the server
			backoff.failed(time.Now(), err)
		}
		err = nestor.Errorf(nestor.CodeUnavailable, "MCP server %s cannot be reached: %w", s.config.Name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.backoff = backoff
		return nil, err
	}
	s.conn, s.stale = conn, true
	s.watchers.Go(conn.watch)
	return conn, nil
}

// drop gives up a connection without waiting for its end.
func (s *Server) drop(conn *connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == conn {
		s.conn = nil
		s.watchers.Go(conn.close)
	}
}
