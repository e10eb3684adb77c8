package connection

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// settings are the fields of Connection.Data that mean something. All are
// optional.
type settings struct {
	// Temperature and MaxTokens hold for requests that do not set their own.
	Temperature *float64 `json:"temperature"`
	MaxTokens   int      `json:"maxTokens"`
	// StallTimeout is how long the server may send nothing. Defaults to 60s.
	StallTimeout nestor.Duration `json:"stallTimeout"`
	// XMLTools has tools called in the text.
	XMLTools xmlTools `json:"xmlTools"`
	// MaxXMLCalls bounds the calls that count of one reply's text. Defaults to all.
	MaxXMLCalls int `json:"maxXmlCalls"`
	// Media says which images and files the model is shown. Defaults to what its
	// provider takes.
	Media media `json:"media"`
	// Effort is how hard the model thinks: low, medium, high or what else it
	// knows.
	Effort string `json:"effort"`
	// ShowThinking asks anthropic and gemini for an account of the thinking.
	ShowThinking bool `json:"showThinking"`
	// ThinkingBudget is for older models of anthropic, in tokens.
	ThinkingBudget int `json:"thinkingBudget"`
	// ReplayReasoning is for compatible servers that want reasoning sent back.
	ReplayReasoning bool `json:"replayReasoning"`
	// Instant makes demo answer without pauses.
	Instant bool `json:"instant"`

	// takes tells which media the model is shown. It follows from the above.
	takes func(mimeType string) bool
}

// takesMedia tells which media the provider's model is shown. Calls in XML are
// text only.
func (s *settings) takesMedia(m llm.Model) func(mimeType string) bool {
	taker, ok := m.(llm.MediaTaker)
	switch {
	case !ok || s.XMLTools == xmlInstead || s.Media.none:
		return func(string) bool { return false }
	case s.Media.kinds != nil:
		return s.Media.has
	}
	return taker.TakesMedia
}

func (c *Connection) settings() (settings, error) {
	var s settings
	data := bytes.TrimSpace(c.Data)
	if len(data) == 0 || string(data) == "null" {
		return s, nil
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return s, dataError(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return s, dataError(err)
	}
	for name := range fields {
		if soundsSecret(name) {
			return s, invalid("data."+name, "sounds like a secret, and data is not kept secret: use the field secret")
		}
	}
	switch {
	case s.MaxXMLCalls < 0:
		return s, invalid("data.maxXmlCalls", "is negative")
	case s.MaxTokens < 0:
		return s, invalid("data.maxTokens", "is negative")
	case s.ThinkingBudget < 0:
		return s, invalid("data.thinkingBudget", "is negative")
	case s.Temperature != nil && (*s.Temperature < 0 || *s.Temperature > 2):
		return s, invalid("data.temperature", "is between 0 and 2")
	}
	return s, nil
}

// xmlTools says whether tools are called in the text.
type xmlTools int

const (
	xmlNever   xmlTools = iota
	xmlInstead          // true: for models without calls of their own
	xmlBeside           // "also": they have their own, and those in the text count as well
)

// UnmarshalJSON reads true, false or "also".
func (x *xmlTools) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case "true":
		*x = xmlInstead
	case "false", "null":
		*x = xmlNever
	case `"also"`:
		*x = xmlBeside
	default:
		return invalid("data.xmlTools", `is true, false or "also"`)
	}
	return nil
}

func dataError(err error) error {
	var kind *json.UnmarshalTypeError
	var ours *nestor.Error
	switch {
	case errors.As(err, &ours):
		return invalid("data", "has a mistake: %s", ours.Message)
	case errors.As(err, &kind) && kind.Field != "":
		return invalid("data."+kind.Field, "must not be a %s", kind.Value)
	}
	return invalid("data", "must be a JSON object")
}

// soundsSecret recognises the names under which people would put a key.
func soundsSecret(name string) bool {
	switch strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name)) {
	case "apikey", "key", "secret", "secretkey", "token", "accesstoken", "password", "authorization", "bearer":
		return true
	}
	return false
}

// withDefaults fills in what requests leave open.
func withDefaults(m llm.Model, s settings) llm.Model {
	if s.Temperature == nil && s.MaxTokens == 0 {
		return m
	}
	return &defaulted{m, s}
}

type defaulted struct {
	llm.Model
	settings settings
}

func (m *defaulted) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	filled := *req
	if filled.Temperature == nil {
		filled.Temperature = m.settings.Temperature
	}
	if filled.MaxTokens == 0 {
		filled.MaxTokens = m.settings.MaxTokens
	}
	return m.Model.Generate(ctx, &filled)
}
