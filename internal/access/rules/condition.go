package rules

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

const (
	maxCondition = 10_000 // characters
	maxRegex     = 100    // instructions; patterns are literals, so this is checked once
	// costLimit bounds the steps of a condition with loops.
	costLimit = 1_000_000
)

// condition is a compiled CEL expression. It is safe for concurrent use.
type condition struct {
	program cel.Program
	// reach is what the condition cannot hold without.
	reach node
}

// environment declares what every condition sees. The type of resource.params
// differs from rule to rule.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	return cel.NewEnv(
		cel.Variable("request", requestType),
		cel.Variable("resource", resourceType),
		cel.Variable("chat", chatType),
		cel.Function("role", cel.MemberOverload("caller_role_string", []*cel.Type{callerType, cel.StringType}, cel.StringType,
			cel.BinaryBinding(func(caller, account ref.Val) ref.Val {
				return caller.(callerValue).role(string(account.(types.String)))
			}))),
		cel.CrossTypeNumericComparisons(true),
		cel.ParserExpressionSizeLimit(maxCondition),
		cel.ASTValidators(
			cel.ValidateRegexLiterals(), cel.ValidateRegexProgramSizeLimit(maxRegex),
			cel.ValidateTimestampLiterals(), cel.ValidateDurationLiterals()),
	)
})

// compile parses, checks and plans a condition on the documents of a pattern.
func compile(source string, p *pattern) (*condition, error) {
	env, err := environmentFor(p)
	if err != nil {
		return nil, err
	}
	checked, issues := env.Compile(source)
	if issues.Err() != nil {
		var problems []string
		for _, e := range issues.Errors() {
			problems = append(problems, fmt.Sprintf("line %d, column %d: %s", max(e.Location.Line(), 1), max(e.Location.Column(), 0)+1, e.Message))
		}
		return nil, fmt.Errorf("%s", strings.Join(problems, "; "))
	}
	if t := checked.OutputType(); !t.IsExactType(cel.BoolType) {
		return nil, fmt.Errorf("it gives a value of type %s, not true or false", t)
	}
	options := []cel.ProgramOption{cel.EvalOptions(cel.OptOptimize)}
	if hasLoop(checked.NativeRep().Expr()) {
		options = append(options, cel.CostLimit(costLimit))
	}
	program, err := env.Program(checked, options...)
	if err != nil {
		return nil, err
	}
	a := analyst{env: env, source: checked.NativeRep().SourceInfo(), pattern: p}
	return &condition{program: program, reach: a.reach(checked.NativeRep().Expr())}, nil
}

func environmentFor(p *pattern) (*cel.Env, error) {
	base, err := environment()
	if err != nil {
		return nil, err
	}
	registry, err := types.NewRegistry()
	if err != nil {
		return nil, err
	}
	return base.Extend(cel.CustomTypeProvider(provider{registry, paramFields(p)}))
}

func hasLoop(e ast.Expr) bool {
	found := false
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) { found = found || e.Kind() == ast.ComprehensionKind }))
	return found
}

// holds evaluates the condition. One that cannot be evaluated does not hold.
func (c *condition) holds(f *frame) bool {
	value, _, err := c.program.Eval(f)
	return err == nil && value == types.True
}

// provider adds the types of this package to those that CEL knows.
type provider struct {
	*types.Registry
	params map[string]*types.FieldType
}

// FindStructType implements [types.Provider].
func (p provider) FindStructType(name string) (*types.Type, bool) {
	i := slices.IndexFunc(objectTypes, func(t *cel.Type) bool { return t.TypeName() == name })
	if i >= 0 {
		return types.NewTypeTypeWithParam(objectTypes[i]), true
	}
	return p.Registry.FindStructType(name)
}

// FindStructFieldType implements [types.Provider].
func (p provider) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	fields, ok := objectFields[name]
	if name == paramsType.TypeName() {
		fields, ok = p.params, true
	}
	if !ok {
		return p.Registry.FindStructFieldType(name, field)
	}
	f, ok := fields[field]
	return f, ok
}
