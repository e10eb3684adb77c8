package web

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/nestorhq/nestor/internal/access"
)

// Answers bounds what the server keeps of answers that clients have not read yet, and how
// many lists it reads at once, for each user and in all.
type Answers struct {
	held    *Quota
	turns   *turns
	timeout time.Duration
}

const (
	// uncounted is how large a part of an answer may be that is not counted: the
	// connection takes it over.
	uncounted = 64 << 10
	// piece is how much a client must read in its time.
	piece = 16 << 10
	// compressing is what compressing an answer takes that is sent in parts.
	compressing = 1 << 20
	// Readers is how many lists are read at once, and readersEach how many for one user.
	readers, readersEach = 8, 4
)

// NewAnswers bounds the bytes of answers that each user, and all together, may have on
// their way. A client may take so long for each piece of one.
func NewAnswers(each, all int64, timeout time.Duration) *Answers {
	return &Answers{
		held:    NewQuota("bytes of answers on their way", each, all, time.Second),
		turns:   &turns{all: make(chan struct{}, readers), users: map[string]*turn{}},
		timeout: timeout,
	}
}

// Hold counts n bytes that are kept for a user until they are given back.
func (a *Answers) Hold(user string, n int64) (giveBack func(), err error) {
	return a.held.Take(user, n)
}

// Read waits until a user may read a list. Call done when it is encoded, or counted.
func (a *Answers) Read(ctx context.Context, user string) (done func(), err error) {
	return a.turns.take(ctx, user)
}

// Count passes a request on to h with a writer that counts large parts of the answer
// while the client reads them. Changes says that the request may change something: then
// it is refused before, and what was done is always answered.
func (a *Answers) Count(w http.ResponseWriter, r *http.Request, user string, changes bool, h http.Handler, fail func(http.ResponseWriter, *http.Request, error)) {
	if changes {
		if err := a.held.Room(user); err != nil {
			fail(w, r, err)
			return
		}
	}
	c := &counted{ResponseWriter: w, answers: a, request: r, user: user, always: changes, fail: fail}
	h.ServeHTTP(c, r)
	c.begin()
	if c.hurried {
		c.rest()
	}
}

// counted keeps the status back until the first part of the body: until then an answer
// can still be another one.
type counted struct {
	http.ResponseWriter
	answers *Answers
	request *http.Request
	user    string
	always  bool
	fail    func(http.ResponseWriter, *http.Request, error)
	status  int
	begun   bool
	hurried bool // a deadline was set for pieces
	refused error
}

// WriteHeader implements [http.ResponseWriter].
func (c *counted) WriteHeader(status int) {
	switch {
	case status < http.StatusOK:
		c.ResponseWriter.WriteHeader(status)
	case c.status == 0:
		c.status = status
	}
}

func (c *counted) begin() {
	if !c.begun && c.status != 0 {
		c.ResponseWriter.WriteHeader(c.status)
	}
	c.begun = true
}

// Write implements [http.ResponseWriter].
func (c *counted) Write(p []byte) (int, error) {
	n := int64(len(p))
	if acceptsGzip(c.request.Header.Get("Accept-Encoding")) {
		n += compressing
	}
	return len(p), c.write(p, n, func() error {
		return eachPiece(p, func(some []byte) error {
			c.patience()
			_, err := c.ResponseWriter.Write(some)
			return err
		})
	})
}

// WriteWhole writes an answer that is all there.
func (c *counted) WriteWhole(p []byte) error {
	return c.write(p, int64(len(p)), func() error { return writeWhole(c.ResponseWriter, p, c.patience) })
}

func (c *counted) write(p []byte, n int64, send func() error) error {
	if c.refused != nil {
		return c.refused
	}
	if len(p) <= uncounted {
		c.begin()
		_, err := c.ResponseWriter.Write(p)
		return err
	}
	giveBack, err := c.answers.held.take(c.user, n, c.always || c.begun)
	if err != nil {
		c.refuse(err)
		return err
	}
	defer giveBack()
	c.begin()
	return send()
}

// refuse answers with an error instead. Later parts go nowhere.
func (c *counted) refuse(err error) {
	clear(c.Header())
	c.refused, c.begun = err, true
	c.fail(c.ResponseWriter, c.request, err)
}

// patience is how long the client may take for the next piece. Where no deadline can be
// set, as behind a middleware, the server's own holds.
func (c *counted) patience() {
	c.hurried = true
	_ = http.NewResponseController(c.ResponseWriter).SetWriteDeadline(time.Now().Add(c.answers.timeout))
}

// rest gives the end of the answer the time that the server has for answers. If it has no
// bound, the next request of the connection must not find the one for pieces.
func (c *counted) rest() {
	until := time.Time{}
	if s, ok := c.request.Context().Value(http.ServerContextKey).(*http.Server); ok && s.WriteTimeout > 0 {
		until = time.Now().Add(s.WriteTimeout)
	}
	_ = http.NewResponseController(c.ResponseWriter).SetWriteDeadline(until)
}

// FlushError is how [http.ResponseController] sends what there is.
func (c *counted) FlushError() error {
	c.begin()
	return http.NewResponseController(c.ResponseWriter).Flush()
}

// Unwrap lets [http.ResponseController] set deadlines.
func (c *counted) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// writeWhole writes an answer that is all there, in pieces.
func writeWhole(w http.ResponseWriter, p []byte, next func()) error {
	if c, ok := w.(*compressor); ok {
		p, w = c.whole(p), c.ResponseWriter
	}
	return eachPiece(p, func(some []byte) error {
		next()
		_, err := w.Write(some)
		return err
	})
}

func eachPiece(p []byte, fn func([]byte) error) error {
	for len(p) > 0 {
		n := min(len(p), piece)
		if err := fn(p[:n]); err != nil {
			return err
		}
		p = p[n:]
	}
	return nil
}

// UserOf is whose answers those to a request are: the caller's, or, of strangers, those to
// one network.
func UserOf(r *http.Request, gate *access.Gate) string {
	if id := access.CallerIn(r.Context()).UserID; id != "" {
		return id
	}
	return "network " + gate.ClientOf(r).Network()
}

// turns has users do something in turn: so many of each at once, and so many in all.
type turns struct {
	all   chan struct{}
	mu    sync.Mutex
	users map[string]*turn
}

type turn struct {
	room chan struct{}
	used int // by those who have room or wait for it
}

func (t *turns) take(ctx context.Context, user string) (done func(), err error) {
	own := t.enter(user)
	for _, room := range []chan struct{}{own.room, t.all} {
		select {
		case room <- struct{}{}:
		case <-ctx.Done():
			if room == t.all {
				<-own.room
			}
			t.leave(user, own)
			return nil, context.Cause(ctx)
		}
	}
	return sync.OnceFunc(func() {
		<-t.all
		<-own.room
		t.leave(user, own)
	}), nil
}

func (t *turns) enter(user string) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	own := t.users[user]
	if own == nil {
		own = &turn{room: make(chan struct{}, readersEach)}
		t.users[user] = own
	}
	own.used++
	return own
}

func (t *turns) leave(user string, own *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if own.used--; own.used == 0 {
		delete(t.users, user)
	}
}
