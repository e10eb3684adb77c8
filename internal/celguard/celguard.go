// Package celguard keeps CEL conditions cheap, whoever wrote them and whatever
// document they are about: conditions of triggers run while a write waits, those
// of access rules on every request.
//
//   - What can be known beforehand is refused when a condition is compiled: its
//     size and nesting, the size of regular expressions, patterns that are not
//     literal, lists and maps that are made of other values.
//   - The rest is counted while it runs, and ends at a limit. A condition that
//     only compares fields with short values is not counted: it cannot be long.
package celguard

import (
	"errors"
	"slices"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/interpreter"
)

const (
	// maxCondition is the longest condition, in characters.
	maxCondition = 10_000
	// maxRegex is the size of the largest regular expression, compiled. Its
	// pattern is a literal, so this is checked once.
	maxRegex = 100
)

// Limits bound what the compiler of an environment accepts. The parser's own
// default bounds nesting, at 250.
func Limits() []cel.EnvOption {
	return []cel.EnvOption{
		cel.ParserExpressionSizeLimit(maxCondition),
		cel.ASTValidators(
			cel.ValidateRegexLiterals(), cel.ValidateRegexProgramSizeLimit(maxRegex),
			cel.ValidateTimestampLiterals(), cel.ValidateDurationLiterals()),
	}
}

// Refusal is something that CEL allows and a condition may not do.
type Refusal struct {
	At   common.Location
	Text string
}

// Program plans a checked condition, or says why it is refused. Cheap names the
// environment's own functions that cost next to nothing.
func Program(env *cel.Env, checked *cel.Ast, cheap ...string) (cel.Program, []Refusal, error) {
	return program(env, checked, costLimit, cheap)
}

// QuickProgram is Program with a limit that is spent in about a millisecond, for
// transactions that evaluate many conditions; see [TooLong].
func QuickProgram(env *cel.Env, checked *cel.Ast) (cel.Program, []Refusal, error) {
	return program(env, checked, quickLimit, nil)
}

// TooLong reports whether an evaluation ended at its limit.
func TooLong(err error) bool {
	var ended interpreter.EvalCancelledError
	return errors.As(err, &ended) && ended.Cause == interpreter.CostLimitExceeded
}

func program(env *cel.Env, checked *cel.Ast, limit uint64, cheap []string) (cel.Program, []Refusal, error) {
	tree := checked.NativeRep()
	if list := refusals(tree); len(list) > 0 {
		return nil, list, nil
	}
	options := []cel.ProgramOption{cel.EvalOptions(cel.OptOptimize)}
	if !isBounded(tree, cheap) {
		options = append(options, cel.CostTracking(costs{}), cel.CostLimit(limit))
	}
	program, err := env.Program(checked, options...)
	return program, nil, err
}

func visit(tree *ast.AST, see func(ast.Expr)) {
	ast.PreOrderVisit(tree.Expr(), ast.NewExprVisitor(see))
}

func isLiteral(e ast.Expr) bool { return e.Kind() == ast.LiteralKind }

func isNoLiteral(e ast.Expr) bool { return !isLiteral(e) }

func hasNoLiteral(list []ast.Expr) bool { return slices.ContainsFunc(list, isNoLiteral) }
