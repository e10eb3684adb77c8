// Package anthropic talks to Anthropic's messages API.
package anthropic

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

const (
	officialURL = "https://api.anthropic.com"
	keyVariable = "ANTHROPIC_API_KEY"
)

// Options configure a [Model].
type Options struct {
	// Model is the model's name, for example "claude-sonnet-5". Required.
	Model string
	// APIKey is required by Anthropic itself.
	APIKey string
	// BaseURL is the address without the version. Defaults to Anthropic's.
	BaseURL string
	// HTTPClient sends the requests. Defaults to one without a time limit.
	HTTPClient *http.Client
	// StallTimeout is how long the server may send nothing. Defaults to 60 s.
	StallTimeout time.Duration
	// Connection names the model connection in messages about its key. Defaults
	// to none: then they name KeyVariable.
	Connection string
	// KeyVariable is the environment variable that holds the key. Defaults to
	// ANTHROPIC_API_KEY.
	KeyVariable string
	// Headers are sent with every request.
	Headers map[string]string
	// ExtraBody are fields of the request that Nestor does not know of.
	ExtraBody map[string]json.RawMessage
	// MaxTokens bounds a reply, thinking included, when the request does not;
	// the API wants a number. Defaults to 16384 more than ThinkingBudget.
	MaxTokens int
	// Effort is "low", "medium", "high" or what else the model knows. Defaults
	// to the model's own default.
	Effort string
	// ShowThinking asks a model that decides by itself how long to think for a
	// readable account of it. Defaults to what the model shows unasked.
	ShowThinking bool
	// ThinkingBudget is how many tokens an older model, which cannot decide by
	// itself, may think for. Defaults to 0: it does not think.
	ThinkingBudget int
}

// Model is one model behind one server. It implements [llm.Model].
type Model struct {
	name     string
	owner    string // whose signatures are ours
	defaults anthropic.MessageNewParams
	extra    []option.RequestOption
	endpoint *llm.Endpoint
	messages anthropic.MessageService
	catalog  anthropic.ModelService
}

// New checks the options and returns a model. It makes no request.
func New(o Options) (*Model, error) {
	if o.Model == "" {
		return nil, nestor.Errorf(nestor.CodeInvalid, "anthropic needs the name of a model")
	}
	if o.BaseURL == "" {
		o.BaseURL = officialURL
	}
	if base, err := url.Parse(o.BaseURL); err != nil || base.Host == "" {
		return nil, nestor.Errorf(nestor.CodeInvalid, "anthropic needs an absolute base URL")
	}
	key := llm.KeyName{Connection: o.Connection, Variable: cmp.Or(o.KeyVariable, keyVariable)}
	if o.APIKey == "" && o.BaseURL == officialURL && !llm.Authorizes(o.Headers) {
		return nil, key.Missing("anthropic")
	}
	endpoint := &llm.Endpoint{
		Provider:     "anthropic",
		Key:          key,
		APIKey:       o.APIKey,
		Headers:      o.Headers,
		Client:       o.HTTPClient,
		StallTimeout: o.StallTimeout,
	}
	// The service is made directly: the SDK's client would read the environment
	// and the user's profile for credentials.
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
		owner:    "anthropic/" + o.Model,
		defaults: defaults(o),
		extra:    extraFields(o.ExtraBody),
		endpoint: endpoint,
		messages: anthropic.NewMessageService(options...),
		catalog:  anthropic.NewModelService(options...),
	}, nil
}

// extraFields adds fields to a request. A dot in a name is part of the name,
// not of a path.
func extraFields(fields map[string]json.RawMessage) (options []option.RequestOption) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		options = append(options, option.WithJSONSet(pathMarks.Replace(name), fields[name]))
	}
	return options
}

var pathMarks = strings.NewReplacer(`\`, `\\`, `.`, `\.`, `:`, `\:`, `|`, `\|`, `#`, `\#`, `@`, `\@`, `*`, `\*`, `?`, `\?`)

// defaults is what every request of the model has in common.
func defaults(o Options) anthropic.MessageNewParams {
	p := anthropic.MessageNewParams{
		Model:        o.Model,
		MaxTokens:    int64(o.MaxTokens),
		OutputConfig: anthropic.OutputConfigParam{Effort: anthropic.OutputConfigEffort(o.Effort)},
	}
	if p.MaxTokens <= 0 {
		p.MaxTokens = 16384 + int64(o.ThinkingBudget)
	}
	switch {
	case o.ThinkingBudget > 0:
		p.Thinking = anthropic.ThinkingConfigParamOfEnabled(int64(o.ThinkingBudget))
	case o.ShowThinking:
		p.Thinking.OfAdaptive = &anthropic.ThinkingConfigAdaptiveParam{
			Display: anthropic.ThinkingConfigAdaptiveDisplaySummarized,
		}
	}
	return p
}

// Name returns the model's name.
func (m *Model) Name() string { return m.name }

// TakesMedia implements [llm.MediaTaker]: all models on offer see.
func (m *Model) TakesMedia(mimeType string) bool {
	switch mimeType {
	case "image/jpeg", "image/png", "image/gif", "image/webp", "application/pdf":
		return true
	}
	return false
}

// Generate implements [llm.Model].
func (m *Model) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	return m.endpoint.Stream(ctx, req, func(ctx context.Context, req *llm.Request, w *llm.Writer) error {
		params, err := m.params(req)
		if err != nil {
			return err
		}
		stream := m.messages.NewStreaming(ctx, params, m.extra...)
		defer func() { _ = stream.Close() }()
		d := decoder{w: w, owner: m.owner}
		for !d.done && stream.Next() {
			if err := d.event(stream.Current()); err != nil {
				return err
			}
		}
		var reported *anthropic.Error
		if errors.As(stream.Err(), &reported) {
			return m.endpoint.Rejected([]byte(reported.RawJSON()))
		}
		return stream.Err()
	})
}
