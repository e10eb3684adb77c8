package llm

import (
	"context"
	"math"
	"strings"

	"github.com/nestorhq/nestor"
)

// Embedder is a model that makes vectors of texts: what means something similar
// points in a similar direction. Providers implement it beside [Model] if they have
// such models. It is safe for concurrent use.
type Embedder interface {
	// Name is the model's name. Vectors of two models cannot be compared.
	Name() string
	// Embed returns a vector for each text, in their order, all of one size. The
	// texts, at most [MaxTexts], are sent in one request; none is empty.
	Embed(ctx context.Context, texts []string) (Embeddings, error)
}

// Embeddings are the vectors of some texts, and what they took.
type Embeddings struct {
	Vectors [][]float32
	Usage   Usage
}

// MaxTexts is how many texts one request has at most. All providers take more;
// with this many the answer, whose numbers are text, stays below what is read
// of one.
const MaxTexts = 32

// Bounds of a vector: its dimensions, and the size of its numbers. No model
// comes near them.
const (
	maxDimensions = 8192
	maxNumber     = 1e6
)

// maxEmbedTokens is more than any request has. A server that counts more is not
// believed.
const maxEmbedTokens = 1 << 30

// EmbedWith makes one request for vectors. It checks the texts, runs call as
// [Endpoint.Ask] does, and checks what came. Tokens that the server did not count
// are estimated.
func (e *Endpoint) EmbedWith(ctx context.Context, texts []string, call func(context.Context) (Embeddings, error)) (made Embeddings, err error) {
	if err := checkTexts(texts); err != nil {
		return Embeddings{}, err
	}
	err = e.Ask(ctx, func(ctx context.Context) error {
		made, err = call(ctx)
		return err
	})
	if err != nil {
		return Embeddings{}, err
	}
	if made.Usage.Input <= 0 || made.Usage.Input > maxEmbedTokens {
		made.Usage = Usage{Input: EmbedTokens(texts), Estimated: true}
	}
	if err := e.checkVectors(made.Vectors, len(texts)); err != nil {
		return Embeddings{Usage: made.Usage}, err // the request was made all the same
	}
	return made, nil
}

// EmbedTokens estimates how many tokens texts have.
func EmbedTokens(texts []string) (n int64) {
	for _, text := range texts {
		n += int64(EstimateTokens(text))
	}
	return n
}

func checkTexts(texts []string) error {
	if len(texts) == 0 || len(texts) > MaxTexts {
		return nestor.Errorf(nestor.CodeInvalid, "a request for vectors has 1 to %d texts, not %d", MaxTexts, len(texts))
	}
	for i, text := range texts {
		if strings.TrimSpace(text) == "" {
			return nestor.Errorf(nestor.CodeInvalid, "text %d of a request for vectors is empty", i)
		}
	}
	return nil
}

// checkVectors refuses vectors that nothing can be compared with.
func (e *Endpoint) checkVectors(vectors [][]float32, texts int) error {
	if len(vectors) != texts {
		return e.badVectors("%d vectors for %d texts", len(vectors), texts)
	}
	for i, v := range vectors {
		switch {
		case len(v) == 0 || len(v) > maxDimensions:
			return e.badVectors("a vector of %d dimensions", len(v))
		case len(v) != len(vectors[0]):
			return e.badVectors("vectors of %d and of %d dimensions in one answer", len(vectors[0]), len(v))
		}
		zero := true
		for _, x := range v {
			if x := float64(x); math.IsNaN(x) || math.Abs(x) > maxNumber {
				return e.badVectors("the number %v in vector %d", x, i)
			}
			zero = zero && x == 0
		}
		if zero {
			return e.badVectors("zeros as vector %d", i)
		}
	}
	return nil
}

func (e *Endpoint) badVectors(format string, args ...any) error {
	return nestor.Errorf(nestor.CodeUnavailable, e.Provider+" sent "+format, args...)
}

// RetryEmbed repeats requests for vectors as [Retry] does calls.
func RetryEmbed(e Embedder, policy RetryPolicy) Embedder {
	return &retryingEmbedder{e, policy.withDefaults()}
}

type retryingEmbedder struct {
	Embedder
	policy RetryPolicy
}

func (r *retryingEmbedder) Embed(ctx context.Context, texts []string) (Embeddings, error) {
	var spent int64 // by attempts whose vectors were of no use
	for attempt := 1; ; attempt++ {
		made, err := r.Embedder.Embed(ctx, texts)
		made.Usage.Input += spent
		if err == nil {
			return made, nil
		}
		wait, again := r.policy.wait(attempt, err)
		if !again {
			return made, err
		}
		spent = made.Usage.Input
		if err := Pause(ctx, wait, "the wait to call "+r.Name()+" again"); err != nil {
			return made, err
		}
	}
}

// LimitEmbed makes requests for vectors take a place each, as calls do; see [Limit].
func LimitEmbed(e Embedder, places Places) Embedder { return &limitedEmbedder{e, places} }

type limitedEmbedder struct {
	Embedder
	places Places
}

func (l *limitedEmbedder) Embed(ctx context.Context, texts []string) (Embeddings, error) {
	if err := l.places.take(ctx, l.Name()); err != nil {
		return Embeddings{}, err
	}
	defer l.places.leave()
	return l.Embedder.Embed(ctx, texts)
}
