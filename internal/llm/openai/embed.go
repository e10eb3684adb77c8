package openai

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// embedRequest is a request for vectors.
type embedRequest struct {
	Model          string   `json:"model"`
	Input          []string `json:"input"`
	EncodingFormat string   `json:"encoding_format"`
}

type embedResponse struct {
	Data []struct {
		// Index says which text the vector is of. Servers that leave it out keep the
		// order.
		Index     *int   `json:"index"`
		Embedding vector `json:"embedding"`
	} `json:"data"`
	Usage usage `json:"usage"`
}

// vector is a list of numbers, or the same as little-endian bytes in base64,
// which some servers send even if asked for numbers.
type vector []float32

// UnmarshalJSON implements [json.Unmarshaler].
func (v *vector) UnmarshalJSON(text []byte) error {
	if !bytes.HasPrefix(text, []byte(`"`)) {
		return json.Unmarshal(text, (*[]float32)(v))
	}
	var encoded string
	if err := json.Unmarshal(text, &encoded); err != nil {
		return err
	}
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return err
	}
	for len(raw) >= 4 {
		*v = append(*v, math.Float32frombits(binary.LittleEndian.Uint32(raw)))
		raw = raw[4:]
	}
	if len(raw) > 0 {
		return nestor.Errorf(nestor.CodeUnavailable, "openai sent a vector that ends within a number")
	}
	return nil
}

// Embed implements [llm.Embedder].
func (m *Model) Embed(ctx context.Context, texts []string) (llm.Embeddings, error) {
	return m.endpoint.EmbedWith(ctx, texts, func(ctx context.Context) (llm.Embeddings, error) {
		body, err := json.Marshal(embedRequest{Model: m.name, Input: texts, EncodingFormat: "float"})
		if err != nil {
			return llm.Embeddings{}, err
		}
		res, err := m.caller.Post(ctx, "embeddings", body)
		if err != nil {
			return llm.Embeddings{}, err
		}
		defer func() { _ = res.Body.Close() }()
		var r embedResponse
		if err := json.NewDecoder(res.Body).Decode(&r); err != nil {
			return llm.Embeddings{}, err
		}
		vectors, err := r.ordered(len(texts))
		return llm.Embeddings{Vectors: vectors, Usage: llm.Usage{Input: r.Usage.PromptTokens}}, err
	})
}

// ordered are the vectors in the order of the texts.
func (r *embedResponse) ordered(texts int) ([][]float32, error) {
	if len(r.Data) != texts {
		return nil, nestor.Errorf(nestor.CodeUnavailable, "openai sent %d vectors for %d texts", len(r.Data), texts)
	}
	vectors := make([][]float32, texts)
	for i, one := range r.Data {
		if one.Index != nil {
			i = *one.Index
		}
		if i < 0 || i >= texts || vectors[i] != nil {
			return nil, nestor.Errorf(nestor.CodeUnavailable, "openai sent two vectors for one text, or one for a text that it was not given")
		}
		vectors[i] = one.Embedding
	}
	return vectors, nil
}
