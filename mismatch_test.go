package nestor_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

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
	for _, test := range []struct{ text, name, want string }{
		{`{"text":7}`, "text", " must be a string, not a JSON number"},
		{`{"limit":{"tokens":"x"}}`, "limit.tokens", " must be a number, not a JSON string"},
		{`{"limit":{"tokens":1.5}}`, "limit.tokens", " must be a whole number of 64 bits, not 1.5"},
		{`{"items":[{"text":true}]}`, "items.text", " must be a string, not a JSON bool"},
		{`[]`, "", " must be an object, not a JSON array"},
	} {
		var v body
		got, field, ok := nestor.Mismatch(json.Unmarshal([]byte(test.text), &v), &v, "the body")
		if !ok || got != cmp.Or(test.name, "the body")+test.want || field != test.name {
			t.Errorf("%s: %q of the field %q", test.text, got, field)
		}
	}
	if got, _, ok := nestor.Mismatch(json.Unmarshal([]byte(`{`), new(body)), nil, "it"); ok {
		t.Errorf("a syntax error is %q", got)
	}
}

func TestErrorsSpeakNoGo(t *testing.T) {
	type Embedded struct {
		Tokens int `json:"tokens"`
	}
	var into struct {
		Embedded
		At time.Time `json:"at"`
	}
	strict := json.NewDecoder(strings.NewReader(`{"colour":1}`))
	strict.DisallowUnknownFields()
	_, number := strconv.ParseInt("x", 10, 64)
	_, large := strconv.Atoi("123456789012345678901")
	_, moment := time.Parse(time.RFC3339, "today")
	for _, test := range []struct {
		err  error
		want string
	}{
		{json.Unmarshal([]byte(`{"tokens":"x"}`), &into), "tokens must be a number, not a JSON string"},
		{json.Unmarshal([]byte(`1e400`), new(any)), "the value must be a number of 64 bits, not 1e400"},
		{strict.Decode(&into), `unknown field "colour"`},
		{number, `"x" is not a number`},
		{large, `"123456789012345678901" is out of range`},
		{moment, `"today" is not a time such as 2026-01-31T12:00:00Z`},
		{json.Unmarshal([]byte(`{"at":"today"}`), &into), `"today" is not a time such as 2026-01-31T12:00:00Z`},
	} {
		for format, err := range map[string]error{
			"%w":        nestor.Errorf(nestor.CodeInvalid, "no: %w", test.err),
			"%v":        nestor.Errorf(nestor.CodeInvalid, "no: %v", test.err),
			"of a tool": nestor.Hide(nestor.CodeInvalid, "no: "+test.err.Error(), test.err),
			"joined":    nestor.Errorf(nestor.CodeInvalid, "no: %w", fmt.Errorf("%w", errors.Join(test.err))),
		} {
			if got := nestor.Visible(err); got != "no: "+test.want || !errors.Is(err, test.err) && format == "%w" {
				t.Errorf("%s: %q, want %q", format, got, test.want)
			}
		}
	}
}
