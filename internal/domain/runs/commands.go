package runs

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
)

var commands = []module.Command{{
	Name: "runs", Summary: "List runs: what messages, tasks, graphs and prioritisations set in motion, newest first",
	Flags: func(f *flag.FlagSet) module.Run {
		asked := url.Values{}
		only := func(flag, parameter, usage string) {
			f.Func(flag, usage, func(v string) error {
				asked.Set(parameter, v)
				return nil
			})
		}
		only("status", "status", "only runs that are running, waiting, success, failed or cancelled")
		only("kind", "kind", "only runs that a message, task, graph or prioritisation began")
		only("role", "role", "only runs in which an agent of this role took part")
		only("tool", "tool", "only runs in which this tool was called")
		only("using", "model", "only runs in which this model was asked") // NESTOR_MODEL is not meant
		return func(ctx context.Context, c *module.Call) error { return printRuns(ctx, c, asked) }
	},
}, {
	Name: "run", Args: "ID", Summary: "Show a run: how it stands, what it used and what came of it",
	Run: printRun,
}}

func printRuns(ctx context.Context, c *module.Call, asked url.Values) error {
	list, err := client.Call[httpapi.List[nestor.Run]](ctx, c.Client, http.MethodGet, "/runs?"+asked.Encode(), nil)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(c.Out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tSTATUS\tKIND\tBEGAN\tTOKENS\tCOST")
	for _, run := range list.Items {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t$%.4f\n", run.ID, run.Status, run.Kind, at3339(run.BeganAt), run.Usage.Tokens(), float64(run.CostMicros)/1e6)
	}
	return w.Flush()
}

func printRun(ctx context.Context, c *module.Call) error {
	if len(c.Args) != 1 {
		return nestor.Errorf(nestor.CodeInvalid, "say the id of a run, which is that of the message, task or execution that began it")
	}
	result, err := client.Call[nestor.RunResult](ctx, c.Client, http.MethodGet, "/runs/"+url.PathEscape(c.Args[0]), nil)
	if err != nil {
		return err
	}
	run := &result.Run
	w := tabwriter.NewWriter(c.Out, 0, 4, 2, ' ', 0)
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%s\t%s\n", name, value)
		}
	}
	line("status", string(run.Status))
	line("began by", cmp.Or(run.By, run.UserID))
	line("root", string(run.Root))
	line("began", at3339(run.BeganAt))
	line("ended", at3339(run.EndedAt))
	line("models", strings.Join(run.Models, ", "))
	line("roles", strings.Join(run.Roles, ", "))
	line("tools", strings.Join(run.Tools, ", "))
	line("tokens", fmt.Sprint(run.Usage.Tokens()))
	line("cost", fmt.Sprintf("$%.4f", float64(run.CostMicros)/1e6))
	for _, p := range run.WaitingFor {
		line("waits for", string(p))
	}
	for _, e := range run.Errors {
		line("error", e)
	}
	if err := w.Flush(); err != nil || result.Text == "" {
		return err
	}
	_, err = fmt.Fprintf(c.Out, "\n%s\n", result.Text)
	return err
}

func at3339(millis int64) string {
	if millis == 0 {
		return ""
	}
	return time.UnixMilli(millis).Format(time.RFC3339)
}
