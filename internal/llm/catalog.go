package llm

import "context"

// ModelInfo is a model as its provider lists it.
type ModelInfo struct {
	// ID is the name to call it by.
	ID string `json:"id"`
	// Name is for people. Empty if the provider gives none.
	Name string `json:"name,omitempty"`
	// ContextTokens is how many tokens it takes in, 0 if the provider does not
	// tell.
	ContextTokens int `json:"contextTokens,omitempty"`
}

// Catalog is a model whose provider lists what else it offers.
type Catalog interface {
	// Models returns the models of the provider, in its order, at most
	// [MaxListed] of them.
	Models(ctx context.Context) ([]ModelInfo, error)
}

// MaxListed bounds a list of models.
const MaxListed = 2000

// Sized is a model that knows from how many tokens on a conversation with it is
// condensed.
type Sized interface {
	// ContextTokens is 0 if it is not known.
	ContextTokens() int
}
