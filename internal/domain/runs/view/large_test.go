package view_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs/view"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// counting counts the queries of a reader.
type counting struct {
	store.Reader
	queries *int
}

func (c counting) Query(q store.Query) (store.Page, error) {
	*c.queries++
	return c.Reader.Query(q)
}

// A run of 1,000 agents is read page by page with a few queries for each 200 of them, and
// what is new since then with few rows.
func TestARunOfManyAgentsTakesFewQueries(t *testing.T) {
	const agents, steps = 1000, 3
	engines.Each(t, func(t *testing.T, open engines.Database) {
		db := open(t, store.Options{})
		chat := nestor.Path("users/u").Child("orch-chats", "c")
		update := func(fn func(store.Tx) error) {
			t.Helper()
			if err := db.Update(t.Context(), fn); err != nil {
				t.Fatal(err)
			}
		}
		write := func(tx store.Tx, a int) error {
			id := fmt.Sprintf("a%04d", a)
			at := chat.Child("sub-agents", id)
			if _, err := tx.Create(chat.Child("tasks", "t"+id), nestor.Task{Type: nestor.TaskAgent, Name: "agent:general", Instruction: "x", RunID: "r", SubAgentID: id, Status: nestor.TaskSuccess}); err != nil {
				return err
			}
			if _, err := tx.Create(at, nestor.SubAgent{TaskID: "t" + id, Role: "general", RunID: "r", Status: nestor.SubAgentCompleted}); err != nil {
				return err
			}
			for s := range steps {
				m := nestor.SubAgentMessage{
					Role: nestor.RoleAssistant, Content: "said", RunID: "r",
					Metadata: &nestor.MessageMetadata{Model: "m", DurationMS: 5, Usage: &nestor.Usage{InputTokens: 2, OutputTokens: 1}},
				}
				if _, err := tx.Create(at.Child("messages", fmt.Sprintf("m%d", s)), m); err != nil {
					return err
				}
			}
			return nil
		}
		update(func(tx store.Tx) error {
			if _, err := tx.Create(chat, nestor.Chat{Title: "t"}); err != nil {
				return err
			}
			_, err := tx.Create(chat.Child("messages", "r"), nestor.Message{Role: nestor.RoleUser, Content: "Go", RunID: "r"})
			return err
		})
		for first := 0; first < agents; first += 100 {
			update(func(tx store.Tx) error {
				for a := first; a < first+100; a++ {
					if err := write(tx, a); err != nil {
						return err
					}
				}
				return nil
			})
		}
		run := &nestor.Run{
			Meta: nestor.Meta{ID: "r", Seq: 1}, UserID: "u", ChatID: "c", Kind: nestor.RunOfMessage, Root: "orch-chats/c/messages/r", Status: nestor.RunRunning,
			BeganAt: nestor.Millis(time.Now()) - 1000,
		}
		// read reads the tree from a position, all pages of it.
		read := func(since int64) (rows int, used *nestor.Usage, seq int64, queries, pages int) {
			t.Helper()
			for cursor := ""; ; {
				var tree view.RunTree
				if err := db.View(t.Context(), func(r store.Reader) (err error) {
					tree, err = view.Read(counting{r, &queries}, run, view.Asked{Cursor: cursor, Since: since})
					return err
				}); err != nil {
					t.Fatal(err)
				}
				for _, row := range tree.Rows {
					used = used.Add(row.Usage)
				}
				rows, pages, seq = rows+len(tree.Rows), pages+1, max(seq, tree.Seq)
				if cursor = tree.Next; cursor == "" {
					return rows, used, seq, queries, pages
				}
			}
		}
		began := time.Now()
		rows, used, seq, queries, pages := read(0)
		t.Logf("%d rows in %d pages and %d queries took %v", rows, pages, queries, time.Since(began))
		if rows != 2+agents*(1+steps) || used.Tokens() != 3*agents*steps {
			t.Errorf("got %d rows that used %+v", rows, used)
		}
		if queries > 40 || pages < 2 {
			t.Errorf("it took %d queries for %d pages", queries, pages)
		}
		update(func(tx store.Tx) error { return write(tx, agents) })
		if rows, _, _, _, _ := read(seq); rows != 1+steps {
			t.Errorf("of one more agent there are %d rows", rows)
		}
	})
}
