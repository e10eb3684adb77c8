package nodes

import (
	"context"
	"encoding/json"
	"reflect"
	"sync"

	"cel.dev/cel-go/cel"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/celguard"
	"github.com/nestorhq/nestor/internal/domain/graphs/engine"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
)

var (
	valueIn    = graph.Port{ID: "value", Type: graph.JSON, Required: true, Description: "What the expression calls value."}
	expression = `"expression":{"type":"string","minLength":1,"maxLength":10000,"description":"In CEL, over value."},"value":{}`
)

var condition = engine.NodeType{
	Type: graph.Type{
		ID: "condition", Description: "Goes on at true or at false, as a CEL expression over a value says.",
		Inputs:     []graph.Port{run, valueIn},
		Outputs:    []graph.Port{{ID: "true", Type: graph.Signal}, {ID: "false", Type: graph.Signal}, {ID: "result", Type: graph.Boolean}},
		Parameters: schema(expression, "expression"), Check: checkExpression,
	},
	Quick: true,
	Run: func(_ context.Context, c *engine.Call) (engine.Outputs, error) {
		value, err := evaluate(c)
		if err != nil {
			return nil, err
		}
		switch value {
		case true:
			return engine.Outputs{"true": true, "result": true}, nil
		case false:
			return engine.Outputs{"false": true, "result": false}, nil
		}
		return nil, nestor.Errorf(nestor.CodeInvalid, "the expression gives %T, not true or false", value)
	},
}

var mapValue = engine.NodeType{
	Type: graph.Type{
		ID: "map", Description: "Makes another value of a value, with a CEL expression.",
		Inputs: []graph.Port{run, valueIn}, Outputs: []graph.Port{done, {ID: "result", Type: graph.JSON}, {ID: "text", Type: graph.String}},
		Parameters: schema(expression, "expression"), Check: checkExpression,
	},
	Quick: true,
	Run: func(_ context.Context, c *engine.Call) (engine.Outputs, error) {
		value, err := evaluate(c)
		if err != nil {
			return nil, err
		}
		result, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		return engine.Outputs{"done": true, "result": json.RawMessage(result), "text": words(result)}, nil
	},
}

// jsonValue is how CEL is asked for JSON.
var jsonValue = reflect.TypeFor[*structpb.Value]()

// environment declares the one variable that expressions see.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	return cel.NewEnv(append(celguard.Limits(), cel.Variable("value", cel.DynType), cel.CrossTypeNumericComparisons(true))...)
})

// program is an expression that was planned: for turns of their own, and for those that
// others wait for.
type program struct{ whole, quick cel.Program }

// compile plans an expression, or says why it cannot be one.
func compile(source string) (*program, error) {
	env, err := environment()
	if err != nil {
		return nil, err
	}
	checked, issues := env.Compile(source)
	if issues.Err() != nil {
		first := issues.Errors()[0]
		return nil, nestor.Errorf(nestor.CodeInvalid, "the expression is wrong in line %d, column %d: %s", first.Location.Line(), first.Location.Column()+1, first.Message)
	}
	whole, refused, err := celguard.Program(env, checked)
	if err == nil && len(refused) > 0 {
		err = nestor.Errorf(nestor.CodeInvalid, "the expression is refused: %s", refused[0].Text)
	}
	if err != nil {
		return nil, err
	}
	quick, _, err := celguard.QuickProgram(env, checked)
	return &program{whole, quick}, err
}

// programs remembers expressions that were planned, so that a turn does not plan its
// own again. With more than maxPrograms all are forgotten.
var programs = struct {
	sync.Mutex
	kept map[string]*program
}{kept: map[string]*program{}}

const (
	maxPrograms = 1000
	// shortExpression is how long an expression may be that is planned while others wait.
	shortExpression = 200
)

// planned is compile for an expression that is evaluated now, while others wait if it is
// to be quick.
func planned(source string, quick bool) (*program, error) {
	programs.Lock()
	known := programs.kept[source]
	programs.Unlock()
	if known != nil {
		return known, nil
	}
	if quick && len(source) > shortExpression {
		return nil, engine.ErrNotQuick
	}
	program, err := compile(source)
	if err != nil {
		return nil, err
	}
	programs.Lock()
	defer programs.Unlock()
	if len(programs.kept) == maxPrograms {
		clear(programs.kept)
	}
	programs.kept[source] = program
	return program, nil
}

// evaluate is what the expression of a node gives, as JSON has it.
func evaluate(c *engine.Call) (any, error) {
	plan, err := planned(text(c.Node.Parameters, "expression"), c.Quick)
	if err != nil {
		return nil, err
	}
	var value any
	if err := read(c, "value", &value); err != nil {
		return nil, err
	}
	program := plan.whole
	if c.Quick {
		program = plan.quick
	}
	result, _, err := program.Eval(map[string]any{"value": value})
	if c.Quick && celguard.TooLong(err) {
		return nil, engine.ErrNotQuick
	}
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the expression fails: %v", err)
	}
	native, err := result.ConvertToNative(jsonValue)
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the expression gives a %s, which is no JSON", result.Type().TypeName())
	}
	return native.(*structpb.Value).AsInterface(), nil
}
