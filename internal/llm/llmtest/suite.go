package llmtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// Provider is a provider under test.
type Provider struct {
	// Name and KeyVariable are what messages to people must mention.
	Name        string
	KeyVariable string
	Wire        Wire
	// New returns a model named "test-model" that shows its reasoning.
	New func(llm.Target) (llm.Model, error)

	// TextArguments: arguments travel as text and are kept to the letter.
	TextArguments bool
	// CacheWrites: the usage tells input that was stored.
	CacheWrites bool
	// Redacts: there are encrypted reasoning blocks.
	Redacts bool
	// Path is where requests must arrive, and Golden the file with the body
	// that one with everything in it must have.
	Path, Golden string
	// Echo are JSON objects that must be in the request after a reply with
	// reasoning "Let me think." signed "sig-1", an encrypted block "enc-1", the
	// text "Hm." and the call c1 of tool clock signed "sig-2".
	Echo []string
}

// secret is the API key of every test: it must not turn up anywhere.
const secret = "sk-live-0123456789abcdef"

// Run checks that a provider behaves as [llm.Model] promises.
func Run(t *testing.T, p Provider) {
	var logs bytes.Buffer
	log.SetOutput(&logs)
	defer log.SetOutput(os.Stderr)

	for _, s := range scenarios {
		if s.when != nil && !s.when(p) {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			h := &harness{T: t, p: p}
			s.run(h)
			h.checkSecrets()
		})
	}
	if logs.Len() > 0 {
		t.Errorf("something was printed: %s", logs.String())
	}
}

// scenarios is the behaviour, in sentences about a provider.
var scenarios = []struct {
	name string
	run  func(*harness)
	// when tells the providers it applies to. Defaults to all.
	when func(Provider) bool
}{
	{name: "streams text piece by piece", run: streamsText},
	{name: "assembles parallel tool calls from split pieces", run: assemblesCalls},
	{name: "keeps argument text as it was sent", run: keepsArguments, when: func(p Provider) bool { return p.TextArguments }},
	{name: "gives calls without an id a stable one", run: namesCalls},
	{name: "streams reasoning and sends it back unchanged", run: returnsReasoning},
	{name: "never sends another model's signatures", run: dropsForeignState},
	{name: "counts cached and reasoning tokens", run: countsTokens},
	{name: "ends refused replies as refused", run: reportsRefusal},
	{name: "ends replies at the token limit as cut", run: reportsLength},
	{name: "does not invent arguments for a call that was cut", run: leavesCutCalls},
	{name: "keeps the connection for the next call", run: keepsConnection},
	{name: "sends everything a request holds", run: sendsRequest},
	{name: "checks a request before it is sent", run: checksRequest},
	{name: "shows the images of results", run: showsMedia, when: takesMedia},
	{name: "sends large images as they are encoded", run: sendsLargeMedia, when: takesMedia},
	{name: "checks the images of results before they are sent", run: checksMedia, when: takesMedia},
	{name: "goes on without images that are refused", run: refusesMedia, when: takesMedia},
	{name: "blames no image for another failure", run: failsBesideMedia, when: takesMedia},
	{name: "gives a provider its own ids back, and maps those of others", run: returnsIDs},
	{name: "sends invented names and repeated ids in a form that is taken", run: sendsInvented},
	{name: "sends the headers and fields of a connection, and shows none", run: sendsExtras},
	{name: "explains a rejected key", run: explainsKey},
	{name: "names the connection whose key is rejected", run: namesConnection},
	{name: "tells a conversation that is too long", run: tellsTooLong},
	{name: "cuts a reply that does not end", run: cutsEndless},
	{name: "cuts a reply at the tokens that were asked for", run: cutsAtMaxTokens},
	{name: "cuts arguments that do not end", run: cutsArguments},
	{name: "gives up an event that does not end", run: givesUpEndlessEvent},
	{name: "passes on how long to wait", run: passesRetryAfter},
	{name: "classifies failures by status", run: classifiesStatus},
	{name: "reports trouble inside a stream", run: reportsOverload},
	{name: "fails when the stream breaks off", run: failsOnBreak},
	{name: "fails when the stream ends without a finish", run: failsOnShortStream},
	{name: "fails on invalid JSON", run: failsOnGarbage},
	{name: "fails when nobody answers", run: failsOnRefusedConnection},
	{name: "fails when the answer is no stream", run: failsOnWebPage},
	{name: "gives up a stream that stalls", run: givesUpStalled},
	{name: "gives up a server that never answers", run: givesUpSilent},
	{name: "stops at once when the context is cancelled", run: stopsOnCancel},
	{name: "stops at once when the caller leaves the loop", run: stopsOnBreak},
	{name: "tells a deadline from a cancellation", run: tellsDeadline},
	{name: "yields the same events however the stream is cut", run: ignoresCuts},
	{name: "yields no event after the cancellation", run: yieldsNothingLate},
	{name: "follows no redirect, which would carry the key elsewhere", run: followsNoRedirect},
}

// harness is one running scenario.
type harness struct {
	*testing.T
	p    Provider
	said strings.Builder // everything that may be shown to people
}

func (h *harness) model(s *Server) llm.Model {
	h.Helper()
	return h.connect(llm.Target{BaseURL: s.URL, HTTPClient: s.Client})
}

func (h *harness) connect(to llm.Target) llm.Model {
	h.Helper()
	to.APIKey = secret
	m, err := h.p.New(to)
	if err != nil {
		h.Fatal(err)
	}
	fmt.Fprintf(&h.said, "%v %+v", m, m)
	return m
}

// events runs a call that must succeed.
func (h *harness) events(m llm.Model, req *llm.Request) []llm.Event {
	h.Helper()
	events, err := h.call(h.Context(), m, req)
	if err != nil {
		h.Fatal(err)
	}
	return events
}

func (h *harness) call(ctx context.Context, m llm.Model, req *llm.Request) ([]llm.Event, error) {
	var events []llm.Event
	for ev, err := range m.Generate(ctx, req) {
		if err != nil {
			h.note(err)
			return events, err
		}
		events = append(events, ev)
	}
	return events, nil
}

// fails runs a call that must fail with the code, whatever came before.
func (h *harness) fails(m llm.Model, req *llm.Request, code nestor.Code) error {
	h.Helper()
	_, err := h.call(h.Context(), m, req)
	if nestor.CodeOf(err) != code {
		h.Fatalf("error %v has code %q, want %q", err, nestor.CodeOf(err), code)
	}
	return err
}

func (h *harness) note(err error) {
	for ; err != nil; err = errors.Unwrap(err) {
		fmt.Fprintf(&h.said, "%v %+v\n", err, err)
	}
}

func (h *harness) checkSecrets() {
	h.Helper()
	if said := h.said.String(); strings.Contains(said, secret) {
		h.Errorf("the API key is visible in: %s", said)
	}
}

// left waits until the server has seen the client leave.
func (h *harness) left(s *Server) {
	h.Helper()
	select {
	case <-s.Left:
	case <-time.After(10 * time.Second):
		h.Fatal("the server still has the connection")
	}
}

func ask(text string) *llm.Request {
	return &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: text}}}}}
}

var done = llm.Finish{Reason: llm.ReasonStop}
