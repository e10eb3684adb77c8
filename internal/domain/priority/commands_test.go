package priority_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/domain/priority"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// terminal is where a person types commands.
type terminal struct {
	*person
	in string
	// shown is what the last command showed while it ran.
	shown strings.Builder
}

// types runs nestor plan with arguments, flags first, and returns what it prints.
func (c *terminal) types(ctx context.Context, name string, args ...string) (string, error) {
	c.Helper()
	all := priority.Module.Describe().Commands
	i := slices.IndexFunc(all, func(m module.Command) bool { return m.Name == "plan "+name })
	if i < 0 {
		c.Fatalf("there is no plan %s", name)
	}
	f, run := flag.NewFlagSet(name, flag.ContinueOnError), all[i].Run
	if all[i].Flags != nil {
		run = all[i].Flags(f)
	}
	if err := f.Parse(args); err != nil {
		c.Fatal(err)
	}
	var out strings.Builder
	c.shown.Reset()
	err := run(ctx, &module.Call{Client: c.Client(), Args: f.Args(), In: strings.NewReader(c.in), Out: &out, Progress: &c.shown})
	return out.String(), err
}

// prints reports a command that fails, or prints something else.
func (c *terminal) prints(want, name string, args ...string) {
	c.Helper()
	if got, err := c.types(c.Context(), name, args...); err != nil || got != want {
		c.Errorf("plan %s %q prints, with %v,\n%s\nwant\n%s", name, args, err, got, want)
	}
}

// fails reports a command that does not fail with a text in its error.
func (c *terminal) fails(want, name string, args ...string) {
	c.Helper()
	if got, err := c.types(c.Context(), name, args...); err == nil || !strings.Contains(err.Error(), want) {
		c.Errorf("plan %s %q prints %q and fails with %v, want %s", name, args, got, err, want)
	}
}

func TestAPlanIsMadeInTheTerminal(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		c := &terminal{person: start(t, cfg)}
		c.fails("there is no plan yet: nestor plan run makes one", "show")
		c.fails("there is no plan yet", "why")
		c.fails("there is no plan yet", "give", "1")
		c.fails("nestor plan outcome launch", "outcome")
		c.fails("nestor plan outcome", "run")
		c.prints("There are no documents yet: nestor plan add takes some.\n", "tasks")

		c.fails("four parts", "outcome", "launch", "the shop")
		c.fails("--energy is low, high or any", "outcome", "-energy", "some")
		c.fails("sideways", "outcome", "sideways", "the shop", "orders", "20 by June")
		const sentence = "Launch the shop, measured by orders: 20 by June.\n"
		c.prints(sentence, "outcome", "launch", "the shop", "orders", "20 by June")
		c.prints(sentence+"Low energy.\n6 hours a day.\n", "outcome", "-energy", "low", "-capacity", "6")
		c.prints(sentence+"Low energy.\n6 hours a day.\n", "outcome")
		c.prints(sentence, "outcome", "-energy", "any", "-capacity", "0")
		c.fails("capacity", "outcome", "-capacity", "25")
		c.prints(sentence+"Low energy.\n6 hours a day.\n", "outcome", "-energy", "low", "-capacity", "6")
		c.fails("no tasks", "run")

		c.in = "- [ ] Announce the shop (1h)\n- [ ] Build the shop (4h)\n- [x] Name the shop (1h)\n- [ ] Design the shop (2h)\n"
		c.prints("✓ -: 4 tasks\n", "add", "-")
		ids := c.tasks("")
		short := func(text string) string { return ids[text].ID[:5] }
		announce, build, design := short("Announce the shop (1h)"), short("Build the shop (4h)"), short("Design the shop (2h)")
		c.prints("Document\n  [ ] "+announce+"     1h  Announce the shop (1h)\n  [ ] "+build+"     4h  Build the shop (4h)\n  [x] "+
			short("Name the shop (1h)")+"     1h  Name the shop (1h)\n  [ ] "+design+"     2h  Design the shop (2h)\n", "tasks")

		ran, err := c.types(t.Context(), "run")
		if err != nil {
			t.Fatal(err)
		}
		want := sentence + "\nWave 1 · 1 task · 2h\n  " + design + "     2h   60%  Design the shop (2h)\n" +
			"\nWave 2 · 1 task · 4h\n  " + build + "     4h   80%  Build the shop (4h)\n                      waits for " + design + "  Design the shop (2h)\n" +
			"\nWave 3 · 1 task · 1h\n  " + announce + "     1h   80%  Announce the shop (1h)\n                      waits for " + build + "  Build the shop (4h)\n" +
			"\nWhy: Ordered by rules"
		if !strings.HasPrefix(ran, want) {
			t.Errorf("plan run prints\n%s\nwant\n%s", ran, want)
		}
		for _, line := range []string{" 1  I look for", "    … semantic-search\r\x1b[K    ✓ semantic-search · ", "\r\x1b[K    ✓ submit_plan · "} {
			if strings.Count(c.shown.String(), line) != 1 {
				t.Errorf("%q is not shown once in\n%s", line, &c.shown)
			}
		}
		c.prints(ran, "show")
		why, err := c.types(t.Context(), "why")
		if err != nil || !strings.HasPrefix(why, "6 steps in ") || !strings.Contains(why, "    ✓ detect-dependencies · ") || !strings.Contains(why, `    ‹ {"task_ids":["`) {
			t.Errorf("plan why prints, with %v,\n%s", err, why)
		}
		c.fails("not expected here", "show", "everything")

		// The plan is changed by the starts of ids.
		has := func(texts []string, name string, args ...string) {
			t.Helper()
			got, err := c.types(t.Context(), name, args...)
			for _, text := range texts {
				if err != nil || !strings.Contains(got, text) {
					t.Errorf("plan %s prints, with %v,\n%s\nwithout %s", name, err, got, text)
				}
			}
		}
		has([]string{"Wave 1 · 1 task · 4h\n  " + build + "     4h   80%  Build the shop (4h)\n\n", "Done: 1 task."}, "done", design)
		if !c.tasks("")["Design the shop (2h)"].Done {
			t.Error("the task is not done")
		}
		has([]string{"Wave 1 · 1 task · 2h", "Wave 3"}, "undo", design)
		has([]string{"Wave 1 · 1 task · 2h", "Build the shop (4h) (pinned)", "! "}, "move", build, "1")
		has([]string{"Build the shop (4h)\n"}, "unpin", build)
		c.fails("no task is called", "done", "zzzzz")
		c.fails("no task is called", "done", "")
		c.fails("name a task", "undo")
		c.fails("number of a wave", "move", build, "first")
		c.fails("number of a wave", "move", build)
		c.prints(ran, "show")

		has([]string{"Agents have 1 task, in a chat: nestor chat --chat wave-"}, "give", "1")
		c.settled()
		has([]string{"Design the shop (2h) [success]\n"}, "show")
		c.fails("wave", "give", "17")
		c.fails("name one wave", "give")
	})
}

func TestAFileIsAddedReplacedOrRefused(t *testing.T) {
	c := &terminal{person: start(t, server.Config{Data: t.TempDir()})}
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		at := filepath.Join(dir, name)
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return at
	}
	list, broken, missing := write("list.md", "- Call Anna\n- Buy milk\n"), write("broken.pdf", "%PDF-1.7 and no more"), filepath.Join(dir, "missing.md")
	got, err := c.types(t.Context(), "add", missing, broken, list)
	if err == nil || err.Error() != "2 of 3 files could not be added" || !strings.Contains(got, "✗ "+broken+": ") ||
		!strings.Contains(got, "no such file") || !strings.HasSuffix(got, "✓ "+list+": 2 tasks\n") {
		t.Errorf("plan add prints, with %v,\n%s", err, got)
	}
	c.fails("name the files", "add")
	before := c.tasks("")["Call Anna"].ID
	write("list.md", "- Buy bread\n- Call Anna\n- Sell the car\n")
	c.prints("✓ "+list+": 3 tasks\n", "add", "-replace", list)
	if after := c.tasks(""); len(after) != 3 || after["Call Anna"].ID != before {
		t.Errorf("the tasks are %v", after)
	}
}

// What stands in a document is text to the terminal, and nothing else.
func TestADocumentDoesNotSteerTheTerminal(t *testing.T) {
	c := &terminal{person: start(t, server.Config{Data: t.TempDir()})}
	c.creates("documents", `{"title":"Shop\u001b[2J","content":"- Call \u001b]0;owned\u0007 Anna\n- Buy \u202emilk\n"}`)
	c.settled()
	got, err := c.types(t.Context(), "tasks")
	if err != nil || strings.ContainsAny(got, "\x1b\x07\u202e") || !strings.Contains(got, "Anna") || strings.Count(got, "\n") != 3 {
		t.Errorf("plan tasks prints, with %v, %q", err, got)
	}
}

func TestWhoStopsFollowingDoesNotStopTheAnalysis(t *testing.T) {
	model := newPlanning()
	c := &terminal{person: start(t, server.Config{Data: t.TempDir(), Model: model})}
	c.hasTasks()
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		<-model.asked
		interrupt()
	}()
	got, err := c.types(ctx, "run")
	if err == nil || got != "" || !errors.Is(ctx.Err(), context.Canceled) || !strings.Contains(err.Error(), "nestor plan run follows it again") {
		t.Errorf("plan run prints %q and fails with %v", got, err)
	}
	c.fails("an analysis is under way", "show")
	close(model.let)
	if got, err = c.types(t.Context(), "run"); err != nil || !strings.Contains(got, "Wave 3") || !strings.Contains(c.shown.String(), "under way") {
		t.Errorf("plan run prints, with %v,\n%s\nafter\n%s", err, got, &c.shown)
	}
}
