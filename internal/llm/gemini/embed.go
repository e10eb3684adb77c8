package gemini

import (
	"context"
	"encoding/json"

	"github.com/nestorhq/nestor/internal/llm"
)

type embedRequest struct {
	Requests []embedOne `json:"requests"`
}

type embedOne struct {
	Model   string       `json:"model"`
	Content embedContent `json:"content"`
}

type embedContent struct {
	Parts []embedPart `json:"parts"`
}

type embedPart struct {
	Text string `json:"text"`
}

// embedResponse has the vectors in the order of the requests.
type embedResponse struct {
	Embeddings []struct {
		Values []float32 `json:"values"`
	} `json:"embeddings"`
	UsageMetadata struct {
		PromptTokenCount int64 `json:"promptTokenCount"`
	} `json:"usageMetadata"`
}

// Embed implements [llm.Embedder].
func (m *Model) Embed(ctx context.Context, texts []string) (llm.Embeddings, error) {
	return m.endpoint.EmbedWith(ctx, texts, func(ctx context.Context) (made llm.Embeddings, err error) {
		var all embedRequest
		for _, text := range texts {
			all.Requests = append(all.Requests, embedOne{Model: m.resource(), Content: embedContent{Parts: []embedPart{{text}}}})
		}
		body, err := json.Marshal(all)
		if err != nil {
			return made, err
		}
		res, err := m.caller.Post(ctx, version+"/"+m.resource()+":batchEmbedContents", body)
		if err != nil {
			return made, err
		}
		defer func() { _ = res.Body.Close() }()
		var r embedResponse
		if err := json.NewDecoder(res.Body).Decode(&r); err != nil {
			return made, err
		}
		for _, one := range r.Embeddings {
			made.Vectors = append(made.Vectors, one.Values)
		}
		made.Usage.Input = r.UsageMetadata.PromptTokenCount
		return made, nil
	})
}
