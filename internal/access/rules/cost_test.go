package rules_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access/rules"
)

func file(t *testing.T, path, condition string) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"rules": []any{
		map[string]any{"id": "r", "path": path, "operations": []string{"read"}, "condition": condition},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A large document, which anybody may write, must not make a condition of the
// rules hold up the server. Without the limit each of these takes from minutes to
// years, or all memory.
func TestAConditionOfARuleCannotHoldARequestUp(t *testing.T) {
	numbers, members := make([]int, 10_000), map[string]any{}
	for i := range numbers {
		numbers[i] = i
		members[fmt.Sprintf("key-%d", i)] = map[string]any{"n": i}
	}
	body, err := json.Marshal(map[string]any{"numbers": numbers, "inner": map[string]any{"members": members}, "text": strings.Repeat("a", 60_000)})
	if err != nil {
		t.Fatal(err)
	}
	const path = nestor.Path("users/ada/notes/n1")
	doc := &nestor.Document{Path: path, Version: 1, Data: body}
	world := inMemory(map[nestor.Path]string{path: string(body)})
	for name, condition := range map[string]string{
		"loops in loops":                 "resource.before.numbers.all(x, resource.before.numbers.all(y, resource.before.numbers.all(z, x + y + z >= 0)))",
		"comparing nested maps":          "resource.before.numbers.all(x, resource.before.inner == resource.before.inner)",
		"asking what changed in a loop":  "resource.before.numbers.all(x, resource.changed.all(f, resource.before.inner == resource.before.inner))",
		"matching texts without a loop":  "!resource.before.text.matches('(a|b){1,9}c')" + strings.Repeat(" && !resource.before.text.matches('(a|b){1,9}c')", 100),
		"a very long sum without a loop": "size(resource.before.text" + strings.Repeat(" + resource.before.text", 200) + ") > 0",
	} {
		t.Run(name, func(t *testing.T) {
			e, _ := newEngine(t, file(t, "users/{u}/notes/{n}", condition))
			if err := e.On(world, visitors[0].caller).May(rules.Read, path, doc, nil); nestor.CodeOf(err) != nestor.CodeNotFound {
				t.Errorf("got %v, want what a condition that does not hold gives", err)
			}
		})
	}
	t.Run("reading all of it once is within the limit", func(t *testing.T) {
		e, _ := newEngine(t, file(t, "users/{u}/notes/{n}",
			"resource.before.text.matches('^a*$') && resource.before.numbers.all(x, x >= 0) && size(resource.before.inner.members) == 10000"))
		if err := e.On(world, visitors[0].caller).May(rules.Read, path, doc, nil); err != nil {
			t.Error(err)
		}
	})
}

func TestAConditionThatCouldBeMadeExpensiveIsRefusedWhenItIsRead(t *testing.T) {
	for name, c := range map[string]struct{ path, condition, want string }{
		"a pattern of the document":     {"a/{b}", "resource.after.text.matches(resource.after.pattern)", "line 1, column 43: the pattern of matches must be a literal text"},
		"a huge pattern":                {"a/{b}", "request.auth.uid.matches('(a{1,30}){1,30}')", "regex program size"},
		"a list of other values":        {"a/{b}", "[resource.after, resource.after] == [resource.before, resource.before]", "a list may hold literal values only"},
		"a list that is made in a loop": {"a/{b}", "resource.after.l.map(x, resource.after.l) == resource.before.l", "nothing can be made with map"},
		"a map":                         {"a/{b}", "{'a': resource.after} == resource.before", "cannot make maps"},
		"a very long condition":         {"a/{b}", "true" + strings.Repeat(" && true", 2_000), "size"},
		"a very deep condition":         {"a/{b}", strings.Repeat("(", 4_000) + "true" + strings.Repeat(")", 4_000), "recursion"},
		"very many negations":           {"a/{b}", strings.Repeat("!(", 3_000) + "true" + strings.Repeat(")", 3_000), "recursion"},
		"very deep fields":              {"a/{b}", "resource.after" + strings.Repeat(".a", 4_000) + " == 1", "recursion"},
		"a very long path":              {strings.Repeat("a/{b}/", 1_000) + "**", "true", "at most 1024"},
		"thousands of **":               {strings.Repeat("**/", 5_000) + "**", "true", "at most 1024"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := rules.New(rules.Options{Name: "rules.json", File: []byte(file(t, c.path, c.condition))})
			if nestor.CodeOf(err) != nestor.CodeInvalid || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %.300v, want %s", err, c.want)
			}
		})
	}
}
