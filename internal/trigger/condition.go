package trigger

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/types"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/celguard"
)

// condition is a compiled CEL expression. It is safe for concurrent use.
type condition struct {
	program cel.Program
	// transition: on an update it must become true. It need not if it refers to
	// event.before, and so describes a transition of its own, or to nothing that an
	// update can change.
	transition bool
	// needs is what must be true of a document for the condition to hold, if
	// such a thing was found.
	needs *equality
}

// fault is an error in a condition.
type fault struct {
	character    int // from 0
	line, column int // from 1
	text         string
}

func (f fault) String() string {
	if f.line > 1 {
		return fmt.Sprintf("line %d, column %d: %s", f.line, f.column, f.text)
	}
	return fmt.Sprintf("column %d: %s", f.column, f.text)
}

// environment declares the one variable that conditions see.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	registry, err := types.NewRegistry()
	if err != nil {
		return nil, err
	}
	return cel.NewEnv(append(celguard.Limits(),
		cel.CustomTypeProvider(eventProvider{registry}),
		cel.Variable("event", eventType),
		cel.CrossTypeNumericComparisons(true),
	)...)
})

// compiled are the conditions that were found right, by their text. Those of the
// built-in triggers are checked when the program starts and used by each server in it.
// The others come from files, so they are few.
var compiled sync.Map

// compile gives the condition of an expression.
func compile(source string) (*condition, []fault) {
	if known, ok := compiled.Load(source); ok {
		return known.(*condition), nil
	}
	c, faults := plan(source)
	if len(faults) == 0 {
		compiled.Store(source, c)
	}
	return c, faults
}

// plan parses, checks and plans an expression.
func plan(source string) (*condition, []fault) {
	env, err := environment()
	if err != nil {
		return nil, []fault{{line: 1, column: 1, text: err.Error()}}
	}
	checked, issues := env.Compile(source)
	if issues.Err() != nil {
		var faults []fault
		for _, e := range issues.Errors() {
			faults = append(faults, faultAt(source, e.Location, e.Message))
		}
		return nil, faults
	}
	if t := checked.OutputType(); !t.IsExactType(cel.BoolType) && !t.IsExactType(cel.DynType) {
		return nil, []fault{{line: 1, column: 1, text: fmt.Sprintf("it gives a value of type %s, not true or false", t)}}
	}
	found := analyse(checked.NativeRep())
	program, refused, err := celguard.Program(env, checked)
	if err != nil {
		return nil, []fault{{line: 1, column: 1, text: err.Error()}}
	}
	if refused = append(found.refused, refused...); len(refused) > 0 {
		var faults []fault
		for _, r := range refused {
			faults = append(faults, faultAt(source, r.At, r.Text))
		}
		return nil, faults
	}
	return &condition{
		program:    program,
		transition: found.state && !found.before,
		needs:      needs(checked.NativeRep().Expr()),
	}, nil
}

func faultAt(source string, at common.Location, message string) fault {
	f := fault{line: max(at.Line(), 1), column: max(at.Column(), 0) + 1, text: message}
	f.character = f.column - 1
	for i, line := range strings.SplitAfter(source, "\n") {
		if i < f.line-1 {
			f.character += len([]rune(line))
		}
	}
	return f
}

// holds evaluates the condition. An error means that it does not hold.
func (c *condition) holds(s *scope) (bool, error) {
	if c.needs != nil && c.needs.whole {
		if value, ok := s.document.text(c.needs.field); ok {
			return slices.Contains(c.needs.values, value), nil
		}
	}
	value, _, err := c.program.Eval(s)
	if err != nil {
		return false, err
	}
	holds, ok := value.(types.Bool)
	if !ok {
		return false, nestor.Errorf(nestor.CodeInvalid, "it gives a value of type %s, not true or false", value.Type().TypeName())
	}
	return bool(holds), nil
}
