package priority

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/module"
)

// commands are nestor plan in the terminal.
var commands = []module.Command{
	{
		Name: "plan add", Args: "FILE...", Summary: "Add documents and find the tasks in them",
		Detail: `Takes Markdown, text, Word (.docx) and PDF files, and - for a text on the standard input. It
waits until the tasks of each are found. A file that cannot be read does not keep it from the
others, but the command fails.

  nestor plan add notes.md contract.docx minutes.pdf
  pbpaste | nestor plan add -

With --replace a file takes the place of the document of the same title, which is the file's name
without its ending. Tasks whose text is the same keep what is known about them.

  nestor plan add --replace notes.md`,
		Flags: func(f *flag.FlagSet) module.Run {
			replace := f.Bool("replace", false, "replace the document that has the same title")
			return func(ctx context.Context, c *module.Call) error { return shell{c}.add(ctx, *replace) }
		},
	},
	{
		Name: "plan outcome", Args: "[PARTS]", Summary: "Say what you want to reach, or print it",
		Detail: `The parts are direction, object, metric and clarifier. The direction is increase, decrease,
maintain, launch or ship. They become one sentence, which is printed, and plans are made for it
from now on.

  nestor plan outcome increase "weekly signups" "new accounts" "20% more by June"
  Increase weekly signups, measured by new accounts: 20% more by June.

Without the parts it prints the outcome that is active; with flags alone it changes that one.

  nestor plan outcome --energy low --capacity 4`,
		Flags: func(f *flag.FlagSet) module.Run {
			var o outcomeFlags
			f.StringVar(&o.energy, "energy", "", "how you feel about work: low puts easier tasks first where they matter alike; high; or any")
			f.Func("capacity", "hours a day that you can work, 0.25 to 24: no wave takes more; 0 sets no bound", o.setCapacity)
			return func(ctx context.Context, c *module.Call) error { return shell{c}.outcome(ctx, o) }
		},
	},
	{
		Name: "plan run", Summary: "Analyse the tasks and print the plan",
		Detail: `Shows each step as it begins and ends, if the standard error output is a terminal, and prints the
plan. If an analysis is under way, it follows that one. Ctrl+C stops following, not the analysis: it
goes on as long as a server runs, or with the next command.

  nestor plan run
  nestor plan run > plan.txt`,
		Run: func(ctx context.Context, c *module.Call) error { return shell{c}.run(ctx) },
	},
	{
		Name: "plan show", Summary: "Print the plan in waves",
		Detail: `The tasks of a wave do not wait for each other. Each line has the start of the task's id, its
effort, how sure the plan is of its place, its text, and below that what it waits for.

  nestor plan show
  nestor plan show --json | jq -r '.prioritized_plan.execution_waves[0].task_ids[]'`,
		Flags: func(f *flag.FlagSet) module.Run {
			asJSON := jsonFlag(f)
			return func(ctx context.Context, c *module.Call) error { return shell{c}.show(ctx, *asJSON) }
		},
	},
	{
		Name: "plan tasks", Summary: "List the tasks that were found, document by document",
		Flags: func(f *flag.FlagSet) module.Run {
			asJSON := jsonFlag(f)
			return func(ctx context.Context, c *module.Call) error { return shell{c}.tasks(ctx, *asJSON) }
		},
	},
	{
		Name: "plan done", Args: "TASK...", Summary: "Mark tasks of the plan as done",
		Detail: `A task is named by the start of its id, as plan show prints it. What is done leaves the waves and
holds up nothing. The plan is computed again and printed; plan undo takes it back.

  nestor plan done 8as0o kj53v`,
		Run: func(ctx context.Context, c *module.Call) error { return shell{c}.mark(ctx, done) },
	},
	{
		Name: "plan undo", Args: "TASK...", Summary: "Mark tasks as not done",
		Run: func(ctx context.Context, c *module.Call) error { return shell{c}.mark(ctx, undo) },
	},
	{
		Name: "plan move", Args: "TASK WAVE", Summary: "Pin a task to a wave",
		Detail: `What depends on the task moves along. If the task cannot be there yet, it comes as soon as it can,
and you are told why. The plan is computed again and printed; plan unpin takes it back.

  nestor plan move gdr6r 1`,
		Run: func(ctx context.Context, c *module.Call) error { return shell{c}.move(ctx) },
	},
	{
		Name: "plan unpin", Args: "TASK...", Summary: "Let tasks go where their dependencies put them",
		Run: func(ctx context.Context, c *module.Call) error { return shell{c}.mark(ctx, unpin) },
	},
	{
		Name: "plan give", Args: "WAVE", Summary: "Give the tasks of a wave to agents",
		Detail: `There is a chat with an agent for each task. They work as long as a server runs; plan tasks and plan
show say how far each is. A task is done when you say so, with plan done.

  nestor plan give 1`,
		Run: func(ctx context.Context, c *module.Call) error { return shell{c}.give(ctx) },
	},
	{
		Name: "plan why", Args: "[SESSION]", Summary: "Print how the plan was reasoned, step by step",
		Detail: `Each step has a thought, the tool that was used for it, what that was asked and how long it took.
Without the id of an analysis it is the one whose plan is current. With --json all outputs are
there, too.`,
		Flags: func(f *flag.FlagSet) module.Run {
			asJSON := jsonFlag(f)
			return func(ctx context.Context, c *module.Call) error { return shell{c}.why(ctx, *asJSON) }
		},
	},
}

func jsonFlag(f *flag.FlagSet) *bool {
	return f.Bool("json", false, "print what the API answers, as JSON")
}

// shell is a call of a command.
type shell struct{ *module.Call }

// none refuses arguments where there are none.
func (s shell) none() error {
	if len(s.Args) > 0 {
		return nestor.Errorf(nestor.CodeInvalid, "%q is not expected here", s.Args[0])
	}
	return nil
}

// say prints a line. What comes from documents and models cannot steer the terminal.
func (s shell) say(format string, args ...any) {
	fmt.Fprintln(s.Out, plain(fmt.Sprintf(format, args...)))
}

// plain is a text as one line without control characters.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, text)
}

// printJSON prints what the API answered.
func (s shell) printJSON(v any) error {
	e := json.NewEncoder(s.Out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// call sends a request of a command.
func call[T any](ctx context.Context, s shell, method, path string, body any) (*T, error) {
	return client.Call[T](ctx, s.Client, method, path, body)
}

// reason is what programs tell an error by.
func reason(err error) string {
	var e *nestor.Error
	if !errors.As(err, &e) {
		return ""
	}
	text, _ := e.Details["reason"].(string)
	return text
}

// count is a number of things in words.
func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// took is a duration of so many milliseconds.
func took(millis int64) string {
	d := time.Duration(millis) * time.Millisecond
	if d >= 10*time.Second {
		d = d.Round(time.Second)
	} else if d >= time.Second {
		d = d.Round(100 * time.Millisecond)
	}
	return d.String()
}
