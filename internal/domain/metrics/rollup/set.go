package rollup

import (
	"cmp"
	"maps"
	"slices"

	"github.com/nestorhq/nestor/internal/domain/metrics/record"
	"github.com/nestorhq/nestor/internal/domain/metrics/sketch"
)

// place is what points are summed up by, beside their series: a name and the start of a
// minute, hour or day.
type place struct {
	name  string
	start int64
}

func (p place) compare(o place) int {
	return cmp.Or(cmp.Compare(p.start, o.start), cmp.Compare(p.name, o.name))
}

// series are sketches by series.
type series map[string]*sketch.Sketch

// of is the sketch of a series.
func (s series) of(key string) *sketch.Sketch {
	one, ok := s[key]
	if !ok {
		one = &sketch.Sketch{}
		s[key] = one
	}
	return one
}

func (s series) merge(o series) {
	for key, one := range o {
		s.of(key).Merge(one)
	}
}

// bound makes series with the fewest points count together.
func (s series) bound(most int) {
	if len(s) <= most {
		return
	}
	keys := slices.SortedFunc(maps.Keys(s), func(a, b string) int {
		return cmp.Or(cmp.Compare(s[b].Count, s[a].Count), cmp.Compare(a, b))
	})
	keys = slices.DeleteFunc(keys, func(k string) bool { return k == otherSeries })
	other := s.of(otherSeries)
	for _, k := range keys[most-1:] {
		other.Merge(s[k])
		delete(s, k)
	}
}

// Set is points that were summed up by minute and are not written yet. The zero value
// has none.
type Set struct {
	groups map[place]series
	size   int
}

// Add adds a point that passed its check.
func (s *Set) Add(p Point) {
	if s.groups == nil {
		s.groups = map[place]series{}
	}
	at := place{p.Name, record.Minute.Floor(p.At)}
	group, ok := s.groups[at]
	if !ok {
		group = series{}
		s.groups[at] = group
	}
	var room [128]byte // most series are known: then their key needs no place in memory
	key := appendSeries(room[:0], p.Dimensions)
	if one, known := group[string(key)]; known {
		one.Add(p.Value)
		return
	}
	if len(group) >= MaxSeries {
		key = []byte(otherSeries)
	}
	before := len(group)
	group.of(string(key)).Add(p.Value)
	s.size += len(group) - before
}

// Groups is how many names and minutes there are, each of which is written by itself.
func (s *Set) Groups() int { return len(s.groups) }

// Size is how many series and minutes there are.
func (s *Set) Size() int { return s.size }
