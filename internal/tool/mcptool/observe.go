package mcptool

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/netguard"
)

// maxMessage bounds one message of a server, whatever carries it. The SDK has the
// same bound for events and for lines.
const maxMessage = 16 << 20

// demands are what a server wants of its client: the requests that it makes, and the
// tools that can only be called as tasks, by what it says in its lists. The SDK drops
// that field, so the lists are read on their way to it.
type demands struct {
	mu    sync.Mutex
	names map[string]bool
	// asked counts the requests of the server in the minute that began at since.
	asked int
	since time.Time
	// flooded ends when it made too many: nothing more of it is read, and nothing that
	// it is sent for them is waited for.
	flooded context.Context
	flood   context.CancelFunc
}

func newDemands() *demands {
	d := &demands{names: map[string]bool{}}
	d.flooded, d.flood = context.WithCancel(context.Background())
	return d
}

// maxAsked is how many requests a server may make in a minute. Each is answered in a
// request of its own, and a server may take its time with that.
const maxAsked = 100

// request notes a request of the server. It fails if there are too many.
func (d *demands) request(now time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now.Sub(d.since) > time.Minute {
		d.asked, d.since = 0, now
	}
	if d.asked++; d.asked > maxAsked {
		d.flood()
		return errFlood
	}
	return nil
}

var errFlood = nestor.Errorf(nestor.CodeRateLimited, "the server makes more than %d requests in a minute", maxAsked)

func (d *demands) has(name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.names[name]
}

// read notes the demands of a result, if it is a list of tools.
func (d *demands) read(result []byte) {
	if !bytes.Contains(result, []byte(`"taskSupport"`)) {
		return
	}
	var list struct {
		Tools []struct {
			Name      string `json:"name"`
			Execution struct {
				TaskSupport string `json:"taskSupport"`
			} `json:"execution"`
		} `json:"tools"`
	}
	if json.Unmarshal(result, &list) != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range list.Tools {
		if t.Execution.TaskSupport != "required" {
			delete(d.names, t.Name)
		} else if len(t.Name) <= maxToolName && len(d.names) < maxTools*maxPages {
			d.names[t.Name] = true
		}
	}
}

// readMessage does so for a whole message.
func (d *demands) readMessage(message []byte) {
	var m struct {
		Result json.RawMessage `json:"result"`
	}
	if bytes.Contains(message, []byte(`"taskSupport"`)) && json.Unmarshal(message, &m) == nil {
		d.read(m.Result)
	}
}

// observedTransport reads what a process says, before the SDK does.
type observedTransport struct {
	mcp.Transport
	demands *demands
}

// Connect implements [mcp.Transport].
func (t *observedTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &observedConnection{c, t.demands}, nil
}

type observedConnection struct {
	mcp.Connection
	demands *demands
}

func (c *observedConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if err != nil {
		return m, err
	}
	switch m := m.(type) {
	case *jsonrpc.Response:
		c.demands.read(m.Result)
	case *jsonrpc.Request:
		if m.IsCall() {
			err = c.demands.request(time.Now())
		}
	}
	return m, err
}

// observedBody reads the body of a response, before the SDK does, and bounds each
// message in bytes and values. The SDK bounds the bytes of events.
type observedBody struct {
	io.ReadCloser
	demands *demands
	events  bool
	read    int
	buf     []byte // the line, or the message, so far
	values  netguard.Values
	broken  error
}

func observe(resp *http.Response, d *demands) {
	events := strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
	resp.Body = &observedBody{ReadCloser: resp.Body, demands: d, events: events}
}

func (b *observedBody) Read(p []byte) (int, error) {
	if b.broken != nil {
		return 0, b.broken
	}
	n, err := b.ReadCloser.Read(p)
	if b.broken = b.take(p[:n], err == io.EOF); b.broken != nil {
		return 0, b.broken
	}
	return n, err
}

func (b *observedBody) take(piece []byte, last bool) error {
	b.read += len(piece)
	if b.demands.flooded.Err() != nil {
		return errFlood
	}
	if b.events {
		return b.lines(piece)
	}
	if b.read > maxMessage {
		return nestor.Errorf(nestor.CodeTooLarge, "the server's message is larger than %d bytes", maxMessage)
	}
	if err := b.values.Count(piece); err != nil {
		return err
	}
	b.buf = append(b.buf, piece...)
	if !last {
		return nil
	}
	b.demands.readMessage(b.buf)
	b.buf = nil
	return nil
}

// lines takes the next piece of a stream of events.
func (b *observedBody) lines(piece []byte) error {
	for {
		line, rest, whole := bytes.Cut(piece, []byte("\n"))
		if len(b.buf)+len(line) <= maxMessage {
			b.buf = append(b.buf, line...)
		}
		if err := b.values.Count(line); err != nil {
			return err
		}
		if !whole {
			return nil
		}
		if len(bytes.TrimSpace(b.buf)) == 0 { // the end of an event
			b.values = netguard.Values{}
		}
		if data, ok := bytes.CutPrefix(b.buf, []byte("data:")); ok {
			b.demands.readMessage(data)
		}
		b.buf, piece = b.buf[:0], rest
	}
}
