//go:build unix

package bench

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/metrics/record"
	"github.com/nestorhq/nestor/internal/domain/metrics/rollup"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

var metricPoints = flag.Int("metric-points", 1_000_000, "how many points of a month BenchmarkMetricQueries loads")

// BenchmarkMetricQueries measures queries over a month of points, of 5 metrics with 100 series each, which are rolled up
// as the month goes by. The number of points is that of -metric-points:
//
//	go test -run '^$' -bench MetricQueries -timeout 60m ./bench -metric-points 10000000
func BenchmarkMetricQueries(b *testing.B) {
	for _, engine := range engines.Names {
		b.Run(engine, func(b *testing.B) {
			m := newMonth(b, engines.New(b, engine).Database)
			began := time.Now()
			m.load(b)
			b.Logf("%s: %d points in %v, %.0f a second", engine, m.points, time.Since(began).Round(time.Second), float64(m.points)/time.Since(began).Seconds())
			day := 24 * time.Hour
			for _, q := range []struct {
				name  string
				since time.Duration
				rollup.Query
			}{
				{"month by day, p95", 30 * day, rollup.Query{Window: day, Aggregates: aggregates(b, "p95")}},
				{"month by day and model, sum and p95", 30 * day, rollup.Query{Window: day, GroupBy: []string{"model"}, Aggregates: aggregates(b, "sum", "p95")}},
				{"month by hour, sum", 30 * day, rollup.Query{Window: time.Hour, Aggregates: aggregates(b, "sum")}},
				{"month by hour and model, p95", 30 * day, rollup.Query{Window: time.Hour, GroupBy: []string{"model"}, Aggregates: aggregates(b, "p95")}},
				{"month in one, all series, p50 and p99", 30 * day, rollup.Query{GroupBy: []string{"model", "tool"}, Aggregates: aggregates(b, "p50", "p99")}},
				{"week by hour where model, p95", 7 * day, rollup.Query{Window: time.Hour, Where: map[string][]string{"model": {"model-3"}}, Aggregates: aggregates(b, "p95")}},
				{"day by minute, p95", day, rollup.Query{Window: time.Minute, Aggregates: aggregates(b, "p95")}},
			} {
				q.Name, q.From, q.To = "a", nestor.Millis(m.now.Add(-q.since)), nestor.Millis(m.now)
				b.Run(q.name, func(b *testing.B) {
					began := processor(b)
					for b.Loop() {
						err := m.store.View(context.Background(), func(r store.Reader) error {
							a, err := rollup.Ask(r, m.owner, q.Query, m.roller.Keep, m.now)
							if err == nil && len(a.Rows) == 0 {
								err = fmt.Errorf("%s finds nothing", q.name)
							}
							return err
						})
						if err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/query")
					b.ReportMetric(float64((processor(b)-began).Milliseconds())/float64(b.N), "cpu-ms/query")
				})
			}
		})
	}
}

// month is a database with the points of a month.
type month struct {
	store  store.Store
	roller rollup.Roller
	owner  record.Owner
	now    time.Time
	points int
}

func newMonth(b *testing.B, open engines.Database) *month {
	kinds, err := store.NewCatalogue(record.Collections...)
	if err != nil {
		b.Fatal(err)
	}
	s := open(b, store.Options{Rules: store.Rules{Catalogue: kinds}, Modules: []store.Schema{{Module: "metrics", Collections: record.Collections}}})
	return &month{
		store: s, owner: record.OfUser("ada"), now: time.Now().Add(-30 * 24 * time.Hour).Truncate(time.Hour),
		roller: rollup.Roller{Store: s, Keep: rollup.Keep{}.WithDefaults()},
	}
}

// load lets a month go by: in the last week, whose minutes are still there, points are written, folded and rolled up hour
// by hour. Of the time before only hours and days are left, so its points are written day by day, each at the start of its hour.
func (m *month) load(b *testing.B) {
	const days, week, day = 30, 7, 24 * time.Hour
	r := rand.New(rand.NewPCG(1, 1))
	var series []map[string]string
	for i := range 100 {
		series = append(series, map[string]string{"model": fmt.Sprint("model-", i%10), "tool": fmt.Sprint("tool-", i/10), "outcome": []string{"success", "failed"}[i%2]})
	}
	step := func(length, resolution time.Duration) {
		set := &rollup.Set{}
		for range int(float64(*metricPoints) * float64(length) / float64(days*day)) {
			set.Add(rollup.Point{
				Name: string(rune('a' + r.IntN(5))), Dimensions: series[r.IntN(100)], Value: math.Exp(r.NormFloat64()*1.5 + 6),
				At: nestor.Millis(m.now.Add(time.Duration(r.Int64N(int64(length))).Truncate(resolution))),
			})
			m.points++
		}
		if err := m.store.Update(context.Background(), func(tx store.Tx) error { return rollup.Write(tx, m.owner, set) }); err != nil {
			b.Fatal(err)
		}
		m.now = m.now.Add(length)
		for did := true; did; {
			var err error
			if did, err = m.roller.Pass(context.Background(), m.owner, m.now.Add(time.Minute)); err != nil {
				b.Fatal(err)
			}
		}
	}
	for range days - week {
		step(day, time.Hour)
	}
	for range week * 24 {
		step(time.Hour, time.Minute)
	}
}

func aggregates(b *testing.B, names ...string) (all []rollup.Aggregate) {
	for _, name := range names {
		a, err := rollup.ParseAggregate(name)
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, a)
	}
	return all
}
