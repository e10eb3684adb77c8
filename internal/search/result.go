package search

import (
	"context"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
)

// ReadResult reads a tool's result that was too large to stay in a
// conversation. It is in the call's document, as always. An agent reads its own
// results only, and only while its askers may read them.
//
// ReadResult implements [builtin.Results].
func (s *Reader) ReadResult(ctx context.Context, scope tool.Scope, id string, offset, limit int) (string, int, error) {
	if scope.SubAgentID == "" {
		return "", 0, nestor.Errorf(nestor.CodeInvalid, "only an agent has results to read")
	}
	if err := nestor.CheckID(id); err != nil {
		return "", 0, err
	}
	p := chatOf(scope).Child("sub-agents", scope.SubAgentID).Child("tool-calls", id)
	var call nestor.ToolCall
	err := s.documents.View(ctx, func(all store.Reader) error {
		tx, err := askingFor(s.rules, all, scope)
		if err != nil {
			return err
		}
		d, err := tx.Get(p)
		if err != nil {
			return nestor.Errorf(nestor.CodeNotFound, "there is no result %s", id)
		}
		call, err = nestor.As[nestor.ToolCall](d)
		return err
	})
	if err != nil {
		return "", 0, err
	}
	text := []rune(call.Result)
	from := min(offset, len(text))
	return string(text[from:min(from+limit, len(text))]), len(text), nil
}
