package nestor_test

import (
	"encoding/json"
	"testing"

	"github.com/nestorhq/nestor"
)

func TestAMismatchIsWordedInTermsOfJSON(t *testing.T) {
	type Inner struct {
		Text string `json:"text"`
	}
	type Embedded struct {
		Inner
		Limit struct {
			Tokens int `json:"tokens"`
		} `json:"limit"`
	}
	type body struct {
		Embedded
		Items []Inner `json:"items"`
	}
	for text, want := range map[string]string{
		`{"text":7}`:                "text must be a string, not a JSON number",
		`{"limit":{"tokens":"x"}}`:  "limit.tokens must be a number, not a JSON string",
		`{"items":[{"text":true}]}`: "items.text must be a string, not a JSON bool",
		`[]`:                        "the body must be an object, not a JSON array",
	} {
		var v body
		if got, ok := nestor.Mismatch(json.Unmarshal([]byte(text), &v), &v, "the body"); !ok || got != want {
			t.Errorf("%s: %q", text, got)
		}
	}
	if got, ok := nestor.Mismatch(json.Unmarshal([]byte(`{`), new(body)), nil, "it"); ok {
		t.Errorf("a syntax error is %q", got)
	}
}
