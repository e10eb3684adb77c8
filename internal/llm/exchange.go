package llm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/nestorhq/nestor"
)

// errStalled is the cause of a request that was given up for silence.
var errStalled = errors.New("stalled")

// exchange is one request and its streamed answer, as seen from the network.
// Everything in it runs on the caller's goroutine, except the timer.
type exchange struct {
	endpoint *Endpoint
	timeout  time.Duration
	timer    *time.Timer
	cancel   context.CancelCauseFunc
	// whole: the answer is to be one JSON document, not a stream.
	whole bool
	// media are what stands in the place of marks in requests.
	media map[string][]byte
	// failure is the first thing that went wrong with the latest request.
	failure error
}

type exchangeKey struct{}

// begin returns a context whose requests are watched. It must be ended.
func (e *Endpoint) begin(ctx context.Context) (*exchange, context.Context) {
	x := &exchange{endpoint: e, timeout: e.StallTimeout}
	if x.timeout <= 0 {
		x.timeout = defaultStallTimeout
	}
	ctx, x.cancel = context.WithCancelCause(context.WithValue(ctx, exchangeKey{}, x))
	x.timer = time.AfterFunc(x.timeout, func() { x.cancel(errStalled) })
	return x, ctx
}

func (x *exchange) end() {
	x.timer.Stop()
	x.cancel(nil)
}

// expectBytes starts the stall clock; gotBytes stops it. It only runs while we
// wait for the server, so a slow caller is never mistaken for a stall.
func (x *exchange) expectBytes() { x.timer.Reset(x.timeout) }
func (x *exchange) gotBytes()    { x.timer.Stop() }

func (x *exchange) fail(err error) {
	if x.failure == nil {
		x.failure = err
	}
}

// watcher is the transport under a provider or its SDK. It only observes them,
// but for two things: it puts large media into requests, see [Inline], and see
// watchedBody.Read.
type watcher struct{ next http.RoundTripper }

func (t watcher) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	x, ok := ctx.Value(exchangeKey{}).(*exchange)
	if !ok {
		return t.next.RoundTrip(req)
	}
	x.failure = nil
	if len(x.media) > 0 && req.Body != nil {
		var err error
		if req, err = inlineMedia(req, x.media); err != nil {
			return nil, err
		}
	}
	x.expectBytes()
	resp, err := t.next.RoundTrip(req)
	x.gotBytes()
	if err != nil {
		x.fail(x.endpoint.broken(ctx, err))
		return nil, err
	}
	resp.Body = &watchedBody{ReadCloser: resp.Body, ctx: ctx, exchange: x}
	if x.isReply(resp) {
		return resp, nil
	}
	// The status counts, even if its body breaks off.
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	_ = resp.Body.Close()
	x.failure = x.endpoint.rejected(resp.StatusCode, resp.Header, body)
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// maxErrorBody bounds what is read of an answer that is not a stream.
const maxErrorBody = 64 << 10

// isReply tells a reply from an error, a proxy's web page and, where only a
// stream is understood, a server that ignores that it was asked for one.
func (x *exchange) isReply(resp *http.Response) bool {
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return false
	}
	mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return mediaType != "text/html" && (mediaType != "application/json" || x.whole || x.endpoint.WholeReplies)
}

// watchedBody runs the stall clock, bounds what is read and remembers why a body
// broke off.
type watchedBody struct {
	io.ReadCloser
	ctx      context.Context
	exchange *exchange
	ended    bool
	// read is the size of all, event that of the event at hand without its last
	// line, and line that of the line at hand.
	read, event, line int
}

// Read hides a failure as the end of the body, since the exchange has noted it:
// an SDK would wrap it beyond recognition.
func (b *watchedBody) Read(p []byte) (int, error) {
	b.exchange.expectBytes()
	n, err := b.ReadCloser.Read(p)
	b.exchange.gotBytes()
	if err != nil && err != io.EOF {
		b.exchange.fail(b.exchange.endpoint.broken(b.ctx, err))
		err = io.EOF
	}
	if !b.measure(p[:n]) {
		b.exchange.fail(nestor.Errorf(nestor.CodeInvalid, "%s sends more than anybody can read: is the base URL right?",
			b.exchange.endpoint.Provider))
		return 0, io.EOF
	}
	b.ended = err != nil
	return n, err
}

// measure reports whether the answer stays within its bounds. Events end with an
// empty line; other documents are one event.
func (b *watchedBody) measure(p []byte) bool {
	b.read += len(p)
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			b.line += len(p)
			return b.read <= maxAnswer && b.event+b.line <= maxEvent
		}
		b.line += i
		if b.event += b.line; b.event > maxEvent {
			return false
		}
		if b.line <= 1 { // it may hold a carriage return
			b.event = 0
		}
		b.line = 0
		p = p[i+1:]
	}
}

// Servers announce the end of a reply before they end it. Waiting that long,
// and no longer, keeps the connection for the next call.
const (
	endTime  = 250 * time.Millisecond
	endBytes = 1 << 10
)

// Close waits a moment for the end of the body.
func (b *watchedBody) Close() error {
	if !b.ended {
		b.exchange.timer.Reset(endTime)
		_, _ = io.CopyN(io.Discard, b.ReadCloser, endBytes)
		b.exchange.timer.Stop()
	}
	return b.ReadCloser.Close()
}

// broken explains an exchange that did not come to its end.
func (e *Endpoint) broken(ctx context.Context, err error) error {
	switch {
	case context.Cause(ctx) == errStalled:
		return nestor.Errorf(nestor.CodeUnavailable, "%s stalled: nothing came for too long", e.Provider)
	case ctx.Err() != nil:
		return Interrupted(ctx, "the call to "+e.Provider)
	default:
		return nestor.Errorf(nestor.CodeUnavailable, "%s: connection failed: %w", e.Provider, err)
	}
}
