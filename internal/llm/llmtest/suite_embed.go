package llmtest

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// EmbedProvider is a provider of vectors under test.
type EmbedProvider struct {
	Provider // of which only Name, KeyVariable and New count
	Embed    EmbedWire
	// Path is where requests must arrive, and Body what one with the texts "one" and
	// "two" must be.
	Path, Body string
	// Counts: the server says how many tokens a request had.
	Counts bool
	// Broken are answers of status 200 to a request with two texts that are of no
	// use, by what is wrong with them.
	Broken map[string]string
}

// RunEmbed checks that a provider behaves as [llm.Embedder] promises.
func RunEmbed(t *testing.T, p EmbedProvider) {
	for name, run := range map[string]func(*harness, EmbedProvider){
		"sends the texts and gives the vectors their order": embedsInOrder,
		"checks texts before they are sent":                 checksTexts,
		"explains failures as those of calls":               explainsEmbedFailures,
		"refuses answers that nothing can be compared with": refusesBadVectors,
		"stops when the context is cancelled":               stopsEmbedding,
	} {
		t.Run(name, func(t *testing.T) {
			h := &harness{T: t, p: p.Provider}
			run(h, p)
			h.checkSecrets()
		})
	}
}

func lengths(text string) []float32 { return []float32{float32(len(text)), 1, 0.5} }

func (h *harness) embedder(s *EmbedServer) llm.Embedder {
	h.Helper()
	return h.connect(llm.Target{BaseURL: s.URL, HTTPClient: s.Client, Headers: map[string]string{"X-Extra": "yes"}}).(llm.Embedder)
}

func embedsInOrder(h *harness, p EmbedProvider) {
	s := p.Embed.Serve(h, lengths)
	e := h.embedder(s)
	made, err := e.Embed(h.Context(), []string{"one", "two"})
	if err != nil {
		h.Fatal(err)
	}
	r := s.Requests()[0]
	if r.Path != p.Path || !bytes.Equal(bytes.TrimSpace(r.Body), []byte(p.Body)) || r.Header.Get("X-Extra") != "yes" {
		h.Errorf("%s got %s with %v", r.Path, r.Body, r.Header)
	}
	if !p.Counts && (made.Usage.Input == 0 || !made.Usage.Estimated) || p.Counts && made.Usage != (llm.Usage{Input: 2}) {
		h.Errorf("it took %+v", made.Usage)
	}
	var texts []string
	for n := range llm.MaxTexts {
		texts = append(texts, strings.Repeat("x", n+1))
	}
	if made, err = e.Embed(h.Context(), texts); err != nil {
		h.Fatal(err)
	}
	for i, v := range made.Vectors {
		if !slices.Equal(v, lengths(texts[i])) {
			h.Errorf("text %d has the vector %v", i, v)
		}
	}
}

func checksTexts(h *harness, p EmbedProvider) {
	s := p.Embed.Serve(h, lengths)
	for _, texts := range [][]string{nil, {"one", " \n"}, slices.Repeat([]string{"x"}, llm.MaxTexts+1)} {
		if _, err := h.embedder(s).Embed(h.Context(), texts); nestor.CodeOf(err) != nestor.CodeInvalid {
			h.Errorf("%d texts: %v", len(texts), err)
		}
	}
	if n := len(s.Requests()); n > 0 {
		h.Errorf("%d requests were made", n)
	}
}

func explainsEmbedFailures(h *harness, p EmbedProvider) {
	for status, code := range map[int]nestor.Code{
		401: nestor.CodeUnauthenticated, 403: nestor.CodeUnauthenticated, 400: nestor.CodeInvalid, 404: nestor.CodeInvalid,
		413: nestor.CodeTooLarge, 429: nestor.CodeRateLimited, 500: nestor.CodeUnavailable, 503: nestor.CodeUnavailable,
	} {
		s := p.Embed.Serve(h, lengths)
		s.Fail(Turn{Status: status, Message: "no: " + secret, Header: http.Header{"Retry-After": {"7"}}})
		_, err := h.embedder(s).Embed(h.Context(), []string{"one"})
		h.note(err)
		if nestor.CodeOf(err) != code {
			h.Errorf("status %d: %v, want the code %s", status, err, code)
		}
		if after, ok := nestor.WaitOf(err); status == 429 && (!ok || after != 7*time.Second) {
			h.Errorf("retry after %v, %v", after, ok)
		}
		if n := len(s.Requests()); n != 1 {
			h.Errorf("status %d: %d requests, want 1", status, n)
		}
	}
}

func refusesBadVectors(h *harness, p EmbedProvider) {
	s := p.Embed.Serve(h, lengths)
	e := h.embedder(s)
	for what, body := range p.Broken {
		s.Fail(Turn{Status: http.StatusOK, Body: body})
		made, err := e.Embed(h.Context(), []string{"one", "two"})
		if nestor.CodeOf(err) != nestor.CodeUnavailable || made.Vectors != nil || !strings.Contains(err.Error(), p.Name) {
			h.Errorf("%s: %v, %v", what, made, err)
		}
	}
	s = p.Embed.Serve(h, func(text string) []float32 {
		switch text {
		case "zeros":
			return make([]float32, 3)
		case "huge":
			return []float32{1e7, 0, 0}
		case "long":
			return slices.Repeat([]float32{0.5}, 10_000)
		case "empty":
			return []float32{}
		}
		return lengths(text)[:min(len(text), 3)] // "xy" is of another size
	})
	for _, text := range []string{"zeros", "huge", "long", "empty", "xy"} {
		if made, err := h.embedder(s).Embed(h.Context(), []string{"one", text}); nestor.CodeOf(err) != nestor.CodeUnavailable || made.Vectors != nil {
			h.Errorf("%s: %v, %v", text, made, err)
		} else if made.Usage.Input == 0 {
			h.Errorf("%s: what it took is not told", text)
		}
	}
	endless := p.Embed.Serve(h, lengths)
	endless.Fail(Turn{Status: http.StatusOK, Body: `{"more":[` + strings.Repeat("0.123456789,", 1<<20)})
	if _, err := h.embedder(endless).Embed(h.Context(), []string{"one"}); nestor.CodeOf(err) != nestor.CodeInvalid {
		h.Errorf("an answer without an end: %v", err)
	}
}

func stopsEmbedding(h *harness, p EmbedProvider) {
	ctx, cancel := context.WithCancel(h.Context())
	gone := make(chan struct{})
	s := p.Embed.Serve(h, func(string) []float32 {
		cancel() // while the server is at work
		<-gone
		return []float32{1}
	})
	_, err := h.embedder(s).Embed(ctx, []string{"one"})
	close(gone)
	if nestor.CodeOf(err) != nestor.CodeCancelled {
		h.Errorf("got %v", err)
	}
}
