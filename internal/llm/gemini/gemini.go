// Package gemini talks to the Gemini API.
package gemini

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"google.golang.org/genai"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

const (
	officialURL = "https://generativelanguage.googleapis.com"
	keyVariable = "GEMINI_API_KEY"
)

// Options configure a [Model].
type Options struct {
	// Model is the model's name, for example "gemini-2.5-flash". Required.
	Model string
	// APIKey is required.
	APIKey string
	// BaseURL is the address without the version. Defaults to Google's.
	BaseURL string
	// HTTPClient sends the requests. Defaults to one without a time limit.
	HTTPClient *http.Client
	// StallTimeout is how long the server may send nothing. Defaults to 60 s.
	StallTimeout time.Duration
	// Connection names the model connection in messages about its key. Defaults
	// to none: then they name KeyVariable.
	Connection string
	// KeyVariable is the environment variable that holds the key. Defaults to
	// GEMINI_API_KEY.
	KeyVariable string
	// Headers are sent with every request.
	Headers map[string]string
	// ExtraBody are fields of the request that Nestor does not know of.
	ExtraBody map[string]json.RawMessage
	// ShowThoughts asks for a readable account of the model's thinking, which
	// models that do not think reject. Defaults to false.
	ShowThoughts bool
	// ThinkingLevel is "low", "medium", "high" or what else the model knows.
	// Defaults to the model's own default.
	ThinkingLevel string
}

// Model is one model of the Gemini API. It implements [llm.Model].
type Model struct {
	name     string
	owner    string // whose signatures are ours
	thinking *genai.ThinkingConfig
	endpoint *llm.Endpoint
	client   *genai.Client
	extra    map[string]any
}

// New checks the options and returns a model. It makes no request.
func New(o Options) (*Model, error) {
	name := strings.TrimPrefix(o.Model, "models/")
	if name == "" {
		return nil, nestor.Errorf(nestor.CodeInvalid, "gemini needs the name of a model")
	}
	key := llm.KeyName{Connection: o.Connection, Variable: cmp.Or(o.KeyVariable, keyVariable)}
	if o.APIKey == "" {
		return nil, key.Missing("gemini")
	}
	if o.BaseURL == "" {
		o.BaseURL = officialURL
	}
	if base, err := url.Parse(o.BaseURL); err != nil || base.Host == "" {
		return nil, nestor.Errorf(nestor.CodeInvalid, "gemini needs an absolute base URL")
	}
	endpoint := &llm.Endpoint{
		Provider:     "gemini",
		Key:          key,
		APIKey:       o.APIKey,
		Headers:      o.Headers,
		Client:       o.HTTPClient,
		StallTimeout: o.StallTimeout,
	}
	// Everything is set, so that the SDK takes nothing from the environment. It
	// retries only when told to.
	client, err := genai.NewClient(context.Background(), &genai.ClientConfig{
		APIKey:      o.APIKey,
		Backend:     genai.BackendGeminiAPI,
		HTTPClient:  endpoint.HTTPClient(),
		HTTPOptions: genai.HTTPOptions{BaseURL: o.BaseURL},
	})
	if err != nil {
		// The SDK's message would print the configuration, and the key with it.
		return nil, nestor.Errorf(nestor.CodeInvalid, "gemini does not accept this configuration")
	}
	extra, err := extraFields(o.ExtraBody)
	if err != nil {
		return nil, err
	}
	m := &Model{name: name, owner: "gemini/" + name, endpoint: endpoint, client: client, extra: extra}
	if o.ShowThoughts || o.ThinkingLevel != "" {
		m.thinking = &genai.ThinkingConfig{
			IncludeThoughts: o.ShowThoughts,
			ThinkingLevel:   genai.ThinkingLevel(strings.ToUpper(o.ThinkingLevel)),
		}
	}
	return m, nil
}

func extraFields(fields map[string]json.RawMessage) (map[string]any, error) {
	extra := make(map[string]any, len(fields))
	for name, text := range fields {
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "the extra field %s is not JSON", name)
		}
		extra[name] = value
	}
	return extra, nil
}

// Name returns the model's name.
func (m *Model) Name() string { return m.name }

// Generate implements [llm.Model].
func (m *Model) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	return m.endpoint.Stream(ctx, req, func(ctx context.Context, req *llm.Request, w *llm.Writer) error {
		contents, err := m.contents(req.Messages)
		if err != nil {
			return err
		}
		d := decoder{w: w, owner: m.owner}
		for resp, err := range m.client.Models.GenerateContentStream(ctx, m.name, contents, m.config(req)) {
			if err != nil {
				return m.failure(err)
			}
			if err := d.response(resp); err != nil {
				return err
			}
		}
		return nil
	})
}

// failure explains an error inside a stream.
func (m *Model) failure(err error) error {
	var reported genai.APIError
	if !errors.As(err, &reported) {
		return err
	}
	body, err := json.Marshal(map[string]any{"error": reported})
	if err != nil {
		return err
	}
	return m.endpoint.Rejected(body)
}
