package sketch_test

import (
	"encoding/hex"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor/internal/domain/metrics/sketch"
)

// numbers has many sizes, zeros, negative ones, and some that occur often.
func numbers(t *rapid.T) []float64 {
	one := rapid.OneOf(
		rapid.Float64Range(-1e6, 1e6),
		rapid.Float64Range(0, 1),
		rapid.SampledFrom([]float64{0, 1, -1, 42, 1e-12, -1e-12, 1e300, -1e300, math.MaxFloat64, 1e-8}),
		rapid.Map(rapid.Float64Range(-18, 18), math.Exp),
	)
	return rapid.SliceOfN(one, 1, 300).Draw(t, "numbers")
}

// exact is the percentile of the numbers themselves.
func exact(sorted []float64, p float64) float64 {
	rank := int(math.Ceil(p / 100 * float64(len(sorted))))
	return sorted[max(1, min(rank, len(sorted)))-1]
}

func TestPercentilesAreWithinOnePercent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := numbers(t)
		// The numbers come in parts, some as bytes, and are merged in any order.
		parts := make([]sketch.Sketch, rapid.IntRange(1, 5).Draw(t, "parts"))
		for _, v := range all {
			parts[rapid.IntRange(0, len(parts)-1).Draw(t, "part")].Add(v)
		}
		var s sketch.Sketch
		stored := sketch.Reader{Format: sketch.Packed}
		for i := range parts {
			if rapid.Bool().Draw(t, "as bytes") {
				if err := stored.Merge(&s, parts[i].Append(nil)); err != nil {
					t.Fatal(err)
				}
				continue
			}
			s.Merge(&parts[i])
		}
		sorted := slices.Sorted(slices.Values(all))
		if s.Count != uint64(len(all)) || s.Min != sorted[0] || s.Max != sorted[len(sorted)-1] {
			t.Fatalf("%d numbers from %v to %v are told as %d from %v to %v", len(all), sorted[0], sorted[len(sorted)-1], s.Count, s.Min, s.Max)
		}
		for _, p := range []float64{0.1, 1, 25, 50, 75, 90, 95, 99, 99.9, 100} {
			want, got := exact(sorted, p), s.Percentile(p)
			// The last digits of a float64 may differ.
			if math.Abs(got-want) > sketch.RelativeError*(1+1e-9)*math.Abs(want)+sketch.Smallest {
				t.Fatalf("p%v is %v, not %v", p, got, want)
			}
		}
		var plain sketch.Sketch
		stored.NoBuckets = true
		if err := stored.Merge(&plain, s.Append(nil)); err != nil || plain.Count != s.Count || plain.Sum != s.Sum || plain.Min != s.Min || plain.Max != s.Max {
			t.Fatalf("without buckets it is %+v, not %+v: %v", plain, s, err)
		}
	})
}

func TestASumIsOfAllNumbers(t *testing.T) {
	var s sketch.Sketch
	for i := range 1000 {
		s.Add(float64(i - 100))
	}
	if s.Sum != 399_500 {
		t.Errorf("the sum is %v", s.Sum)
	}
	for range 3 {
		s.Add(math.MaxFloat64)
	}
	if math.IsInf(s.Sum, 0) {
		t.Error("the sum is not finite")
	}
}

// What was stored before buckets were packed is read as it was meant.
func TestPairsAreRead(t *testing.T) {
	numbers := []float64{1, 2, 2, -3, 0, 250.5, -3, 7e9}
	stored, err := hex.DecodeString("080000986fb813fa4100000000000008c000000060b813fa41010400014602e40301b20d01016e02")
	if err != nil {
		t.Fatal(err)
	}
	var got, want sketch.Sketch
	for _, v := range numbers {
		want.Add(v)
	}
	old := sketch.Reader{Format: sketch.Pairs}
	if err := old.Merge(&got, stored); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v is read, not %+v: %v", got, want, err)
	}
}

func FuzzBytesThatAreNoSketchAreRefused(f *testing.F) {
	var s sketch.Sketch
	for _, v := range []float64{1, 2, -3, 0} {
		s.Add(v)
	}
	good := s.Append(nil)
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Fuzz(func(t *testing.T, b []byte) {
		var into sketch.Sketch
		stored := sketch.Reader{Format: sketch.Packed}
		if err := stored.Merge(&into, b); err == nil && into.Count > 0 {
			into.Percentile(50)
		}
		if len(b) < len(good) && string(b) == string(good[:len(b)]) {
			if stored.Merge(&into, b) == nil {
				t.Errorf("%x is taken for a sketch", b)
			}
		}
	})
}
