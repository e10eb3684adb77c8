package rollup

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/nestorhq/nestor"
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
	at, key := place{p.Name, record.Minute.Floor(p.At)}, seriesOf(p.Dimensions)
	group, ok := s.groups[at]
	if !ok {
		group = series{}
		s.groups[at] = group
	}
	if _, known := group[key]; !known && len(group) >= MaxSeries {
		key = otherSeries
	}
	if _, known := group[key]; !known {
		s.size++
	}
	group.of(key).Add(p.Value)
}

// Size is how many series and minutes there are.
func (s *Set) Size() int { return s.size }

// format is the first byte of what [series.parts] writes.
const format = 1

// partSize is how many bytes of series a document has, unless one series has more.
const partSize = 48 << 10

// parts writes series as text, in pieces of about partSize bytes.
func (s series) parts() (texts []string) {
	var b []byte
	for _, key := range slices.Sorted(maps.Keys(s)) {
		if len(b) > partSize {
			texts, b = append(texts, base64.StdEncoding.EncodeToString(b)), nil
		}
		if b == nil {
			b = []byte{format}
		}
		b = binary.AppendUvarint(b, uint64(len(key)))
		b = append(b, key...)
		one := s[key].Append(nil)
		b = binary.AppendUvarint(b, uint64(len(one)))
		b = append(b, one...)
	}
	if b != nil {
		texts = append(texts, base64.StdEncoding.EncodeToString(b))
	}
	return texts
}

// each calls fn with the series of a text and the bytes of their sketches.
func each(text string, fn func(key, sketch []byte) error) error {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(b) == 0 || b[0] != format {
		return nestor.Errorf(nestor.CodeInternal, "a roll-up of metrics cannot be read")
	}
	for b = b[1:]; len(b) > 0; {
		var piece [2][]byte
		for i := range piece {
			n, size := binary.Uvarint(b)
			if size <= 0 || n > uint64(len(b)-size) {
				return nestor.Errorf(nestor.CodeInternal, "a roll-up of metrics is cut off")
			}
			piece[i], b = b[size:size+int(n)], b[size+int(n):]
		}
		if err := fn(piece[0], piece[1]); err != nil {
			return err
		}
	}
	return nil
}

// read adds the series of a text.
func (s series) read(text string) error {
	return each(text, func(key, one []byte) error { return s.of(string(key)).MergeBytes(one, true) })
}
