package builtin

import (
	"context"
	"fmt"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/tool"
)

const searchDocumentsDescription = `Searches the user's stored chats, messages and tasks and returns the newest that hold every key word, as written, with a passage. Use it before you say that you do not know what the user may have told you earlier. It does not search the web.`

const maxHits = 20

func searchDocuments(documents Searcher) *tool.Tool {
	type input struct {
		Query string `json:"query" jsonschema:"key words"`
		Limit int    `json:"limit,omitempty" jsonschema:"1 to 20; 5 if left out"`
	}
	spec := tool.Spec{Name: "search_documents", Description: searchDocumentsDescription, Effect: tool.Pure}
	return tool.Func(spec, func(ctx context.Context, call tool.Call, in input) (string, error) {
		if in.Limit == 0 {
			in.Limit = 5
		}
		switch {
		case documents == nil:
			return "", nestor.Errorf(nestor.CodeUnavailable, "there is no store of documents to search here")
		case call.UserID == "":
			return "", nestor.Errorf(nestor.CodeForbidden, "there is no user whose documents could be searched")
		case strings.TrimSpace(in.Query) == "":
			return "", nestor.Errorf(nestor.CodeInvalid, "query is empty")
		case in.Limit < 1 || in.Limit > maxHits:
			return "", nestor.Errorf(nestor.CodeInvalid, "limit is %d; give 1 to %d", in.Limit, maxHits)
		}
		hits, err := documents.Search(ctx, call.Scope, in.Query, in.Limit)
		if err != nil {
			return "", err
		}
		if len(hits) == 0 {
			return "No documents match.", nil
		}
		var b strings.Builder
		for i, h := range hits {
			fmt.Fprintf(&b, "%d. %s (%s)\n   %s\n", i+1, h.Title, h.Path, strings.Join(strings.Fields(h.Snippet), " "))
		}
		return strings.TrimSpace(b.String()), nil
	})
}
