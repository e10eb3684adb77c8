package connection

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
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

// explain says what to do about a failed test.
func (s *Connections) explain(e entry, status int, err error) error {
	c := e.Connection
	if e.confined && errors.Is(err, nestor.ErrForbidden) {
		return private("its name leads to a private address")
	}
	at := c.BaseURL
	if at == "" {
		at = "the address of " + c.AccessFormat
	}
	var unknown *net.DNSError
	code := nestor.CodeOf(err)
	// Gemini says 400 for a bad key; 403 is about the account behind a good one.
	refused := code == nestor.CodeUnauthenticated && status != http.StatusForbidden
	switch {
	case errors.As(err, &unknown):
		return nestor.Errorf(nestor.CodeUnavailable,
			"the host %s cannot be found: is the base URL right, and is this machine online?", unknown.Name)
	case errors.Is(err, syscall.ECONNREFUSED):
		return nestor.Errorf(nestor.CodeUnavailable, "nobody listens at %s: is the server running, and is the base URL right?", at)
	case code == nestor.CodeTimeout:
		return nestor.Errorf(nestor.CodeTimeout, "%s did not finish its answer within %s", at, s.opts.TestTimeout)
	case refused && !c.ReadOnly && c.HasSecret:
		return nestor.Errorf(code, "%s does not accept the API key of connection %s: give it a valid one", at, c.ID)
	case refused && !c.ReadOnly:
		return nestor.Errorf(code, "%s wants an API key: give one to connection %s", at, c.ID)
	case status == http.StatusNotFound && strings.Contains(err.Error(), c.ModelID):
		return nestor.Errorf(nestor.CodeInvalid, "there is no model %s for this key (%w)", c.ModelID, err)
	case status == http.StatusNotFound:
		return nestor.Errorf(nestor.CodeInvalid, "%s answers, but not as %s does: is the base URL right? (%w)", at, c.AccessFormat, err)
	}
	return err
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
