package rollup

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/metrics/record"
	"github.com/nestorhq/nestor/internal/domain/metrics/sketch"
	"github.com/nestorhq/nestor/internal/store"
)

// MaxRows is how many rows an answer has at most.
const MaxRows = 10_000

// Query asks about one metric.
type Query struct {
	Name string
	// Where has, by dimension, the values of which one is wanted.
	Where map[string][]string
	// GroupBy are the dimensions whose values are told apart.
	GroupBy []string
	// Window is how long the stretches of time are that are told apart, in whole
	// minutes. 0 is for one that is from From to To.
	Window time.Duration
	// Aggregates are what is told of the points of each row; see [ParseAggregate].
	Aggregates []Aggregate
	// From and To are Unix milliseconds, To not included.
	From, To int64
}

// Aggregate is what is told about numbers.
type Aggregate struct {
	Name       string
	percentile float64 // of p95: 95
}

// ParseAggregate reads sum, avg, min, max, count, or a percentile such as p95 or p99.9.
func ParseAggregate(s string) (Aggregate, error) {
	switch s {
	case "sum", "avg", "min", "max", "count":
		return Aggregate{Name: s}, nil
	}
	if digits, ok := strings.CutPrefix(s, "p"); ok && len(digits) <= 6 && !strings.ContainsAny(digits, "eExXnN+-_") {
		if p, err := strconv.ParseFloat(digits, 64); err == nil && p > 0 && p <= 100 {
			return Aggregate{s, p}, nil
		}
	}
	return Aggregate{}, invalid("agg", "agg is sum, avg, min, max, count or a percentile such as p95, not %.40q", s)
}

func (a Aggregate) of(s *sketch.Sketch) float64 {
	switch a.Name {
	case "sum":
		return s.Sum
	case "avg":
		return s.Sum / float64(s.Count)
	case "min":
		return s.Min
	case "max":
		return s.Max
	case "count":
		return float64(s.Count)
	}
	return s.Percentile(a.percentile)
}

// Answer is what a query found.
type Answer struct {
	Name string `json:"name"`
	// From and To are what was looked at: what was asked, in whole minutes, and in whole
	// hours or days where there is nothing finer any more.
	From int64 `json:"from"`
	To   int64 `json:"to"`
	// WindowMS is 0 if all of it is one window.
	WindowMS int64    `json:"windowMs"`
	GroupBy  []string `json:"groupBy"`
	// Rows are those that have points, by time and group.
	Rows []Row `json:"rows"`
	// RelativeError bounds how far percentiles are from the true ones. All else is exact.
	RelativeError float64 `json:"relativeError"`
}

// Row is the points of a window and a group.
type Row struct {
	Start int64 `json:"start"`
	End   int64 `json:"end"`
	// Group has the values of the dimensions that are grouped by; points that do not have
	// a dimension have none here.
	Group  map[string]string  `json:"group"`
	Values map[string]float64 `json:"values"`
}

// Ask answers a query about the points of an owner.
func Ask(r store.Reader, owner record.Owner, q Query, keep Keep, now time.Time) (*Answer, error) {
	if err := q.fit(keep, nestor.Millis(now)); err != nil {
		return nil, err
	}
	state, err := stateOf(r, owner)
	if err != nil {
		return nil, err
	}
	s := &search{query: q, groups: map[string]*group{}, named: map[string]*group{}}
	s.unpack.NoBuckets = !slices.ContainsFunc(q.Aggregates, func(a Aggregate) bool { return a.percentile > 0 })
	for _, part := range q.cover(state) {
		err := scan(r, owner, part.Level, q.Name, part.from, part.to, func(_ *nestor.Document, start int64, text []byte) error {
			return s.add(start, text)
		})
		if err != nil {
			return nil, err
		}
	}
	err = blocks(r, owner, func(b record.Block) error {
		for _, g := range b.Groups {
			if g.Name != q.Name || g.Start < q.From || g.Start >= q.To {
				continue
			}
			if err := s.add(g.Start, []byte(g.Data)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.answer(), nil
}

// fit checks the query, and brings its ends to what is kept.
func (q *Query) fit(keep Keep, now int64) error {
	if q.From >= q.To {
		return invalid("from", "from is before to")
	}
	if w := q.Window; w != 0 && (w < time.Minute || w > 30*24*time.Hour || w%time.Minute != 0) {
		return invalid("window", "a window is of whole minutes, from 1m to 30d")
	}
	least := record.Minute
	for _, l := range []struct {
		record.Level
		finer time.Duration
	}{{record.Hour, keep.Minutes}, {record.Day, keep.Hours}} {
		if q.From >= now-l.finer.Milliseconds() {
			break
		}
		if least = l.Level; q.Window%l.Length != 0 {
			return invalid("window", "what is older than %v is kept in parts of %v: ask for windows of a multiple of it, or for newer points", l.finer, l.Length)
		}
	}
	q.From = least.Floor(q.From)
	if q.To < now-keep.Minutes.Milliseconds() {
		q.To = least.Ceil(q.To)
	} else {
		q.To = record.Minute.Ceil(q.To)
	}
	if w := q.Window.Milliseconds(); w > 0 && (q.To-q.From)/w > MaxRows {
		return tooManyRows()
	}
	return nil
}

func tooManyRows() error {
	return invalid("window", "the answer has more than %d rows: ask for longer windows, less time or fewer groups", MaxRows)
}

// part is a stretch of time and the resolution to read it in.
type part struct {
	record.Level
	from, to int64
}

// cover is the time from From to To, in the coarsest resolutions that fit the window and
// are complete.
func (q *Query) cover(state record.State) []part {
	return q.coverWith([]limit{{record.Day, state.DaysUntil}, {record.Hour, state.HoursUntil}}, q.From, q.To)
}

// limit is a resolution and up to when it is complete.
type limit struct {
	record.Level
	until int64
}

func (q *Query) coverWith(coarse []limit, from, to int64) []part {
	if from >= to {
		return nil
	}
	if len(coarse) == 0 {
		return []part{{record.Minute, from, to}}
	}
	l, finer := coarse[0], coarse[1:]
	first, end := l.Ceil(from), l.Floor(min(to, l.until))
	if q.Window%l.Length != 0 || first >= end {
		return q.coverWith(finer, from, to)
	}
	all := q.coverWith(finer, from, first)
	all = append(all, part{l.Level, first, end})
	return append(all, q.coverWith(finer, end, to)...)
}

// search collects what a query asks for.
type search struct {
	query  Query
	unpack unpacker
	groups map[string]*group // by series; nil for those that are not wanted
	named  map[string]*group // by the values that are grouped by
	rows   int
}

// maxRemembered is how many series a query remembers the groups of. There may be a
// thousand others in each minute.
const maxRemembered = 20_000

// group is the points of a group, by the start of their window.
type group struct {
	values  map[string]string
	windows map[int64]*sketch.Sketch
}

// add adds the series of a roll-up or a block, of a minute, hour or day.
func (s *search) add(at int64, text []byte) error {
	start := s.query.From
	if w := s.query.Window.Milliseconds(); w > 0 {
		start = at - at%w
	}
	return s.unpack.each(text, func(key, one []byte) error {
		to, known := s.groups[string(key)]
		if !known {
			to = s.group(string(key))
			if len(s.groups) >= maxRemembered {
				clear(s.groups)
			}
			s.groups[string(key)] = to
		}
		if to == nil {
			return nil
		}
		sum, ok := to.windows[start]
		if !ok {
			if s.rows++; s.rows > MaxRows {
				return tooManyRows()
			}
			sum = &sketch.Sketch{}
			to.windows[start] = sum
		}
		return s.unpack.Merge(sum, one)
	})
}

// group finds the group of a series, nil if it is not wanted.
func (s *search) group(key string) *group {
	dimensions := dimensionsOf(key)
	for name, wanted := range s.query.Where {
		if value, ok := dimensions[name]; !ok || !slices.Contains(wanted, value) {
			return nil
		}
	}
	values, id := map[string]string{}, ""
	for _, name := range s.query.GroupBy {
		value, ok := dimensions[name]
		if key == otherSeries {
			value, ok = Other, true
		}
		if ok {
			values[name] = value
		}
		id += fmt.Sprintf("%t%s\x00", ok, value)
	}
	if s.named[id] == nil {
		s.named[id] = &group{values: values, windows: map[int64]*sketch.Sketch{}}
	}
	return s.named[id]
}

func (s *search) answer() *Answer {
	q := s.query
	a := &Answer{
		Name: q.Name, From: q.From, To: q.To, WindowMS: q.Window.Milliseconds(), GroupBy: append([]string{}, q.GroupBy...), Rows: []Row{},
		RelativeError: sketch.RelativeError,
	}
	ids := slices.Sorted(maps.Keys(s.named))
	for _, id := range ids {
		g := s.named[id]
		for start, sum := range g.windows {
			row := Row{Start: max(start, q.From), End: q.To, Group: g.values, Values: map[string]float64{}}
			if a.WindowMS > 0 {
				row.End = min(start+a.WindowMS, q.To)
			}
			for _, agg := range q.Aggregates {
				row.Values[agg.Name] = agg.of(sum)
			}
			a.Rows = append(a.Rows, row)
		}
	}
	// Groups are in order already.
	slices.SortStableFunc(a.Rows, func(x, y Row) int { return cmp.Compare(x.Start, y.Start) })
	return a
}

// Named is a metric that there is.
type Named struct {
	Name       string   `json:"name"`
	Dimensions []string `json:"dimensions"`
}

// Names are the metrics of an owner, with their dimensions.
func Names(r store.Reader, owner record.Owner) ([]Named, error) {
	state, err := stateOf(r, owner)
	if err != nil {
		return nil, err
	}
	known := pass{state: state}
	if known.state.Names == nil {
		known.state.Names = map[string][]string{}
	}
	err = blocks(r, owner, func(b record.Block) error {
		groups := map[place]series{}
		err := addBlock(groups, b)
		known.learn(groups)
		return err
	})
	all := []Named{}
	for _, name := range slices.Sorted(maps.Keys(known.state.Names)) {
		all = append(all, Named{name, known.state.Names[name]})
	}
	return all, err
}
