package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/jsonvalue"
)

// check parses the text a model sent as arguments and validates it. It returns
// the text that a [Runner] sees: no arguments at all become an empty object.
// Its errors tell the model what to send instead.
func (s *schema) check(arguments string) (string, error) {
	if strings.TrimSpace(arguments) == "" {
		arguments = "{}"
	}
	if !json.Valid([]byte(arguments)) {
		return "", nestor.Errorf(nestor.CodeInvalid, "the arguments are not valid JSON: %s. Send one JSON object. %s",
			describeJSONError(json.Unmarshal([]byte(arguments), new(any))), s.describe())
	}
	if err := checkLimits(arguments); err != nil {
		return "", nestor.Errorf(nestor.CodeInvalid, "invalid arguments: %w. %s", err, s.describe())
	}
	var value any
	if err := json.Unmarshal([]byte(arguments), &value); err != nil {
		return "", nestor.Errorf(nestor.CodeInvalid, "the arguments are not valid JSON. Send one JSON object. %s", s.describe())
	}
	object, ok := value.(map[string]any)
	if !ok {
		return "", nestor.Errorf(nestor.CodeInvalid, "the arguments must be one JSON object. %s", s.describe())
	}
	if problems := s.checkNames(object); len(problems) > 0 {
		return "", nestor.Errorf(nestor.CodeInvalid, "invalid arguments: %s. %s", strings.Join(problems, "; "), s.describe())
	}
	if err := s.resolved.Validate(object); err != nil {
		text, _ := jsonvalue.Violation(err)
		text, _ = cut(text, 500)
		return "", nestor.Errorf(nestor.CodeInvalid, "invalid arguments: %s. %s", text, s.describe())
	}
	return arguments, nil
}

// Check reports what is wrong with the arguments of a call, in words for whoever
// made it.
func (t *Tool) Check(arguments string) error {
	_, err := t.schema.check(arguments)
	return err
}

// FromText is the arguments that a person means by a text. A JSON object is the
// arguments. Any other text is the one text that the tool takes, if there is
// exactly one and nothing else is required. What is neither stays as it is:
// [Tool.Check] says what is wrong with it.
func (t *Tool) FromText(text string) string {
	var object map[string]any
	if strings.TrimSpace(text) == "" || json.Unmarshal([]byte(text), &object) == nil && object != nil {
		return text
	}
	var texts []string
	for _, name := range t.schema.names {
		if p := t.schema.resolved.Schema().Properties[name]; p != nil && p.Type == "string" {
			texts = append(texts, name)
		} else if t.schema.required(name) {
			return text
		}
	}
	if len(texts) != 1 {
		return text
	}
	arguments, err := json.Marshal(map[string]string{texts[0]: text})
	if err != nil {
		return text
	}
	return string(arguments)
}

// checkNames lists every unknown and every missing parameter, where the
// validator would stop at the first.
func (s *schema) checkNames(object map[string]any) []string {
	var problems []string
	if s.closed() {
		for _, name := range slices.Sorted(maps.Keys(object)) {
			if !slices.Contains(s.names, name) {
				problems = append(problems, fmt.Sprintf("there is no parameter %q", name))
			}
		}
	}
	for _, name := range s.resolved.Schema().Required {
		if _, ok := object[name]; !ok {
			problems = append(problems, fmt.Sprintf("the required parameter %q is missing", name))
		}
	}
	return problems
}

// describe lists the parameters in one sentence.
func (s *schema) describe() string {
	if len(s.names) == 0 {
		return "The tool takes no parameters."
	}
	var list []string
	for _, name := range s.names {
		hint := s.kind(name)
		if s.required(name) {
			hint += ", required"
		}
		list = append(list, fmt.Sprintf("%s (%s)", name, strings.TrimPrefix(hint, ", ")))
	}
	return "The parameters are: " + strings.Join(list, ", ") + "."
}

// kind says in a word what a parameter holds.
func (s *schema) kind(name string) string {
	p := s.resolved.Schema().Properties[name]
	switch {
	case p == nil:
		return "any"
	case len(p.Enum) > 0:
		values := make([]string, len(p.Enum))
		for i, v := range p.Enum {
			text, _ := json.Marshal(v)
			values[i] = string(text)
		}
		return strings.Join(values, " | ")
	case p.Type == "array" && p.Items != nil && p.Items.Type != "":
		return "array of " + p.Items.Type
	case p.Type != "":
		return p.Type
	case len(p.Types) > 0:
		return strings.Join(p.Types, " or ")
	default:
		return "any"
	}
}

func describeJSONError(err error) string {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Sprintf("%v (at byte %d)", err, syntax.Offset)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}
