// Package llmtest tests language-model providers. Its servers speak the wire
// formats of the real ones from a neutral script, and [Run] is the behaviour
// that every provider must show against them.
//
// Other packages use the servers as scripted providers behind real HTTP:
//
//	server := llmtest.OpenAI.Serve(t,
//		llmtest.Turn{Events: []llm.Event{
//			llm.ToolCall{ID: "c1", Name: "clock", Arguments: "{}"},
//			llm.Finish{Reason: llm.ReasonToolCalls},
//		}},
//		llmtest.Turn{Events: []llm.Event{llm.Text{Text: "Noon."}, llm.Finish{Reason: llm.ReasonStop}}},
//	)
//	model, err := openai.New(llm.Target{Model: "test", BaseURL: server.URL, HTTPClient: server.Client}, openai.Options{})
package llmtest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/nestorhq/nestor/internal/llm"
)

// Turn is what a server answers to one request.
type Turn struct {
	// Events is the reply, in the order in which a model yields it. A reply
	// without a Finish is incomplete on the wire, too.
	Events []llm.Event
	// Ending is what happens after the events. Defaults to End.
	Ending Ending

	// Status, when set, is answered instead of a reply, with Message in the
	// provider's error format and Header added.
	Status  int
	Message string
	Header  http.Header
	// Body is answered with Status in place of Message, to the letter.
	Body string
}

// Ending is how the answer to a request ends.
type Ending int

const (
	// End closes the response properly.
	End Ending = iota
	// BreakOff closes the connection in the middle of the response.
	BreakOff
	// Stall sends nothing more and waits for the client to leave. Without any
	// events, it does not even send a status.
	Stall
	// Garbage sends an event that is not JSON.
	Garbage
	// Overload reports inside the stream that the provider is overloaded.
	Overload
)

// Request is what a server received.
type Request struct {
	From   string // the client's end of the connection
	Path   string
	Header http.Header
	Body   []byte
}

// Server is a scripted provider.
type Server struct {
	// URL is the base URL to configure a provider with.
	URL string
	// Client is an HTTP client for the server.
	Client *http.Client
	// Left receives one value for each request whose client left before its
	// end: the server saw the connection close.
	Left <-chan struct{}

	wire     Wire
	t        testing.TB
	left     chan struct{}
	closing  chan struct{}
	mu       sync.Mutex
	script   []Turn
	requests []Request
}

// Serve starts a server that answers the requests it gets with the turns of the
// script, one by one. More requests than turns fail the test.
func (w Wire) Serve(t testing.TB, script ...Turn) *Server {
	t.Helper()
	s := &Server{wire: w, t: t, script: script, left: make(chan struct{}, 64), closing: make(chan struct{})}
	s.Left = s.left
	mux := http.NewServeMux()
	mux.HandleFunc(w.pattern, s.answer)
	mux.HandleFunc("/", func(rw http.ResponseWriter, r *http.Request) {
		t.Errorf("unexpected request: %s %s", r.Method, r.URL)
		w.fail(rw, Turn{Status: http.StatusNotFound, Message: "no such path"})
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(s.closing) })
	s.URL, s.Client = server.URL+w.base, server.Client()
	return s
}

// Requests returns what came so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

func (s *Server) answer(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Errorf("read the request: %v", err)
		return
	}
	turn, ok := s.next(Request{From: r.RemoteAddr, Path: r.URL.RequestURI(), Header: r.Header, Body: body})
	switch {
	case !ok:
		s.t.Errorf("request %d has no turn in the script", len(s.Requests()))
		s.wire.fail(rw, Turn{Status: http.StatusInternalServerError, Message: "the script is over"})
	case turn.Status != 0:
		s.wire.fail(rw, turn)
	default:
		s.stream(rw, r, turn)
	}
}

func (s *Server) next(r Request) (Turn, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	if len(s.script) == 0 {
		return Turn{}, false
	}
	turn := s.script[0]
	s.script = s.script[1:]
	return turn, true
}

func (s *Server) stream(rw http.ResponseWriter, r *http.Request, turn Turn) {
	if turn.Ending != Stall || len(turn.Events) > 0 {
		rw.Header().Set("Content-Type", s.wire.contentType)
		rw.WriteHeader(http.StatusOK)
		for _, frame := range s.wire.frames(turn.Events) {
			s.send(rw, frame)
		}
	}
	switch turn.Ending {
	case BreakOff:
		panic(http.ErrAbortHandler)
	case Garbage:
		s.send(rw, s.wire.garbage)
	case Overload:
		s.send(rw, s.wire.overload)
	case Stall:
		select {
		case <-r.Context().Done():
			s.left <- struct{}{}
		case <-s.closing:
		}
	}
}

func (s *Server) send(rw http.ResponseWriter, frame string) {
	// A client that left is what some tests are about, so errors are no news.
	_, _ = io.WriteString(rw, frame)
	_ = http.NewResponseController(rw).Flush()
}
