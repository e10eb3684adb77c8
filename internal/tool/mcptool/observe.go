package mcptool

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor"
)

// maxMessage bounds one message of a server, whatever carries it. The SDK has the
// same bound for events and for lines.
const maxMessage = 16 << 20

// demands are the tools that can only be called as tasks, by what the server says
// in its lists. The SDK drops that field, so the lists are read on their way to it.
type demands struct {
	mu    sync.Mutex
	names map[string]bool
}

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
	if d.names == nil {
		d.names = map[string]bool{}
	}
	for _, t := range list.Tools {
		d.names[t.Name] = t.Execution.TaskSupport == "required"
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
	if r, ok := m.(*jsonrpc.Response); ok && err == nil {
		c.demands.read(r.Result)
	}
	return m, err
}

// observedBody reads the body of a response, before the SDK does. One that is a
// single message is bounded; events are by the SDK.
type observedBody struct {
	io.ReadCloser
	demands *demands
	events  bool
	read    int
	buf     []byte // the line, or the message, so far
}

func observe(resp *http.Response, d *demands) {
	events := strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
	resp.Body = &observedBody{ReadCloser: resp.Body, demands: d, events: events}
}

func (b *observedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read += n
	if b.events {
		b.lines(p[:n])
		return n, err
	}
	if b.read > maxMessage {
		return 0, nestor.Errorf(nestor.CodeTooLarge, "the server's message is larger than %d bytes", maxMessage)
	}
	b.buf = append(b.buf, p[:n]...)
	if err == io.EOF {
		b.demands.readMessage(b.buf)
		b.buf = nil
	}
	return n, err
}

// lines takes the next piece of a stream of events.
func (b *observedBody) lines(piece []byte) {
	for {
		line, rest, whole := bytes.Cut(piece, []byte("\n"))
		if len(b.buf)+len(line) <= maxMessage {
			b.buf = append(b.buf, line...)
		}
		if !whole {
			return
		}
		if data, ok := bytes.CutPrefix(b.buf, []byte("data:")); ok {
			b.demands.readMessage(data)
		}
		b.buf, piece = b.buf[:0], rest
	}
}
