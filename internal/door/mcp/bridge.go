package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
)

// bridge passes messages of JSON-RPC between a client on stdio, one in a line, and the
// server's /mcp.
//
// Each request of the client gets one answer: the server's or, if the connection broke
// off and cannot be resumed, an error that says so. When the server no longer knows the
// session, because it was started again, the bridge begins another one as the client
// began the first, and the client notices nothing of it.
type bridge struct {
	client *client.Client

	writing sync.Mutex
	out     io.Writer

	renewing sync.Mutex
	mu       sync.Mutex
	// session and version are those of the session, and hello is how the client began it.
	session, version string
	hello            []byte
	// unlisten ends the stream of what the server tells by itself.
	unlisten context.CancelFunc

	pending sync.WaitGroup
}

func newBridge(c *client.Client, out io.Writer) *bridge { return &bridge{client: c, out: out} }

// message is what the bridge needs to know of one.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result struct {
		ProtocolVersion string `json:"protocolVersion"`
	} `json:"result"`
}

// isRequest reports whether the message wants an answer.
func (m *message) isRequest() bool { return m.Method != "" && len(m.ID) > 0 }

// run passes messages on until the client has no more to say, which is how it ends the
// session, or until the program is to end.
func (b *bridge) run(ctx context.Context, in io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer b.pending.Wait()
	defer cancel()
	defer b.leave(ctx)
	heard := make(chan []byte)
	ended := make(chan error, 1)
	go func() { ended <- hear(ctx, in, heard) }() // it is left behind if the program ends first
	for {
		select {
		case line := <-heard:
			b.take(ctx, line)
		case err := <-ended:
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

// hear reads lines until there are no more.
func hear(ctx context.Context, in io.Reader, heard chan<- []byte) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			select {
			case heard <- line:
			case <-ctx.Done():
				return nil
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return nestor.Errorf(nestor.CodeUnavailable, "the client cannot be heard: %w", err)
		}
	}
}

// take passes on a message of the client. Those that begin the session come before all
// others; the rest may take its time.
func (b *bridge) take(ctx context.Context, raw []byte) {
	var m message
	if err := json.Unmarshal(raw, &m); err != nil {
		b.write([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"this is not JSON"}}`))
		return
	}
	switch m.Method {
	case "initialize":
		b.mu.Lock()
		b.hello, b.session, b.version = raw, "", ""
		b.mu.Unlock()
		b.pass(ctx, raw, &m)
	case "notifications/initialized":
		b.pass(ctx, raw, &m)
		b.listen(ctx)
	default:
		b.pending.Go(func() { b.pass(ctx, raw, &m) })
	}
}

// pass sends a message to the server, and to the client what comes of it.
func (b *bridge) pass(ctx context.Context, raw []byte, m *message) {
	err := b.try(ctx, raw, m)
	if gone := (sessionGone{}); errors.As(err, &gone) {
		if err = b.renew(ctx, gone.id); err == nil {
			err = b.try(ctx, raw, m)
		}
	}
	if err != nil && ctx.Err() == nil && m.isRequest() {
		b.refuse(m.ID, err)
	}
}

// sessionGone: the server does not know the session.
type sessionGone struct{ id string }

func (sessionGone) Error() string { return "the server no longer knows the session" }

// try sends a message once. A stream that breaks off before it has the answer is resumed.
func (b *bridge) try(ctx context.Context, raw []byte, m *message) error {
	resp, err := b.send(ctx, http.MethodPost, raw, "")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if m.Method == "initialize" {
		b.mu.Lock()
		b.session = resp.Header.Get(sessionHeader)
		b.mu.Unlock()
	}
	if !m.isRequest() {
		return nil
	}
	last, answered, err := b.relay(resp.Body, m)
	if answered || last == "" {
		return cutOff(answered, err)
	}
	return b.resume(ctx, last, m)
}

// cutOff is why there is no answer.
func cutOff(answered bool, err error) error {
	if answered {
		return nil
	}
	return nestor.Errorf(nestor.CodeUnavailable, "the connection to the server broke off (%v); what was begun goes on: ask %s", err, toolStatus)
}

// resume reads on a stream that broke off after the event last.
func (b *bridge) resume(ctx context.Context, last string, m *message) error {
	var resp *http.Response
	var err error
	for range resumeTries {
		if resp, err = b.send(ctx, http.MethodGet, nil, last); !errors.Is(err, errTaken) {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(resumePause):
		}
	}
	if err != nil {
		return cutOff(false, err)
	}
	defer resp.Body.Close()
	_, answered, err := b.relay(resp.Body, m)
	return cutOff(answered, err)
}

// errTaken: the server has not noticed yet that the connection of a stream is gone.
var errTaken = errors.New("the stream is taken")

// How often, and how soon again, the bridge tries to resume a stream that is taken.
const (
	resumeTries = 20
	resumePause = 100 * time.Millisecond
)

// send sends a request of the transport.
func (b *bridge) send(ctx context.Context, method string, body []byte, after string) (*http.Response, error) {
	b.mu.Lock()
	session, version := b.session, b.version
	b.mu.Unlock()
	header := http.Header{"Accept": {"application/json, text/event-stream"}}
	for name, value := range map[string]string{sessionHeader: session, "Mcp-Protocol-Version": version, "Last-Event-Id": after} {
		if value != "" {
			header.Set(name, value)
		}
	}
	if body != nil {
		header.Set("Content-Type", "application/json")
	}
	resp, err := b.client.Send(ctx, method, Path, header, bytes.NewReader(body))
	if err != nil || resp.StatusCode < 300 {
		return resp, err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotFound && session != "":
		return nil, sessionGone{session}
	case resp.StatusCode == http.StatusConflict:
		return nil, errTaken
	}
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 4096)) // it is only told
	return nil, nestor.Errorf(nestor.CodeUnavailable, "the server answers %s: %s", resp.Status, bytes.TrimSpace(text))
}

// renew begins another session as the client began the first, unless another message
// has done so meanwhile.
func (b *bridge) renew(ctx context.Context, gone string) error {
	b.renewing.Lock()
	defer b.renewing.Unlock()
	b.mu.Lock()
	hello, done := b.hello, b.session != gone
	if !done {
		b.session = ""
	}
	b.mu.Unlock()
	if done {
		return nil
	}
	resp, err := b.send(ctx, http.MethodPost, hello, "")
	if err != nil {
		b.mu.Lock()
		b.session = gone // for the next message to try again
		b.mu.Unlock()
		return err
	}
	_, _ = io.Copy(io.Discard, resp.Body) // the client has its answer
	resp.Body.Close()
	b.mu.Lock()
	b.session = resp.Header.Get(sessionHeader)
	b.mu.Unlock()
	if resp, err = b.send(ctx, http.MethodPost, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), ""); err != nil {
		return err
	}
	resp.Body.Close()
	b.listen(ctx)
	return nil
}

// listenPause is how long the bridge waits before it opens a stream again that ended.
const listenPause = time.Second

// listen passes on what the server tells by itself, until the session is another one.
func (b *bridge) listen(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	b.mu.Lock()
	if b.unlisten != nil {
		b.unlisten()
	}
	b.unlisten = cancel
	b.mu.Unlock()
	b.pending.Go(func() {
		last := ""
		for ctx.Err() == nil {
			resp, err := b.send(ctx, http.MethodGet, nil, last)
			if errors.As(err, &sessionGone{}) {
				return // the next message begins another
			}
			if err == nil {
				if at, _, _ := b.relay(resp.Body, &message{}); at != "" {
					last = at
				}
				resp.Body.Close()
			}
			select {
			case <-ctx.Done():
			case <-time.After(listenPause):
			}
		}
	})
}

// leaveTime is how long the server has to hear that the session ends.
const leaveTime = 2 * time.Second

// leave ends the session, also if the program is to end.
func (b *bridge) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), leaveTime, errors.New("the program ends"))
	defer cancel()
	b.mu.Lock()
	begun := b.session != ""
	b.mu.Unlock()
	if !begun {
		return
	}
	if resp, err := b.send(ctx, http.MethodDelete, nil, ""); err == nil {
		resp.Body.Close()
	}
}

// relay passes on the messages of a stream. It returns the id of the last event, and
// whether the answer to m was among them.
func (b *bridge) relay(body io.Reader, m *message) (last string, answered bool, err error) {
	lines := bufio.NewReader(body)
	var data []byte
	for {
		line, err := lines.ReadBytes('\n')
		name, value, _ := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "id":
			last = string(value)
		case "data":
			data = append(data, value...)
		case "":
			if len(data) > 0 && err == nil {
				answered = b.hand(data, m) || answered
			}
			data = nil
		}
		if err != nil {
			return last, answered, err
		}
	}
}

// hand gives a message of the server to the client, and reports whether it is the answer
// to m.
func (b *bridge) hand(data []byte, m *message) (answers bool) {
	var got message
	if json.Unmarshal(data, &got) != nil {
		return false
	}
	answers = got.Method == "" && m.isRequest() && bytes.Equal(got.ID, m.ID)
	if answers && m.Method == "initialize" && got.Result.ProtocolVersion != "" {
		b.mu.Lock()
		b.version = got.Result.ProtocolVersion
		b.mu.Unlock()
	}
	b.write(data)
	return answers
}

// refuse answers a request that the server did not.
func (b *bridge) refuse(id json.RawMessage, err error) {
	text, ok := nestor.PublicText(err)
	if !ok {
		text = "the server cannot be reached"
	}
	data, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": refusedCode, "message": text}}) // of texts
	b.write(data)
}

// write writes a line to the client. One that does not read any more ends its input, too.
func (b *bridge) write(data []byte) {
	b.writing.Lock()
	defer b.writing.Unlock()
	_, _ = b.out.Write(append(bytes.Clone(data), '\n'))
}
