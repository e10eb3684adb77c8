// Package builtin holds the tools that come with Nestor. Each says in its
// description, which is what a model sees, what it is for and what it cannot
// do; each works as it is or says plainly what it needs.
package builtin

import (
	"context"
	"time"

	"github.com/nestorhq/nestor/internal/tool"
)

// Options are what the built-in tools depend on.
type Options struct {
	// Now tells the time. Defaults to time.Now.
	Now func() time.Time
	// AllowPrivate lets web_fetch read addresses that are not on the public
	// internet. Defaults to false.
	AllowPrivate bool
	// TavilyKey is the API key of tavily_search. Without it the tool says which
	// variable to set.
	TavilyKey string
	// TavilyURL is the base address of the search API. Defaults to
	// https://api.tavily.com.
	TavilyURL string
	// Documents is what search_documents searches. Without it the tool says
	// that there is nothing to search.
	Documents Searcher
	// Results is what read_result reads. Without it the tool says that there is
	// nothing to read.
	Results Results
}

// Searcher finds documents.
type Searcher interface {
	// Search finds what all of those may read on whose behalf it is called, and
	// nothing that others who read the chat could not see by themselves.
	Search(ctx context.Context, scope tool.Scope, query string, limit int) ([]Hit, error)
}

// Hit is one document found.
type Hit struct {
	Path    string
	Title   string
	Snippet string
}

// Results reads results that were too large to stay in a conversation.
type Results interface {
	// ReadResult returns up to limit characters of a result from offset on, and
	// the number of characters it has in all. It must not look beyond the scope.
	ReadResult(ctx context.Context, scope tool.Scope, id string, offset, limit int) (text string, total int, err error)
}

// Tools makes all built-in tools, always the same ones in the same order.
func Tools(o Options) []*tool.Tool {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.TavilyURL == "" {
		o.TavilyURL = "https://api.tavily.com"
	}
	return []*tool.Tool{
		calculator(),
		currentTime(o.Now),
		webFetch(o.AllowPrivate),
		tavilySearch(o.TavilyURL, o.TavilyKey),
		searchDocuments(o.Documents),
		readResult(o.Results),
	}
}
