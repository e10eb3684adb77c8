// Package natsbus is a bus over NATS.
//
// Nothing is kept for a NATS that is away: what is published meanwhile is lost,
// as all receivers must expect of any message.
package natsbus

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/bus"
)

// Options are how NATS is reached.
type Options struct {
	// URLs are those of one or more servers of a cluster, separated by commas, such
	// as nats://user:password@host:4222, or tls:// instead of nats://.
	URLs string
	// Creds is a file with the credentials of a user. Defaults to none.
	Creds string
	// Prefix begins all subjects: installations that share a NATS have one each.
	Prefix string
	// Logger defaults to slog.Default().
	Logger *slog.Logger
}

const (
	// reconnect is how long to wait between attempts to connect.
	reconnect = 500 * time.Millisecond
	// ping is how often a silent connection is tried; after two without an answer it
	// is given up.
	ping = 5 * time.Second
	// pieceLimit is how many bytes a piece has, unless the server allows less.
	pieceLimit = 256 << 10
)

// Bus is a [bus.Bus].
type Bus struct {
	opts      Options
	subs      []subscription
	connected []func()

	conn                  atomic.Pointer[nats.Conn]
	subscribed, wasDown   atomic.Bool
	sent, bytes, received atomic.Int64
}

type subscription struct {
	subject string
	fn      func([]byte)
}

// New makes a bus. What it is told wrongly is an error that shows no password.
func New(opts Options) (*Bus, error) {
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	for text := range strings.SplitSeq(opts.URLs, ",") {
		u, err := url.Parse(strings.TrimSpace(text))
		if err != nil || u.Scheme != "nats" && u.Scheme != "tls" || u.Hostname() == "" {
			return nil, nestor.Errorf(nestor.CodeInvalid, "--nats is a URL such as nats://user:password@host:4222, or several with commas")
		}
	}
	if opts.Creds != "" {
		if _, err := os.Stat(opts.Creds); err != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "--nats-creds: %w", err)
		}
	}
	return &Bus{opts: opts}, nil
}

// Subscribe implements [bus.Bus].
func (b *Bus) Subscribe(subject string, fn func([]byte)) {
	b.subs = append(b.subs, subscription{subject, fn})
}

// Connected implements [bus.Bus].
func (b *Bus) Connected(fn func()) { b.connected = append(b.connected, fn) }

// State implements [bus.Bus].
func (b *Bus) State() bus.State {
	c := b.conn.Load()
	return bus.State{Kind: "nats", Up: c != nil && c.IsConnected(), Sent: b.sent.Load(), SentBytes: b.bytes.Load(), Received: b.received.Load()}
}

// Run implements [bus.Bus].
func (b *Bus) Run(ctx context.Context) error {
	closed := make(chan struct{})
	options := []nats.Option{
		nats.Name("nestor"), nats.NoEcho(), nats.Timeout(2 * time.Second),
		nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(reconnect), nats.ReconnectBufSize(-1), nats.IgnoreAuthErrorAbort(),
		nats.PingInterval(ping), nats.MaxPingsOutstanding(2),
		nats.ConnectHandler(func(*nats.Conn) { b.up() }), nats.ReconnectHandler(func(*nats.Conn) { b.up() }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { b.down(err) }),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { b.down(err) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			b.opts.Logger.Warn("NATS reports a failure", "error", err)
		}),
		nats.ClosedHandler(func(*nats.Conn) { close(closed) }),
	}
	if b.opts.Creds != "" {
		options = append(options, nats.UserCredentials(b.opts.Creds))
	}
	conn, err := nats.Connect(b.opts.URLs, options...)
	if err != nil {
		// The library's text may repeat the URL.
		return nestor.Errorf(nestor.CodeInvalid, "--nats: this cannot be used as the address of NATS")
	}
	defer func() {
		conn.Close()
		<-closed
	}()
	b.conn.Store(conn)
	for _, s := range b.subs {
		joiner := bus.Joiner{}
		_, err := conn.Subscribe(b.subject(s.subject), func(m *nats.Msg) {
			b.received.Add(1)
			if data := joiner.Add(m.Data); data != nil {
				s.fn(data)
			}
		})
		if err != nil {
			return err
		}
	}
	b.subscribed.Store(true)
	if conn.IsConnected() {
		b.up()
	} else {
		b.down(conn.LastError())
	}
	<-ctx.Done()
	if conn.IsConnected() {
		_ = conn.FlushTimeout(time.Second) // the goodbye
	}
	return nil
}

func (b *Bus) subject(s string) string { return b.opts.Prefix + "." + s }

// up tells that the bus works.
func (b *Bus) up() {
	if !b.subscribed.Load() {
		return // who subscribes tells
	}
	if b.wasDown.Swap(false) {
		b.opts.Logger.Info("NATS is there: text is live across nodes")
	}
	for _, fn := range b.connected {
		fn()
	}
}

// down says, once, that the bus does not work.
func (b *Bus) down(err error) {
	if c := b.conn.Load(); c == nil || c.IsClosed() || c.IsConnected() || b.wasDown.Swap(true) {
		return
	}
	b.opts.Logger.Warn("NATS cannot be reached: clients of other nodes see replies when they are complete; trying on", "error", err)
}

var errDown = errors.New("there is no connection to NATS")

// Publish implements [bus.Bus].
func (b *Bus) Publish(_ context.Context, messages ...bus.Message) error {
	c := b.conn.Load()
	if c == nil || !c.IsConnected() {
		return errDown
	}
	limit := pieceLimit
	if most := int(c.MaxPayload()); most > 0 {
		limit = min(limit, most)
	}
	for _, m := range messages {
		for _, piece := range (bus.Splitter{Limit: limit}).Split(m.Data) {
			if err := c.Publish(b.subject(m.Subject), piece); err != nil {
				return err
			}
			b.sent.Add(1)
			b.bytes.Add(int64(len(piece)))
		}
	}
	return nil
}
