package connection

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/anthropic"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/llm/gemini"
	"github.com/nestorhq/nestor/internal/llm/openai"
	"github.com/nestorhq/nestor/internal/llm/tokens"
	"github.com/nestorhq/nestor/internal/tool/xmlcall"
)

// Open returns the model behind a connection of a user, with the connection's
// limit, retries, way of calling tools and fallbacks. "" means the user's default, and
// "default" the environment's. All models that Open returns for one state of a connection
// share its concurrency limit.
func (s *Connections) Open(ctx context.Context, userID, id string) (llm.Model, error) {
	var chain []llm.Model
	var whole opened
	seen := map[string]bool{}
	for len(chain) == 0 || id != "" {
		e, err := s.load(ctx, userID, id)
		if err != nil {
			return nil, err
		}
		if seen[e.ID] {
			return nil, nestor.Errorf(nestor.CodeInvalid, "the fallbacks of model connection %s lead in a circle", e.ID)
		}
		seen[e.ID] = true
		m, takes, err := s.model(userID, e)
		if err != nil {
			return nil, err
		}
		chain = append(chain, m)
		if e.ContextTokens > 0 && (whole.tokens == 0 || e.ContextTokens < whole.tokens) {
			whole.tokens = e.ContextTokens
		}
		whole.prices = append(whole.prices, priced{m, e.price()})
		whole.takes = append(whole.takes, takes)
		id = e.FallbackID
	}
	whole.Model = chain[len(chain)-1]
	for i := len(chain) - 2; i >= 0; i-- {
		whole.Model = llm.Fallback(chain[i], whole.Model)
	}
	if s.opts.Failed != nil {
		whole.failed = func(took time.Duration) { s.opts.Failed(userID, whole.Name(), took) }
	}
	return &whole, nil
}

// opened is a model with what its connections say of it. Of a chain of
// fallbacks the smallest size and the highest price count, since any of them
// may answer.
type opened struct {
	llm.Model
	tokens int
	prices []priced
	takes  []func(mimeType string) bool
	failed func(took time.Duration) // may be nil
}

// Generate implements [llm.Model].
func (m *opened) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		began := time.Now()
		for ev, err := range m.Model.Generate(ctx, req) {
			if err != nil && ctx.Err() == nil && m.failed != nil {
				m.failed(time.Since(began))
			}
			if !yield(ev, err) {
				return
			}
		}
	}
}

// ContextTokens implements [llm.Sized].
func (m *opened) ContextTokens() int { return m.tokens }

// Cost implements [llm.Priced].
func (m *opened) Cost(u llm.Usage) (most llm.Money, known bool) {
	for _, p := range m.prices {
		cost, ok := p.Cost(u)
		if !ok {
			return 0, false
		}
		most = max(most, cost)
	}
	return most, true
}

// TakesMedia implements [llm.MediaTaker]: one of the models takes it. The
// others are not shown such media.
func (m *opened) TakesMedia(mimeType string) bool {
	return slices.ContainsFunc(m.takes, func(takes func(string) bool) bool { return takes(mimeType) })
}

// built is a model and the state of the connection it was made from.
type built struct {
	connection, secret int64 // positions in the change log
	confined           bool
	model              llm.Model
	takes              func(mimeType string) bool
	embedder           llm.Embedder // nil: it has none
	embedderErr        error        // why it cannot be had; the model works without it
}

// model returns the model of one connection and which media it is shown. Its
// fallbacks, which change on their own, are not included.
func (s *Connections) model(userID string, e entry) (llm.Model, func(mimeType string) bool, error) {
	b, err := s.build(userID, e)
	return b.model, b.takes, err
}

// build makes what a connection leads to, or returns what was made before if the
// connection is still the same.
func (s *Connections) build(userID string, e entry) (built, error) {
	key, want := s.place(userID, e.ID), built{connection: e.Seq, confined: e.confined}
	if e.secret != nil {
		want.secret = e.secret.Seq
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if b, ok := s.models[key]; ok && b.connection == want.connection && b.secret == want.secret && b.confined == want.confined {
		return b, nil
	}
	m, set, err := s.bare(userID, e, s.client(e))
	if err != nil {
		return built{}, err
	}
	vectors, err := s.bareEmbedder(userID, e)
	want.embedderErr = err
	m = llm.Shown(m, set.takes)
	if e.Concurrency > 0 {
		places := llm.NewPlaces(e.Concurrency)
		m = llm.Limit(m, places)
		if vectors != nil {
			vectors = llm.LimitEmbed(vectors, places)
		}
	}
	policy := llm.RetryPolicy{
		MaxAttempts:    e.RetryPolicy.MaxAttempts,
		InitialBackoff: time.Duration(e.RetryPolicy.InitialBackoff),
		MaxBackoff:     time.Duration(e.RetryPolicy.MaxBackoff),
	}
	m = llm.Retry(m, policy)
	if vectors != nil {
		want.embedder = llm.RetryEmbed(vectors, policy)
	}
	if set.XMLTools != xmlNever {
		m = xmlcall.Wrap(m, xmlcall.Options{MaxCalls: set.MaxXMLCalls, Beside: set.XMLTools == xmlBeside})
	}
	want.model, want.takes = m, set.takes
	s.models[key] = want
	return want, nil
}

// place is where a connection's model is kept. Connections that nobody saved
// are shared by all users.
func (s *Connections) place(userID, id string) string {
	if _, ok := s.given(id); ok {
		return id
	}
	return userID + "/" + id
}

func (s *Connections) forget(userID, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.models, s.place(userID, id))
}

// client is what a connection is called with.
func (s *Connections) client(e entry) *http.Client {
	if e.confined {
		return s.public
	}
	return s.opts.HTTPClient
}

// bare returns the provider's model with the connection's settings.
func (s *Connections) bare(userID string, e entry, client *http.Client) (llm.Model, settings, error) {
	m, err := s.provider(userID, e, client)
	if err != nil {
		return nil, settings{}, err
	}
	set, err := e.settings()
	if err != nil {
		return nil, set, err
	}
	set.takes = set.takesMedia(m)
	if e.confined {
		m = publicOnly{m}
	}
	return priced{tokens.Counted(withDefaults(m, set)), e.price()}, set, nil
}

// provider returns the provider's model as it is.
func (s *Connections) provider(userID string, e entry, client *http.Client) (llm.Model, error) {
	if err := e.check(); err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "model connection %s: %w", e.label(), err)
	}
	set, err := e.settings()
	if err != nil {
		return nil, err
	}
	if e.ReadOnly && e.AccessFormat == Program {
		return s.opts.Models[e.ID], nil
	}
	secret, err := s.unseal(userID, e)
	if err != nil {
		return nil, err
	}
	return connect(e, set, secret, client)
}

// Credentials are what is sent with requests and shown nowhere.
type Credentials struct {
	Key string
	// Variable is where the environment's key comes from.
	Variable string
	Headers  map[string]string
}

// unseal returns a connection's secrets.
func (s *Connections) unseal(userID string, e entry) (Credentials, error) {
	switch {
	case e.ReadOnly:
		return s.secret, nil
	case e.secret == nil:
		return Credentials{}, nil
	case e.secret.Origin != e.origin():
		return Credentials{}, nestor.Errorf(nestor.CodeForbidden,
			"the secret of model connection %s was given for another accessFormat or baseUrl: save it with its secret again", e.ID)
	}
	at := secretPath(userID, e.ID)
	var open Credentials
	var err error
	if e.secret.Sealed != "" {
		if open.Key, err = s.opts.Key.Open(string(at), e.secret.Sealed); err != nil {
			return Credentials{}, err
		}
	}
	if e.secret.Headers != "" {
		text, err := s.opts.Key.Open(headersOf(at), e.secret.Headers)
		if err != nil {
			return Credentials{}, err
		}
		if err := json.Unmarshal([]byte(text), &open.Headers); err != nil {
			return Credentials{}, err
		}
	}
	return open, nil
}

func connect(e entry, set settings, secret Credentials, client *http.Client) (llm.Model, error) {
	to := llm.Target{
		Model: e.ModelID, APIKey: secret.Key, BaseURL: e.BaseURL, HTTPClient: client, StallTimeout: time.Duration(set.StallTimeout),
		Connection: e.label(), KeyVariable: secret.Variable, Headers: secret.Headers, ExtraBody: e.ExtraBody,
	}
	if e.ReadOnly {
		to.Connection = "" // messages name the variable
	}
	switch e.AccessFormat {
	case OpenAI:
		return made(openai.New(to, openai.Options{ReasoningEffort: set.Effort, ReplayReasoning: set.ReplayReasoning}))
	case Anthropic:
		return made(anthropic.New(to, anthropic.Options{Effort: set.Effort, ShowThinking: set.ShowThinking, ThinkingBudget: set.ThinkingBudget}))
	case Gemini:
		return made(gemini.New(to, gemini.Options{ThinkingLevel: set.Effort, ShowThoughts: set.ShowThinking}))
	default:
		return demo.New(demo.Options{Instant: set.Instant}), nil
	}
}

// made keeps a nil pointer from becoming a model.
func made[M llm.Model](m M, err error) (llm.Model, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}
