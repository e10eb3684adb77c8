// Package search reads for tools, by the rights of the askers: documents that
// they look for, and results of calls that were too large to stay in a
// conversation.
package search

import (
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/store"
)

// Reader reads for tools, by the rights of the askers.
type Reader struct {
	documents store.Documents
	rules     *rules.Engine
}

// New returns a reader of s, limited by rules.
func New(s store.Documents, may *rules.Engine) *Reader { return &Reader{s, may} }
