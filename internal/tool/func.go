package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor"
)

// Func makes a tool of a typed function. The schema of its parameters is
// derived from In, a struct: names from json tags, descriptions from
// jsonschema tags, optional where the json tag says omitempty or omitzero.
// Unknown arguments are rejected. A string or an [Output] is passed on as it is,
// any other type as JSON.
//
// Func panics if no schema can be derived from In or the effect is invalid:
// both are defects of the program.
func Func[In, Out any](spec Spec, fn func(ctx context.Context, call Call, in In) (Out, error)) *Tool {
	derived, err := jsonschema.For[In](nil)
	if err != nil {
		panic(fmt.Sprintf("tool %s: no schema for its input: %v", spec.Name, err))
	}
	dropNull(derived)
	if spec.Parameters, err = json.Marshal(derived); err != nil {
		panic(fmt.Sprintf("tool %s: schema of its input: %v", spec.Name, err))
	}
	t, err := New(spec, func(ctx context.Context, call Call) (Output, error) {
		var in In
		if err := json.Unmarshal([]byte(call.Arguments), &in); err != nil {
			return Output{}, nestor.Errorf(nestor.CodeInvalid, "invalid arguments: %w", err)
		}
		out, err := fn(ctx, call, in)
		if err != nil {
			return Output{}, err
		}
		return encodeOutput(out)
	})
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", spec.Name, err))
	}
	return t
}

// dropNull removes null from the types that Go slices and pointers get: for a
// model an absent value is an absent property, and some providers reject a
// list of types.
func dropNull(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if i := slices.Index(s.Types, "null"); i >= 0 && len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1-i], nil
	}
	for _, p := range s.Properties {
		dropNull(p)
	}
	dropNull(s.Items)
	dropNull(s.AdditionalProperties)
}

func encodeOutput(out any) (Output, error) {
	switch out := out.(type) {
	case Output:
		return out, nil
	case string:
		return Output{Text: out}, nil
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return Output{}, nestor.Errorf(nestor.CodeInternal, "the output cannot be written as JSON: %w", err)
	}
	return Output{Text: string(bytes.TrimSuffix(buf.Bytes(), []byte("\n")))}, nil
}
