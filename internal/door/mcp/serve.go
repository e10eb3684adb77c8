package mcp

import (
	"context"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor/internal/httpapi"
)

const (
	// sessionHeader names the session of a request.
	sessionHeader = "Mcp-Session-Id"
	// idleSession is how long a session lasts in which nothing is asked.
	idleSession = 24 * time.Hour
	// maxSessions is how many sessions a user has at most on a node. Another one takes the
	// place of the one that was used longest ago.
	maxSessions = 64
	// replayBytes is how much is kept of the streams of all sessions for clients whose
	// connection breaks. Older events go first.
	replayBytes = 16 << 20
	// writeTimeout is how long a client may take to read an event.
	writeTimeout = 30 * time.Second
)

// The keys of what the context of a request carries through the SDK's handler: the
// session that it may begin, and the request itself.
type (
	carriedSession struct{}
	carriedRequest struct{}
)

// newHandler is the SDK's handler of the transport. It gets to know each caller as the
// guard found them out: their user owns the session, and the request goes along.
func (d *Door) newHandler() http.Handler {
	kept := sdk.NewMemoryEventStore(nil)
	kept.SetMaxBytes(replayBytes)
	transport := sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		if s, ok := r.Context().Value(carriedSession{}).(*session); ok {
			return s.server
		}
		return d.unbound
	}, &sdk.StreamableHTTPOptions{
		EventStore: kept, SessionTimeout: idleSession, MaxRequestBodyBytes: maxBody,
		// The server has checked the Host of every request, and knows more names than the SDK.
		DisableLocalhostProtection: true,
	})
	return auth.RequireBearerToken(func(_ context.Context, _ string, r *http.Request) (*auth.TokenInfo, error) {
		req := r.Context().Value(carriedRequest{}).(*httpapi.Request)
		return &auth.TokenInfo{UserID: req.UserID(), Extra: map[string]any{requestKey: req}}, nil
	}, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(transport)
}

// requestKey is where the request of a caller is found in what the SDK says of a call.
const requestKey = "nestor request"

// serve answers a request of the transport.
func (d *Door) serve(req *httpapi.Request, w http.ResponseWriter) error {
	if req.Method == http.MethodPost {
		if answered, err := check(req, w); answered || err != nil {
			return err
		}
	}
	// It may be a stream, and counts as one.
	ctx, _, done, err := req.OpenStream(w)
	if err != nil {
		return err
	}
	defer done()
	w.Header().Del("Content-Type") // the SDK says which
	var begins *session
	if id := req.Header.Get(sessionHeader); id != "" {
		defer d.use(id, req)()
	} else if req.Method == http.MethodPost {
		if begins, err = d.admit(req.UserID()); err != nil {
			return err
		}
		ctx = context.WithValue(ctx, carriedSession{}, begins)
	}
	ctx = context.WithValue(ctx, carriedRequest{}, req)
	inner := req.Clone(ctx)
	inner.Header.Set("Authorization", "Bearer known") // the credential itself is nobody else's business
	d.handler.ServeHTTP(&patient{ResponseWriter: w, control: http.NewResponseController(w)}, inner)
	if begins != nil {
		d.settle(begins)
	}
	return nil
}

// patient gives each write its time, however long the answer lasts in all.
type patient struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (p *patient) Write(b []byte) (int, error) {
	p.extend()
	return p.ResponseWriter.Write(b)
}

func (p *patient) FlushError() error {
	p.extend()
	return p.control.Flush()
}

func (p *patient) Flush() { _ = p.FlushError() }

// Unwrap lets [http.ResponseController] find the writer below.
func (p *patient) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// extend moves the deadline. Where none can be set, as behind a middleware, the server's
// own holds.
func (p *patient) extend() { _ = p.control.SetWriteDeadline(time.Now().Add(writeTimeout)) }
