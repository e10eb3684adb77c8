// Package openai talks to OpenAI's chat completions API and to every server
// compatible with it: Ollama, vLLM, llama.cpp and many hosted ones.
package openai

import (
	"bytes"
	"context"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

const (
	officialURL = "https://api.openai.com/v1"
	keyVariable = "OPENAI_API_KEY"
)

// Options configure a [Model].
type Options struct {
	// Model is the model's name, for example "gpt-5". Required.
	Model string
	// APIKey is required by OpenAI itself; many compatible servers need none.
	APIKey string
	// BaseURL is the address up to and including the version, for example
	// "http://localhost:11434/v1". Defaults to OpenAI's.
	BaseURL string
	// HTTPClient sends the requests. Defaults to one without a time limit.
	HTTPClient *http.Client
	// StallTimeout is how long the server may send nothing, which includes the
	// time it loads a model or thinks in silence. Defaults to 60 s.
	StallTimeout time.Duration
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
	dialect  dialect
	endpoint *llm.Endpoint
	client   openai.Client
}

// dialect is in what servers differ that speak this format.
type dialect struct {
	replayReasoning bool
	// official tells OpenAI itself, which renamed max_tokens and takes malformed
	// arguments back, from compatible servers, which often do neither.
	official bool
}

// New checks the options and returns a model. It makes no request.
func New(o Options) (*Model, error) {
	if o.Model == "" {
		return nil, nestor.Errorf(nestor.CodeInvalid, "openai needs the name of a model")
	}
	if o.BaseURL == "" {
		o.BaseURL = officialURL
	}
	base, err := url.Parse(o.BaseURL)
	if err != nil || base.Host == "" {
		return nil, nestor.Errorf(nestor.CodeInvalid, "openai needs an absolute base URL")
	}
	if o.APIKey == "" && o.BaseURL == officialURL {
		return nil, nestor.Errorf(nestor.CodeUnauthenticated, "openai needs an API key: set %s", keyVariable)
	}
	endpoint := &llm.Endpoint{
		Provider:     "openai",
		KeyVariable:  keyVariable,
		APIKey:       o.APIKey,
		Client:       o.HTTPClient,
		StallTimeout: o.StallTimeout,
	}
	// Not by its constructor, which would read the environment.
	options := []option.RequestOption{
		option.WithBaseURL(o.BaseURL),
		option.WithHTTPClient(endpoint.HTTPClient()),
		option.WithMaxRetries(0),
	}
	if o.APIKey != "" {
		options = append(options, option.WithAPIKey(o.APIKey))
	}
	return &Model{
		name:     o.Model,
		effort:   o.ReasoningEffort,
		dialect:  dialect{replayReasoning: o.ReplayReasoning, official: isOfficial(base.Hostname())},
		endpoint: endpoint,
		client:   openai.Client{Options: options},
	}, nil
}

func isOfficial(host string) bool {
	return strings.HasSuffix(host, ".openai.com") || strings.HasSuffix(host, ".openai.azure.com")
}

// Name returns the model's name.
func (m *Model) Name() string { return m.name }

// Generate implements [llm.Model].
func (m *Model) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	return m.endpoint.Stream(ctx, req, func(ctx context.Context, req *llm.Request, w *llm.Writer) error {
		body, err := m.body(req)
		if err != nil {
			return err
		}
		var res *http.Response
		if err := m.client.Post(ctx, "chat/completions", body, &res); err != nil {
			return err
		}
		events := ssestream.NewDecoder(res)
		defer func() { _ = events.Close() }()
		return m.decode(events, w)
	})
}

func (m *Model) decode(events ssestream.Decoder, w *llm.Writer) error {
	d := decoder{w: w}
	var chunks repeats
	for events.Next() {
		data := bytes.TrimSpace(events.Event().Data)
		if string(data) == "[DONE]" {
			break
		}
		c, err := chunks.decode(data)
		if err != nil {
			return err
		}
		if len(c.Error) > 0 && string(c.Error) != "null" {
			return m.endpoint.Rejected(data)
		}
		if err := d.chunk(c); err != nil {
			return err
		}
	}
	return events.Err()
}
