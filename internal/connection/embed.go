package connection

import (
	"context"
	"errors"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// noEmbedding is the embeddingModel of a connection that is to make no vectors.
const noEmbedding = "none"

// defaultEmbeddings are the models that make vectors at the providers' own
// addresses. Other servers may have any models, or none.
var defaultEmbeddings = map[string]string{OpenAI: "text-embedding-3-small", Gemini: "gemini-embedding-001"}

// embeddingModel is the model that makes vectors, "" if none does.
func (c *Connection) embeddingModel() string {
	switch {
	case c.EmbeddingModel == noEmbedding:
		return ""
	case c.EmbeddingModel != "":
		return strings.TrimSpace(c.EmbeddingModel)
	case c.BaseURL != "":
		return ""
	}
	return defaultEmbeddings[c.AccessFormat]
}

// Embedder returns what makes vectors behind a connection of a user, with the
// connection's limit and retries, nil if the connection has none. "" means the user's
// default, and "default" the environment's. It has no fallback: vectors of another
// model could not be compared. What it takes counts against the user's budget
// and is recorded as used by them, as with tests. Embed takes any number of
// texts.
func (s *Connections) Embedder(ctx context.Context, userID, id string) (llm.Embedder, error) {
	e, err := s.load(ctx, userID, id)
	if err != nil {
		return nil, err
	}
	b, err := s.build(userID, e)
	if err != nil || b.embedder == nil {
		return nil, errors.Join(err, b.embedderErr)
	}
	return &charged{b.embedder, s, userID}, nil
}

// bareEmbedder returns the provider's model that makes vectors, nil if there is none.
func (s *Connections) bareEmbedder(userID string, e entry) (llm.Embedder, error) {
	e.ModelID = e.embeddingModel()
	if e.ModelID == "" {
		return nil, nil
	}
	e.ExtraBody = nil // they are for calls
	m, err := s.provider(userID, e, s.client(e))
	if err != nil {
		return nil, err
	}
	made, ok := m.(llm.Embedder)
	if !ok {
		return nil, nil
	}
	if e.confined {
		made = publicEmbedder{made}
	}
	return made, nil
}

// charged makes vectors at the cost of a user.
type charged struct {
	llm.Embedder
	connections *Connections
	user        string
}

// Embed implements [llm.Embedder]. Each request is paid for on its own, so that
// what was made before one fails is paid for.
func (c *charged) Embed(ctx context.Context, texts []string) (all llm.Embeddings, err error) {
	for len(texts) > 0 {
		some := texts[:min(len(texts), llm.MaxTexts)]
		texts = texts[len(some):]
		b, err := c.connections.reserve(ctx, c.user, c, llm.Usage{Input: llm.EmbedTokens(some)})
		if err != nil {
			return all, err
		}
		made, err := c.Embedder.Embed(ctx, some)
		b.used = made.Usage
		if err := errors.Join(err, c.connections.settle(ctx, b)); err != nil {
			return all, err
		}
		all.Vectors = append(all.Vectors, made.Vectors...)
		all.Usage.Input += made.Usage.Input
		all.Usage.Estimated = all.Usage.Estimated || made.Usage.Estimated
		if len(all.Vectors[0]) != len(made.Vectors[0]) {
			return llm.Embeddings{Usage: all.Usage}, nestor.Errorf(nestor.CodeUnavailable, "%s made vectors of %d and of %d dimensions",
				c.Name(), len(all.Vectors[0]), len(made.Vectors[0]))
		}
	}
	return all, nil
}

// publicEmbedder does for embedders what publicOnly does for models.
type publicEmbedder struct{ llm.Embedder }

func (p publicEmbedder) Embed(ctx context.Context, texts []string) (llm.Embeddings, error) {
	made, err := p.Embedder.Embed(ctx, texts)
	if errors.Is(err, nestor.ErrForbidden) {
		err = private("its name leads to a private address")
	}
	return made, err
}
