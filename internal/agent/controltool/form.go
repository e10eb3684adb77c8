package controltool

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/wording"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/tool"
)

// Form is what a result has to fit: a JSON Schema. A model is offered a final_answer that
// asks for it.
type Form struct{ answer *tool.Tool }

// maxForm bounds a schema, which stands in every prompt of its agent.
const maxForm = 32 << 10

// keywords are those by which a schema says anything.
var keywords = []string{"type", "properties", "items", "prefixItems", "enum", "const", "anyOf", "oneOf", "allOf", "not", "$ref"}

// NewForm checks the schema of a result.
func NewForm(schema json.RawMessage) (*Form, error) {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(schema, &top); err != nil || top == nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the schema of a result is a JSON Schema: an object, such as {\"type\": \"object\", \"properties\": {…}}")
	}
	if !slices.ContainsFunc(keywords, func(k string) bool { return top[k] != nil }) && len(top) > 0 {
		return nil, nestor.Errorf(nestor.CodeInvalid, "this is no JSON Schema, but perhaps an example: say \"type\" and \"properties\"")
	}
	if len(schema) > maxForm {
		return nil, nestor.Errorf(nestor.CodeTooLarge, "the schema of a result has %d bytes, more than %d", len(schema), maxForm)
	}
	parameters := map[string]any{"type": "object", "additionalProperties": false}
	for _, shared := range []string{"$defs", "definitions"} { // #/… looks for them at the top
		if defs, ok := top[shared]; ok {
			parameters[shared] = defs
			delete(top, shared)
		}
	}
	parameters["properties"] = map[string]any{
		"answer":  top,
		"outcome": json.RawMessage(outcomeSchema + `give the reason then, and no answer. Defaults to done."}`),
		"reason":  map[string]any{"type": "string", "description": "Why it could not be done."},
	}
	text, err := json.Marshal(parameters)
	if err != nil {
		return nil, err
	}
	t, err := tool.New(tool.Spec{Name: FinalAnswer, Description: endsTask, Parameters: text}, nil)
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeOf(err), "%s", strings.Replace(err.Error(), "the parameters are", "this is", 1))
	}
	return &Form{t}, nil
}

// CheckForm checks the schema that a call of create_agent asks for, if it asks for one.
func CheckForm(in map[string]string) error {
	if in["result_schema"] == "" {
		return nil
	}
	if _, err := NewForm(FormIn(in)); err != nil {
		return fmt.Errorf("result_schema: %w", err)
	}
	return nil
}

// FormIn is that schema, nil if there is none.
func FormIn(in map[string]string) json.RawMessage { return json.RawMessage(in["result_schema"]) }

// Tool is the final_answer that asks for the result.
func (f *Form) Tool() llm.Tool {
	return llm.Tool{Name: f.answer.Name, Description: f.answer.Description, Parameters: f.answer.Parameters}
}

// Read reads the arguments of final_answer. The text of an answer that fits is its JSON. The
// error is for the model.
func (f *Form) Read(arguments string) (Answer, error) {
	arguments = f.answer.Meant(arguments)
	var in struct {
		Answer          json.RawMessage
		Outcome, Reason string
	}
	if err := json.Unmarshal([]byte(arguments), &in); err != nil {
		return Answer{}, cmp.Or(f.answer.Check(arguments), error(nestor.Errorf(nestor.CodeInvalid, "the arguments are ambiguous")))
	}
	failed, err := isCouldNot(in.Outcome)
	if err != nil {
		return Answer{}, err
	}
	if failed {
		var said string
		_ = json.Unmarshal(in.Answer, &said) // some give the reason there
		reason := wording.Storable(strings.TrimSpace(cmp.Or(in.Reason, said)))
		if reason == "" {
			return Answer{}, nestor.Errorf(nestor.CodeInvalid, "reason is missing: say why it could not be done")
		}
		return Answer{Text: reason, CouldNot: true}, nil
	}
	if wrapped := f.answer.Meant(`{"answer":` + arguments + `}`); in.Answer == nil && f.answer.Check(wrapped) == nil {
		return f.Read(wrapped) // the result itself
	}
	var text string
	if json.Unmarshal(in.Answer, &text) == nil && f.answer.Check(arguments) != nil { // JSON in a text
		if a, err := f.ReadText(text); err == nil {
			return a, nil
		}
	}
	if in.Answer == nil {
		return Answer{}, nestor.Errorf(nestor.CodeInvalid, "answer is missing: give the result, as the schema of answer says")
	}
	if err := f.answer.Check(arguments); err != nil {
		return Answer{}, err
	}
	var compact bytes.Buffer
	err = json.Compact(&compact, in.Answer)
	return Answer{Text: wording.Storable(compact.String())}, err
}

var fence = regexp.MustCompile("(?s)^```[a-zA-Z]*\n(.*)\n```$")

// ReadText reads a result that a model gave as its text, and not by final_answer.
func (f *Form) ReadText(text string) (Answer, error) {
	text = strings.TrimSpace(text)
	if inside := fence.FindStringSubmatch(text); inside != nil {
		text = inside[1]
	}
	if !json.Valid([]byte(text)) {
		return Answer{}, nestor.Errorf(nestor.CodeInvalid, "the task wants a result of a certain form, and this is text")
	}
	return f.Read(`{"answer":` + text + `}`)
}
