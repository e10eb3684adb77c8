package tool

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor/internal/llm"
)

// Models make small slips: "5" for 5, timezone for timeZone, functions.search-web for
// search_web. Where exactly one thing can be meant, a call is carried out as it is
// meant; everything else is refused, in words for the model. What people send is
// taken as it is.

// Meant is the call that a model means, among the tools of the registry and more. A
// call that is fine, and one that can mean nothing or several things, stays as it is.
func (r *Registry) Meant(name, arguments string, more ...llm.Tool) (meantName, meantArguments string) {
	names := slices.Clone(r.names)
	for _, t := range more {
		names = append(names, t.Name)
	}
	name = MeantName(names, name)
	if t, ok := r.Lookup(name); ok {
		return name, t.Meant(arguments)
	}
	return name, arguments
}

// namespaces are what models put before the names of tools.
var namespaces = regexp.MustCompile(`^(?i:functions?|tools?|default_api)[./:]+`)

// MeantName is the one of the names that a name is, but for case, separators and a
// namespace; the name itself if there is none, or more than one.
func MeantName(names []string, name string) string {
	if slices.Contains(names, name) {
		return name
	}
	for _, name := range []string{name, namespaces.ReplaceAllString(strings.TrimSpace(name), "")} {
		if one, ok := onlyOne(names, name); ok {
			return one
		}
	}
	return name
}

// onlyOne finds the only name that is folded as a name is.
func onlyOne(names []string, name string) (found string, ok bool) {
	folded := fold(name)
	for _, n := range names {
		if fold(n) != folded || n == found {
			continue
		}
		if ok {
			return "", false
		}
		found, ok = n, true
	}
	return found, ok && folded != ""
}

var separators = strings.NewReplacer("_", "", "-", "", ".", "", " ", "")

// fold leaves out what makes no difference between names.
func fold(name string) string { return strings.ToLower(separators.Replace(name)) }

// Meant is the arguments that a model means: with the names of parameters as the
// schema has them, and with values that were written as text, or as JSON in a text,
// as the values that the schema wants. A single value becomes a list of one, unless
// every run of the tool counts: a list of one may be less than was meant.
func (t *Tool) Meant(arguments string) string {
	if _, err := t.schema.check(arguments); err == nil || checkLimits(arguments) != nil {
		return arguments
	}
	value, ok := decoded(arguments)
	if text, isText := value.(string); ok && isText {
		value, ok = decoded(text)
	}
	object, isObject := value.(map[string]any)
	if !ok || !isObject {
		return arguments
	}
	slips := slips{wrap: t.Effect != Once}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if enc.Encode(slips.object(object, t.schema.resolved.Schema())) != nil {
		return arguments
	}
	meant := strings.TrimSpace(text.String())
	if _, err := t.schema.check(meant); err != nil {
		return arguments // the model is told what is wrong with what it sent
	}
	return meant
}

// decoded is the one JSON value that a text is, with numbers as they are written.
func decoded(text string) (any, bool) {
	if !json.Valid([]byte(text)) {
		return nil, false
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var value any
	err := dec.Decode(&value)
	return value, err == nil
}

// slips puts right what a schema tells to be a slip.
type slips struct {
	wrap bool // a single value may become a list
}

func (s slips) object(object map[string]any, schema *jsonschema.Schema) map[string]any {
	var names []string
	for name := range schema.Properties {
		names = append(names, name)
	}
	given := map[string]int{} // how many arguments may be meant for a parameter
	for name := range object {
		given[MeantName(names, name)]++
	}
	fixed := make(map[string]any, len(object))
	for name, value := range object {
		if meant := MeantName(names, name); given[meant] == 1 {
			name = meant
		}
		fixed[name] = s.value(value, schema.Properties[name])
	}
	return fixed
}

func (s slips) value(value any, schema *jsonschema.Schema) any {
	if schema == nil {
		return value
	}
	wants := func(kind string) bool { return schema.Type == kind || slices.Contains(schema.Types, kind) }
	if schema.Type == "" && len(schema.Types) == 0 {
		return value // anything, or too much to tell
	}
	switch v := value.(type) {
	case map[string]any:
		if wants("object") {
			return s.object(v, schema)
		}
	case []any:
		if wants("array") {
			fixed := make([]any, len(v))
			for i, one := range v {
				fixed[i] = s.value(one, schema.Items)
			}
			return fixed
		}
	case json.Number:
		if wants("number") || wants("integer") {
			return v
		}
	case bool:
		if wants("boolean") {
			return v
		}
	case string:
		if wants("string") {
			return v
		}
		if inner, ok := inText(v, wants); ok {
			return s.value(inner, schema)
		}
	}
	if wants("array") && s.wrap && schema.Items != nil && !severalIn(value) {
		return []any{s.value(value, schema.Items)}
	}
	return value
}

// inText is the value that a text holds, if a schema wants such a one.
func inText(text string, wants func(kind string) bool) (any, bool) {
	text = strings.TrimSpace(text)
	if lower := strings.ToLower(text); wants("boolean") && (lower == "true" || lower == "false") {
		return lower == "true", true
	}
	value, ok := decoded(text)
	if !ok {
		return nil, false
	}
	switch value.(type) {
	case json.Number:
		return value, wants("number") || wants("integer")
	case map[string]any:
		return value, wants("object") || wants("array")
	case []any:
		return value, wants("array")
	}
	return nil, false
}

// severalIn reports whether a text may be meant as several.
func severalIn(value any) bool {
	text, ok := value.(string)
	return value == nil || ok && strings.ContainsAny(text, ",;\n")
}
