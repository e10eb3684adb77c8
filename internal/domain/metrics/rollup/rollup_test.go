package rollup_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/metrics/record"
	"github.com/nestorhq/nestor/internal/domain/metrics/rollup"
	"github.com/nestorhq/nestor/internal/domain/metrics/sketch"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// world is a database of points, and the points themselves.
type world struct {
	*testing.T
	store  store.Store
	roller rollup.Roller
	owner  record.Owner
	now    time.Time
	points []rollup.Point
}

// begin is in the middle of an hour and a day.
var begin = time.Date(2026, 3, 14, 15, 30, 20, 0, time.UTC)

func newWorld(t *testing.T, open engines.Database) *world {
	t.Helper()
	kinds, err := store.NewCatalogue(record.Collections...)
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, store.Options{Rules: store.Rules{Catalogue: kinds}, Modules: []store.Schema{{Module: "metrics", Collections: record.Collections}}})
	return &world{
		T: t, store: s, owner: record.OfUser("ada"), now: begin,
		roller: rollup.Roller{Store: s, Keep: rollup.Keep{}.WithDefaults()},
	}
}

// write records points as of now.
func (w *world) write(points ...rollup.Point) {
	w.Helper()
	set := &rollup.Set{}
	for _, p := range points {
		if err := p.Check(w.now); err != nil {
			w.Fatal(err)
		}
		set.Add(p)
	}
	if err := w.store.Update(w.Context(), func(tx store.Tx) error { return rollup.Write(tx, w.owner, set) }); err != nil {
		w.Fatal(err)
	}
	w.points = append(w.points, points...)
}

// rollUp does all that there is to do now.
func (w *world) rollUp() {
	w.Helper()
	for {
		did, err := w.roller.Pass(w.Context(), w.owner, w.now)
		if err != nil {
			w.Fatal(err)
		}
		if !did {
			return
		}
	}
}

func (w *world) ask(q rollup.Query) (*rollup.Answer, error) {
	var a *rollup.Answer
	err := w.store.View(w.Context(), func(r store.Reader) (err error) {
		a, err = rollup.Ask(r, w.owner, q, w.roller.Keep, w.now)
		return err
	})
	return a, err
}

// check asks, and compares with the points themselves.
func (w *world) check(q rollup.Query) {
	w.Helper()
	got, err := w.ask(q)
	if err != nil {
		w.Fatalf("%+v: %v", q, err)
	}
	want := naive(w.points, q, got.From, got.To)
	if len(got.Rows) != len(want) {
		w.Fatalf("%+v has %d rows, not %d", q, len(got.Rows), len(want))
	}
	for _, row := range got.Rows {
		values, ok := want[fmt.Sprint(row.Start, row.Group)]
		if !ok {
			w.Fatalf("%+v has a row %+v", q, row)
		}
		slices.Sort(values)
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		rank := func(p float64) float64 { return values[int(math.Ceil(p/100*float64(len(values))))-1] }
		for name, exact := range map[string]float64{
			"count": float64(len(values)), "sum": sum, "avg": sum / float64(len(values)), "min": values[0], "max": values[len(values)-1],
			"p50": rank(50), "p95": rank(95),
		} {
			allowed := 1e-9 * (1 + math.Abs(exact)) // sums are added in another order
			if name[0] == 'p' {
				allowed += sketch.RelativeError * math.Abs(exact)
			}
			if math.Abs(row.Values[name]-exact) > allowed {
				w.Fatalf("%+v: %s of %+v is not %v", q, name, row, exact)
			}
		}
	}
}

// naive finds the points of each row.
func naive(points []rollup.Point, q rollup.Query, from, to int64) map[string][]float64 {
	rows := map[string][]float64{}
	for _, p := range points {
		at := p.At - p.At%time.Minute.Milliseconds()
		if p.Name != q.Name || at < from || at >= to {
			continue
		}
		wanted := true
		for name, values := range q.Where {
			wanted = wanted && slices.Contains(values, p.Dimensions[name])
		}
		if !wanted {
			continue
		}
		start := from
		if q.Window > 0 {
			start = max(from, at-at%q.Window.Milliseconds())
		}
		group := map[string]string{}
		for _, name := range q.GroupBy {
			if v, ok := p.Dimensions[name]; ok {
				group[name] = v
			}
		}
		key := fmt.Sprint(start, group)
		rows[key] = append(rows[key], p.Value)
	}
	return rows
}

var aggregates = func() (all []rollup.Aggregate) {
	for _, name := range []string{"count", "sum", "avg", "min", "max", "p50", "p95"} {
		a, err := rollup.ParseAggregate(name)
		if err != nil {
			panic(err)
		}
		all = append(all, a)
	}
	return all
}()

// queries ask in many ways about the time since begin.
func (w *world) queries() (all []rollup.Query) {
	from, to := nestor.Millis(begin.Add(-26*time.Hour)), nestor.Millis(w.now)+1
	for _, window := range []time.Duration{0, time.Minute, 7 * time.Minute, time.Hour, 3 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour} {
		if window == time.Minute {
			from = max(from, to-5*time.Hour.Milliseconds())
		}
		all = append(all,
			rollup.Query{Name: "a", Window: window, From: from, To: to, Aggregates: aggregates, GroupBy: []string{"model", "tool"}},
			rollup.Query{Name: "b", Window: window, From: from + 12_345_678, To: to - 4_000_000, Aggregates: aggregates, Where: map[string][]string{"model": {"x", "y"}}})
	}
	return all
}

// random makes points, some of them late.
func (w *world) random(r *rand.Rand) (points []rollup.Point) {
	for range 1 + r.IntN(20) {
		p := rollup.Point{Name: []string{"a", "b"}[r.IntN(2)], Value: math.Round(r.NormFloat64()*1000) / 8, At: nestor.Millis(w.now) - r.Int64N(60_000), Dimensions: map[string]string{}}
		if r.IntN(10) == 0 {
			p.At -= r.Int64N(24 * time.Hour.Milliseconds())
		}
		if r.IntN(4) > 0 {
			p.Dimensions["model"] = []string{"x", "y", "z"}[r.IntN(3)]
		}
		if r.IntN(4) == 0 {
			p.Dimensions["tool"] = "t"
		}
		points = append(points, p)
	}
	return points
}

// faulty is a database whose transactions fail before their commit, or are cut off
// after it, as in a crash.
type faulty struct {
	store.Store
	random *rand.Rand
}

var errCrash = errors.New("the process ended")

func (f faulty) Update(ctx context.Context, fn func(store.Tx) error) error {
	switch f.random.IntN(3) {
	case 0: // it wrote, and never committed
		return f.Store.Update(ctx, func(tx store.Tx) error { return cmp.Or(fn(tx), errCrash) })
	case 1: // it committed, and nobody was told
		return cmp.Or(f.Store.Update(ctx, fn), errCrash)
	}
	return f.Store.Update(ctx, fn)
}

// Whatever was rolled up, and however often a roll-up was cut off, an answer is that of
// the points themselves.
func TestAnswersAreThoseOfThePointsAtEveryMoment(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		r := rand.New(rand.NewPCG(1, 2))
		w.roller.Store = faulty{w.store, r}
		crashes := 0
		for step := range 60 {
			w.write(w.random(r)...)
			w.now = w.now.Add([]time.Duration{time.Second, 40 * time.Second, 20 * time.Minute, 3 * time.Hour}[r.IntN(4)])
			for range r.IntN(6) {
				if _, err := w.roller.Pass(t.Context(), w.owner, w.now); errors.Is(err, errCrash) {
					crashes++
				} else if err != nil {
					t.Fatal(err)
				}
			}
			if step%5 == 0 {
				for _, q := range w.queries() {
					w.check(q)
				}
			}
		}
		if crashes < 20 {
			t.Errorf("there were only %d crashes", crashes)
		}
		w.roller.Store = w.store
		w.now = w.now.Add(24 * time.Hour)
		w.rollUp()
		for _, q := range w.queries() {
			w.check(q)
		}
		if n := w.count(record.Blocks); n != 0 {
			t.Errorf("%d blocks are left", n)
		}
	})
}

// count is how many documents there are.
func (w *world) count(c *store.Collection) (n int) {
	w.Helper()
	err := w.store.View(w.Context(), func(r store.Reader) error {
		n = 0
		for q := (store.Query{Flat: c.Name, Limit: store.MaxLimit}); ; {
			page, err := r.Query(q)
			if err != nil {
				return err
			}
			n += len(page.Items)
			if q.Cursor = page.Next; q.Cursor == "" {
				return nil
			}
		}
	})
	if err != nil {
		w.Fatal(err)
	}
	return n
}

// Two who roll up at once, as two nodes do, count every point once.
func TestSeveralRollUpsAtOnceCountOnce(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		r := rand.New(rand.NewPCG(3, 4))
		for range 8 {
			for range 5 {
				w.write(w.random(r)...)
			}
			w.now = w.now.Add(90 * time.Minute)
			failed := make(chan error, 4)
			for range cap(failed) {
				go func() {
					for {
						if did, err := w.roller.Pass(t.Context(), w.owner, w.now); !did || err != nil {
							failed <- err
							return
						}
					}
				}()
			}
			for range cap(failed) {
				if err := <-failed; err != nil {
					t.Fatal(err)
				}
			}
			for _, q := range w.queries() {
				w.check(q)
			}
		}
	})
}

// Each resolution is kept for its time. What is left answers for what is gone.
func TestEachResolutionIsKeptForItsTime(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		day := 24 * time.Hour
		w.roller.Keep = rollup.Keep{Minutes: 2 * day, Hours: 5 * day, Days: 20 * day}
		for range 80 {
			w.write(rollup.Point{Name: "a", Value: 2, At: nestor.Millis(w.now)})
			w.now = w.now.Add(6*time.Hour + time.Minute)
			w.rollUp()
		}
		for _, c := range []struct {
			level record.Level
			keep  time.Duration
		}{{record.Minute, 2 * day}, {record.Hour, 5 * day}, {record.Day, 20 * day}} {
			starts := w.starts(c.level)
			if age := w.now.Sub(time.UnixMilli(starts[0])); age > c.keep+day || age < c.keep-day {
				t.Errorf("the oldest of %v is %v old", c.level.Length, age)
			}
		}
		ask := func(since, window time.Duration) float64 {
			t.Helper()
			a, err := w.ask(rollup.Query{Name: "a", From: nestor.Millis(w.now.Add(-since)), To: nestor.Millis(w.now), Window: window, Aggregates: aggregates[:1]})
			if err != nil {
				t.Fatal(err)
			}
			n := 0.0
			for _, row := range a.Rows {
				n += row.Values["count"]
			}
			return n
		}
		for _, c := range []struct {
			since, window time.Duration
			least         float64
		}{{day, time.Minute, 3}, {4 * day, time.Hour, 15}, {15 * day, day, 59}, {15 * day, 0, 59}} {
			if n := ask(c.since, c.window); n < c.least || n > c.least+4 {
				t.Errorf("the last %v have %v points", c.since, n)
			}
		}
		for _, c := range []struct{ since, window time.Duration }{{3 * day, time.Minute}, {10 * day, time.Hour}} {
			_, err := w.ask(rollup.Query{Name: "a", From: nestor.Millis(w.now.Add(-c.since)), To: nestor.Millis(w.now), Window: c.window, Aggregates: aggregates})
			if nestor.CodeOf(err) != nestor.CodeInvalid {
				t.Errorf("windows of %v over %v: %v", c.window, c.since, err)
			}
		}
		w.now = w.now.Add(30 * day)
		w.rollUp()
		if n := w.count(record.Rollups); n != 0 {
			t.Errorf("%d roll-ups are left", n)
		}
		var names []rollup.Named
		err := w.store.View(t.Context(), func(r store.Reader) (err error) {
			names, err = rollup.Names(r, w.owner)
			return err
		})
		if err != nil || len(names) != 0 {
			t.Errorf("the names %v are left: %v", names, err)
		}
	})
}

// starts are those of the roll-ups of a level, in order.
func (w *world) starts(l record.Level) (starts []int64) {
	w.Helper()
	first, end := record.RollupRange("a", l, 0, math.MaxInt64)
	err := w.store.View(w.Context(), func(r store.Reader) error {
		page, err := r.Query(store.Query{Collection: w.owner.Rollups(), Limit: store.MaxLimit, OrderBy: []store.Order{{Field: "id"}}})
		for _, d := range page.Items {
			one, err := nestor.As[record.Rollup](d)
			if err != nil {
				return err
			}
			if id := d.Path.ID(); id >= first && id < end {
				starts = append(starts, one.Start)
			}
		}
		return err
	})
	if err != nil || len(starts) == 0 {
		w.Fatalf("no roll-ups of %v: %v", l.Length, err)
	}
	return starts
}

// More series than can be told apart count together, and no point is lost.
func TestSeriesBeyondTheBoundCountTogether(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		const many = rollup.MaxSeries + 500
		for batch := range 3 {
			var points []rollup.Point
			for i := range many / 3 {
				for range 1 + batch%2 {
					points = append(points, rollup.Point{Name: "a", Value: 1, At: nestor.Millis(w.now), Dimensions: map[string]string{"chat": fmt.Sprintf("c%d-%d", batch, i)}})
				}
			}
			w.write(points...)
		}
		w.now = w.now.Add(2 * time.Hour)
		w.rollUp()
		q := rollup.Query{Name: "a", From: nestor.Millis(begin.Add(-time.Hour)), To: nestor.Millis(w.now), Aggregates: aggregates}
		w.check(q)
		q.GroupBy = []string{"chat"}
		a, err := w.ask(q)
		if err != nil {
			t.Fatal(err)
		}
		counts := map[string]float64{}
		for _, row := range a.Rows {
			counts[row.Group["chat"]] += row.Values["count"]
		}
		if len(counts) != rollup.MaxSeries || counts[rollup.Other] != many-(rollup.MaxSeries-1) || counts["c1-0"] != 2 {
			t.Errorf("%d series, %v others, %v of the largest", len(counts), counts[rollup.Other], counts["c1-0"])
		}
		q.Window = time.Minute
		q.From, q.To = nestor.Millis(begin.Add(-time.Hour)), nestor.Millis(begin.Add(time.Hour))
		w.write(slices.Collect(func(yield func(rollup.Point) bool) {
			for i := range 9100 {
				yield(rollup.Point{Name: "a", Value: 1, At: nestor.Millis(begin) + int64(i/800)*60_000, Dimensions: map[string]string{"chat": fmt.Sprint("n", i)}})
			}
		})...)
		if _, err := w.ask(q); nestor.CodeOf(err) != nestor.CodeInvalid {
			t.Errorf("an answer with too many rows: %v", err)
		}
	})
}

func TestAnOwnerHasABoundedNumberOfNames(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		for i := range rollup.MaxNames {
			w.write(rollup.Point{Name: fmt.Sprint("n", i), Value: 1, At: nestor.Millis(w.now)})
		}
		w.now = w.now.Add(2 * time.Minute)
		w.rollUp()
		w.write(rollup.Point{Name: "n7", Value: 1, At: nestor.Millis(w.now)})
		set := &rollup.Set{}
		set.Add(rollup.Point{Name: "another", Value: 1, At: nestor.Millis(w.now)})
		err := w.store.Update(t.Context(), func(tx store.Tx) error { return rollup.Write(tx, w.owner, set) })
		if nestor.CodeOf(err) != nestor.CodeInvalid {
			t.Errorf("one name more: %v", err)
		}
	})
}

// What is not rolled up yet counts, too: else a request with very many names, or a minute
// of requests, would make the state of the owner as large as it likes.
func TestNamesAndDimensionsAreBoundedBeforeTheyAreRolledUp(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		refused := func(what string, points ...rollup.Point) {
			t.Helper()
			set := &rollup.Set{}
			for _, p := range points {
				p.Value, p.At = 1, nestor.Millis(w.now)
				set.Add(p)
			}
			err := w.store.Update(t.Context(), func(tx store.Tx) error { return rollup.Write(tx, w.owner, set) })
			if nestor.CodeOf(err) != nestor.CodeInvalid {
				t.Errorf("%s: %v", what, err)
			}
		}
		var names, wide []rollup.Point
		for i := range rollup.MaxNames + 1 {
			names = append(names, rollup.Point{Name: fmt.Sprint("n", i)})
		}
		for i := range rollup.MaxKnown + 1 {
			wide = append(wide, rollup.Point{Name: "wide", Dimensions: map[string]string{fmt.Sprint("d", i): "x"}})
		}
		refused("many names at once", names...)
		refused("many dimensions at once", wide...)
		for i := range rollup.MaxKnown {
			w.write(rollup.Point{Name: "wide", Value: 1, At: nestor.Millis(w.now), Dimensions: map[string]string{fmt.Sprint("d", i): "x"}})
		}
		refused("a dimension more", wide...)
		for i := range rollup.MaxNames - 1 {
			w.write(rollup.Point{Name: fmt.Sprint("n", i), Value: 1, At: nestor.Millis(w.now)})
		}
		refused("a name more", rollup.Point{Name: "another"})
		// No pass forgets a name whose points wait.
		w.rollUp()
		refused("a name more after a pass", rollup.Point{Name: "another"})
		w.write(rollup.Point{Name: "nestor.tool.duration_ms", Value: 1, At: nestor.Millis(w.now)})
		w.now = w.now.Add(2 * time.Hour)
		w.rollUp()
		w.check(rollup.Query{Name: "wide", From: nestor.Millis(begin.Add(-time.Hour)), To: nestor.Millis(w.now), Aggregates: aggregates})
	})
}

func TestPointsThatCannotBeRecorded(t *testing.T) {
	good := rollup.Point{Name: "a.b_c", Value: 1, At: nestor.Millis(begin), Dimensions: map[string]string{"model": "x"}}
	if err := good.Check(begin); err != nil {
		t.Fatal(err)
	}
	many := map[string]string{}
	for i := range rollup.MaxDimensions + 1 {
		many[fmt.Sprint("d", i)] = "x"
	}
	for name, change := range map[string]func(*rollup.Point){
		"no name":                  func(p *rollup.Point) { p.Name = "" },
		"a name with a dash":       func(p *rollup.Point) { p.Name = "a-b" },
		"a long name":              func(p *rollup.Point) { p.Name = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" },
		"a dimension with a dot":   func(p *rollup.Point) { p.Dimensions = map[string]string{"a.b": "x"} },
		"an empty value":           func(p *rollup.Point) { p.Dimensions = map[string]string{"a": ""} },
		"a zero byte":              func(p *rollup.Point) { p.Dimensions = map[string]string{"a": "x\x00y"} },
		"the word for the others":  func(p *rollup.Point) { p.Dimensions = map[string]string{"a": rollup.Other} },
		"too many dimensions":      func(p *rollup.Point) { p.Dimensions = many },
		"not a number":             func(p *rollup.Point) { p.Value = math.NaN() },
		"infinity":                 func(p *rollup.Point) { p.Value = math.Inf(1) },
		"seconds for milliseconds": func(p *rollup.Point) { p.At /= 1000 },
		"the future":               func(p *rollup.Point) { p.At += 2 * time.Hour.Milliseconds() },
	} {
		p := good
		p.Dimensions = maps.Clone(good.Dimensions)
		change(&p)
		if err := p.Check(begin); nestor.CodeOf(err) != nestor.CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}
