package tool

import (
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
)

// Bounds of a tool's description of itself, which may come from a stranger. Many
// times what honest ones need.
const (
	maxDescription = 32 << 10
	maxSchema      = 256 << 10
	maxSchemaDepth = 64
	// maxApplied is how many schemas may be applied to one and the same value.
	maxApplied = 1_000
)

func tooLarge(format string, args ...any) error {
	return nestor.Errorf(nestor.CodeTooLarge, format, args...)
}

// checkCost refuses a schema on which a validator would take very long, or never
// end: too deep, a schema that applies itself to the same value again, or
// alternatives that multiply.
func checkCost(doc map[string]any) error {
	c := &costing{root: doc, applied: map[uintptr]int{}}
	return c.walk(doc, 0)
}

type costing struct {
	root    map[string]any
	applied map[uintptr]int // by the identity of a schema; -1 while it is being counted
}

// walk looks at every schema, wherever it stands.
func (c *costing) walk(v any, depth int) error {
	if depth > maxSchemaDepth {
		return tooLarge("the parameters are nested more than %d deep", maxSchemaDepth)
	}
	switch v := v.(type) {
	case map[string]any:
		if _, err := c.count(v); err != nil {
			return err
		}
		for _, inner := range v {
			if err := c.walk(inner, depth+1); err != nil {
				return err
			}
		}
	case []any:
		for _, inner := range v {
			if err := c.walk(inner, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// count is how many schemas apply to a value if this one does.
func (c *costing) count(v any) (int, error) {
	schema, ok := v.(map[string]any)
	if !ok {
		return 1, nil
	}
	id := reflect.ValueOf(schema).Pointer()
	switch n, seen := c.applied[id]; {
	case n < 0:
		return 0, nestor.Errorf(nestor.CodeInvalid, "the parameters have a schema that consists of itself")
	case seen:
		return n, nil
	}
	c.applied[id] = -1
	total := 1
	add := func(inner any) error {
		n, err := c.count(inner)
		if total += n; err == nil && total > maxApplied {
			err = tooLarge("the parameters have more than %d schemas for one value", maxApplied)
		}
		return err
	}
	for _, inner := range c.inPlace(schema) {
		if err := add(inner); err != nil {
			return 0, err
		}
	}
	c.applied[id] = total
	return total, nil
}

// inPlace are the schemas that a schema applies to the value it is applied to.
func (c *costing) inPlace(schema map[string]any) (list []any) {
	for _, key := range []string{"not", "if", "then", "else"} {
		if inner, ok := schema[key]; ok {
			list = append(list, inner)
		}
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		inner, _ := schema[key].([]any)
		list = append(list, inner...)
	}
	for _, key := range []string{"dependentSchemas", "dependencies"} {
		dependent, _ := schema[key].(map[string]any)
		for _, inner := range dependent {
			list = append(list, inner)
		}
	}
	if ref, ok := schema["$ref"].(string); ok {
		list = append(list, c.lookup(ref))
	}
	return list
}

// lookup finds what a reference points to. What it does not find, the validator
// does not either.
func (c *costing) lookup(ref string) any {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	var at any = c.root
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		if unescaped, err := url.PathUnescape(token); err == nil {
			token = unescaped
		}
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch v := at.(type) {
		case map[string]any:
			at = v[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			at = v[i]
		default:
			return nil
		}
	}
	return at
}
