package rules

import (
	"slices"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// analyst finds the nodes of one condition.
type analyst struct {
	env     *cel.Env
	source  *ast.SourceInfo
	pattern *pattern
}

func (a analyst) reach(e ast.Expr) node {
	if e.Kind() == ast.CallKind {
		args := e.AsCall().Args()
		switch e.AsCall().FunctionName() {
		case operators.LogicalOr:
			return anyOf{a.reach(args[0]), a.reach(args[1])}
		case operators.LogicalAnd:
			return allOf{a.reach(args[0]), a.reach(args[1])}
		case operators.Equals:
			if segment, ok := a.comparesCaller(args[0], args[1]); ok {
				return isCaller{segment}
			}
			if isSomeText(args[1]) {
				return a.roleNode(args[0], e)
			}
		case operators.NotEquals:
			if isText(args[1], "") {
				return a.roleNode(args[0], e)
			}
		case operators.In:
			if args[1].Kind() == ast.ListKind && !slices.ContainsFunc(args[1].AsList().Elements(), isNotSomeText) {
				return a.roleNode(args[0], e)
			}
		}
	}
	return a.callerNode(e)
}

// comparesCaller recognises request.auth.uid == resource.params.x, either way
// round.
func (a analyst) comparesCaller(x, y ast.Expr) (segment int, ok bool) {
	if isPath(y, "request", "auth", "uid") {
		x, y = y, x
	}
	if !isPath(x, "request", "auth", "uid") {
		return 0, false
	}
	return a.param(y)
}

// param is the segment that resource.params.x stands for.
func (a analyst) param(e ast.Expr) (segment int, ok bool) {
	if e.Kind() != ast.SelectKind || !isPath(e.AsSelect().Operand(), "resource", "params") {
		return 0, false
	}
	segment = slices.Index(a.pattern.names, e.AsSelect().FieldName())
	return segment, segment >= 0
}

// roleNode recognises what role stands for: the caller's role in a chat or in
// an account. The comparison e must hold for some role and fail for none at
// all.
func (a analyst) roleNode(role, e ast.Expr) node {
	if isPath(role, "chat", "role") {
		return hasChatRole{}
	}
	if role.Kind() == ast.CallKind && role.AsCall().FunctionName() == "role" && role.AsCall().IsMemberFunction() {
		if segment, ok := a.param(role.AsCall().Args()[0]); ok {
			return isAccount{segment}
		}
	}
	return a.callerNode(e)
}

// callerNode recognises conditions on nothing but request.auth, which can be
// evaluated before there is a document.
func (a analyst) callerNode(e ast.Expr) node {
	only := true
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.LiteralKind, ast.ListKind:
		case ast.CallKind:
			only = only && e.AsCall().FunctionName() != "role"
		case ast.SelectKind:
			of := e.AsSelect().Operand()
			only = only && (isPath(e, "request", "auth") || isPath(of, "request", "auth"))
		case ast.IdentKind:
			only = only && e.AsIdent() == "request"
		default:
			only = false
		}
	}))
	if !only {
		return unknown{}
	}
	text, err := cel.ExprToString(e, a.source)
	if err != nil {
		return unknown{}
	}
	checked, issues := a.env.Compile(text)
	if issues.Err() != nil {
		return unknown{}
	}
	program, err := a.env.Program(checked)
	if err != nil {
		return unknown{}
	}
	return aboutCaller{program}
}

// isPath recognises a chain of fields such as request.auth.uid.
func isPath(e ast.Expr, names ...string) bool {
	last := len(names) - 1
	if last == 0 {
		return e.Kind() == ast.IdentKind && e.AsIdent() == names[0]
	}
	return e.Kind() == ast.SelectKind && !e.AsSelect().IsTestOnly() && e.AsSelect().FieldName() == names[last] &&
		isPath(e.AsSelect().Operand(), names[:last]...)
}

func isText(e ast.Expr, text string) bool {
	return e.Kind() == ast.LiteralKind && e.AsLiteral() == types.String(text)
}

// isSomeText recognises a literal text that is not empty.
func isSomeText(e ast.Expr) bool {
	if e.Kind() != ast.LiteralKind {
		return false
	}
	text, ok := e.AsLiteral().(types.String)
	return ok && text != ""
}

func isNotSomeText(e ast.Expr) bool { return !isSomeText(e) }
