package crashtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/records/doctool"
	"github.com/nestorhq/nestor/internal/domain/records/record"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
)

// An agent writes a document, and its next version. A process that begins again makes the
// same calls, as the runner of tools does.

var writeDocumentMatrix = matrix{
	name: "write-document", program: writeDocument, kinds: []kind{afterCommit},
	whole: func(t *trial, l *life) {
		if len(l.end) != 2 || !strings.HasPrefix(l.end[1], "2 ") || !containsAll(l.end[1], "second", "writer", "call1", person) {
			t.Errorf("uninterrupted it left %q", l.end)
		}
	},
}

// A process that is killed within a call of write_document has written its version once or
// not at all, and who goes on finds it, with who wrote it.
func TestADocumentWhoseWriterIsKilledIsWrittenOnce(t *testing.T) { writeDocumentMatrix.test(t) }

func writeDocument(ctx context.Context, l *life) ([]string, error) {
	s, _, err := l.openModules(ctx, module.List{module.Of[struct{}]{Name: "records", Collections: record.Collections}})
	if err != nil {
		return nil, err
	}
	agent := record.Of(person).Child("orch-chats", "c1").Child("sub-agents", "a1")
	err = s.Update(ctx, func(tx store.Tx) error {
		_, err := tx.Create(agent, map[string]any{"role": "writer", "taskId": "t1"})
		return err
	})
	if err != nil && !errors.Is(err, nestor.ErrExists) {
		return nil, err
	}
	tools := doctool.Tools(s)
	write := tools[slices.IndexFunc(tools, func(t *tool.Tool) bool { return t.Name == doctool.Write })]
	based := ""
	for i, content := range []string{"first", "second"} {
		arguments, err := json.Marshal(map[string]any{"title": "Plan", "content": content, "based_on": based})
		if err != nil {
			return nil, err
		}
		call := tool.Call{
			Scope: tool.Scope{UserID: person, AskedBy: nestor.Askers{person}, ChatID: "c1", SubAgentID: "a1"},
			ID:    fmt.Sprint("call", i), IdempotencyKey: fmt.Sprint("key", i), Name: write.Name, Arguments: string(arguments),
		}
		result := tool.Execute(ctx, write, call, tool.Options{})
		var out struct{ ID string }
		if err := json.Unmarshal([]byte(result.Output), &out); err != nil || result.Status != nestor.ToolCallSuccess {
			return nil, fmt.Errorf("the call ended as %s: %s", result.Status, result.Error)
		}
		based = out.ID
	}
	return versionsWritten(ctx, s)
}

// versionsWritten tells all versions of all documents, and who wrote them.
func versionsWritten(ctx context.Context, s store.Store) (lines []string, err error) {
	err = s.View(ctx, func(r store.Reader) error {
		lines = nil
		page, err := r.Query(store.Query{Flat: record.TextDocuments.Name})
		if err != nil {
			return err
		}
		for _, d := range page.Items {
			v, err := nestor.As[record.TextDocument](d)
			if err != nil {
				return err
			}
			lines = append(lines, fmt.Sprintf("%d %s of %s: %s, by %+v", v.Number, v.ID, v.FirstID, v.Content, *v.WrittenBy))
		}
		slices.Sort(lines)
		return nil
	})
	return lines, err
}
