package calc

import (
	"errors"
	"math"
	"math/big"
	"strconv"
)

// value is a number: exact if rat is set, else the float.
type value struct {
	rat   *big.Rat
	float float64
}

func exact(r *big.Rat) value  { return value{rat: r} }
func whole(n *big.Int) value  { return exact(new(big.Rat).SetInt(n)) }
func inexact(f float64) value { return value{float: f} }
func bitLen(r *big.Rat) int   { return max(r.Num().BitLen(), r.Denom().BitLen()) }

var (
	errRange     = errors.New("the number is out of range")
	errUndefined = errors.New("the result is not defined for real numbers")
)

func (v value) float64() float64 {
	if v.rat == nil {
		return v.float
	}
	f, _ := v.rat.Float64()
	return f
}

// exactly returns the number as a fraction.
func (v value) exactly() *big.Rat {
	if v.rat != nil {
		return v.rat
	}
	return new(big.Rat).SetFloat64(v.float)
}

func (v value) sign() int {
	if v.rat != nil {
		return v.rat.Sign()
	}
	switch {
	case v.float > 0:
		return 1
	case v.float < 0:
		return -1
	}
	return 0
}

func (v value) neg() value {
	if v.rat != nil {
		return exact(new(big.Rat).Neg(v.rat))
	}
	return inexact(-v.float)
}

// checked refuses results that grew beyond the limits or left the real numbers.
func (v value) checked() (value, error) {
	switch {
	case v.rat != nil && bitLen(v.rat) > maxBits, math.IsInf(v.float, 0):
		return value{}, errRange
	case math.IsNaN(v.float):
		return value{}, errUndefined
	}
	return v, nil
}

// apply carries out a binary operator.
func apply(op token, a, b value) (value, error) {
	v, err := operate(op.text, a, b)
	if err != nil {
		return value{}, errorAt(op.offset, "%v", err)
	}
	return v, nil
}

func operate(op string, a, b value) (value, error) {
	if b.sign() == 0 && (op == "/" || op == "%") {
		return value{}, errors.New("division by zero")
	}
	if op == "^" {
		return power(a, b)
	}
	if a.rat == nil || b.rat == nil {
		return floatOperate(op, a.float64(), b.float64())
	}
	r := new(big.Rat)
	switch op {
	case "+":
		r.Add(a.rat, b.rat)
	case "-":
		r.Sub(a.rat, b.rat)
	case "*":
		r.Mul(a.rat, b.rat)
	case "/":
		r.Quo(a.rat, b.rat)
	case "%":
		quotient := new(big.Rat).SetInt(floor(r.Quo(a.rat, b.rat)))
		r.Sub(a.rat, quotient.Mul(quotient, b.rat))
	}
	return exact(r).checked()
}

func floatOperate(op string, a, b float64) (value, error) {
	var f float64
	switch op {
	case "+":
		f = a + b
	case "-":
		f = a - b
	case "*":
		f = a * b
	case "/":
		f = a / b
	case "%":
		f = math.Mod(a, b)
		if f != 0 && (f < 0) != (b < 0) {
			f += b
		}
	}
	return inexact(f).checked()
}

func power(a, b value) (value, error) {
	if a.sign() == 0 && b.sign() < 0 {
		return value{}, errors.New("division by zero")
	}
	if a.rat == nil || b.rat == nil || !b.rat.IsInt() {
		return inexact(math.Pow(a.float64(), b.float64())).checked()
	}
	n := new(big.Int).Abs(b.rat.Num())
	switch size := bitLen(a.rat); {
	case size <= 1 && n.Sign() != 0: // -1, 0 and 1: only the parity of n matters
		n.SetInt64(2 + int64(n.Bit(0)))
	case size > 1 && (!n.IsInt64() || n.Int64() > int64(maxBits/(size-1))):
		return value{}, errRange
	}
	r := new(big.Rat).SetFrac(new(big.Int).Exp(a.rat.Num(), n, nil), new(big.Int).Exp(a.rat.Denom(), n, nil))
	if b.sign() < 0 {
		r.Inv(r)
	}
	return exact(r).checked()
}

// scale returns r * 10^n.
func scale(r *big.Rat, n int) (value, error) {
	p, err := power(whole(big.NewInt(10)), whole(big.NewInt(int64(n))))
	if err != nil {
		return value{}, err
	}
	return exact(new(big.Rat).Mul(r, p.rat)).checked()
}

// floor rounds down, as Euclidean division by a positive number does.
func floor(r *big.Rat) *big.Int { return new(big.Int).Div(r.Num(), r.Denom()) }

// maxDecimals is how many decimal places an exact fraction is written with.
const maxDecimals = 30

func (v value) String() string {
	if v.rat == nil {
		return formatFloat(v.float)
	}
	if v.rat.IsInt() {
		return v.rat.Num().String()
	}
	if n, finite := v.rat.FloatPrec(); finite && n <= maxDecimals {
		return v.rat.FloatString(n)
	}
	f, _ := v.rat.Float64()
	if f == 0 || math.IsInf(f, 0) {
		return new(big.Float).SetPrec(64).SetRat(v.rat).Text('g', 15)
	}
	return formatFloat(f)
}

// formatFloat writes 15 significant digits, which hides the noise of binary
// fractions, and no exponent for numbers of ordinary size.
func formatFloat(f float64) string {
	text := strconv.FormatFloat(f, 'g', 15, 64)
	size := math.Abs(f)
	switch {
	case f == 0:
		return "0" // not -0
	case size < 1e-6 || size >= 1e15:
		return text
	}
	short, _ := strconv.ParseFloat(text, 64)
	return strconv.FormatFloat(short, 'f', -1, 64)
}
