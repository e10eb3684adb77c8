package celguard

import (
	"slices"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
)

// refusals finds what would let a short condition take any amount of work.
func refusals(tree *ast.AST) (found []Refusal) {
	refuse := func(e ast.Expr, text string) {
		found = append(found, Refusal{tree.SourceInfo().GetStartLocation(e.ID()), text})
	}
	visit(tree, func(e ast.Expr) {
		switch e.Kind() {
		case ast.CallKind:
			if pattern, ok := patternOf(e.AsCall()); ok && !isLiteral(pattern) {
				refuse(pattern, "the pattern of matches must be a literal text")
			}
		case ast.ListKind:
			if !isPlainList(e.AsList()) {
				refuse(e, "a list may hold literal values only, and nothing can be made with map")
			}
		case ast.MapKind, ast.StructKind:
			refuse(e, "a condition cannot make maps or objects")
		}
	})
	return found
}

// isPlainList reports whether a list is literal, or [x] for a loop's variable,
// which filter is made of. With other lists a short condition could build a
// value of any size, and compare it for any time.
func isPlainList(list ast.ListExpr) bool {
	elements := list.Elements()
	return len(elements) == 1 && elements[0].Kind() == ast.IdentKind || !hasNoLiteral(elements)
}

// patternOf is the regular expression of a call of matches.
func patternOf(call ast.CallExpr) (ast.Expr, bool) {
	if call.FunctionName() != overloads.Matches {
		return nil, false
	}
	args := call.Args() // without the text, in text.matches(pattern)
	return args[len(args)-1], true
}

// isBounded reports whether a condition has no loops and only compares fields
// with something short, so that its cost is that of reading it.
func isBounded(tree *ast.AST, cheap []string) bool {
	bounded := true
	visit(tree, func(e ast.Expr) {
		switch e.Kind() {
		case ast.ComprehensionKind:
			bounded = false
		case ast.CallKind:
			bounded = bounded && isBoundedCall(tree, e.AsCall(), cheap)
		}
	})
	return bounded
}

func isBoundedCall(tree *ast.AST, call ast.CallExpr, cheap []string) bool {
	switch call.FunctionName() {
	case operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot:
		return true
	case operators.Equals, operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater,
		operators.GreaterEquals:
		return slices.ContainsFunc(call.Args(), func(e ast.Expr) bool { return isShort(tree, e) })
	case operators.In:
		return call.Args()[1].Kind() == ast.ListKind
	}
	return slices.Contains(cheap, call.FunctionName())
}

// isShort recognises literals, and fields whose type is known before the
// condition runs: the environment's, such as ids and names of operations.
// Fields of documents have no known type.
func isShort(tree *ast.AST, e ast.Expr) bool {
	if e.Kind() != ast.SelectKind {
		return isLiteral(e)
	}
	switch tree.GetType(e.ID()).Kind() {
	case types.StringKind, types.BoolKind, types.IntKind, types.UintKind, types.DoubleKind, types.TimestampKind:
		return true
	}
	return false
}
