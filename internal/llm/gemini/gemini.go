// Package gemini talks to the Gemini API.
package gemini

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

const (
	officialURL = "https://generativelanguage.googleapis.com"
	keyVariable = "GEMINI_API_KEY"
	version     = "v1beta"
)

// Options are what only this provider knows. All are optional.
type Options struct {
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
	thinking *thinkingConfig
	extra    []byte // the extra fields, without the braces around them
	endpoint *llm.Endpoint
	caller   *llm.Caller
}

// New checks the target and returns a model. It makes no request.
func New(to llm.Target, o Options) (*Model, error) {
	name := strings.TrimPrefix(to.Model, "models/")
	if name == "" {
		return nil, nestor.Errorf(nestor.CodeInvalid, "gemini needs the name of a model")
	}
	if strings.ContainsAny(name, "?&#%") || strings.Contains(name, "..") {
		return nil, nestor.Errorf(nestor.CodeInvalid, "%q is not the name of a gemini model", name) // it is part of the address
	}
	endpoint := to.Endpoint("gemini", keyVariable)
	if to.APIKey == "" {
		return nil, endpoint.Key.Missing("gemini")
	}
	extra, err := llm.ExtraFields(to.ExtraBody)
	if err != nil {
		return nil, err
	}
	caller, err := endpoint.Caller(cmp.Or(to.BaseURL, officialURL), http.Header{"X-Goog-Api-Key": {to.APIKey}})
	if err != nil {
		return nil, err
	}
	m := &Model{name: name, owner: "gemini/" + name, extra: extra, endpoint: endpoint, caller: caller}
	if o.ShowThoughts || o.ThinkingLevel != "" {
		m.thinking = &thinkingConfig{IncludeThoughts: o.ShowThoughts, ThinkingLevel: strings.ToUpper(o.ThinkingLevel)}
	}
	return m, nil
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
		res, err := m.caller.Post(ctx, m.path(), body)
		if err != nil {
			return err
		}
		defer func() { _ = res.Body.Close() }()
		d := decoder{w: w, owner: m.owner}
		events := llm.NewEventStream(res.Body)
		for events.Next() {
			if err := m.event(events.Data(), &d); err != nil {
				return err
			}
		}
		return events.Err()
	})
}

func (m *Model) path() string { return version + "/" + m.resource() + ":streamGenerateContent?alt=sse" }

// resource is what the model is called in addresses. The names of tuned models say
// where they are, the others are short.
func (m *Model) resource() string {
	if strings.HasPrefix(m.name, "tunedModels/") {
		return m.name
	}
	return "models/" + m.name
}

func (m *Model) event(data []byte, d *decoder) error {
	var r response
	if err := json.Unmarshal(data, &r); err != nil {
		return err
	}
	if r.failed() {
		return m.endpoint.Rejected(data)
	}
	return d.response(&r)
}
