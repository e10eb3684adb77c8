package calc

import (
	"errors"
	"strings"
	"testing"
)

func TestEval(t *testing.T) {
	tests := []struct{ expression, want string }{
		{"1 + 2 * 3", "7"},
		{"(1 + 2) * 3", "9"},
		{"10 - 4 - 3", "3"},
		{"100 / 5 / 2", "10"},
		{"2^3^2", "512"},
		{"2**10", "1024"},
		{"-2^2", "-4"},
		{"(-2)^2", "4"},
		{"2^-2", "0.25"},
		{"--3", "3"},
		{"+-+3", "-3"},
		{"2 * -3", "-6"},
		{"7 % 3", "1"},
		{"-7 % 3", "2"},
		{"7 % -3", "-2"},
		{"5.5 % 2", "1.5"},
		{"  1\n+\t1 ", "2"},
		{"6 × 7 − 2 ÷ 2", "41"},

		{"0.1 + 0.2", "0.3"},
		{"1/3*3", "1"},
		{"1/3", "0.333333333333333"},
		{"2/3", "0.666666666666667"},
		{"1e3 + .5", "1000.5"},
		{"1.5E-3", "0.0015"},
		{".00001^820", "1e-4100"},
		{"1e-4100 * 1e4101", "10"},
		{"2e", "at position 2: an operator is missing here; write * to multiply"},
		{"2^100", "1267650600228229401496703205376"},
		{"9999999999999999 + 1", "10000000000000000"},
		{"123456789 * 987654321", "121932631112635269"},
		{"10^30 / 10^28", "100"},
		{"1/2^20", "0.00000095367431640625"},
		{"1/7^10", "3.54013317464144e-09"},
		{"0^0", "1"},
		{"(-1)^1000000000000000000000", "1"},
		{"(-1)^1000000000000000000001", "-1"},
		{"0^1000000000000000000000", "0"},

		{"sqrt(16)", "4"},
		{"sqrt(2.25)", "1.5"},
		{"sqrt(2)", "1.4142135623731"},
		{"√(9)", "3"},
		{"cbrt(27)", "3"},
		{"abs(-5/2)", "2.5"},
		{"sign(-2) + sign(0) + sign(9)", "0"},
		{"floor(-1.5)", "-2"},
		{"ceil(-1.5)", "-1"},
		{"ceil(1.1)", "2"},
		{"trunc(-1.9)", "-1"},
		{"trunc(1.9)", "1"},
		{"round(2.5)", "3"},
		{"round(-2.5)", "-3"},
		{"round(2.675, 2)", "2.68"},
		{"round(12345, -2)", "12300"},
		{"min(3, 1/2, 2)", "0.5"},
		{"max(3, 10, sqrt(2))", "10"},
		{"sum(1, 2, 3.5)", "6.5"},
		{"mean(1, 2)", "1.5"},
		{"ln(e)", "1"},
		{"log10(1000)", "3"},
		{"log2(8)", "3"},
		{"log(81, 3)", "4"},
		{"exp(0)", "1"},
		{"pow(2, 0.5)^2", "2"},
		{"mod(-7, 3)", "2"},
		{"hypot(3, 4)", "5"},
		{"sin(pi)", "0"},
		{"cos(pi)", "-1"},
		{"sin(rad(30))", "0.5"},
		{"deg(atan(1))", "45"},
		{"atan2(1, 1) * 4 - π", "0"},
		{"tau / 2 - pi", "0"},
		{"asin(1) - acos(0)", "0"},
		{"tanh(0) + sinh(0) + cosh(0) + tan(0)", "1"},
		{"factorial(20)", "2432902008176640000"},
		{"gcd(12, 18, 8)", "2"},
		{"lcm(4, 6)", "12"},
		{"lcm(0, 6)", "0"},
		{"pi % 2", "1.14159265358979"},
		{"-pi % 2", "0.858407346410207"},
		{"pi - 3 + pi / pi", "1.14159265358979"},
		{"-sqrt(2)", "-1.4142135623731"},
		{"floor(-pi) + ceil(pi) + round(e, 3)", "2.718"},
		{"SQRT(4) + Pi*0", "2"},
		{"-0 * pi", "0"},
		{"pi * 10^20", "3.14159265358979e+20"},
		{"exp(-20)", "2.06115362243856e-09"},
	}
	for _, tt := range tests {
		t.Run(tt.expression, func(t *testing.T) {
			got, err := Eval(tt.expression)
			if err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestEvalSaysWhatIsWrongAndWhere(t *testing.T) {
	tests := []struct{ expression, want string }{
		{"", "at position 1: the expression is empty"},
		{"   ", "at position 4: the expression is empty"},
		{"1 +", "at position 4: the expression ends too early"},
		{"1 + * 2", "at position 5: unexpected *"},
		{"(1 + 2", "at position 1: this ( is not closed"},
		{"sqrt(4", "at position 5: this ( is not closed"},
		{"1 + 2)", "at position 6: unexpected )"},
		{"(1, 2)", "at position 3: unexpected ,"},
		{"()", "at position 2: unexpected )"},
		{"1 / (2 - 2)", "at position 3: division by zero"},
		{"5 % 0", "at position 3: division by zero"},
		{"0^-1", "at position 2: division by zero"},
		{"1/sin(0)", "at position 2: division by zero"},
		{"2pi", "at position 2: an operator is missing here; write * to multiply"},
		{"2(3)", "at position 2: an operator is missing here; write * to multiply"},
		{"(2)(3)", "at position 4: an operator is missing here; write * to multiply"},
		{"1 2", "at position 3: an operator is missing here; write * to multiply"},
		{"20%", "at position 3: % is the remainder of a division; for per cent divide by 100"},
		{"(20%)", "at position 4: % is the remainder of a division; for per cent divide by 100"},
		{"1..2", `at position 1: "1.." is not a number`},
		{".", `at position 1: "." is not a number`},
		{"2 + ü", "at position 5: 'ü' is not allowed in an expression"},
		{"üü", "at position 1: 'ü' is not allowed in an expression"},
		{"× + $", "at position 1: unexpected ×"},
		{"ππ", "at position 2: an operator is missing here; write * to multiply"},
		{"\xff", "at position 1: '�' is not allowed in an expression"},
		{"os + 1", "at position 1: unknown name \"os\""},
		{"system(1)", "at position 1: unknown function \"system\""},
		{"pi(2)", "at position 1: unknown function \"pi\""},
		{"sqrt", "at position 5: expected ( after sqrt"},
		{"sqrt()", "at position 6: unexpected )"},
		{"sqrt(1, 2)", "at position 1: sqrt takes 1 argument, not 2"},
		{"hypot(1)", "at position 1: hypot takes 2 arguments, not 1"},
		{"round(1, 2, 3)", "at position 1: round takes 1 or 2 arguments, not 3"},
		{"gcd(4)", "at position 1: gcd takes one or more arguments, not 1"},
		{"1 + log(5)", "at position 5: log: say which base: ln(x), log10(x), log2(x) or log(x, base)"},
		{"sqrt(-1)", "at position 1: sqrt: a negative number has no real square root"},
		{"ln(0)", "at position 1: ln: only positive numbers have a logarithm"},
		{"log(2, -1)", "at position 1: log: only positive numbers have a logarithm"},
		{"log(2, 1)", "at position 1: log: division by zero"},
		{"asin(2)", "at position 1: asin: the result is not defined for real numbers"},
		{"(-8)^(1/3)", "at position 5: the result is not defined for real numbers"},
		{"factorial(1001)", "at position 1: factorial: only whole numbers from 0 to 1000 have a factorial here"},
		{"factorial(1.5)", "at position 1: factorial: only whole numbers from 0 to 1000 have a factorial here"},
		{"gcd(1.5, 2)", "at position 1: gcd: only whole numbers are allowed"},
		{"round(1, 0.5)", "at position 1: round: the number of decimal places must be a whole number up to 1000"},
		{"10^10^10", "at position 3: the number is out of range"},
		{"9^99999999999999999999", "at position 2: the number is out of range"},
		{"exp(1000)", "at position 1: exp: the number is out of range"},
		{"1e6000", "at position 1: the number is out of range"},
		{"1e-6000", "at position 1: the number is out of range"},
		{"1e99999", "at position 1: the exponent of 1e99999 is too large"},
		{"1e99999999999999999999", "at position 1: the exponent of 1e99999999999999999999 is too large"},
		{"factorial(1000)*factorial(1000)", "at position 16: the number is out of range"},
	}
	for _, tt := range tests {
		t.Run(tt.expression, func(t *testing.T) {
			got, err := Eval(tt.expression)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("got %q and error %v", got, err)
			}
			if !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got  %s\nwant %s", err, tt.want)
			}
		})
	}
}

func TestLimitsOnLengthAndDepth(t *testing.T) {
	tests := []struct{ name, expression, want string }{
		{"too long", strings.Repeat("1+", 2048) + "1", "the expression is longer than 4096 characters"},
		{"parentheses too deep", strings.Repeat("(", 200) + "1" + strings.Repeat(")", 200), "nested more than 100 deep"},
		{"signs too deep", strings.Repeat("-", 200) + "1", "nested more than 100 deep"},
		{"powers too deep", strings.Repeat("1^", 200) + "1", "nested more than 100 deep"},
		{"calls too deep", strings.Repeat("abs(", 200) + "1" + strings.Repeat(")", 200), "nested more than 100 deep"},
		{"as long and as deep as allowed", strings.Repeat("(", 100) + "1" + strings.Repeat(")", 100) + strings.Repeat("+1", 1900), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Eval(tt.expression)
			switch {
			case tt.want == "" && (err != nil || got != "1901"):
				t.Errorf("got %q, %v", got, err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// FuzzEval checks that any input ends in a number or a located error, and that
// a result is itself a number that can be calculated with.
func FuzzEval(f *testing.F) {
	for _, seed := range []string{
		"1+2*3", "-(2^3^2)%7", "round(2.675, 2)", "sqrt(2)/3e-5", "1/3", "max(1,2,3)", "π×√(2)", "2**-9", "((1)", "20%", "1e4000*1e4000",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		got, err := Eval(expression)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Reason == "" || e.Position < 1 || e.Position > len(expression)+1 {
				t.Fatalf("%q: error %#v", expression, err)
			}
			return
		}
		if check := got + "-(" + got + ")"; len(check) <= maxLength {
			if zero, err := Eval(check); err != nil || zero != "0" {
				t.Fatalf("%q gave %s, and %s gave %s, %v", expression, got, check, zero, err)
			}
		}
	})
}
