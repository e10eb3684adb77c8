package httptool

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
)

// schemaWriter collects the parameters of one operation as one JSON Schema.
// Schemas that the document shares become $defs, so recursive ones stay finite.
type schemaWriter struct {
	doc        *document
	properties map[string]any
	required   []string
	defs       map[string]any    // by name
	names      map[string]string // reference → name in defs
	sameName   map[string]int    // how many definitions have a name, but for a number
	nodes      int               // schemas converted
}

// Bounds of what a document may make of itself: a schema is written anew for every
// operation that refers to it.
const (
	maxOperations = 2_000
	maxNodes      = 5_000   // schemas of one operation
	maxAllNodes   = 200_000 // and of all
)

// errTooManyNodes says that an operation's schema is larger than anybody reads.
var errTooManyNodes = nestor.Errorf(nestor.CodeTooLarge, "its parameters are more than %d schemas", maxNodes)

func newSchemaWriter(d *document) *schemaWriter {
	return &schemaWriter{doc: d, properties: map[string]any{}, defs: map[string]any{}, names: map[string]string{}, sameName: map[string]int{}}
}

// free returns name, or name_suffix if the operation has a parameter of that
// name already.
func (w *schemaWriter) free(name, suffix string) string {
	if _, taken := w.properties[name]; taken {
		return name + "_" + suffix
	}
	return name
}

func (w *schemaWriter) add(name string, schema any, description string, required bool) error {
	converted, err := w.convert(schema)
	if err != nil {
		return err
	}
	if m, ok := converted.(map[string]any); ok && description != "" {
		m["description"] = description
	}
	w.properties[name] = converted
	if required {
		w.required = append(w.required, name)
	}
	return nil
}

func (w *schemaWriter) write() (json.RawMessage, error) {
	out := map[string]any{"type": "object", "properties": w.properties, "additionalProperties": false}
	if len(w.required) > 0 {
		out["required"] = w.required
	}
	if len(w.defs) > 0 {
		out["$defs"] = w.defs
	}
	return json.Marshal(out)
}

// What the values of schema keywords are. Other keywords are taken as they are.
var (
	schemaKeywords = []string{
		"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames",
		"unevaluatedItems", "unevaluatedProperties",
	}
	schemaLists = []string{"allOf", "anyOf", "oneOf", "prefixItems"}
	schemaMaps  = []string{"properties", "patternProperties", "dependentSchemas"}
	// ignored by validators, and noise to a model
	dropped = []string{"nullable", "example", "xml", "externalDocs", "discriminator", "readOnly", "writeOnly"}
)

// convert turns a schema of OpenAPI 3.0 or 3.1 into JSON Schema 2020-12.
func (w *schemaWriter) convert(schema any) (any, error) {
	if w.nodes++; w.nodes > maxNodes {
		return nil, errTooManyNodes
	}
	in, ok := schema.(map[string]any)
	if !ok {
		if allowed, ok := schema.(bool); ok {
			return allowed, nil
		}
		return map[string]any{}, nil
	}
	if ref, ok := in["$ref"].(string); ok {
		name, err := w.define(ref)
		if err != nil {
			return nil, err
		}
		out := map[string]any{"$ref": "#/$defs/" + name}
		if d := text(in, "description"); d != "" {
			out["description"] = d
		}
		return out, nil
	}
	out := map[string]any{}
	for key, value := range in {
		converted, err := w.keyword(key, value)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(dropped, key) {
			out[key] = converted
		}
	}
	dropReadOnly(in, out)
	boundsFrom30(out)
	if nullable, _ := in["nullable"].(bool); nullable {
		return orNull(out), nil
	}
	return out, nil
}

func (w *schemaWriter) keyword(key string, value any) (any, error) {
	switch {
	case slices.Contains(schemaKeywords, key):
		return w.convert(value)
	case slices.Contains(schemaLists, key):
		list, _ := value.([]any)
		out := make([]any, len(list))
		for i, item := range list {
			converted, err := w.convert(item)
			if err != nil {
				return nil, err
			}
			out[i] = converted
		}
		return out, nil
	case slices.Contains(schemaMaps, key):
		members := asMap(value)
		out := make(map[string]any, len(members))
		for name, member := range members {
			converted, err := w.convert(member)
			if err != nil {
				return nil, err
			}
			out[name] = converted
		}
		return out, nil
	default:
		return value, nil
	}
}

// define puts what ref points to among the definitions and returns its name.
func (w *schemaWriter) define(ref string) (string, error) {
	if name, ok := w.names[ref]; ok {
		return name, nil
	}
	target, err := w.doc.lookup(ref)
	if err != nil {
		return "", err
	}
	base := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, ref[strings.LastIndex(ref, "/")+1:])
	name := base
	for w.defs[name] != nil {
		w.sameName[base]++
		name = base + "_" + strconv.Itoa(w.sameName[base]+1)
	}
	w.names[ref] = name
	w.defs[name] = true // holds the name while the schema, which may refer to itself, is converted
	w.defs[name], err = w.convert(target)
	return name, err
}

// dropReadOnly removes the properties that only responses have.
func dropReadOnly(in, out map[string]any) {
	for name, property := range asMap(in["properties"]) {
		if readOnly, _ := asMap(property)["readOnly"].(bool); !readOnly {
			continue
		}
		delete(asMap(out["properties"]), name)
		if required, ok := out["required"].([]any); ok {
			out["required"] = slices.DeleteFunc(slices.Clone(required), func(v any) bool { return v == name })
		}
	}
}

// boundsFrom30 turns {minimum: 1, exclusiveMinimum: true} into
// {exclusiveMinimum: 1}.
func boundsFrom30(out map[string]any) {
	for _, bound := range [][2]string{{"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"}} {
		exclusive, ok := out[bound[1]].(bool)
		if !ok {
			continue
		}
		delete(out, bound[1])
		if limit, ok := out[bound[0]]; ok && exclusive {
			delete(out, bound[0])
			out[bound[1]] = limit
		}
	}
}

// orNull allows null beside what the schema allows.
func orNull(out map[string]any) any {
	kind, ok := out["type"].(string)
	if !ok {
		return map[string]any{"anyOf": []any{out, map[string]any{"type": "null"}}}
	}
	out["type"] = []any{kind, "null"}
	if values, ok := out["enum"].([]any); ok && !slices.Contains(values, nil) {
		out["enum"] = append(slices.Clone(values), nil)
	}
	return out
}
