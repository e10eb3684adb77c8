package trigger

import (
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// equality says that a field of the document has one of a few texts.
type equality struct {
	field  field
	values []string
	whole  bool // the condition says nothing else
}

// field is a field of a document's body, or one of the server's own.
type field struct {
	name string
	own  bool
}

// needs finds an equality without which e cannot be true: e itself, or what it
// is joined with by &&. It is what triggers are looked up by, so missing one
// costs time and inventing one would lose events.
func needs(e ast.Expr) *equality {
	if e.Kind() != ast.CallKind {
		return nil
	}
	call := e.AsCall()
	args := call.Args()
	switch call.FunctionName() {
	case operators.LogicalAnd:
		for _, a := range args {
			if q := needs(a); q != nil {
				q.whole = false
				return q
			}
		}
	case operators.LogicalOr:
		return either(args)
	case operators.Equals:
		if q := among(args[0], args[1:]); q != nil {
			return q
		}
		return among(args[1], args[:1])
	case operators.In:
		if args[1].Kind() == ast.ListKind {
			return among(args[0], args[1].AsList().Elements())
		}
	}
	return nil
}

// either joins equalities of the same field.
func either(alternatives []ast.Expr) *equality {
	var all *equality
	for _, a := range alternatives {
		q := needs(a)
		if q == nil || all != nil && q.field != all.field {
			return nil
		}
		if all != nil {
			q.values = append(all.values, q.values...)
			q.whole = q.whole && all.whole
		}
		all = q
	}
	return all
}

// among reads "the field is one of the literals".
func among(e ast.Expr, literals []ast.Expr) *equality {
	f, ok := fieldOf(e)
	if !ok {
		return nil
	}
	q := &equality{field: f, whole: true}
	for _, l := range literals {
		if !isLiteral(l) {
			return nil
		}
		s, ok := l.AsLiteral().(types.String)
		if !ok {
			return nil
		}
		q.values = append(q.values, string(s))
	}
	return q
}

// fieldOf reads event.document.data.F or event.document.F.
func fieldOf(e ast.Expr) (field, bool) {
	of, name, ok := selection(e)
	if !ok {
		return field{}, false
	}
	if isDocument(of) {
		switch {
		case name == "id" || name == "path":
			return field{name, true}, true
		case isOwn(name):
			return field{}, false // never text
		}
		return field{name, false}, true
	}
	document, data, ok := selection(of)
	return field{name, false}, ok && data == "data" && isDocument(document)
}

func isDocument(e ast.Expr) bool {
	of, name, ok := selection(e)
	return ok && name == "document" && isEvent(of)
}

func selection(e ast.Expr) (of ast.Expr, name string, ok bool) {
	if e.Kind() != ast.SelectKind || e.AsSelect().IsTestOnly() {
		return nil, "", false
	}
	return e.AsSelect().Operand(), e.AsSelect().FieldName(), true
}
