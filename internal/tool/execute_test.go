package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
)

const weatherSchema = `{"type":"object","properties":{
	"city":{"type":"string","minLength":2},
	"unit":{"enum":["c","f"]},
	"days":{"type":"integer","minimum":1,"maximum":10},
	"spots":{"type":"array","items":{"type":"object","properties":{"lat":{"type":"number"}}}},
	"code":{"type":"string","pattern":"^(?!x).*$"}
},"required":["city"],"additionalProperties":false}`

const weatherParameters = `The parameters are: city (string, required), unit ("c" | "f"), days (integer), ` +
	`spots (array of object), code (string).`

func TestArgumentsAreCheckedBeforeTheCall(t *testing.T) {
	tests := []struct{ name, arguments, want string }{
		{"fitting arguments pass", `{"city":"Bonn","unit":"c","days":3,"spots":[{"lat":1.5}]}`, ""},
		{"a pattern beyond Go's regular expressions is left to the tool", `{"city":"Bonn","code":"x"}`, ""},
		{"text that is no JSON", `{"city": Bonn}`, "the arguments are not valid JSON: invalid character 'B' looking for beginning of value (at byte 10). Send one JSON object. " + weatherParameters},
		{"half an object", `{"city":`, "the arguments are not valid JSON: unexpected end of JSON input (at byte 8). Send one JSON object. " + weatherParameters},
		{"two objects", `{"city":"Bonn"}{}`, "the arguments are not valid JSON: invalid character '{' after top-level value (at byte 16). Send one JSON object. " + weatherParameters},
		{"a list", `["Bonn"]`, "the arguments must be one JSON object. " + weatherParameters},
		{"nothing at all", ``, `invalid arguments: the required parameter "city" is missing. ` + weatherParameters},
		{"unknown and missing names, all at once", `{"town":"Bonn","Days":1}`, `invalid arguments: there is no parameter "Days"; there is no parameter "town"; the required parameter "city" is missing. ` + weatherParameters},
		{"a wrong type", `{"city":5}`, `invalid arguments: city: type: 5 has type "integer", want "string". ` + weatherParameters},
		{"a value out of range", `{"city":"Bonn","days":11}`, `invalid arguments: days: maximum: 11 is greater than 10. ` + weatherParameters},
		{"a value not in the list", `{"city":"Bonn","unit":"k"}`, `invalid arguments: unit: enum: k does not equal any of: [c f]. ` + weatherParameters},
		{"a number out of range", `{"city":"Bonn","spots":[{"lat":1e400}]}`, "invalid arguments: the number 1e400 is out of range. " + weatherParameters},
		{"an integer over 64 bits", `{"city":"Bonn","days":123456789012345678901}`, "invalid arguments: the integer 123456789012345678901 does not fit in 64 bits: write it as text. " + weatherParameters},
		{"nesting without an end", `{"city":` + strings.Repeat("[", 48) + strings.Repeat("]", 48) + `}`, "invalid arguments: they are nested more than 48 levels deep. " + weatherParameters},
		{"a wrong type deep inside", `{"city":"Bonn","spots":[{"lat":"x"}]}`, `invalid arguments: spots[].lat: type: x has type "string", want "number". ` + weatherParameters},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ran := false
			weather := mustNew(t, Spec{Name: "weather", Parameters: json.RawMessage(weatherSchema)},
				func(context.Context, Call) (string, error) { ran = true; return "sunny", nil })
			r := Execute(t.Context(), weather, Call{Arguments: tt.arguments}, Options{})
			if tt.want == "" {
				if r.Status != nestor.ToolCallSuccess || r.Output != "sunny" {
					t.Errorf("got %+v", r)
				}
				return
			}
			if r.Status != nestor.ToolCallFailed || r.Code != nestor.CodeInvalid || r.Error != tt.want {
				t.Errorf("got  %s %s %q\nwant failed invalid %q", r.Status, r.Code, r.Error, tt.want)
			}
			if ran {
				t.Error("the tool ran")
			}
		})
	}
}

func TestNoArgumentsReachTheToolAsAnEmptyObject(t *testing.T) {
	r := Execute(t.Context(), mustNew(t, Spec{Name: "now"}, echo), Call{Arguments: " \n"}, Options{})
	if r.Output != "{}" {
		t.Errorf("got %+v", r)
	}
}

func TestAHugeWrongValueDoesNotMakeAHugeError(t *testing.T) {
	weather := mustNew(t, Spec{Name: "weather", Parameters: json.RawMessage(weatherSchema)}, echo)
	r := Execute(t.Context(), weather, Call{Arguments: `{"city":"Bonn","days":"` + strings.Repeat("9", 100_000) + `"}`}, Options{})
	if len(r.Error) > 1000 {
		t.Errorf("the error has %d bytes", len(r.Error))
	}
}

func TestAnErrorIsAFailedResultWithItsCode(t *testing.T) {
	missing := mustNew(t, Spec{Name: "x"}, func(context.Context, Call) (string, error) {
		return "", fmt.Errorf("while looking: %w", nestor.Errorf(nestor.CodeNotFound, "no such page"))
	})
	r := Execute(t.Context(), missing, Call{}, Options{})
	if r.Status != nestor.ToolCallFailed || r.Code != nestor.CodeNotFound || r.Error != "while looking: no such page" {
		t.Errorf("got %+v", r)
	}
}

func TestAPanicIsAFailedResultAndItsStackIsLogged(t *testing.T) {
	var log bytes.Buffer
	bad := mustNew(t, Spec{Name: "bad"}, func(context.Context, Call) (string, error) { panic("index 7") })
	r := Execute(t.Context(), bad, Call{ID: "c9"}, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if r.Status != nestor.ToolCallFailed || r.Code != nestor.CodeInternal ||
		r.Error != "bad failed because of a defect in the tool; the log says what (reference c9)" {
		t.Errorf("got %+v", r)
	}
	for _, want := range []string{"tool=bad", "call=c9", "execute_test.go", "index 7"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q: %s", want, log.String())
		}
	}
}

func TestWhatIsUnforeseenIsLoggedAndNotTold(t *testing.T) {
	driver := errors.New("UNIQUE constraint failed: documents.path (2067)")
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"a defect", nestor.Errorf(nestor.CodeInternal, "the log has lost version 3"), "x failed because of a defect in the tool; the log says what (reference c9)"},
		{"a file", fmt.Errorf("load: %w", &fs.PathError{Op: "open", Path: "/srv/keys", Err: fs.ErrNotExist}), "x failed because of a defect in the tool; the log says what (reference c9)"},
		{"a driver", fmt.Errorf("save: %w", nestor.Hide(nestor.CodeExists, "another document has that value", driver)), "save: another document has that value"},
		{"its own words", errors.New("not today"), "not today"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log bytes.Buffer
			bad := mustNew(t, Spec{Name: "x"}, func(context.Context, Call) (string, error) { return "", tt.err })
			r := Execute(t.Context(), bad, Call{ID: "c9"}, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
			if r.Status != nestor.ToolCallFailed || r.Error != tt.want {
				t.Errorf("got %+v", r)
			}
			if told := strings.Contains(r.Error, "reference"); told != strings.Contains(log.String(), "call=c9") {
				t.Errorf("the log has %q", log.String())
			}
		})
	}
}

func TestTheTimeLimitEndsACall(t *testing.T) {
	tests := []struct {
		name   string
		effect Effect
		want   string
	}{
		{"a pure tool", Pure, "slow did not finish within 30s and was stopped"},
		{"a tool with effects says so", Once, "slow did not finish within 30s and was stopped; it may have taken effect nevertheless"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				slow := mustNew(t, Spec{Name: "slow", Effect: tt.effect}, func(ctx context.Context, _ Call) (string, error) {
					<-ctx.Done()
					return "", ctx.Err()
				})
				r := Execute(t.Context(), slow, Call{}, Options{})
				if r.Code != nestor.CodeTimeout || r.Error != tt.want || r.Duration != 30*time.Second {
					t.Errorf("got %+v", r)
				}
			})
		})
	}
}

func TestAToolThatIgnoresItsContextIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		stubborn := mustNew(t, Spec{Name: "stubborn", Timeout: time.Second}, func(context.Context, Call) (string, error) {
			<-release
			return "late", nil
		})
		r := Execute(t.Context(), stubborn, Call{}, Options{})
		if r.Code != nestor.CodeTimeout || r.Duration != time.Second || r.Output != "" {
			t.Errorf("got %+v", r)
		}
	})
}

func TestCancellingStopsACallAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		slow := mustNew(t, Spec{Name: "slow"}, func(ctx context.Context, _ Call) (string, error) {
			<-ctx.Done()
			return "", errors.New("interrupted")
		})
		time.AfterFunc(2*time.Second, cancel)
		r := Execute(ctx, slow, Call{}, Options{})
		if r.Code != nestor.CodeCancelled || r.Error != "slow was cancelled" || r.Duration != 2*time.Second {
			t.Errorf("got %+v", r)
		}
	})
}

func TestADeadlineOfTheCallerIsATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		slow := mustNew(t, Spec{Name: "slow"}, func(ctx context.Context, _ Call) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		})
		if r := Execute(ctx, slow, Call{}, Options{}); r.Code != nestor.CodeTimeout {
			t.Errorf("got %+v", r)
		}
	})
}

func TestLongOutputIsCutAtARuneBoundaryAndSaysSo(t *testing.T) {
	tests := []struct {
		name, output, want string
		truncated          bool
	}{
		{"short output stays", "0123456789", "0123456789", false},
		{"long output is cut", "0123456789ab", "0123456789\n[cut: the first 10 of 12 bytes are shown]", true},
		{"a rune is not split", "012345678é!", "012345678\n[cut: the first 9 of 12 bytes are shown]", true},
		{"bytes that are no text are replaced", "a\xffb", "a\uFFFDb", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			long := mustNew(t, Spec{Name: "x", OutputLimit: 10}, func(context.Context, Call) (string, error) { return tt.output, nil })
			r := Execute(t.Context(), long, Call{}, Options{})
			if r.Output != tt.want || r.Truncated != tt.truncated || !utf8.ValidString(r.Output) {
				t.Errorf("got %q truncated=%v, want %q", r.Output, r.Truncated, tt.want)
			}
			failing := mustNew(t, Spec{Name: "x", OutputLimit: 10}, func(context.Context, Call) (string, error) { return "", errors.New(tt.output) })
			if r := Execute(t.Context(), failing, Call{}, Options{}); r.Error != tt.want || r.Truncated != tt.truncated {
				t.Errorf("as an error: got %q truncated=%v, want %q", r.Error, r.Truncated, tt.want)
			}
		})
	}
}

func TestATextStandsForArguments(t *testing.T) {
	const (
		one     = `{"properties":{"q":{"type":"string"}},"required":["q"]}`
		beside  = `{"properties":{"limit":{"type":"integer"},"q":{"type":"string"}},"required":["q"]}`
		needs   = `{"properties":{"limit":{"type":"integer"},"q":{"type":"string"}},"required":["q","limit"]}`
		two     = `{"properties":{"from":{"type":"string"},"to":{"type":"string"}}}`
		nothing = ``
	)
	for name, test := range map[string]struct{ parameters, text, want string }{
		"the only text":                        {one, `6 * "7"`, `{"q":"6 * \"7\""}`},
		"a number is a text, too":              {one, `42`, `{"q":"42"}`},
		"so is null":                           {one, `null`, `{"q":"null"}`},
		"an object is the arguments":           {one, `{"q": "x"}`, `{"q": "x"}`},
		"also if it does not fit":              {one, `{"x": 1}`, `{"x": 1}`},
		"nothing is no text":                   {one, ` `, ` `},
		"a text beside what may be left out":   {beside, `x`, `{"q":"x"}`},
		"a text beside what is required":       {needs, `x`, `x`},
		"a text that might be either of two":   {two, `x`, `x`},
		"a text for a tool that takes nothing": {nothing, `x`, `x`},
	} {
		made, err := New(Spec{Name: "t", Parameters: json.RawMessage(test.parameters)}, Text(echo))
		if err != nil {
			t.Fatal(err)
		}
		if got := made.FromText(test.text); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}
