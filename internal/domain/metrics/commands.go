package metrics

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/domain/metrics/rollup"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
)

var commands = []module.Command{{
	Name: "metrics", Args: "[NAME]", Summary: "Print what the points of a metric add up to, or the names of metrics",
	Detail: `Prints a line for each window and group that has points. Percentiles are within 1% of the true
ones, all else is exact.

  nestor metrics
  nestor metrics nestor.model.duration_ms --by model --window 1h --agg p50,p95 --since 7d
  nestor metrics nestor.tool.duration_ms --where outcome=failed --by tool --agg count

With --server they are those of all users, for administrators.`,
	Flags: func(f *flag.FlagSet) module.Run {
		var a asking
		f.StringVar(&a.by, "by", "", "dimensions to tell apart, with commas")
		f.StringVar(&a.window, "window", "", "length of the windows, 1m to 30d; one for all if left out")
		f.StringVar(&a.agg, "agg", defaultAgg, "sum, avg, min, max, count or percentiles such as p95, with commas")
		f.StringVar(&a.since, "since", "1d", "how far back, such as 30m, 12h or 7d")
		f.Func("where", "only points with DIMENSION=VALUE; can be repeated", a.narrow)
		f.BoolVar(&a.server, "server", false, "what the runtime recorded for all users")
		f.BoolVar(&a.json, "json", false, "print what the API answers, as JSON")
		return a.run
	},
}}

// asking is a call of the command.
type asking struct {
	by, window, agg, since string
	where                  url.Values
	server, json           bool
}

func (a *asking) narrow(text string) error {
	dimension, value, ok := strings.Cut(text, "=")
	if !ok {
		return nestor.Errorf(nestor.CodeInvalid, "%q is not DIMENSION=VALUE", text)
	}
	if a.where == nil {
		a.where = url.Values{}
	}
	a.where.Add(wherePrefix+dimension, value)
	return nil
}

func (a *asking) run(ctx context.Context, c *module.Call) error {
	base := "/metrics/"
	if a.server {
		base += "server/"
	}
	switch len(c.Args) {
	case 0:
		names, err := client.Call[httpapi.List[rollup.Named]](ctx, c.Client, http.MethodGet, base+"names", nil)
		if err != nil {
			return err
		}
		return a.print(c, names, func(w *tabwriter.Writer) {
			for _, n := range names.Items {
				fmt.Fprintf(w, "%s\t%s\n", n.Name, strings.Join(n.Dimensions, ","))
			}
		})
	case 1:
	default:
		return nestor.Errorf(nestor.CodeInvalid, "%q is not expected here", c.Args[1])
	}
	since, err := parseSpan(a.since, "since")
	if err != nil {
		return err
	}
	params := url.Values{"name": {c.Args[0]}, "agg": {a.agg}, "from": {strconv.FormatInt(nestor.Millis(time.Now().Add(-since)), 10)}}
	maps.Copy(params, a.where)
	for name, value := range map[string]string{"groupBy": a.by, "window": a.window} {
		if value != "" {
			params.Set(name, value)
		}
	}
	answer, err := client.Call[rollup.Answer](ctx, c.Client, http.MethodGet, base+"query?"+params.Encode(), nil)
	if err != nil {
		return err
	}
	return a.print(c, answer, func(w *tabwriter.Writer) { printRows(w, answer, strings.Split(a.agg, ",")) })
}

func (a *asking) print(c *module.Call, answer any, table func(*tabwriter.Writer)) error {
	if a.json {
		e := json.NewEncoder(c.Out)
		e.SetIndent("", "  ")
		return e.Encode(answer)
	}
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	table(w)
	return w.Flush()
}

// printRows prints a table. Values of dimensions cannot steer the terminal.
func printRows(w *tabwriter.Writer, a *rollup.Answer, aggregates []string) {
	fmt.Fprintln(w, strings.Join(slices.Concat([]string{"from"}, a.GroupBy, aggregates), "\t"))
	for _, row := range a.Rows {
		cells := []string{time.UnixMilli(row.Start).UTC().Format("2006-01-02 15:04")}
		for _, dimension := range a.GroupBy {
			value, ok := row.Group[dimension]
			if !ok {
				value = "-"
			}
			cells = append(cells, strings.Map(func(r rune) rune {
				if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
					return ' '
				}
				return r
			}, value))
		}
		for _, name := range aggregates {
			cells = append(cells, number(row.Values[name]))
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
}

// number is a value for people: three digits after the point, if it is not small.
func number(v float64) string {
	if math.Abs(v) >= 1 {
		v = math.Round(v*1000) / 1000
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
