package calc

import (
	"errors"
	"fmt"
	"math"
	"math/big"
)

// function is one that expressions can call.
type function struct {
	min, max int // number of arguments
	call     func(args []value) (value, error)
}

const anyNumber = math.MaxInt

func (f function) arity() string {
	switch {
	case f.max == anyNumber:
		return "one or more arguments"
	case f.min != f.max:
		return fmt.Sprintf("%d or %d arguments", f.min, f.max)
	case f.min == 1:
		return "1 argument"
	default:
		return fmt.Sprintf("%d arguments", f.min)
	}
}

var functions = map[string]function{
	"abs":   {1, 1, func(a []value) (value, error) { return magnitude(a[0]), nil }},
	"sign":  {1, 1, func(a []value) (value, error) { return whole(big.NewInt(int64(a[0].sign()))), nil }},
	"floor": {1, 1, func(a []value) (value, error) { return whole(floor(a[0].exactly())), nil }},
	"ceil":  {1, 1, func(a []value) (value, error) { return whole(floor(a[0].neg().exactly())).neg(), nil }},
	"trunc": {1, 1, func(a []value) (value, error) {
		down := whole(floor(magnitude(a[0]).exactly()))
		if a[0].sign() < 0 {
			return down.neg(), nil
		}
		return down, nil
	}},
	"round": {1, 2, round},

	"min":  {1, anyNumber, func(a []value) (value, error) { return extreme(a, -1), nil }},
	"max":  {1, anyNumber, func(a []value) (value, error) { return extreme(a, 1), nil }},
	"sum":  {1, anyNumber, sum},
	"mean": {1, anyNumber, mean},

	"sqrt":  {1, 1, sqrt},
	"cbrt":  {1, 1, real(math.Cbrt)},
	"exp":   {1, 1, real(math.Exp)},
	"ln":    {1, 1, logarithm(math.Log)},
	"log10": {1, 1, logarithm(math.Log10)},
	"log2":  {1, 1, logarithm(math.Log2)},
	"log":   {1, 2, logToBase},
	"pow":   {2, 2, func(a []value) (value, error) { return power(a[0], a[1]) }},
	"mod":   {2, 2, func(a []value) (value, error) { return operate("%", a[0], a[1]) }},
	"hypot": {2, 2, func(a []value) (value, error) {
		return inexact(math.Hypot(a[0].float64(), a[1].float64())).checked()
	}},

	"sin":  {1, 1, real(cleanZero(math.Sin))},
	"cos":  {1, 1, real(cleanZero(math.Cos))},
	"tan":  {1, 1, real(cleanZero(math.Tan))},
	"asin": {1, 1, real(math.Asin)},
	"acos": {1, 1, real(math.Acos)},
	"atan": {1, 1, real(math.Atan)},
	"atan2": {2, 2, func(a []value) (value, error) {
		return inexact(math.Atan2(a[0].float64(), a[1].float64())).checked()
	}},
	"sinh": {1, 1, real(math.Sinh)},
	"cosh": {1, 1, real(math.Cosh)},
	"tanh": {1, 1, real(math.Tanh)},
	"rad":  {1, 1, real(func(x float64) float64 { return x * math.Pi / 180 })},
	"deg":  {1, 1, real(func(x float64) float64 { return x * 180 / math.Pi })},

	"factorial": {1, 1, factorial},
	"gcd":       {2, anyNumber, func(a []value) (value, error) { return fold(a, gcd) }},
	"lcm":       {2, anyNumber, func(a []value) (value, error) { return fold(a, lcm) }},
}

// real makes a function of floating point numbers callable.
func real(f func(float64) float64) func([]value) (value, error) {
	return func(a []value) (value, error) { return inexact(f(a[0].float64())).checked() }
}

// cleanZero makes sin(pi) zero, which binary pi itself misses by a hair.
func cleanZero(f func(float64) float64) func(float64) float64 {
	return func(x float64) float64 {
		y := f(x)
		if math.Abs(y) < 1e-15 && math.Abs(x) > 1e-15 {
			return 0
		}
		return y
	}
}

func logarithm(f func(float64) float64) func([]value) (value, error) {
	return func(a []value) (value, error) {
		if a[0].sign() <= 0 {
			return value{}, errors.New("only positive numbers have a logarithm")
		}
		return inexact(f(a[0].float64())).checked()
	}
}

func logToBase(a []value) (value, error) {
	if len(a) == 1 {
		return value{}, errors.New("say which base: ln(x), log10(x), log2(x) or log(x, base)")
	}
	x, err := logarithm(math.Log)(a[:1])
	if err != nil {
		return value{}, err
	}
	base, err := logarithm(math.Log)(a[1:])
	if err != nil {
		return value{}, err
	}
	return operate("/", x, base)
}

func magnitude(v value) value {
	if v.sign() < 0 {
		return v.neg()
	}
	return v
}

// extreme returns the largest value for direction 1, the smallest for -1.
func extreme(a []value, direction int) value {
	best := a[0]
	for _, v := range a[1:] {
		if v.exactly().Cmp(best.exactly()) == direction {
			best = v
		}
	}
	return best
}

func sum(a []value) (value, error) {
	total := a[0]
	for _, v := range a[1:] {
		var err error
		if total, err = operate("+", total, v); err != nil {
			return value{}, err
		}
	}
	return total, nil
}

func mean(a []value) (value, error) {
	total, err := sum(a)
	if err != nil {
		return value{}, err
	}
	return operate("/", total, whole(big.NewInt(int64(len(a)))))
}

// round rounds halves away from zero, to whole numbers or to the given number
// of decimal places.
func round(a []value) (value, error) {
	places := 0
	if len(a) == 2 {
		n := a[1].exactly()
		if !n.IsInt() || !n.Num().IsInt64() || n.Num().CmpAbs(big.NewInt(1000)) > 0 {
			return value{}, errors.New("the number of decimal places must be a whole number up to 1000")
		}
		places = int(n.Num().Int64())
	}
	scaled, err := scale(magnitude(a[0]).exactly(), places)
	if err != nil {
		return value{}, err
	}
	nearest := floor(scaled.rat.Add(scaled.rat, big.NewRat(1, 2)))
	v, err := scale(new(big.Rat).SetInt(nearest), -places)
	if err == nil && a[0].sign() < 0 {
		v = v.neg()
	}
	return v, err
}

// sqrt is exact for squares of fractions.
func sqrt(a []value) (value, error) {
	v := a[0]
	if v.sign() < 0 {
		return value{}, errors.New("a negative number has no real square root")
	}
	if v.rat != nil {
		num, den := new(big.Int).Sqrt(v.rat.Num()), new(big.Int).Sqrt(v.rat.Denom())
		root := new(big.Rat).SetFrac(num, den)
		if new(big.Rat).Mul(root, root).Cmp(v.rat) == 0 {
			return exact(root), nil
		}
	}
	return inexact(math.Sqrt(v.float64())).checked()
}

func factorial(a []value) (value, error) {
	n := a[0].exactly()
	if !n.IsInt() || n.Sign() < 0 || n.Num().Cmp(big.NewInt(1000)) > 0 {
		return value{}, errors.New("only whole numbers from 0 to 1000 have a factorial here")
	}
	return whole(new(big.Int).MulRange(1, n.Num().Int64())), nil
}

func gcd(a, b *big.Int) *big.Int { return new(big.Int).GCD(nil, nil, a, b) }

func lcm(a, b *big.Int) *big.Int {
	if a.Sign() == 0 || b.Sign() == 0 {
		return new(big.Int)
	}
	product := new(big.Int).Mul(a, b)
	return product.Quo(product, gcd(a, b))
}

// fold combines the absolute values of whole numbers.
func fold(a []value, combine func(a, b *big.Int) *big.Int) (value, error) {
	var acc *big.Int
	for _, v := range a {
		n := v.exactly()
		if !n.IsInt() {
			return value{}, errors.New("only whole numbers are allowed")
		}
		size := new(big.Int).Abs(n.Num())
		if acc == nil {
			acc = size
		} else {
			acc = combine(acc, size)
		}
		if acc.BitLen() > maxBits {
			return value{}, errRange
		}
	}
	return whole(acc), nil
}
