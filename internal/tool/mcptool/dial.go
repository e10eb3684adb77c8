package mcptool

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/netguard"
	"github.com/nestorhq/nestor/internal/tool/secret"
)

// terminateAfter is how long a process may take to exit once its input is
// closed, and again once it is asked to terminate.
const terminateAfter = 2 * time.Second

// farewellAfter is how long a server may take to confirm that a session over
// HTTP has ended. A server that is busy with a call tends not to.
const farewellAfter = time.Second

// confirmAfter is how long a server may take to confirm over HTTP what needs no answer.
const confirmAfter = 10 * time.Second

// dialer makes connections. Its parts have their variables filled in.
type dialer struct {
	config  Config
	timeout time.Duration
	args    []string
	environ []string
	url     string
	headers map[string]string
	missing error
	mask    *secret.Mask
}

// inherited are the variables that a process gets without being configured:
// enough to find programs and files, and no secret among them.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "TMPDIR", "TZ",
	"APPDATA", "LOCALAPPDATA", "PROGRAMFILES", "SYSTEMROOT", "TEMP", "USERPROFILE",
}

func newDialer(c Config, environ secret.Env) dialer {
	expander := &secret.Expander{Env: environ}
	d := dialer{config: c, timeout: time.Duration(c.ConnectTimeout), headers: map[string]string{}}
	if d.timeout == 0 {
		d.timeout = 30 * time.Second
	}
	for _, arg := range c.Args {
		d.args = append(d.args, expander.Expand(arg))
	}
	for _, name := range inherited {
		if value, ok := environ(name); ok {
			d.environ = append(d.environ, name+"="+value)
		}
	}
	for name, value := range c.Env {
		d.environ = append(d.environ, name+"="+expander.Expand(value))
	}
	for name, value := range c.Headers {
		d.headers[name] = expander.Expand(value)
	}
	d.url = expander.ExpandURL(c.URL)
	d.missing, d.mask = expander.Err(), expander.Mask()
	return d
}

// dial starts or reaches the server and greets it.
func (d dialer) dial(ctx context.Context, changed func()) (*connection, error) {
	if d.missing != nil {
		return nil, d.missing
	}
	ctx, cancel := context.WithTimeoutCause(ctx, d.timeout,
		nestor.Errorf(nestor.CodeTimeout, "it did not answer within %s", d.timeout))
	defer cancel()
	c := &connection{rejected: &atomic.Bool{}, demands: newDemands(), done: make(chan struct{})}
	complaints := &tail{}
	transport := d.transport(c, complaints)
	client := mcp.NewClient(&mcp.Implementation{Name: "nestor", Version: "1"}, &mcp.ClientOptions{
		Capabilities:           &mcp.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed() },
	})
	session, err := client.Connect(ctx, transport, nil)
	if err != nil {
		if c.cmd != nil {
			killGroup(c.cmd)
		}
		if c.client != nil {
			c.client.CloseIdleConnections()
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, fmt.Errorf("%w%s", err, complaints.note())
	}
	c.session = session
	return c, nil
}

func (d dialer) transport(c *connection, complaints *tail) mcp.Transport {
	if d.config.Command == "" {
		c.client = netguard.Client(netguard.Options{
			AllowPrivate: d.config.AllowPrivate, Timeout: -1, Redirects: netguard.SameHost,
			Permit: `set "allowPrivate": true for this server`,
		})
		c.client.Transport = &roundTripper{Transport: c.client.Transport.(*http.Transport), headers: d.headers, connection: c}
		return &mcp.StreamableClientTransport{Endpoint: d.url, HTTPClient: c.client}
	}
	c.cmd = exec.Command(d.config.Command, d.args...)
	c.cmd.Dir = d.config.Dir
	c.cmd.Env = slices.Clone(d.environ)
	c.cmd.Stderr = complaints
	c.cmd.WaitDelay = terminateAfter // grandchildren may hold on to stderr
	ownGroup(c.cmd)
	return &observedTransport{&mcp.CommandTransport{Command: c.cmd, TerminateDuration: terminateAfter}, c.demands}
}

// roundTripper adds the configured headers and notices when the server has
// forgotten the session, which not all servers say with the proper 404.
type roundTripper struct {
	*http.Transport
	headers    map[string]string
	connection *connection
}

func (t *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	patience := time.Duration(0)
	if req.Method == http.MethodDelete {
		patience = farewellAfter
	}
	switch sent := kindOf(req); {
	case sent == answer:
		if err := t.connection.demands.request(time.Now()); err != nil {
			return nil, err
		}
		patience = confirmAfter
	case sent == notification:
		patience = confirmAfter
	}
	if patience > 0 {
		bounded, cancel := context.WithCancel(ctx)
		time.AfterFunc(patience, cancel)
		context.AfterFunc(t.connection.demands.flooded, cancel)
		ctx = bounded
	}
	req = req.Clone(ctx)
	for name, value := range t.headers {
		req.Header.Set(name, value)
	}
	resp, err := t.Transport.RoundTrip(req)
	if err == nil && req.Method == http.MethodPost && req.Header.Get("Mcp-Session-Id") != "" &&
		(resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusBadRequest) {
		t.connection.rejected.Store(true)
	}
	if err == nil {
		observe(resp, t.connection.demands)
	}
	return resp, err
}

// The kinds of messages to a server.
const (
	call = iota
	notification
	answer // to a request of the server
)

// kindOf is the kind of message that a request carries.
func kindOf(req *http.Request) int {
	if req.Method != http.MethodPost || req.GetBody == nil {
		return call
	}
	body, err := req.GetBody()
	if err != nil {
		return call
	}
	defer body.Close()
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	switch err := json.NewDecoder(body).Decode(&m); {
	case err != nil:
		return call
	case m.Method == "":
		return answer
	case m.ID == nil:
		return notification
	}
	return call
}
