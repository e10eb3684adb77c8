package mcptool

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// connection is one session with a server, and its process if it has one.
type connection struct {
	session  *mcp.ClientSession
	cmd      *exec.Cmd    // nil over HTTP
	client   *http.Client // nil over stdio
	rejected *atomic.Bool // the server no longer knows the session
	demands  *demands
	done     chan struct{}
}

// alive reports whether calls can be made. A nil connection is dead.
func (c *connection) alive() bool {
	if c == nil {
		return false
	}
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

// watch waits for the end of the session and cleans up after it.
func (c *connection) watch() {
	_ = c.session.Wait() // whatever ended it, it has ended
	_ = c.session.Close()
	if c.cmd != nil {
		killGroup(c.cmd) // what the process left running
	}
	if c.client != nil {
		c.client.CloseIdleConnections()
	}
	close(c.done)
}

// close ends the session and waits until everything of it is gone.
func (c *connection) close() {
	_ = c.session.Close()
	<-c.done
}

// fate is what became of a request that ended in an error.
type fate int

const (
	answered    fate = iota // the server answered with an error
	unreachable             // the server was never reached
	refused                 // the server does not know the session, and did nothing
	unknown                 // the connection was lost, with or without effect
)

func (c *connection) fate(err error) fate {
	var connecting *net.OpError
	var broken *url.Error
	var answer *jsonrpc.Error
	switch {
	case c.rejected.Load() || errors.Is(err, mcp.ErrSessionMissing):
		return refused
	case errors.As(err, &connecting) && connecting.Op == "dial":
		return unreachable
	case errors.As(err, &broken):
		return unknown
	case errors.As(err, &answer):
		return answered
	default:
		return unknown
	}
}
