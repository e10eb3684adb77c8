package trigger

import (
	"cel.dev/cel-go/common/ast"

	"github.com/nestorhq/nestor/internal/celguard"
)

// analysis is what the text of a condition says about it.
type analysis struct {
	before bool // it refers to event.before
	// state: it refers to what an update can change, that is to more of
	// event.document than its id, path and createdAt.
	state bool
	// refused is what CEL allows and a condition may not do.
	refused []celguard.Refusal
}

func analyse(checked *ast.AST) analysis {
	found := analysis{}
	refuse := func(e ast.Expr, text string) {
		found.refused = append(found.refused, celguard.Refusal{At: checked.SourceInfo().GetStartLocation(e.ID()), Text: text})
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
				done[of.ID()] = name == "id" || name == "path" || name == "createdAt" || name == "createdSeq"
			}
		case ast.IdentKind:
			if isEvent(e) && !done[e.ID()] {
				refuse(e, "event is no value by itself: name one of its fields, such as event.document")
			}
		}
	}))
	return found
}

func isEvent(e ast.Expr) bool { return e.Kind() == ast.IdentKind && e.AsIdent() == "event" }

func isLiteral(e ast.Expr) bool { return e.Kind() == ast.LiteralKind }
