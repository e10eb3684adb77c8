package economy_test

import (
	"context"
	"flag"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/scripted"
	"github.com/nestorhq/nestor/internal/llm/tokens"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

var update = flag.Bool("update", false, "rewrite the numbers of docs/economy.md")

const page = "../../docs/economy.md"

// TestConversationsCostNoMoreThanIsSaid plays every scenario on a server as it comes, and
// holds its cost against the row of the page.
func TestConversationsCostNoMoreThanIsSaid(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	said, paid := rows(t, string(text)), map[string]cost{}
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			got := play(t, file)
			paid[name] = got
			if most, ok := said[name]; !*update && (!ok || got.exceeds(most)) {
				t.Errorf("costs %+v, and the page says %+v", got, most)
			}
		})
	}
	if *update {
		if err := os.WriteFile(page, []byte(rewritten(string(text), paid)), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if names := slices.Sorted(maps.Keys(said)); !slices.Equal(names, slices.Sorted(maps.Keys(paid))) {
		t.Errorf("the page tells of %q", names)
	}
}

// cost is what a conversation took: the calls of models, those that agents made for their
// tasks, and the tokens of all prompts, those of tools among them.
type cost struct{ calls, own, prompt, tools int }

// exceeds allows for days whose names are longer.
func (c cost) exceeds(most cost) bool {
	return c.calls > most.calls || c.own > most.own || c.prompt > most.prompt+5*most.calls || c.tools > most.tools
}

// meter counts what a model is asked.
type meter struct {
	llm.Model
	mu sync.Mutex
	cost
}

func (m *meter) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	var count tokens.Meter
	bare := *req
	bare.Tools = nil
	whole, words := count.Request(m.Name(), req), count.Request(m.Name(), &bare)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	m.prompt += whole
	m.tools += whole - words
	if slices.ContainsFunc(req.Tools, func(t llm.Tool) bool { return t.Name == "final_answer" }) {
		m.own++
	}
	return m.Model.Generate(ctx, req)
}

func play(t *testing.T, file string) cost {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	script, err := scripted.Parse(txtar.Format(archive))
	if err != nil {
		t.Fatal(err)
	}
	m := &meter{Model: script}
	p := servertest.Enter(t, server.Config{Data: t.TempDir(), Model: m})
	p.Wants(201, "POST", "chats", `{"id":"c"}`)
	for line := range strings.Lines(input(archive)) {
		said := strings.TrimSpace(strings.TrimPrefix(line, "user: "))
		p.Wants(201, "POST", "chats/c/messages", fmt.Sprintf(`{"content":%q}`, said))
		p.Settled()
	}
	if err := script.Finished(); err != nil {
		t.Error(err)
	}
	return m.cost
}

func input(archive *txtar.Archive) string {
	i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "input" })
	return string(archive.Files[i].Data)
}

// row is a line of the table: the scenario, the calls in all and of agents, the tokens in all and of tools.
var row = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (.*?) \\| (\\d+) \\| (\\d+) \\| (\\d+) \\| (\\d+) \\|$")

func rows(t *testing.T, text string) map[string]cost {
	t.Helper()
	said := map[string]cost{}
	for _, r := range row.FindAllStringSubmatch(text, -1) {
		var n [4]int
		for i := range n {
			var err error
			if n[i], err = strconv.Atoi(r[i+3]); err != nil {
				t.Fatal(err)
			}
		}
		said[r[1]] = cost{n[0], n[1], n[2], n[3]}
	}
	return said
}

func rewritten(text string, paid map[string]cost) string {
	return row.ReplaceAllStringFunc(text, func(line string) string {
		r := row.FindStringSubmatch(line)
		c := paid[r[1]]
		return fmt.Sprintf("| `%s` | %s | %d | %d | %d | %d |", r[1], r[2], c.calls, c.own, c.prompt, c.tools)
	})
}
