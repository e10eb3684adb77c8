package llm

import (
	"cmp"
	"encoding/json"
	"net/http"
	"time"
)

// Target says which model is called, where and how. Every provider takes one.
type Target struct {
	// Model is the model's name, for example "gpt-5". Required.
	Model string
	// APIKey is required by the providers themselves; many servers that are
	// compatible with OpenAI need none.
	APIKey string
	// BaseURL is the address without the version, but for OpenAI with it, for
	// example "http://localhost:11434/v1". Defaults to the provider's own.
	BaseURL string
	// HTTPClient sends the requests. Defaults to one without a time limit.
	HTTPClient *http.Client
	// StallTimeout is how long the server may send nothing, which includes the
	// time it loads a model or thinks in silence. Defaults to 60 s.
	StallTimeout time.Duration
	// Connection names the model connection in messages about its key. Defaults
	// to none: then they name KeyVariable.
	Connection string
	// KeyVariable is the environment variable that holds the key. Defaults to the
	// one that the provider's own SDK reads.
	KeyVariable string
	// Headers are sent with every request.
	Headers map[string]string
	// ExtraBody are fields of the request that Nestor does not know of.
	ExtraBody map[string]json.RawMessage
}

// Endpoint is the HTTP side of a provider for the target. The environment
// variable is the one that holds the key by default.
func (t *Target) Endpoint(provider, variable string) *Endpoint {
	return &Endpoint{
		Provider:     provider,
		Key:          KeyName{Connection: t.Connection, Variable: cmp.Or(t.KeyVariable, variable)},
		APIKey:       t.APIKey,
		Headers:      t.Headers,
		Client:       t.HTTPClient,
		StallTimeout: t.StallTimeout,
	}
}
