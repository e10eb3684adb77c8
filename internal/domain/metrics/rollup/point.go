// Package rollup writes points, rolls them up by minute, hour and day, and answers
// questions about them.
//
//   - A point is written once, as part of a block (Write). Writers only create documents,
//     so they never wait for each other.
//   - A pass ([Roller.Pass]) is one transaction: it folds blocks into roll-ups and deletes
//     them, or rolls an hour or a day up, or deletes what is over. So at every moment, and
//     after any crash, each point is in exactly one block or counted once per resolution.
//   - A query ([Ask]) reads blocks, and of each stretch of time one resolution, all as they
//     are at one moment.
package rollup

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/metrics/record"
)

// Bounds on what is stored for an owner.
const (
	// MaxDimensions is how many dimensions a point may have.
	MaxDimensions = 10
	// MaxValue is how many bytes the value of a dimension may have.
	MaxValue = 128
	// MaxDimensionBytes is how many bytes the dimensions of a point may have, names and
	// values together.
	MaxDimensionBytes = 1024
	// MaxNames is how many metrics an owner may have, beside those of the runtime.
	MaxNames = 200
	// MaxKnown is how many dimensions the points of a metric may have together.
	MaxKnown = 30
	// MaxSeries is how many series of a name are told apart in a minute, an hour or a
	// day. Those with the fewest points beyond it count together, as [Other].
	MaxSeries = 1000
	// Other is the value of every dimension of the series that count together.
	Other = "(other)"
	// ahead is how far a point may lie in the future, for clocks differ.
	ahead = time.Hour
	// oldest is the first moment of points: the beginning of 2000.
	oldest = 946_684_800_000
)

// Point is one measurement.
type Point struct {
	Name       string
	Dimensions map[string]string
	Value      float64
	// At is Unix milliseconds.
	At int64
}

// Runtime begins the names of the metrics that the runtime records. Nobody else can use
// it.
const Runtime = "nestor."

// NewPoint makes a point that a client sends, or says what is wrong with it. At defaults
// to now.
func NewPoint(name string, dimensions map[string]string, value float64, at int64, now time.Time) (Point, *nestor.Error) {
	if at == 0 {
		at = nestor.Millis(now)
	}
	if strings.HasPrefix(name, Runtime) {
		return Point{}, invalid("name", "names that begin with %s are those of the runtime", Runtime)
	}
	p := Point{Name: name, Dimensions: dimensions, Value: value, At: at}
	return p, p.check(now)
}

var (
	nameForm      = regexp.MustCompile(`^[a-z][a-z0-9_.]*$`)
	dimensionForm = regexp.MustCompile(`^[a-z][a-zA-Z0-9_]{0,39}$`)
)

// CheckName reports why a metric cannot have a name.
func CheckName(name string) error { return asError(checkName(name)) }

func checkName(name string) *nestor.Error {
	if len(name) > record.MaxName || !nameForm.MatchString(name) {
		return invalid("name", "a metric's name has up to %d of a-z 0-9 _ . and begins with a letter, unlike %.60q", record.MaxName, name)
	}
	return nil
}

// CheckDimension reports why a dimension cannot have a name.
func CheckDimension(name string) error { return asError(checkDimension(name)) }

func checkDimension(name string) *nestor.Error {
	if !dimensionForm.MatchString(name) {
		return invalid("dimensions", "a dimension's name has up to 40 of A-Z a-z 0-9 _ and begins with a small letter, unlike %.60q", name)
	}
	return nil
}

// Check reports why a point cannot be recorded.
func (p Point) Check(now time.Time) error { return asError(p.check(now)) }

// asError is err, or nil: not an interface that holds a nil pointer.
func asError(err *nestor.Error) error {
	if err == nil {
		return nil
	}
	return err
}

func (p Point) check(now time.Time) *nestor.Error {
	if err := checkName(p.Name); err != nil {
		return err
	}
	if len(p.Dimensions) > MaxDimensions {
		return invalid("dimensions", "a point has at most %d dimensions, not %d", MaxDimensions, len(p.Dimensions))
	}
	size := 0
	for name, value := range p.Dimensions {
		if size += len(name) + len(value); size > MaxDimensionBytes {
			return invalid("dimensions", "the dimensions of a point have at most %d bytes in all", MaxDimensionBytes)
		}
		if err := checkDimension(name); err != nil {
			return err
		}
		if value == "" || len(value) > MaxValue || !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl) || value == Other {
			return invalid("dimensions", "the value of dimension %s has 1 to %d bytes, no control characters, and is not %s", name, MaxValue, Other)
		}
	}
	if math.IsNaN(p.Value) || math.IsInf(p.Value, 0) {
		return invalid("value", "a value is a finite number")
	}
	if p.At < oldest || p.At > nestor.Millis(now.Add(ahead)) {
		return invalid("at", "at is in Unix milliseconds, between the year 2000 and an hour from now")
	}
	return nil
}

func invalid(field, format string, args ...any) *nestor.Error {
	return nestor.Errorf(nestor.CodeInvalid, format, args...).With("field", field)
}

// appendSeries tells series apart: names and values of dimensions, sorted by name. No name
// or value has a zero byte.
func appendSeries(b []byte, dimensions map[string]string) []byte {
	var few [8]string
	names := slices.AppendSeq(few[:0], maps.Keys(dimensions))
	slices.Sort(names)
	for _, name := range names {
		b = append(append(b, name...), 0)
		b = append(append(b, dimensions[name]...), 0)
	}
	return b
}

// otherSeries is the series of those that count together.
const otherSeries = "\x00"

// dimensionsOf is what [appendSeries] was made from.
func dimensionsOf(series string) map[string]string {
	dimensions := map[string]string{}
	for series != "" && series != otherSeries {
		name, rest, _ := strings.Cut(series, "\x00")
		value, after, _ := strings.Cut(rest, "\x00")
		dimensions[name] = value
		series = after
	}
	return dimensions
}
