// Package pgbus is a bus over PostgreSQL's LISTEN and NOTIFY.
//
// It has connections of its own: one listens; one sends, and is open only while
// there is something to send. Nothing is sent within a transaction that writes
// documents: a NOTIFY makes its transaction wait for all others that have one.
package pgbus

import (
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/bus"
)

const (
	// pieceLimit makes pieces whose text is shorter than the 8000 bytes that
	// PostgreSQL allows.
	pieceLimit = 5900
	// keepAlive is how often a silent connection is tried.
	keepAlive = 5 * time.Second
	// answerLimit bounds one question.
	answerLimit = 5 * time.Second
	// idle is how long the sending connection stays open for nothing.
	idle = 30 * time.Second
	// firstPause and maxPause are between attempts to connect.
	firstPause, maxPause = 50 * time.Millisecond, 2 * time.Second
)

// Bus is a [bus.Bus].
type Bus struct {
	config    *pgx.ConnConfig
	log       *slog.Logger
	subs      map[string]*subscription // by the name of the channel, but its prefix
	connected []func()

	up                    atomic.Bool
	sent, bytes, received atomic.Int64
	mu                    sync.Mutex // held by whoever sends
	sender                *pgx.Conn
	senderPrefix          string
	used                  time.Time
	ended                 bool
	wasDown               bool // for the log; of the goroutine that listens
}

type subscription struct {
	fns    []func([]byte)
	joiner bus.Joiner
}

// New makes a bus over the database at url.
func New(url string, log *slog.Logger) (*Bus, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the database URL is not one of postgres://user:password@host/name")
	}
	for name := range config.RuntimeParams {
		if strings.HasPrefix(name, "pool_") { // these are for pools, not for the server
			delete(config.RuntimeParams, name)
		}
	}
	// Nothing that is sent must outlive a crash of the server.
	config.RuntimeParams["synchronous_commit"] = "off"
	return &Bus{config: config, log: log, subs: map[string]*subscription{}}, nil
}

// Subscribe implements [bus.Bus].
func (b *Bus) Subscribe(subject string, fn func([]byte)) {
	s := b.subs[channel(subject)]
	if s == nil {
		s = &subscription{}
		b.subs[channel(subject)] = s
	}
	s.fns = append(s.fns, fn)
}

func channel(subject string) string { return strings.ReplaceAll(subject, ".", "_") }

// Connected implements [bus.Bus].
func (b *Bus) Connected(fn func()) { b.connected = append(b.connected, fn) }

// State implements [bus.Bus].
func (b *Bus) State() bus.State {
	return bus.State{Kind: "postgres", Up: b.up.Load(), Sent: b.sent.Load(), SentBytes: b.bytes.Load(), Received: b.received.Load()}
}

// Run implements [bus.Bus].
func (b *Bus) Run(ctx context.Context) error {
	defer b.end()
	for pause := firstPause; ctx.Err() == nil; pause = min(2*pause, maxPause) {
		conn, prefix, err := b.connect(ctx)
		if err == nil {
			if err = b.listen(ctx, conn, prefix); err == nil {
				pause = firstPause
				err = b.receive(ctx, conn, prefix)
			}
			closeConn(conn)
		}
		b.noteDown(ctx, err)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	return nil
}

// noteDown says once that the bus does not work. The driver's text may name the
// server, never the password.
func (b *Bus) noteDown(ctx context.Context, err error) {
	b.up.Store(false)
	if ctx.Err() == nil && !b.wasDown {
		b.wasDown = true
		b.log.Warn("live text and wake-ups of other nodes do not come: no connection to the database", "error", err)
	}
}

// connect opens a connection and finds the prefix of its channels: schemas of
// one database are installations of their own, but share the channels.
func (b *Bus) connect(ctx context.Context) (conn *pgx.Conn, prefix string, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	if conn, err = pgx.ConnectConfig(ctx, b.config.Copy()); err != nil {
		return nil, "", err
	}
	if err = conn.QueryRow(ctx, "SELECT 'nestor_' || 'nodes'::regclass::oid::text || '_'").Scan(&prefix); err != nil {
		closeConn(conn)
		return nil, "", err
	}
	return conn, prefix, nil
}

func closeConn(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
	defer cancel()
	_ = conn.Close(ctx) // it may be broken
}

func (b *Bus) listen(ctx context.Context, conn *pgx.Conn, prefix string) error {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	for name := range b.subs {
		if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{prefix + name}.Sanitize()); err != nil {
			return err
		}
	}
	return nil
}

// receive passes messages on until the connection breaks or ctx ends.
func (b *Bus) receive(ctx context.Context, conn *pgx.Conn, prefix string) error {
	b.up.Store(true)
	if b.wasDown {
		b.log.Info("live text and wake-ups of other nodes come again")
	}
	b.wasDown = false
	for _, s := range b.subs {
		s.joiner = bus.Joiner{}
	}
	for _, fn := range b.connected {
		fn()
	}
	for {
		quiet, cancel := context.WithTimeout(ctx, keepAlive)
		n, err := conn.WaitForNotification(quiet)
		cancel()
		if err == nil {
			b.take(strings.TrimPrefix(n.Channel, prefix), n.Payload)
			continue
		}
		if ctx.Err() != nil || conn.IsClosed() {
			return err
		}
		question, cancel := context.WithTimeout(ctx, answerLimit)
		err = conn.Ping(question)
		cancel()
		if err != nil {
			return err
		}
		b.closeSender(idle)
	}
}

func (b *Bus) take(name, payload string) {
	b.received.Add(1)
	s := b.subs[name]
	piece, err := base64.RawStdEncoding.DecodeString(payload)
	if s == nil || err != nil {
		return
	}
	if data := s.joiner.Add(piece); data != nil {
		for _, fn := range s.fns {
			fn(data)
		}
	}
}

// Publish implements [bus.Bus]. All pieces of all messages go in one statement.
// The pieces of one transaction arrive together and in order; no two are equal,
// so that none is taken for a repetition.
func (b *Bus) Publish(ctx context.Context, messages ...bus.Message) error {
	var channels, payloads []string
	bytes := 0
	for _, m := range messages {
		for _, piece := range (bus.Splitter{Limit: pieceLimit}).Split(m.Data) {
			channels = append(channels, channel(m.Subject))
			payloads = append(payloads, base64.RawStdEncoding.EncodeToString(piece))
			bytes += len(payloads[len(payloads)-1])
		}
	}
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return errEnded
	}
	if b.sender == nil || b.sender.IsClosed() {
		var err error
		if b.sender, b.senderPrefix, err = b.connect(ctx); err != nil {
			b.sender = nil
			return err
		}
	}
	b.used = time.Now()
	_, err := b.sender.Exec(ctx, "SELECT pg_notify($1 || channel, payload) FROM unnest($2::text[], $3::text[]) AS pieces (channel, payload)",
		b.senderPrefix, channels, payloads)
	if err != nil {
		closeConn(b.sender)
		b.sender = nil
		return err
	}
	b.sent.Add(int64(len(payloads)))
	b.bytes.Add(int64(bytes))
	return nil
}

// closeSender closes the sending connection if it was idle for some time.
func (b *Bus) closeSender(idle time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sender != nil && time.Since(b.used) >= idle {
		closeConn(b.sender)
		b.sender = nil
	}
}

var errEnded = errors.New("the bus has ended")

// end closes the sending connection for good.
func (b *Bus) end() {
	b.closeSender(0)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
}
