package llmtest

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

func explainsKey(h *harness) {
	s := h.p.Wire.Serve(h,
		Turn{Status: http.StatusUnauthorized, Message: "Incorrect API key provided: " + secret},
		Turn{Status: http.StatusForbidden, Message: "The key " + secret + " may not use this model"},
	)
	m := h.model(s)
	for range 2 {
		err := h.fails(m, ask("Hello?"), nestor.CodeUnauthenticated)
		for _, word := range []string{h.p.Name, h.p.KeyVariable} {
			if !strings.Contains(err.Error(), word) {
				h.Errorf("%q does not mention %q", err, word)
			}
		}
	}
}

func passesRetryAfter(h *harness) {
	s := h.p.Wire.Serve(h,
		Turn{Status: http.StatusTooManyRequests, Message: "Slow down", Header: http.Header{"Retry-After": {"7"}}},
		Turn{Status: http.StatusTooManyRequests, Message: "Slow down"},
	)
	m := h.model(s)
	err := h.fails(m, ask("Hello?"), nestor.CodeRateLimited)
	if after, ok := nestor.WaitOf(err); !ok || after != 7*time.Second {
		h.Errorf("retry after %v, %v; want 7s", after, ok)
	}
	err = h.fails(m, ask("Hello?"), nestor.CodeRateLimited)
	if after, ok := nestor.WaitOf(err); ok {
		h.Errorf("retry after %v out of nothing", after)
	}
}

func classifiesStatus(h *harness) {
	for status, code := range map[int]nestor.Code{
		400: nestor.CodeInvalid,
		404: nestor.CodeInvalid,
		422: nestor.CodeInvalid,
		413: nestor.CodeTooLarge,
		408: nestor.CodeUnavailable,
		500: nestor.CodeUnavailable,
		503: nestor.CodeUnavailable,
		529: nestor.CodeUnavailable,
	} {
		s := h.p.Wire.Serve(h, Turn{Status: status, Message: "model test-model is on strike"})
		err := h.fails(h.model(s), ask("Hello?"), code)
		if !strings.Contains(err.Error(), "on strike") {
			h.Errorf("%q lacks the provider's message", err)
		}
		if n := len(s.Requests()); n != 1 {
			h.Errorf("status %d: %d requests, want 1: retrying is not the provider's job", status, n)
		}
	}
}

func reportsOverload(h *harness) {
	s := h.p.Wire.Serve(h, Turn{Events: []llm.Event{llm.Text{Text: "I"}}, Ending: Overload})
	err := h.fails(h.model(s), ask("Hello?"), nestor.CodeUnavailable)
	if !strings.Contains(strings.ToLower(err.Error()), "overloaded") {
		h.Errorf("%q lacks the provider's message", err)
	}
}

func failsOnBreak(h *harness) {
	s := h.p.Wire.Serve(h, Turn{Events: []llm.Event{
		llm.Text{Text: "I"}, llm.ToolCall{ID: "c1", Name: "clock", Arguments: "{}"},
	}, Ending: BreakOff})
	events, err := h.call(h.Context(), h.model(s), ask("Hello?"))
	if nestor.CodeOf(err) != nestor.CodeUnavailable {
		h.Errorf("error %v, want code %q", err, nestor.CodeUnavailable)
	}
	h.same(events, []llm.Event{llm.Text{Text: "I"}})
}

func failsOnShortStream(h *harness) {
	s := h.p.Wire.Serve(h, Turn{Events: []llm.Event{llm.Text{Text: "I"}}}, Turn{})
	m := h.model(s)
	h.fails(m, ask("Hello?"), nestor.CodeUnavailable)
	h.fails(m, ask("Hello?"), nestor.CodeUnavailable)
}

func failsOnGarbage(h *harness) {
	s := h.p.Wire.Serve(h, Turn{Events: []llm.Event{llm.Text{Text: "I"}}, Ending: Garbage})
	h.fails(h.model(s), ask("Hello?"), nestor.CodeUnavailable)
}

func failsOnRefusedConnection(h *harness) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	err := h.fails(h.connect(llm.Target{BaseURL: server.URL}), ask("Hello?"), nestor.CodeUnavailable)
	if !strings.Contains(err.Error(), h.p.Name) {
		h.Errorf("%q does not name the provider", err)
	}
}

func failsOnWebPage(h *harness) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<html>Welcome to our proxy</html>"))
	}))
	defer server.Close()
	err := h.fails(h.connect(llm.Target{BaseURL: server.URL, HTTPClient: server.Client()}), ask("Hello?"), nestor.CodeInvalid)
	if !strings.Contains(err.Error(), "base URL") {
		h.Errorf("%q gives no hint", err)
	}
}

func followsNoRedirect(h *harness) {
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		h.Error("the redirect was followed")
	}))
	defer target.Close()
	server := httptest.NewServer(http.RedirectHandler(target.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	h.fails(h.connect(llm.Target{BaseURL: server.URL, HTTPClient: server.Client()}), ask("Hello?"), nestor.CodeInvalid)
}

func givesUpStalled(h *harness) {
	s := h.p.Wire.Serve(h, Turn{Events: []llm.Event{llm.Text{Text: "I"}}, Ending: Stall})
	m := h.connect(llm.Target{BaseURL: s.URL, HTTPClient: s.Client, StallTimeout: 50 * time.Millisecond})
	err := h.fails(m, ask("Hello?"), nestor.CodeUnavailable)
	if !strings.Contains(err.Error(), "stalled") {
		h.Errorf("%q does not say what happened", err)
	}
}

func givesUpSilent(h *harness) {
	s := h.p.Wire.Serve(h, Turn{Ending: Stall})
	m := h.connect(llm.Target{BaseURL: s.URL, HTTPClient: s.Client, StallTimeout: 50 * time.Millisecond})
	h.fails(m, ask("Hello?"), nestor.CodeUnavailable)
}

func stopsOnCancel(h *harness) {
	s := h.p.Wire.Serve(h, Turn{Events: []llm.Event{llm.Text{Text: "I"}}, Ending: Stall})
	reason := errors.New("the user pressed stop")
	ctx, cancel := context.WithCancelCause(h.Context())
	defer cancel(nil)

	var failure error
	for _, err := range h.model(s).Generate(ctx, ask("Hello?")) {
		if err != nil {
			failure = err
			break
		}
		cancel(reason)
	}
	h.note(failure)
	if nestor.CodeOf(failure) != nestor.CodeCancelled {
		h.Errorf("error %v, want code %q", failure, nestor.CodeCancelled)
	}
	if !errors.Is(failure, context.Canceled) || !errors.Is(failure, reason) {
		h.Errorf("error %v hides the context's error or its cause", failure)
	}
	h.left(s)
}

func stopsOnBreak(h *harness) {
	s := h.p.Wire.Serve(h, Turn{Events: []llm.Event{llm.Text{Text: "I"}}, Ending: Stall})
	for range h.model(s).Generate(h.Context(), ask("Hello?")) {
		break
	}
	h.left(s)
}

func tellsDeadline(h *harness) {
	s := h.p.Wire.Serve(h, Turn{Events: []llm.Event{llm.Text{Text: "I"}}, Ending: Stall})
	ctx, cancel := context.WithTimeout(h.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := h.call(ctx, h.model(s), ask("Hello?"))
	if nestor.CodeOf(err) != nestor.CodeTimeout || !errors.Is(err, context.DeadlineExceeded) {
		h.Errorf("error %v, want code %q", err, nestor.CodeTimeout)
	}
}

// yieldsNothingLate has the whole reply at hand before the cancellation.
func yieldsNothingLate(h *harness) {
	stream := h.p.Wire.Transcript([]llm.Event{llm.Text{Text: "a"}, llm.Text{Text: "b"}, done})
	m := h.connect(llm.Target{BaseURL: "http://replay.invalid", HTTPClient: Replay(stream)})
	ctx, cancel := context.WithCancel(h.Context())
	defer cancel()
	var events []llm.Event
	for ev, err := range m.Generate(ctx, ask("Hello?")) {
		if err != nil {
			if nestor.CodeOf(err) != nestor.CodeCancelled {
				h.Errorf("error %v, want code %q", err, nestor.CodeCancelled)
			}
			break
		}
		events = append(events, ev)
		cancel()
	}
	h.same(events, []llm.Event{llm.Text{Text: "a"}})
}
