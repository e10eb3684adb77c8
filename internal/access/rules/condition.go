package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/nestorhq/nestor/internal/celguard"
)

// condition is a compiled CEL expression. It is safe for concurrent use.
type condition struct {
	program cel.Program
	// reach is a necessary part of the condition.
	reach node
}

// roleFunction is request.auth.role(id).
const roleFunction = "role"

// environment declares what every condition sees. The type of resource.params
// differs from rule to rule.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	return cel.NewEnv(append(celguard.Limits(),
		cel.Variable("request", requestType),
		cel.Variable("resource", resourceType),
		cel.Variable("chat", chatType),
		cel.Function(roleFunction, cel.MemberOverload("caller_role_string", []*cel.Type{callerType, cel.StringType}, cel.StringType,
			cel.BinaryBinding(func(caller, account ref.Val) ref.Val {
				return caller.(callerValue).role(string(account.(types.String)))
			}))),
		cel.CrossTypeNumericComparisons(true),
	)...)
})

// compiled are the conditions that were found right, by pattern and text: a process
// may have several servers, and rules come from files, so they are few.
var compiled sync.Map

// compile gives the condition on the documents of a pattern.
func compile(source string, p *pattern) (*condition, error) {
	key := [2]string{p.text, source}
	if known, ok := compiled.Load(key); ok {
		return known.(*condition), nil
	}
	c, err := plan(source, p)
	if err == nil {
		compiled.Store(key, c)
	}
	return c, err
}

// plan parses, checks and plans a condition on the documents of a pattern.
func plan(source string, p *pattern) (*condition, error) {
	env, err := environmentFor(p)
	if err != nil {
		return nil, err
	}
	checked, issues := env.Compile(source)
	var problems []string
	problem := func(at common.Location, text string) {
		problems = append(problems, fmt.Sprintf("line %d, column %d: %s", max(at.Line(), 1), max(at.Column(), 0)+1, text))
	}
	if issues.Err() != nil {
		for _, e := range issues.Errors() {
			problem(e.Location, e.Message)
		}
		return nil, errors.New(strings.Join(problems, "; "))
	}
	if t := checked.OutputType(); !t.IsExactType(cel.BoolType) {
		return nil, fmt.Errorf("it gives a value of type %s, not true or false", t)
	}
	program, refused, err := celguard.Program(env, checked, roleFunction)
	if err != nil {
		return nil, err
	}
	for _, r := range refused {
		problem(r.At, r.Text)
	}
	if len(problems) > 0 {
		return nil, errors.New(strings.Join(problems, "; "))
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
