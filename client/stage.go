package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/nestorhq/nestor"
)

// Op is what an [Operation] does.
type Op string

// The operations.
const (
	Create Op = "create"
	Put    Op = "put"
	Patch  Op = "patch"
	Delete Op = "delete"
)

// Operation is one write of a batch.
type Operation struct {
	Op   Op          `json:"op"`
	Path nestor.Path `json:"path"`
	// Body is the document, or what a patch changes; nil for a delete.
	Body any `json:"body,omitempty"`
	// IfMatch is the version that must be there, 0 for any.
	IfMatch int64 `json:"ifMatch,omitempty"`
}

// Written is what became of an operation: the version of the document, 0 after a
// delete.
type Written struct {
	Path    nestor.Path `json:"path"`
	Version int64       `json:"version"`
}

// Read reads the document at p into a T, a struct such as [nestor.Task] or one of
// your own.
func Read[T any](ctx context.Context, c *Client, p nestor.Path) (*T, error) {
	return do[T](ctx, c, http.MethodGet, "/docs/"+escaped(p), nil)
}

// Batch carries out all operations or, if one is refused, none: then the
// error's details have its index and path. A batch that is repeated with the
// same key, which the caller chooses, is carried out once and gets the same
// answer. The key may be "".
func (c *Client) Batch(ctx context.Context, key string, operations ...Operation) ([]Written, error) {
	var header http.Header
	if key != "" {
		header = http.Header{"Idempotency-Key": {key}}
	}
	answer, err := doWith[struct {
		Written []Written `json:"written"`
	}](ctx, c, http.MethodPost, "/batch", map[string]any{"operations": operations}, header)
	if err != nil {
		return nil, err
	}
	return answer.Written, nil
}

// Words are what is said in a draft at once. Without any text they tell that
// the writer is still there.
type Words struct {
	// Restart voids what was said before.
	Restart   bool   `json:"restart,omitempty"`
	Reasoning string `json:"reasoning,omitempty"`
	Text      string `json:"text,omitempty"`
	// Drop ends the draft: nothing will come of it.
	Drop bool `json:"drop,omitempty"`
}

// SayInDraft shows those who follow a chat what is being said in the message at
// p, before it is written. The draft ends when the message is, or a minute after
// its writer fell silent.
func (c *Client) SayInDraft(ctx context.Context, p nestor.Path, w Words) error {
	_, err := do[struct{}](ctx, c, http.MethodPost, "/drafts/"+escaped(p), w)
	return err
}

// escaped is a path as it stands in a URL.
func escaped(p nestor.Path) string { return (&url.URL{Path: string(p)}).EscapedPath() }
