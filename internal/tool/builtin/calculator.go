package builtin

import (
	"context"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/tool/calc"
)

const calculatorDescription = `Evaluates an arithmetic expression. Use it for every calculation. It knows + - * / % ^ and parentheses; pi, e, tau; sqrt cbrt abs floor ceil trunc round(x, places) min max sum mean exp ln log(x, base) pow mod sin cos tan asin acos atan (radians) factorial gcd lcm. Whole numbers and decimal fractions are exact. Write 2*pi and 15/100; there are no variables, units or currencies.`

func calculator() *tool.Tool {
	type input struct {
		Expression string `json:"expression" jsonschema:"for example round((1200 * 1.19 - 50) / 3, 2)"`
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
