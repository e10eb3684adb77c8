package tool

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/nestorhq/nestor"
)

type search struct {
	Query string   `json:"query" jsonschema:"what to look for"`
	Limit int      `json:"limit,omitempty" jsonschema:"how many hits"`
	Tags  []string `json:"tags,omitempty"`
	Range *struct {
		From int `json:"from"`
	} `json:"range,omitempty"`
}

func TestFuncDerivesTheSchemaFromTheStruct(t *testing.T) {
	made := Func(Spec{Name: "search"}, func(context.Context, Call, search) (string, error) { return "", nil })
	want := `{"type":"object","properties":{` +
		`"query":{"type":"string","description":"what to look for"},` +
		`"limit":{"type":"integer","description":"how many hits"},` +
		`"tags":{"type":"array","items":{"type":"string"}},` +
		`"range":{"type":"object","properties":{"from":{"type":"integer"}},"required":["from"],"additionalProperties":false}` +
		`},"required":["query"],"additionalProperties":false}`
	if got := string(made.Parameters); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestFuncHandsOverArgumentsAndCall(t *testing.T) {
	var gotIn search
	var gotCall Call
	made := Func(Spec{Name: "search"}, func(_ context.Context, call Call, in search) (string, error) {
		gotIn, gotCall = in, call
		return "found", nil
	})
	call := Call{
		ID: "c1", Arguments: `{"query":"x","limit":3,"tags":["a"],"range":{"from":2}}`,
		IdempotencyKey: "k1", Scope: Scope{UserID: "u1", ChatID: "ch1", SubAgentID: "s1", AskedBy: nestor.Askers{"u2"}},
	}
	if r := Execute(t.Context(), made, call, Options{}); r.Output != "found" {
		t.Fatalf("got %+v", r)
	}
	if gotIn.Query != "x" || gotIn.Limit != 3 || len(gotIn.Tags) != 1 || gotIn.Range.From != 2 {
		t.Errorf("arguments arrived as %+v", gotIn)
	}
	call.Effect = Once
	if !reflect.DeepEqual(gotCall, call) {
		t.Errorf("the call arrived as %+v", gotCall)
	}
	Execute(t.Context(), made.With(Settings{Effect: Pure}), call, Options{})
	if gotCall.Effect != Pure {
		t.Errorf("a tool configured as pure was called as %s", gotCall.Effect)
	}
}

func TestFuncWritesOtherOutputsAsJSON(t *testing.T) {
	type out struct {
		URL string `json:"url"`
	}
	made := Func(Spec{Name: "link"}, func(context.Context, Call, struct{}) (out, error) {
		return out{URL: "https://example.com/?a=1&b=<2>"}, nil
	})
	r := Execute(t.Context(), made, Call{}, Options{})
	if want := `{"url":"https://example.com/?a=1&b=<2>"}`; r.Output != want {
		t.Errorf("got %s, want %s", r.Output, want)
	}
	broken := Func(Spec{Name: "broken"}, func(context.Context, Call, struct{}) (any, error) {
		return make(chan int), nil
	})
	if r := Execute(t.Context(), broken, Call{}, Options{}); r.Status != nestor.ToolCallFailed {
		t.Errorf("an output that is no JSON gave %+v", r)
	}
}

func TestFuncExplainsANumberThatItsTypeCannotHold(t *testing.T) {
	made := Func(Spec{Name: "search"}, func(context.Context, Call, search) (string, error) { return "", nil })
	for number, want := range map[string]string{
		"3.0":  "invalid arguments: limit must be a whole number of 64 bits, not 3.0",
		"1e30": "invalid arguments: limit must be a whole number of 64 bits, not 1e30",
	} {
		r := Execute(t.Context(), made, Call{Arguments: `{"query":"x","limit":` + number + `}`}, Options{})
		if r.Code != nestor.CodeInvalid || r.Error != want {
			t.Errorf("got %q, want %q", r.Error, want)
		}
	}
}

func TestFuncPanicsOnAnInputThatIsNoStruct(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Func(Spec{Name: "bad"}, func(context.Context, Call, json.Number) (string, error) { return "", nil })
}
