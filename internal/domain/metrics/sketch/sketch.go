// Package sketch sums up numbers: how many, their sum, the least, the greatest, and
// percentiles with a relative error of at most [RelativeError]. Sums of parts add up to
// the sum of the whole, in any order.
//
// A number lies in a bucket by its logarithm (as in DDSketch): bucket i has the numbers
// above gamma^(i-1) and up to gamma^i, and is told as the one number that is within 1%
// of both ends. Negative numbers have buckets of their own, by their absolute value.
package sketch

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

// RelativeError bounds how far a percentile is from the number that it stands for, as a
// part of that number.
const RelativeError = 0.01

// Smallest is the absolute value below which a number counts as 0 for percentiles.
const Smallest = 1e-9

const gamma = (1 + RelativeError) / (1 - RelativeError)

var logGamma = math.Log(gamma)

// Sketch sums up numbers. The zero value has none.
type Sketch struct {
	Count    uint64
	Sum      float64
	Min, Max float64 // 0 if there are no numbers

	zeros              uint64
	positive, negative buckets // empty while there is one number, which Sum is
}

// Add adds a finite number.
func (s *Sketch) Add(v float64) {
	one := Sketch{Count: 1, Sum: v, Min: v, Max: v}
	s.Merge(&one)
}

// Merge adds the numbers of another one, which stays as it is.
func (s *Sketch) Merge(o *Sketch) {
	if o.Count == 0 {
		return
	}
	if s.Count == 0 {
		*s = *o
		s.positive, s.negative = slices.Clone(o.positive), slices.Clone(o.negative)
		return
	}
	s.spread()
	s.Count += o.Count
	s.Sum = add(s.Sum, o.Sum)
	s.Min, s.Max = min(s.Min, o.Min), max(s.Max, o.Max)
	if o.Count == 1 {
		s.put(o.Sum)
		return
	}
	s.zeros += o.zeros
	s.positive.merge(o.positive)
	s.negative.merge(o.negative)
}

// add stays finite, so that a sum can be told in JSON.
func add(a, b float64) float64 {
	return max(-math.MaxFloat64, min(math.MaxFloat64, a+b))
}

// spread puts the only number into its bucket.
func (s *Sketch) spread() {
	if s.Count == 1 {
		s.put(s.Sum)
	}
}

func (s *Sketch) put(v float64) {
	switch {
	case v > Smallest:
		s.positive.merge(buckets{{bucketOf(v), 1}})
	case v < -Smallest:
		s.negative.merge(buckets{{bucketOf(-v), 1}})
	default:
		s.zeros++
	}
}

func bucketOf(v float64) int32 { return int32(math.Ceil(math.Log(v) / logGamma)) }

// valueOf is within [RelativeError] of every number of a bucket.
func valueOf(bucket int32) float64 {
	return math.Exp(float64(bucket)*logGamma) * 2 / (1 + gamma)
}

// Percentile is the least number that at least p percent of the numbers do not exceed,
// within [RelativeError]. P is above 0 and at most 100. It is 0 if there are none.
func (s *Sketch) Percentile(p float64) float64 {
	if s.Count <= 1 {
		return s.Sum
	}
	rank := uint64(math.Ceil(p / 100 * float64(s.Count)))
	rank = max(1, min(rank, s.Count))
	return min(s.Max, max(s.Min, s.at(rank)))
}

// at is the number of a rank, counted from 1 at the least one.
func (s *Sketch) at(rank uint64) float64 {
	seen := uint64(0)
	for _, b := range slices.Backward(s.negative) {
		if seen += b.n; seen >= rank {
			return -valueOf(b.at)
		}
	}
	if seen += s.zeros; seen >= rank {
		return 0
	}
	for _, b := range s.positive {
		if seen += b.n; seen >= rank {
			return valueOf(b.at)
		}
	}
	return s.Max
}

// Append adds the sketch, as bytes, to b. One number takes 10 bytes.
func (s *Sketch) Append(b []byte) []byte {
	b = binary.AppendUvarint(b, s.Count)
	b = appendFloat(b, s.Sum)
	if s.Count <= 1 {
		return b
	}
	b = appendFloat(appendFloat(b, s.Min), s.Max)
	b = binary.AppendUvarint(b, s.zeros)
	return s.negative.append(s.positive.append(b))
}

func appendFloat(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

// ErrBroken says that bytes are no sketch.
var ErrBroken = errors.New("the bytes are no sketch")

// Format is how bytes are written.
type Format int

const (
	// Pairs has two numbers for each bucket. It is read, and no longer written.
	Pairs Format = 1
	// Packed has one number for each bucket that has one number.
	Packed Format = 2
)

// Reader reads what [Sketch.Append] wrote. It keeps its memory from sketch to sketch.
type Reader struct {
	// Format is that of the bytes.
	Format Format
	// NoBuckets leaves out what only percentiles need.
	NoBuckets bool

	room buckets
}

// Merge adds the numbers of a sketch that was written as bytes.
func (from *Reader) Merge(s *Sketch, b []byte) error {
	r := reader{b: b}
	o := Sketch{Count: r.uvarint(), Sum: r.float()}
	o.Min, o.Max = o.Sum, o.Sum
	if o.Count > 1 {
		o.Min, o.Max = r.float(), r.float()
	}
	if r.broken {
		return ErrBroken
	}
	if o.Count > 1 && !from.NoBuckets {
		zeros, positive := r.uvarint(), r.buckets(from.Format, from.room[:0])
		negative := r.buckets(from.Format, positive[len(positive):])
		from.room = positive
		if r.broken || len(r.b) > 0 {
			return ErrBroken
		}
		s.spread()
		s.zeros += zeros
		s.positive.merge(positive)
		s.negative.merge(negative)
	}
	switch {
	case o.Count == 0:
		return nil
	case s.Count == 0:
		s.Count, s.Sum, s.Min, s.Max = o.Count, o.Sum, o.Min, o.Max
		return nil
	case o.Count == 1 && !from.NoBuckets:
		s.spread()
		s.put(o.Sum)
	}
	s.Count += o.Count
	s.Sum = add(s.Sum, o.Sum)
	s.Min, s.Max = min(s.Min, o.Min), max(s.Max, o.Max)
	return nil
}

// reader takes numbers from the front of bytes, zeros from when they do not fit.
type reader struct {
	b      []byte
	broken bool
}

func (r *reader) uvarint() uint64 {
	if len(r.b) > 0 && r.b[0] < 0x80 { // most are small
		v := r.b[0]
		r.b = r.b[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(r.b)
	return take(r, v, n)
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.b)
	return take(r, v, n)
}

func take[T uint64 | int64](r *reader, v T, n int) T {
	if n <= 0 {
		r.broken, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) float() float64 {
	if len(r.b) < 8 {
		r.broken, r.b = true, nil
		return 0
	}
	v := math.Float64frombits(binary.LittleEndian.Uint64(r.b))
	r.b = r.b[8:]
	return v
}
