// Package openai talks to OpenAI's chat completions API and to every server
// compatible with it: Ollama, vLLM, llama.cpp and many hosted ones.
package openai

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"io"
	"iter"
	"net/http"
	"strings"
	"sync"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

const (
	officialURL = "https://api.openai.com/v1"
	keyVariable = "OPENAI_API_KEY"
)

// Options are what only this provider knows. All are optional.
type Options struct {
	// ReasoningEffort is "low", "medium", "high" or what else the model knows.
	// Defaults to the model's own default.
	ReasoningEffort string
	// ReplayReasoning sends reasoning text back in the field reasoning_content,
	// as DeepSeek and Kimi demand while the model calls tools. OpenAI rejects it.
	// Defaults to false.
	ReplayReasoning bool
}

// Model is one model behind one server. It implements [llm.Model].
type Model struct {
	name     string
	effort   string
	extra    []byte // the extra fields, without the braces around them
	dialect  dialect
	quirks   quirks
	endpoint *llm.Endpoint
	caller   *llm.Caller
}

// dialect is how servers that speak this format differ.
type dialect struct {
	replayReasoning bool
	// official tells OpenAI itself, which renamed max_tokens and takes malformed
	// arguments back, from compatible servers, which often do neither.
	official bool
	ids      llm.IDForm
}

// New checks the target and returns a model. It makes no request.
func New(to llm.Target, o Options) (*Model, error) {
	if to.Model == "" {
		return nil, nestor.Errorf(nestor.CodeInvalid, "openai needs the name of a model")
	}
	base := cmp.Or(to.BaseURL, officialURL)
	endpoint := to.Endpoint("openai", keyVariable)
	endpoint.WholeReplies = true
	if to.APIKey == "" && base == officialURL && !llm.Authorizes(to.Headers) {
		return nil, endpoint.Key.Missing("openai")
	}
	extra, err := llm.ExtraFields(to.ExtraBody)
	if err != nil {
		return nil, err
	}
	header := http.Header{}
	if to.APIKey != "" {
		header.Set("Authorization", "Bearer "+to.APIKey)
	}
	caller, err := endpoint.Caller(base, header)
	if err != nil {
		return nil, err
	}
	return &Model{
		name:     to.Model,
		effort:   o.ReasoningEffort,
		extra:    extra,
		dialect:  dialectOf(caller.Host(), o.ReplayReasoning),
		endpoint: endpoint,
		caller:   caller,
	}, nil
}

func dialectOf(host string, replayReasoning bool) dialect {
	d := dialect{replayReasoning: replayReasoning, official: isOfficial(host)}
	switch {
	case d.official:
		d.ids = llm.ID40
	case isMistral(host):
		d.ids = llm.ID9
	}
	return d
}

func isMistral(host string) bool {
	return host == "mistral.ai" || strings.HasSuffix(host, ".mistral.ai")
}

func isOfficial(host string) bool {
	return strings.HasSuffix(host, ".openai.com") || strings.HasSuffix(host, ".openai.azure.com")
}

// Name returns the model's name.
func (m *Model) Name() string { return m.name }

// Generate implements [llm.Model].
func (m *Model) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	return m.endpoint.Stream(ctx, req, func(ctx context.Context, req *llm.Request, w *llm.Writer) error {
		for {
			res, err := m.post(ctx, req)
			if err == nil {
				return m.read(res, w)
			}
			if !m.quirks.learn(err) {
				return err
			}
		}
	})
}

func (m *Model) post(ctx context.Context, req *llm.Request) (*http.Response, error) {
	body, err := m.body(req)
	if err != nil {
		return nil, err
	}
	return m.caller.Post(ctx, "chat/completions", body...)
}

// read decodes an answer: a stream, or one object from a server that does not
// stream.
func (m *Model) read(res *http.Response, w *llm.Writer) error {
	d := decoder{w: w}
	if !m.dialect.official {
		d.think = &thinking{}
	}
	defer func() { _ = res.Body.Close() }()
	body := readers.Get().(*bufio.Reader)
	body.Reset(res.Body)
	defer func() {
		body.Reset(nil)
		readers.Put(body)
	}()
	if isObject(body) {
		return m.whole(body, &d)
	}
	return m.stream(llm.NewEventStream(body), &d)
}

// readers are those that no answer is read with at the moment.
var readers = sync.Pool{New: func() any { return bufio.NewReader(nil) }}

func (m *Model) stream(events *llm.EventStream, d *decoder) error {
	var chunks repeats
	for events.Next() {
		data := bytes.TrimSpace(events.Data())
		if string(data) == "[DONE]" {
			return d.done()
		}
		c, err := chunks.decode(data)
		if err != nil {
			return err
		}
		if c.failed() {
			return m.endpoint.Rejected(data)
		}
		if err := d.chunk(c); err != nil {
			return err
		}
	}
	return events.Err()
}

// whole decodes an answer that is one object.
func (m *Model) whole(body io.Reader, d *decoder) error {
	data, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	c, err := decodeChunk(data)
	switch {
	case err != nil:
		return err
	case c.failed() || len(c.Choices) == 0:
		return m.endpoint.NotAReply(data)
	}
	if err := d.chunk(&c); err != nil {
		return err
	}
	return d.done()
}

// isObject looks at what a body begins with: no event stream begins with a
// brace, and servers that do not stream often name the wrong type.
func isObject(body *bufio.Reader) bool {
	for n := 1; n <= body.Size(); n++ {
		start, err := body.Peek(n)
		if err != nil {
			return false
		}
		if c := start[n-1]; c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c == '{'
		}
	}
	return false
}
