package trigger

import (
	"slices"

	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
)

// analysis is what the text of a condition says about it.
type analysis struct {
	before bool // it refers to event.before
	// state: it refers to what an update can change, that is to more of
	// event.document than its id, path and createdAt.
	state bool
	// bounded: it has no loops and only compares fields with literals, so its
	// cost is that of reading it.
	bounded bool
	// refused is what CEL allows and a condition may not do.
	refused []refusal
}

type refusal struct {
	at   common.Location
	text string
}

func analyse(checked *ast.AST) analysis {
	found := analysis{bounded: true}
	refuse := func(e ast.Expr, text string) {
		found.refused = append(found.refused, refusal{checked.SourceInfo().GetStartLocation(e.ID()), text})
	}
	done := map[int64]bool{} // operands that the selection above them explains
	ast.PreOrderVisit(checked.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.SelectKind:
			of, name := e.AsSelect().Operand(), e.AsSelect().FieldName()
			switch {
			case isEvent(of):
				done[of.ID()] = true
				found.before = found.before || name == "before"
				found.state = found.state || name == "document" && !done[e.ID()]
			case isDocument(of):
				done[of.ID()] = name == "id" || name == "path" || name == "createdAt"
			}
		case ast.IdentKind:
			if isEvent(e) && !done[e.ID()] {
				refuse(e, "event is no value by itself: name one of its fields, such as event.document")
			}
		case ast.CallKind:
			found.bounded = found.bounded && isBounded(e.AsCall())
			if pattern, ok := patternOf(e.AsCall()); ok && !isLiteral(pattern) {
				refuse(pattern, "the pattern of matches must be a literal text")
			}
		case ast.ListKind:
			if !isPlainList(e.AsList()) {
				refuse(e, "a list may hold literal values only, and nothing can be made with map")
			}
		case ast.MapKind, ast.StructKind:
			refuse(e, "a condition cannot make maps or objects")
		case ast.ComprehensionKind:
			found.bounded = false
		}
	}))
	return found
}

func isEvent(e ast.Expr) bool { return e.Kind() == ast.IdentKind && e.AsIdent() == "event" }

func isBounded(call ast.CallExpr) bool {
	switch call.FunctionName() {
	case operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot:
		return true
	case operators.Equals, operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater,
		operators.GreaterEquals:
		return slices.ContainsFunc(call.Args(), isLiteral)
	case operators.In:
		return call.Args()[1].Kind() == ast.ListKind
	}
	return false
}

// isPlainList reports whether a list is literal, or [x] for a loop's variable,
// which is what filter is made of. Of other lists a short condition could build
// a value of any size, and spend any time on comparing it.
func isPlainList(list ast.ListExpr) bool {
	elements := list.Elements()
	return len(elements) == 1 && elements[0].Kind() == ast.IdentKind || !slices.ContainsFunc(elements, isNoLiteral)
}

// patternOf is the regular expression of a call of matches.
func patternOf(call ast.CallExpr) (ast.Expr, bool) {
	if call.FunctionName() != overloads.Matches {
		return nil, false
	}
	args := call.Args() // without the text, in text.matches(pattern)
	return args[len(args)-1], true
}

func isLiteral(e ast.Expr) bool { return e.Kind() == ast.LiteralKind }

func isNoLiteral(e ast.Expr) bool { return !isLiteral(e) }
