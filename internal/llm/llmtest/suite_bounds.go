package llmtest

import (
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// endless answers every request with a stream that never ends: its beginning,
// and then a frame again and again.
type endless struct {
	begin, again string
	sent         atomic.Int64
}

func (e *endless) client() *http.Client { return &http.Client{Transport: e} }

func (e *endless) RoundTrip(req *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, req.Body)
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: &endlessBody{endless: e, rest: e.begin},
	}, nil
}

type endlessBody struct {
	endless *endless
	rest    string
}

func (b *endlessBody) Read(p []byte) (int, error) {
	if b.rest == "" {
		b.rest = b.endless.again
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	b.endless.sent.Add(int64(n))
	return n, nil
}

func (b *endlessBody) Close() error { return nil }

// repeating is a stream that repeats the frame of an event that holds a text.
func (h *harness) repeating(ev llm.Event, text string) *endless {
	h.Helper()
	frames := h.p.Wire.frames([]llm.Event{ev})
	for i := len(frames) - 1; i >= 0; i-- {
		if strings.Contains(frames[i], text) {
			return &endless{begin: strings.Join(frames[:i], ""), again: frames[i]}
		}
	}
	h.Fatalf("no frame of %q holds %q", frames, text)
	return nil
}

// bounded runs a call that must end by itself, and returns the size of what was
// said, with the end of it.
func (h *harness) bounded(e *endless, req *llm.Request) (said int, calls []llm.ToolCall, finish llm.Finish) {
	h.Helper()
	m := h.connect(llm.Target{BaseURL: "http://endless.invalid", HTTPClient: e.client()})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	reply, err := llm.Collect(m.Generate(h.Context(), req))
	runtime.ReadMemStats(&after)
	if err != nil {
		h.Fatal(err)
	}
	// Every byte that came is looked at a few times, not again and again.
	if allocated, sent := after.TotalAlloc-before.TotalAlloc, uint64(e.sent.Load()); allocated > 60*sent+8<<20 {
		h.Errorf("%d bytes were allocated for %d that came", allocated, sent)
	}
	for _, p := range reply.Message.Parts {
		switch p := p.(type) {
		case llm.Text:
			said += len(p.Text)
		case llm.Reasoning:
			said += len(p.Text)
		case llm.ToolCall:
			said += len(p.Arguments)
			calls = append(calls, p)
		}
	}
	return said, calls, llm.Finish{Reason: reply.Reason}
}

func cutsEndless(h *harness) {
	for _, ev := range []llm.Event{
		llm.Text{Text: strings.Repeat("again, ", 20)}, llm.Reasoning{Text: strings.Repeat("hm, again, ", 20)},
	} {
		said, _, finish := h.bounded(h.repeating(ev, "again"), ask("A story."))
		if said > llm.MaxReply || said < llm.MaxReply-2*64 || finish.Reason != llm.ReasonLength {
			h.Errorf("%T: %d bytes, ended %+v", ev, said, finish)
		}
	}
}

func cutsAtMaxTokens(h *harness) {
	req := ask("A story.")
	req.MaxTokens = 100
	e := h.repeating(llm.Text{Text: "again "}, "again")
	said, _, finish := h.bounded(e, req)
	if words := said / len("again "); words < 100 || words > 300 || finish.Reason != llm.ReasonLength {
		h.Errorf("%d words for 100 tokens, ended %+v", words, finish)
	}
}

func cutsArguments(h *harness) {
	if h.p.TextArguments {
		e := h.repeating(llm.ToolCall{ID: "c1", Name: "clock", Arguments: `{"zone":"aaaaaaaaaaaaaaaaaaaa`}, "aaaaa")
		e.again = strings.Replace(e.again, "aaaaa", strings.Repeat("a", 200), 1)
		said, calls, finish := h.bounded(e, ask("Time?"))
		if said > llm.MaxReply || said < llm.MaxReply-2*64 || len(calls) != 1 || finish.Reason != llm.ReasonLength {
			h.Errorf("%d bytes, %d calls, ended %+v", said, len(calls), finish)
		}
		return
	}
	// Where arguments are objects, it is the calls that do not end.
	e := h.repeating(llm.ToolCall{ID: "c1", Name: "clock", Arguments: `{"zone":"a"}`}, "clock")
	if _, calls, finish := h.bounded(e, ask("Time?")); len(calls) == 0 || len(calls) > 128 || finish.Reason != llm.ReasonLength {
		h.Errorf("%d calls, ended %+v", len(calls), finish)
	}
}

func givesUpEndlessEvent(h *harness) {
	for name, again := range map[string]string{"a line": strings.Repeat("x", 4096), "lines": "data: " + strings.Repeat("x", 4096) + "\n"} {
		e := &endless{begin: "data: ", again: again}
		m := h.connect(llm.Target{BaseURL: "http://endless.invalid", HTTPClient: e.client()})
		h.fails(m, ask("Hello?"), nestor.CodeInvalid)
		if sent := e.sent.Load(); sent > 32<<20 {
			h.Errorf("%s: %d bytes were read", name, sent)
		}
	}
}
