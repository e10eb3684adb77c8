package connection

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
)

// Report is what a test of a connection found.
type Report struct {
	Model string `json:"model"`
	// Text is the beginning of what the model said. A model that thinks first
	// may have no tokens left to say anything: it works all the same.
	Text      string    `json:"text"`
	LatencyMS int64     `json:"latencyMs"`
	Usage     llm.Usage `json:"usage"`
	// Cost is the price of the test, such as "$0.00001"; empty if neither the
	// connection nor the price table has one.
	Cost string `json:"cost,omitempty"`
}

const (
	testPrompt = "Reply with the word ok."
	testTokens = 64
	maxShown   = 200
)

// Test makes one real call, without retries and fallbacks. Its error says in
// plain words what to do. What the call takes counts against the user's budget and
// is recorded as used by them; if there is not enough left for it, it is not made,
// and the error is of [nestor.CodeOverBudget].
func (s *Connections) Test(ctx context.Context, userID, id string) (Report, error) {
	e, err := s.load(ctx, userID, id)
	if err != nil {
		return Report{}, err
	}
	return s.try(ctx, userID, e)
}

// TestUnsaved is Test for a connection as a client would save it, and saves nothing:
// the checks, the addresses that may be reached and the budget are the same. With
// the id of a connection that is there, secrets that are left out are the stored ones,
// as far as saving would keep them.
func (s *Connections) TestUnsaved(ctx context.Context, userID string, c Connection, given Secrets) (Report, error) {
	e, err := s.unsaved(ctx, userID, c, given)
	if err != nil {
		return Report{}, err
	}
	return s.try(ctx, userID, e)
}

// CheckUnsaved reports why a connection would not be saved.
func (s *Connections) CheckUnsaved(ctx context.Context, userID string, c Connection, given Secrets) error {
	_, err := s.unsaved(ctx, userID, c, given)
	return err
}

// unsaved is a connection as saving would make it.
func (s *Connections) unsaved(ctx context.Context, userID string, c Connection, given Secrets) (e entry, err error) {
	c.Name = cmp.Or(c.Name, c.ModelID)
	c.ID = cmp.Or(c.ID, nestor.NewID())
	err = s.opts.Store.View(ctx, func(r store.Reader) error {
		e = entry{Connection: c, unsaved: true}
		exists, err := s.prepare(r, userID, &e.Connection, given)
		if err != nil {
			return err
		}
		at := secretPath(userID, c.ID)
		var kept *sealed
		if exists {
			if kept, err = store.Find[sealed](r, at); err != nil {
				return err
			}
		}
		if e.secret, err = s.seal(at, kept, given, e.origin()); err != nil {
			return err
		}
		e.HasSecret, e.HeaderNames = e.secret.Sealed != "", e.secret.HeaderNames
		if e.BaseURL != "" {
			e.confined, err = s.confined(r, userID)
		}
		return err
	})
	return e, err
}

// try makes the call of a test.
func (s *Connections) try(ctx context.Context, userID string, e entry) (Report, error) {
	client, seen := recording(s.client(e))
	m, set, err := s.bare(userID, e, client)
	if err != nil {
		return Report{}, err
	}
	req := &llm.Request{
		Messages:  []llm.Message{{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: testPrompt}}}},
		MaxTokens: testTokens + set.ThinkingBudget,
	}
	bill, err := s.reserve(ctx, userID, m, llm.Usage{Input: promptTokens, Output: int64(req.MaxTokens)})
	if err != nil {
		return Report{}, err
	}
	timed, cancel := context.WithTimeoutCause(ctx, s.opts.TestTimeout,
		nestor.Errorf(nestor.CodeTimeout, "a test may take %s", s.opts.TestTimeout))
	defer cancel()
	start := time.Now()
	reply, err := llm.Collect(bill.counting(m.Generate(timed, req)))
	if err := s.settle(ctx, bill); err != nil {
		return Report{}, err
	}
	if err != nil {
		return Report{}, s.explain(e, seen.status, err)
	}
	r := Report{Model: m.Name(), LatencyMS: time.Since(start).Milliseconds(), Usage: reply.Usage}
	var said strings.Builder
	for _, part := range reply.Message.Parts {
		if text, ok := part.(llm.Text); ok {
			said.WriteString(text.Text)
		}
	}
	r.Text = strings.TrimSpace(said.String())
	if len(r.Text) > maxShown {
		r.Text = strings.ToValidUTF8(r.Text[:maxShown], "") + "…"
	}
	if cost, ok := llm.Cost(m.Name(), reply.Usage); ok {
		r.Cost = cost.String()
	}
	return r, nil
}

// recorder remembers the status of the last answer, which the errors of
// providers do not carry.
type recorder struct {
	http.RoundTripper
	status int
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := r.RoundTripper.RoundTrip(req)
	if err == nil {
		r.status = resp.StatusCode
	}
	return resp, err
}

func recording(base *http.Client) (*http.Client, *recorder) {
	var c http.Client
	if base != nil {
		c = *base
	}
	r := &recorder{RoundTripper: c.Transport}
	if r.RoundTripper == nil {
		r.RoundTripper = http.DefaultTransport
	}
	c.Transport = r
	return &c, r
}
