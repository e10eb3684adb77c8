package connection

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// The access formats: how the server behind a connection is spoken to.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
	Gemini    = "gemini"
	Demo      = "demo"
)

// Default is the id of the environment's connection. It is called where none is
// named, unless the user chose another; see [Connections.MakeDefault].
const Default = "default"

// Connection says how to reach one model. It never holds the secret.
type Connection struct {
	nestor.Meta
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// AccessFormat is openai, anthropic, gemini or demo. Every server that is
	// compatible with OpenAI is openai with a base URL.
	AccessFormat string `json:"accessFormat"`
	// ProviderID names who runs the model, for people. Defaults to the format.
	ProviderID string `json:"providerId,omitempty"`
	ModelID    string `json:"modelId"`
	// BaseURL defaults to the provider's own.
	BaseURL string `json:"baseUrl,omitempty"`
	// Data is a JSON object with settings of the model; see [settings]. Other
	// fields are kept and mean nothing.
	Data json.RawMessage `json:"data,omitempty"`
	// RetryPolicy defaults to 3 attempts, 500ms doubling up to 30s.
	RetryPolicy nestor.RetryPolicy `json:"retryPolicy,omitzero"`
	// FallbackID is the connection to ask while this one fails for a passing
	// reason. Defaults to none.
	FallbackID string `json:"fallbackId,omitempty"`
	// Concurrency is how many calls this process makes at once. Defaults to no
	// limit.
	Concurrency int `json:"concurrency,omitempty"`
	// EmbeddingModel makes vectors of texts, by which they are compared. Defaults to
	// text-embedding-3-small at OpenAI and gemini-embedding-001 at Google, and to
	// none elsewhere; "none" is none.
	EmbeddingModel string `json:"embeddingModel,omitempty"`
	// ContextTokens is the size from which a conversation with the model is
	// condensed. Defaults to the server's --context-tokens.
	ContextTokens int `json:"contextTokens,omitempty"`
	// Price is what the model costs. Defaults to the list price, if there is one.
	Price *llm.Price `json:"price,omitempty"`
	// ExtraBody are fields of the request that Nestor does not know of, sent as
	// they are.
	ExtraBody map[string]json.RawMessage `json:"extraBody,omitempty"`
	// HeaderNames are the names of the headers that are sent with every request.
	// Their values are kept like the secret. The server sets it.
	HeaderNames []string `json:"headerNames,omitempty"`
	// HasSecret says that a secret is stored. The server sets it.
	HasSecret bool `json:"hasSecret"`
	// ReadOnly marks a connection that nobody saved: the environment's, or one of
	// the program that runs the server.
	ReadOnly bool `json:"readOnly,omitempty"`
	// Default marks the user's default: the connection that is called where none is
	// named. The server sets it.
	Default bool `json:"default,omitempty"`
}

// Limits on what a connection may ask for.
const (
	maxAttempts    = 20
	maxConcurrency = 10_000
	maxText        = 2_000
	maxContext     = 100_000_000
	maxHeaders     = 32
	maxExtraBody   = 64 << 10
)

// check reports the first thing that is wrong with c and fills its defaults.
func (c *Connection) check() error {
	switch c.AccessFormat {
	case OpenAI, Anthropic, Gemini:
	case Program:
		if !c.ReadOnly {
			return invalid("accessFormat", "%q is for the program that runs the server", Program)
		}
	case Demo:
		if c.ModelID == "" {
			c.ModelID = Demo
		}
	default:
		return invalid("accessFormat", "is openai, anthropic, gemini or demo, not %q", c.AccessFormat)
	}
	if c.ProviderID == "" {
		c.ProviderID = c.AccessFormat
	}
	if c.Name == "" {
		c.Name = c.ID
	}
	switch {
	case strings.TrimSpace(c.ModelID) == "":
		return invalid("modelId", "is missing: say which model to call")
	case len(c.Name) > maxText || len(c.Description) > maxText || len(c.ModelID) > maxText || len(c.ProviderID) > maxText || len(c.EmbeddingModel) > maxText:
		return invalid("name", "and the other texts have at most %d bytes each", maxText)
	case c.RetryPolicy.MaxAttempts < 0 || c.RetryPolicy.MaxAttempts > maxAttempts:
		return invalid("retryPolicy.maxAttempts", "is between 1 and %d", maxAttempts)
	case c.Concurrency < 0 || c.Concurrency > maxConcurrency:
		return invalid("concurrency", "is between 0, no limit, and %d", maxConcurrency)
	case c.ContextTokens < 0 || c.ContextTokens > maxContext:
		return invalid("contextTokens", "is between 0, the server's, and %d", maxContext)
	case c.EmbeddingModel != "" && c.EmbeddingModel != noEmbedding && c.AccessFormat != OpenAI && c.AccessFormat != Gemini:
		return invalid("embeddingModel", "is for connections of the format openai or gemini")
	case c.FallbackID != "" && c.FallbackID == c.ID:
		return invalid("fallbackId", "must be another connection")
	}
	if err := checkBaseURL(c.BaseURL); err != nil {
		return err
	}
	if err := c.Price.Check(); err != nil {
		return err
	}
	if err := checkExtraBody(c.ExtraBody); err != nil {
		return err
	}
	_, err := c.settings()
	return err
}

// checkBaseURL does not repeat the address in errors: it may hold a secret.
func checkBaseURL(text string) error {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return invalid("baseUrl", "is an address such as http://localhost:11434/v1")
	case u.User != nil:
		return invalid("baseUrl", "must not hold a name or password: those belong into the secret")
	case u.RawQuery != "" || u.Fragment != "":
		return invalid("baseUrl", "must end with its path")
	}
	return nil
}

// origin is where a secret may be sent. It is never sent elsewhere.
func (c *Connection) origin() string { return c.AccessFormat + " " + c.BaseURL }

// invalid says what is wrong with a field, in words and for programs.
func invalid(field, format string, args ...any) error {
	e := nestor.Errorf(nestor.CodeInvalid, field+" "+format, args...)
	return e.With("field", field)
}
