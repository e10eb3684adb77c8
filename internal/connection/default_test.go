package connection_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestTheDefaultIsTheEnvironmentsUntilAnotherIsChosen(t *testing.T) {
	engines.Each(t, func(t *testing.T, database engines.Database) {
		s := database(t, store.Options{})
		c := over(t, s, newKey(t))
		ctx := t.Context()
		save(t, c, draft("one", connection.OpenAI, llmtest.OpenAI.Serve(t, says("I am one")).URL), secret)
		save(t, c, draft("two", connection.OpenAI, "http://localhost:1/v1"), secret)
		wantDefault(t, c, user, connection.Default, "demo")

		if made, err := c.MakeDefault(ctx, user, "one"); err != nil || made.ID != "one" || !made.Default {
			t.Fatalf("made %+v, %v", made, err)
		}
		wantDefault(t, c, user, "one", "test-model")
		if reply, err := ask(t, c, ""); err != nil || textOf(reply) != "I am one" {
			t.Errorf("where no model is named, %q answers, %v", textOf(reply), err)
		}
		if m, err := c.Open(ctx, user, connection.Default); err != nil || m.Name() != "demo" {
			t.Errorf("the environment's connection, named by its id, is %v, %v", m, err)
		}
		wantDefault(t, c, "somebody", connection.Default, "demo")

		// Saving it again does not take it away, nor can saving give it.
		again := draft("one", connection.OpenAI, "http://localhost:1/v1")
		if saved := save(t, c, again, secret); !saved.Default {
			t.Errorf("saved %+v", saved)
		}
		second := draft("two", connection.OpenAI, "http://localhost:1/v1")
		second.Default = true
		if saved := save(t, c, second, secret); saved.Default {
			t.Errorf("saved %+v", saved)
		}
		wantDefault(t, c, user, "one", "test-model")

		if _, err := c.MakeDefault(ctx, user, connection.Default); err != nil {
			t.Fatal(err)
		}
		wantDefault(t, c, user, connection.Default, "demo")
		for id, want := range map[string]nestor.Code{"none": nestor.CodeNotFound, "a/b": nestor.CodeInvalid, "": nestor.CodeInvalid} {
			if _, err := c.MakeDefault(ctx, user, id); nestor.CodeOf(err) != want {
				t.Errorf("%q becomes the default: %v", id, err)
			}
		}
		wantDefault(t, c, user, connection.Default, "demo")
	})
}

func TestADefaultThatIsGoneIsTheEnvironmentsAgain(t *testing.T) {
	engines.Each(t, func(t *testing.T, database engines.Database) {
		s := database(t, store.Options{})
		c := over(t, s, newKey(t))
		ctx := t.Context()
		one := draft("one", connection.OpenAI, "http://localhost:1/v1")
		for name, remove := range map[string]func() error{
			"deleted": func() error { return c.Delete(ctx, user, "one", store.AnyVersion) },
			"removed as a document": func() error {
				return s.Update(ctx, func(tx store.Tx) error { return tx.Delete(connection.PathOf(user, "one"), store.AnyVersion) })
			},
		} {
			save(t, c, one, secret)
			if _, err := c.MakeDefault(ctx, user, "one"); err != nil {
				t.Fatal(err)
			}
			if err := remove(); err != nil {
				t.Fatal(err)
			}
			wantDefault(t, c, user, connection.Default, "demo")
			if name == "deleted" {
				save(t, c, one, secret) // another one, that nobody chose
				wantDefault(t, c, user, connection.Default, "demo")
			}
		}
		// A key may write the choice itself, whatever it says.
		for _, data := range []string{`{"connectionId":"a/b"}`, `{"connectionId":"none"}`, `{}`} {
			write(t, s, string(connection.ChoicePath(user)), data)
			wantDefault(t, c, user, connection.Default, "demo")
		}
	})
}

func TestOfManyChoicesAtOnceOneCounts(t *testing.T) {
	engines.Each(t, func(t *testing.T, database engines.Database) {
		c := over(t, database(t, store.Options{}), newKey(t))
		ids := []string{"one", "two", "three", "four"}
		for _, id := range ids {
			save(t, c, draft(id, connection.Demo, ""), "")
		}
		var wg sync.WaitGroup
		for _, id := range ids {
			wg.Go(func() {
				if _, err := c.MakeDefault(t.Context(), user, id); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if chosen := defaults(t, c, user); len(chosen) != 1 || !slices.Contains(ids, chosen[0]) {
			t.Errorf("the defaults are %v", chosen)
		}
	})
}

func TestTheDefaultFallsBackAsItSays(t *testing.T) {
	c := open(t)
	first := draft("one", connection.OpenAI, llmtest.OpenAI.Serve(t, llmtest.Turn{Status: 503, Message: "down"}).URL)
	first.RetryPolicy.MaxAttempts, first.FallbackID = 1, connection.Default
	save(t, c, first, secret)
	if _, err := c.MakeDefault(t.Context(), user, "one"); err != nil {
		t.Fatal(err)
	}
	if reply, err := ask(t, c, ""); err != nil || textOf(reply) == "" {
		t.Errorf("the environment's model does not stand in: %+v, %v", reply, err)
	}
	if _, err := c.Open(t.Context(), user, "none"); !errors.Is(err, nestor.ErrNotFound) {
		t.Errorf("what is named and not there: %v", err)
	}
}

// wantDefault checks which connection is the default, in the list and where a model
// is opened.
func wantDefault(t *testing.T, c *connection.Connections, userID, id, model string) {
	t.Helper()
	if got := defaults(t, c, userID); !slices.Equal(got, []string{id}) {
		t.Errorf("the defaults are %v, want %s", got, id)
	}
	if m, err := c.Open(t.Context(), userID, ""); err != nil || m.Name() != model {
		t.Errorf("the default opens %v, %v, want %s", m, err, model)
	}
}

func defaults(t *testing.T, c *connection.Connections, userID string) (ids []string) {
	t.Helper()
	list, err := c.List(t.Context(), userID)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range list {
		if one.Default {
			ids = append(ids, one.ID)
		}
	}
	return ids
}

func textOf(r llm.Reply) string {
	var text strings.Builder
	for _, part := range r.Message.Parts {
		if said, ok := part.(llm.Text); ok {
			text.WriteString(said.Text)
		}
	}
	return text.String()
}
