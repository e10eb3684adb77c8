package llmtest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// EmbedWire is how a provider is asked for vectors. The values are
// [OpenAIEmbeddings] and [GeminiEmbeddings].
type EmbedWire struct {
	pattern, base string
	errors        Wire // whose errors it answers with
	texts         func(body []byte) []string
	answer        func(vectors [][]float32, tokens int) any
}

// OpenAIEmbeddings is the wire format of /embeddings. It answers in another order
// than it was asked in, as servers may.
var OpenAIEmbeddings = EmbedWire{
	pattern: "POST /v1/embeddings", base: "/v1", errors: OpenAI,
	texts: func(body []byte) []string {
		var r struct{ Input []string }
		_ = json.Unmarshal(body, &r)
		return r.Input
	},
	answer: func(vectors [][]float32, tokens int) any {
		data := []object{}
		for i := len(vectors) - 1; i >= 0; i-- {
			data = append(data, object{"object": "embedding", "index": i, "embedding": vectors[i]})
		}
		return object{"object": "list", "data": data, "model": "test", "usage": object{"prompt_tokens": tokens, "total_tokens": tokens}}
	},
}

// GeminiEmbeddings is the wire format of :batchEmbedContents, which counts no tokens.
var GeminiEmbeddings = EmbedWire{
	pattern: "POST /v1beta/models/{call}", errors: Gemini,
	texts: func(body []byte) (texts []string) {
		var r struct {
			Requests []struct {
				Content struct{ Parts []struct{ Text string } }
			}
		}
		_ = json.Unmarshal(body, &r)
		for _, one := range r.Requests {
			texts = append(texts, one.Content.Parts[0].Text)
		}
		return texts
	},
	answer: func(vectors [][]float32, _ int) any {
		all := []object{}
		for _, v := range vectors {
			all = append(all, object{"values": v})
		}
		return object{"embeddings": all}
	},
}

// EmbedServer makes vectors over HTTP. A request of n texts has n tokens.
type EmbedServer struct {
	URL    string
	Client *http.Client

	mu       sync.Mutex
	fail     []Turn
	requests []Request
	texts    []string
}

// Serve starts a server that makes vectors with a function.
func (w EmbedWire) Serve(t testing.TB, vector func(text string) []float32) *EmbedServer {
	t.Helper()
	s := &EmbedServer{}
	mux := http.NewServeMux()
	mux.HandleFunc(w.pattern, func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read the request: %v", err)
		}
		texts := w.texts(body)
		turn, failed := s.next(Request{From: r.RemoteAddr, Path: r.URL.RequestURI(), Header: r.Header, Body: body}, texts)
		switch {
		case failed && turn.Status != http.StatusOK:
			w.errors.fail(rw, turn)
		case failed:
			rw.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(rw, turn.Body)
		default:
			var vectors [][]float32
			for _, text := range texts {
				vectors = append(vectors, vector(text))
			}
			rw.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(rw).Encode(w.answer(vectors, len(texts)))
		}
	})
	mux.HandleFunc("/", func(rw http.ResponseWriter, r *http.Request) {
		t.Errorf("unexpected request: %s %s", r.Method, r.URL)
		w.errors.fail(rw, Turn{Status: http.StatusNotFound, Message: "no such path"})
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.URL, s.Client = server.URL+w.base, server.Client()
	return s
}

// Fail has the next requests answered with the turns, one by one, instead of vectors:
// their Status, or with status 200 their Body.
func (s *EmbedServer) Fail(turns ...Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = append(s.fail, turns...)
}

func (s *EmbedServer) next(r Request, texts []string) (Turn, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	if len(s.fail) > 0 {
		turn := s.fail[0]
		s.fail = s.fail[1:]
		return turn, true
	}
	s.texts = append(s.texts, texts...)
	return Turn{}, false
}

// Requests returns what came so far, and Texts what vectors were made of.
func (s *EmbedServer) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Texts returns the texts of requests that were answered with vectors.
func (s *EmbedServer) Texts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.texts...)
}
