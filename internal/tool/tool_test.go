package tool

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

func echo(_ context.Context, call Call) (string, error) { return call.Arguments, nil }

func mustNew(t *testing.T, spec Spec, run func(context.Context, Call) (string, error)) *Tool {
	t.Helper()
	made, err := New(spec, Text(run))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestNewFillsInDefaults(t *testing.T) {
	made := mustNew(t, Spec{Name: "ping"}, echo)
	want := Spec{
		Name:        "ping",
		Description: "Runs the tool ping.",
		Parameters:  json.RawMessage(`{"type":"object","properties":{}}`),
		Effect:      Once,
		Timeout:     30 * time.Second,
		OutputLimit: 64 << 10,
		Source:      "built in",
	}
	if got, want := render(made.Spec), render(want); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func render(s Spec) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func TestParametersAreMadeFitToOffer(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{
			"the order of properties is kept",
			`{ "type": "object", "properties": {"z": {"type": "string"}, "a": {}} }`,
			`{"type":"object","properties":{"z":{"type":"string"},"a":{}}}`,
		},
		{"a missing type is object", `{"properties":{"a":{}}}`, `{"properties":{"a":{}},"type":"object"}`},
		{"missing properties are none", `{"type":"object"}`, `{"properties":{},"type":"object"}`},
		{"null is no schema", `null`, `{"type":"object","properties":{}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			made := mustNew(t, Spec{Name: "x", Parameters: json.RawMessage(tt.in)}, echo)
			if got := string(made.Parameters); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestNewRejectsWhatCannotWork(t *testing.T) {
	tests := []struct {
		name string
		spec Spec
		want string
	}{
		{"an unknown effect", Spec{Effect: "twice"}, `effect "twice" is not pure, idempotent or once`},
		{"a schema that is no object", Spec{Parameters: json.RawMessage(`[1]`)}, "not a JSON Schema object"},
		{"a schema of another type", Spec{Parameters: json.RawMessage(`{"type":"string"}`)}, `type "string", not "object"`},
		{
			"a reference to nowhere",
			Spec{Parameters: json.RawMessage(`{"properties":{"a":{"$ref":"#/$defs/none"}}}`)},
			"not a valid JSON Schema",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := New(tt.spec, Text(echo))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestSettingsOverwriteOnlyWhatTheyName(t *testing.T) {
	base := mustNew(t, Spec{Name: "x", Effect: Pure, Timeout: time.Second, OutputLimit: 10, NeedsApproval: true}, echo)
	if got := base.With(Settings{}); render(got.Spec) != render(base.Spec) {
		t.Errorf("empty settings changed the tool: %s", render(got.Spec))
	}
	var s Settings
	if err := json.Unmarshal([]byte(`{"effect":"once","timeout":"1m30s","outputLimit":5,"needsApproval":false}`), &s); err != nil {
		t.Fatal(err)
	}
	got := base.With(s)
	if got.Effect != Once || got.Timeout != 90*time.Second || got.OutputLimit != 5 || got.NeedsApproval {
		t.Errorf("got %s", render(got.Spec))
	}
	if base.Effect != Pure {
		t.Error("the original changed")
	}
}

func TestSettingsAreChecked(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"effect", `{"effect":"sometimes"}`, `effect "sometimes"`},
		{"negative timeout", `{"timeout":"-1s"}`, "negative"},
		{"timeout as a number", `{"timeout":10}`, `a duration is a string such as "10s", not 10`},
		{"timeout without a unit", `{"timeout":"10"}`, `"10" is not a duration`},
		{"negative limit", `{"outputLimit":-1}`, "negative"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s Settings
			err := json.Unmarshal([]byte(tt.in), &s)
			if err == nil {
				err = s.Check()
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
