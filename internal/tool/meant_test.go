package tool

import (
	"context"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor/internal/llm"
)

const tripSchema = `{"type":"object","properties":{
	"timeZone":{"type":"string"},
	"days":{"type":"integer","maximum":30},
	"price":{"type":["number","null"]},
	"direct":{"type":"boolean"},
	"cities":{"type":"array","items":{"type":"string"}},
	"years":{"type":"array","items":{"type":"integer"}},
	"seat":{"type":"object","properties":{"row_number":{"type":"integer"}},"required":["row_number"],"additionalProperties":false},
	"any":{},
	"a_b":{"type":"string"},"aB":{"type":"string"}
},"additionalProperties":false}`

func TestSmallSlipsAreTakenAsTheyAreMeant(t *testing.T) {
	for _, tt := range []struct{ name, arguments, want, once string }{
		{"what fits stays to the letter", `{ "days": 5 }`, `{ "days": 5 }`, ""},
		{"a number as text", `{"days":" 5 "}`, `{"days":5}`, `{"days":5}`},
		{"where null may be, too", `{"price":"1.5"}`, `{"price":1.5}`, `{"price":1.5}`},
		{"a truth as text", `{"direct":"True"}`, `{"direct":true}`, `{"direct":true}`},
		{"an object as text", `{"seat":"{\"rowNumber\": \"7\"}"}`, `{"seat":{"row_number":7}}`, `{"seat":{"row_number":7}}`},
		{"a list as text", `{"cities":"[\"Rome\", \"Bonn\"]"}`, `{"cities":["Rome","Bonn"]}`, `{"cities":["Rome","Bonn"]}`},
		{"all as text", `"{\"days\": 5}"`, `{"days":5}`, `{"days":5}`},
		{"names of parameters", `{"timezone":"UTC","Days":3}`, `{"days":3,"timeZone":"UTC"}`, `{"days":3,"timeZone":"UTC"}`},
		{"a name with another separator", `{"time_zone":"UTC"}`, `{"timeZone":"UTC"}`, `{"timeZone":"UTC"}`},
		{"one for a list, unless every run counts", `{"cities":"Rome"}`, `{"cities":["Rome"]}`, ""},
		{"one as text for a list", `{"years":"2026"}`, `{"years":[2026]}`, ""},
		{"numbers as text in a list", `{"years":["2026",2027]}`, `{"years":[2026,2027]}`, `{"years":[2026,2027]}`},
		{"large numbers keep their digits", `{"Days":1,"any":12345678901234567}`, `{"any":12345678901234567,"days":1}`, `{"any":12345678901234567,"days":1}`},
		{"several in a text", `{"cities":"Rome, Bonn"}`, "", ""},
		{"no number", `{"days":"five"}`, "", ""},
		{"half a number", `{"days":"5.5"}`, "", ""},
		{"too much", `{"days":"31"}`, "", ""},
		{"a number for a text", `{"timeZone":5}`, "", ""},
		{"an unknown name", `{"day":5}`, "", ""},
		{"two for one parameter", `{"timezone":"UTC","time_zone":"CET"}`, "", ""},
		{"one beside the right one", `{"timeZone":"UTC","timezone":"CET"}`, "", ""},
		{"a name that may be two", `{"ab":"x"}`, "", ""},
		{"no JSON", `{"days":"5"`, "", ""},
		{"no object", `["5"]`, "", ""},
		{"null for a list", `{"cities":null}`, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for effect, want := range map[Effect]string{Pure: tt.want, Idempotent: tt.want, Once: tt.once} {
				trip := mustNew(t, Spec{Name: "trip", Effect: effect, Parameters: json.RawMessage(tripSchema)}, echo)
				if want == "" {
					want = tt.arguments
				}
				if got := trip.Meant(tt.arguments); got != want {
					t.Errorf("of %s: got %s, want %s", effect, got, want)
				}
			}
		})
	}
}

func TestToolsAreFoundByTheNameThatIsMeant(t *testing.T) {
	r := NewRegistry(named(t, "semantic-search", "web_fetch", "getUser", "get_user", "search"), Options{})
	for sent, want := range map[string]string{
		"semantic_search": "semantic-search", "SemanticSearch": "semantic-search", "functions.web-fetch": "web_fetch", "tools/web_fetch": "web_fetch",
		"default_api:web_fetch": "web_fetch", "Final-Answer": "final_answer", "functions.final_answer": "final_answer",
		"search": "search", "GetUser": "GetUser", "get_user": "get_user", "github.search": "github.search", "web": "web", "": "", "functions.": "functions.", "_": "_",
	} {
		want, sent := want, sent
		if name, _ := r.Meant(sent, "{}", llm.Tool{Name: "final_answer"}); name != want {
			t.Errorf("%q means %q, want %q", sent, name, want)
		}
	}
}

// Whatever is sent: what fits is never touched, and what comes of the rest fits or is what was
// sent.
func TestWhatIsMeantFitsOrIsWhatWasSent(t *testing.T) {
	trip, err := New(Spec{Name: "trip", Effect: Pure, Parameters: json.RawMessage(tripSchema)}, Text(func(context.Context, Call) (string, error) { return "", nil }))
	if err != nil {
		t.Fatal(err)
	}
	value := rapid.SampledFrom([]any{"5", 5, 1.5, "true", true, nil, "x", "a,b", []any{"1"}, map[string]any{"rowNumber": "1"}, `[1]`, `{"row_number":1}`})
	rapid.Check(t, func(t *rapid.T) {
		object := rapid.MapOf(rapid.SampledFrom([]string{"timeZone", "timezone", "days", "Days", "price", "direct", "cities", "years", "seat", "any", "ab", "day"}), value).Draw(t, "arguments")
		sent, _ := json.Marshal(object)
		meant := trip.Meant(string(sent))
		switch fits := trip.Check(string(sent)) == nil; {
		case fits && meant != string(sent):
			t.Errorf("%s fits and became %s", sent, meant)
		case !fits && meant != string(sent) && trip.Check(meant) != nil:
			t.Errorf("%s became %s, which does not fit", sent, meant)
		case trip.Meant(meant) != meant:
			t.Errorf("%s became %s and then %s", sent, meant, trip.Meant(meant))
		}
	})
}
