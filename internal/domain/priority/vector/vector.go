package vector

import (
	"encoding/binary"
	"math"

	"github.com/nestorhq/nestor"
)

// Normalize gives v the length 1, in place, and returns it. A vector of zeros
// stays one: it is similar to nothing.
func Normalize(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return v
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= scale
	}
	return v
}

// Dot is the sum of the products of a and b, which are of one size. Of vectors of
// length 1 it is the cosine: 1 if they point in the same direction, 0 if they have
// nothing in common.
func Dot(a, b []float32) float32 {
	// Eight sums, since an addition that needs the one before has to wait for it.
	var s0, s1, s2, s3, s4, s5, s6, s7 float32
	b = b[:len(a)]
	for len(a) >= 8 {
		x, y := (*[8]float32)(a), (*[8]float32)(b)
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
		s4 += x[4] * y[4]
		s5 += x[5] * y[5]
		s6 += x[6] * y[6]
		s7 += x[7] * y[7]
		a, b = a[8:], b[8:]
	}
	for i := range a {
		s0 += a[i] * b[i]
	}
	return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))
}

// Encode makes bytes of a vector: its numbers, little-endian.
func Encode(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// Decode reverses [Encode]. It refuses bytes that no vector became, and numbers
// that nothing can be compared with.
func Decode(b []byte) ([]float32, error) {
	if len(b) == 0 || len(b)%4 != 0 {
		return nil, nestor.Errorf(nestor.CodeInvalid, "%d bytes are no vector", len(b))
	}
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		if x := float64(v[i]); math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, nestor.Errorf(nestor.CodeInvalid, "number %d of a vector is %v", i, x)
		}
	}
	return v, nil
}
