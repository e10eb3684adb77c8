package tool

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor"
)

// schema is a tool's parameters, ready to check arguments against.
type schema struct {
	resolved *jsonschema.Resolved
	// names of the parameters in the order of the schema's text.
	names []string
}

// normalizeParameters makes a JSON Schema fit to be offered: of type object,
// with properties. Its text is kept where it can be, because the order of
// properties means something to a model.
func normalizeParameters(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage(`{"type":"object","properties":{}}`), nil
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(raw, &top); err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the parameters are not a JSON Schema object: %w", err)
	}
	kind, hasType := top["type"]
	if hasType && string(kind) != `"object"` {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the parameters are a schema of type %s, not \"object\"", kind)
	}
	_, hasProperties := top["properties"]
	if hasType && hasProperties {
		var buf bytes.Buffer
		if err := json.Compact(&buf, raw); err != nil {
			return nil, err
		}
		return buf.Bytes(), nil
	}
	top["type"] = json.RawMessage(`"object"`)
	if !hasProperties {
		top["properties"] = json.RawMessage(`{}`)
	}
	return json.Marshal(top)
}

func compileSchema(parameters json.RawMessage) (*schema, error) {
	var doc map[string]any
	if err := json.Unmarshal(parameters, &doc); err != nil {
		return nil, err
	}
	if len(parameters) > maxSchema {
		return nil, tooLarge("the parameters have %d bytes, more than %d", len(parameters), maxSchema)
	}
	dropForeign(doc)
	if err := checkCost(doc); err != nil {
		return nil, err
	}
	portable, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(portable, &s); err != nil {
		why, _, ok := nestor.Mismatch(err, nil, "the schema")
		if !ok {
			why = err.Error()
		}
		return nil, nestor.Errorf(nestor.CodeInvalid, "the parameters are not a valid JSON Schema: %s", strings.ReplaceAll(why, "schemaWithoutMethods.", "")) // a Go name
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the parameters are not a valid JSON Schema: %w", err)
	}
	return &schema{resolved: resolved, names: propertyNames(parameters)}, nil
}

// dropForeign removes, from the copy that arguments are checked against, what
// the validator cannot handle but other schema authors may write: dialects it
// does not know, and patterns beyond Go's regular expressions. The tool itself
// still checks those.
func dropForeign(doc map[string]any) {
	if dialect, ok := doc["$schema"].(string); ok && !knownDialect.MatchString(dialect) {
		delete(doc, "$schema")
	}
	// Other ways to refer than by #/…, which nobody here needs and checkCost does not follow.
	for _, key := range []string{"$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef"} {
		if _, ok := doc[key].(string); ok {
			delete(doc, key)
		}
	}
	if pattern, ok := doc["pattern"].(string); ok {
		if _, err := regexp.Compile(pattern); err != nil {
			delete(doc, "pattern")
		}
	}
	for _, v := range doc {
		switch v := v.(type) {
		case map[string]any:
			dropForeign(v)
		case []any:
			for _, item := range v {
				if m, ok := item.(map[string]any); ok {
					dropForeign(m)
				}
			}
		}
	}
}

var knownDialect = regexp.MustCompile(`^https?://json-schema\.org/(draft-07/schema#|draft/2020-12/schema)$`)

// propertyNames returns the names under "properties", in order.
func propertyNames(parameters json.RawMessage) []string {
	var top struct {
		Properties json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(parameters, &top) != nil {
		return nil
	}
	var names []string
	dec := json.NewDecoder(bytes.NewReader(top.Properties))
	dec.Token() // the opening brace
	for dec.More() {
		name, err := dec.Token()
		var skip json.RawMessage
		if err != nil || dec.Decode(&skip) != nil {
			break
		}
		names = append(names, name.(string))
	}
	return names
}

// required reports whether the parameter must be given.
func (s *schema) required(name string) bool {
	return slices.Contains(s.resolved.Schema().Required, name)
}

// closed reports whether only the named parameters may be given.
func (s *schema) closed() bool {
	root := s.resolved.Schema()
	extra := root.AdditionalProperties
	return extra != nil && extra.Not != nil && len(root.PatternProperties) == 0
}
