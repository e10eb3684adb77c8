package crashtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/records/doctool"
	"github.com/nestorhq/nestor/internal/domain/records/record"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/tool"
)

// An agent writes a document, and its next version. A process that begins again makes the
// same calls, as the runner of tools does.

func runWriteDocument(ctx context.Context, c *child) error {
	fail := &failpoints{killPoint: c.Kill}
	state, err := writeDocument(ctx, c.Database, fail)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(report{fail.passed(), state})
}

func writeDocument(ctx context.Context, db engines.Place, fail *failpoints) ([]string, error) {
	kinds, err := store.NewCatalogue(record.Collections...)
	if err != nil {
		return nil, err
	}
	s, err := db.Open(ctx, store.Options{
		Rules: store.Rules{Catalogue: kinds}, Modules: []store.Schema{{Module: "records", Collections: record.Collections}}, Committed: fail.committed,
	})
	if err != nil {
		return nil, err
	}
	defer s.Close()
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

// A process that is killed within a call of write_document has written its version once or
// not at all, and who goes on finds it, with who wrote it.
func TestADocumentWhoseWriterIsKilledIsWrittenOnce(t *testing.T) {
	for _, engine := range engines.Names {
		t.Run(engine, func(t *testing.T) {
			passed := &failpoints{}
			want, err := writeDocument(t.Context(), engines.New(t, engine), passed)
			if err != nil {
				t.Fatal(err)
			}
			if len(want) != 2 || !strings.HasPrefix(want[1], "2 ") || !containsAll(want[1], "second", "writer", "call1", person) {
				t.Fatalf("uninterrupted it left %q", want)
			}
			for commit := 1; commit <= passed.passed().Commit; commit++ {
				db := engines.New(t, engine)
				if !dieIn(t, "write-document", db, "", killPoint{Commit: commit}) {
					t.Fatal("it was not killed")
				}
				got, err := writeDocument(t.Context(), db, &failpoints{})
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, want) {
					t.Errorf("killed after commit %d the end state differs:%s", commit, differences(want, got))
				}
			}
		})
	}
}
