package llm

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nestorhq/nestor"
)

// trickle is a server that sends a byte at each of the given times and then
// nothing until the request ends.
type trickle []time.Duration

func (s trickle) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK,
		Header:     http.Header{"Content-Type": {"text/event-stream"}},
		Body:       &trickleBody{ctx: req.Context(), pauses: s},
	}, nil
}

type trickleBody struct {
	ctx    context.Context
	pauses []time.Duration
}

func (b *trickleBody) Read(p []byte) (int, error) {
	var next <-chan time.Time
	if len(b.pauses) > 0 {
		next = time.After(b.pauses[0])
		b.pauses = b.pauses[1:]
	}
	select {
	case <-next:
		return copy(p, "."), nil
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	}
}

func (b *trickleBody) Close() error { return nil }

// readAll is a provider that reads its answer and thinks over every byte.
func readAll(e *Endpoint, think time.Duration) func(context.Context, *Request, *Writer) error {
	return func(ctx context.Context, _ *Request, w *Writer) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://acme.invalid", nil)
		if err != nil {
			return err
		}
		resp, err := e.HTTPClient().Do(req)
		if err != nil {
			return err
		}
		defer func() { _ = resp.Body.Close() }()
		buf := make([]byte, 1)
		for {
			if _, err := resp.Body.Read(buf); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
			<-time.After(think)
			if err := w.Text(string(buf)); err != nil {
				return err
			}
		}
	}
}

func TestStall(t *testing.T) {
	for _, tt := range []struct {
		name   string
		server trickle
		think  time.Duration
		after  time.Duration
	}{
		{name: "is silence for a minute", after: time.Minute},
		{name: "is measured from the last byte", server: trickle{59 * time.Second, 59 * time.Second}, after: 178 * time.Second},
		{name: "is not the caller's slowness", server: trickle{0, 0}, think: time.Hour, after: 2*time.Hour + time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := &Endpoint{Provider: "acme", Client: &http.Client{Transport: tt.server}}
				req := &Request{Messages: []Message{{Role: RoleUser, Parts: []Part{Text{"Hello?"}}}}}
				start := time.Now()
				reply, err := Collect(e.Stream(t.Context(), req, readAll(e, tt.think)))
				if nestor.CodeOf(err) != nestor.CodeUnavailable || !strings.Contains(err.Error(), "stalled") {
					t.Errorf("error %v, want a stall", err)
				}
				if took := time.Since(start); took != tt.after {
					t.Errorf("gave up after %v, want %v", took, tt.after)
				}
				if n := len(tt.server); n > 0 && len(reply.Message.Parts) == 0 {
					t.Error("what came before is lost")
				}
			})
		})
	}
}
