// Package anthropic talks to Anthropic's messages API.
package anthropic

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

const (
	officialURL = "https://api.anthropic.com"
	keyVariable = "ANTHROPIC_API_KEY"
)

// Options are what only this provider knows. All are optional.
type Options struct {
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

// New checks the target and returns a model. It makes no request.
func New(to llm.Target, o Options) (*Model, error) {
	if to.Model == "" {
		return nil, nestor.Errorf(nestor.CodeInvalid, "anthropic needs the name of a model")
	}
	base := cmp.Or(to.BaseURL, officialURL)
	if address, err := url.Parse(base); err != nil || address.Host == "" {
		return nil, nestor.Errorf(nestor.CodeInvalid, "anthropic needs an absolute base URL")
	}
	endpoint := to.Endpoint("anthropic", keyVariable)
	if to.APIKey == "" && base == officialURL && !llm.Authorizes(to.Headers) {
		return nil, endpoint.Key.Missing("anthropic")
	}
	// The service is made directly: the SDK's client would read the environment
	// and the user's profile for credentials.
	options := []option.RequestOption{
		option.WithBaseURL(base),
		option.WithHTTPClient(endpoint.HTTPClient()),
		option.WithMaxRetries(0),
	}
	if to.APIKey != "" {
		options = append(options, option.WithAPIKey(to.APIKey))
	}
	return &Model{
		name:     to.Model,
		owner:    "anthropic/" + to.Model,
		defaults: defaults(to.Model, o),
		extra:    extraFields(to.ExtraBody),
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
func defaults(model string, o Options) anthropic.MessageNewParams {
	p := anthropic.MessageNewParams{
		Model:        model,
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
