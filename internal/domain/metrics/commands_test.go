package metrics_test

import (
	"bytes"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/metrics"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

func TestTheCommandPrintsATable(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		hour := time.Now().Add(-2 * time.Hour).Truncate(time.Hour)
		p.wants(201, "POST", "metrics/points", fmt.Sprintf(`{"points":[{"name":"shop.order","dimensions":{"country":"pt"},"value":2,"at":%[1]d},
			{"name":"shop.order","dimensions":{"country":"pt"},"value":4,"at":%[1]d},{"name":"shop.order","value":1.5,"at":%[1]d}]}`, hour.UnixMilli()))
		run := func(args ...string) (string, error) {
			f := flag.NewFlagSet("metrics", flag.ContinueOnError)
			run := metrics.Module(metrics.Options{}).Commands[0].Flags(f)
			if err := f.Parse(args); err != nil {
				return "", err
			}
			var out bytes.Buffer
			err := run(t.Context(), &module.Call{Client: p.Client(), Args: f.Args(), Out: &out})
			return out.String(), err
		}
		at := hour.UTC().Format("2006-01-02 15:04")
		for want, args := range map[string][]string{
			"shop.order  country\n": nil,
			"from              country  count  max\n" + at + "  -        1      1.5\n" + at + "  pt       2      4\n": {"--by", "country", "--window", "1h", "--agg", "count,max", "shop.order"},
			"from              sum\n" + at + "  6\n": {"--where", "country=pt", "--window", "1h", "--agg", "sum", "--since", "7d", "shop.order"},
		} {
			if got, err := run(args...); err != nil || got != want {
				t.Errorf("%v prints\n%s instead of\n%s%v", args, got, want, err)
			}
		}
		if got, err := run("--json", "shop.order"); err != nil || !strings.Contains(got, `"relativeError": 0.01`) {
			t.Errorf("JSON: %s %v", got, err)
		}
		for _, wrong := range [][]string{{"--since", "soon", "a"}, {"--window", "1s", "a"}, {"a", "b"}, {"--agg", "median", "a"}} {
			if _, err := run(wrong...); nestor.CodeOf(err) != nestor.CodeInvalid {
				t.Errorf("%v: %v", wrong, err)
			}
		}
		if got, err := run("--server"); err != nil {
			t.Errorf("the server's: %s %v", got, err)
		}
	})
}
