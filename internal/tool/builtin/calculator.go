package builtin

import (
	"context"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/tool/calc"
)

const calculatorDescription = `Evaluates an arithmetic expression and returns the number. Use it for every calculation instead of doing it in your head.
Operators: + - * / % (remainder) ^ (power), parentheses. Constants: pi, e, tau.
Functions: sqrt cbrt abs sign floor ceil trunc round(x, places) min max sum mean exp ln log10 log2 log(x, base) pow mod hypot sin cos tan asin acos atan atan2 sinh cosh tanh (angles in radians) rad deg factorial gcd lcm.
Whole numbers and decimal fractions are exact. Write 2*pi, not 2pi, and 15/100, not 15%. No variables, units or currencies.`

func calculator() *tool.Tool {
	type input struct {
		Expression string `json:"expression" jsonschema:"the expression, for example: round((1200 * 1.19 - 50) / 3, 2)"`
	}
	spec := tool.Spec{Name: "calculator", Description: calculatorDescription, Effect: tool.Pure, Local: true}
	return tool.Func(spec, func(_ context.Context, _ tool.Call, in input) (string, error) {
		value, err := calc.Eval(in.Expression)
		if err != nil {
			return "", nestor.Errorf(nestor.CodeInvalid, "%w", err)
		}
		return value, nil
	})
}
