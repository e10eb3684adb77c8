package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
)

// Schemas come from MCP servers and OpenAPI documents, that is from strangers.
func TestASchemaMadeToCostIsRefused(t *testing.T) {
	doubling := map[string]any{}
	for i := range 40 {
		next := map[string]any{"$ref": fmt.Sprintf("#/$defs/d%d", i+1)}
		doubling[fmt.Sprintf("d%d", i)] = map[string]any{"anyOf": []any{next, next}}
	}
	doubling["d40"] = map[string]any{"type": "string"}
	exponential, err := json.Marshal(map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"$ref": "#/$defs/d0"}}, "$defs": doubling})
	if err != nil {
		t.Fatal(err)
	}
	for name, schema := range map[string]string{
		"a schema that is itself":            `{"type":"object","properties":{},"$ref":"#"}`,
		"a schema that is itself or another": `{"type":"object","properties":{},"anyOf":[{"$ref":"#"},{"type":"object"}]}`,
		"two that are each other":            `{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"allOf":[{"$ref":"#/$defs/y"}]},"y":{"not":{"$ref":"#/$defs/x"}}}}`,
		"itself by an anchor":                `{"type":"object","properties":{"a":{"$anchor":"x","anyOf":[{"$ref":"#x"}]}}}`,
		"alternatives that double":           string(exponential),
		"a very deep schema":                 `{"type":"object","properties":{"a":` + strings.Repeat(`{"items":`, 5_000) + "{}" + strings.Repeat("}", 5_000) + `}}`,
		"a very large schema":                `{"type":"object","properties":{"a":{"description":"` + strings.Repeat("x", 1<<20) + `"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			made, err := New(Spec{Name: "x", Parameters: json.RawMessage(schema)}, Text(func(context.Context, Call) (string, error) { return "", nil }))
			if err == nil {
				Execute(t.Context(), made, Call{Arguments: `{"a": 1}`}, Options{})
				t.Fatal("it was taken")
			}
			if code := nestor.CodeOf(err); code != nestor.CodeTooLarge && code != nestor.CodeInvalid {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestARecursiveSchemaIsTaken(t *testing.T) {
	made, err := New(Spec{Name: "x", Parameters: json.RawMessage(
		`{"type":"object","properties":{"tree":{"$ref":"#/$defs/tree"}},"$defs":{"tree":{"anyOf":[{"type":"null"},{"type":"array","items":{"$ref":"#/$defs/tree"}}]}}}`,
	)}, Text(func(context.Context, Call) (string, error) { return "ok", nil }))
	if err != nil {
		t.Fatal(err)
	}
	if r := Execute(t.Context(), made, Call{Arguments: `{"tree": [[null], []]}`}, Options{}); r.Output != "ok" {
		t.Errorf("got %+v", r)
	}
	if r := Execute(t.Context(), made, Call{Arguments: `{"tree": [["no"]]}`}, Options{}); r.Code != nestor.CodeInvalid {
		t.Errorf("got %+v", r)
	}
}
