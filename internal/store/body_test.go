package store

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor"
)

// wantCode fails the test unless err has the code; "" stands for no error.
func wantCode(t testing.TB, err error, want nestor.Code) {
	t.Helper()
	if got := nestor.CodeOf(err); got != want {
		t.Fatalf("the error is %v (code %q), want code %q", err, got, want)
	}
}

// read decodes a body that must be fine.
func read(t rapid.TB, text string) map[string]any {
	t.Helper()
	m, err := decodeObject([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return m
}

func write(t rapid.TB, m map[string]any) string {
	t.Helper()
	b, err := Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestEqualBodiesBecomeEqualText(t *testing.T) {
	for _, tt := range []struct {
		name, body, want string
	}{
		{"fields are sorted", `{"b":1,"a":{"d":2,"c":3}}`, `{"a":{"c":3,"d":2},"b":1}`},
		{"space goes", " { \"a\" : [ 1 , 2 ] }\n", `{"a":[1,2]}`},
		{"the last of equal names counts", `{"a":1,"a":2}`, `{"a":2}`},
		{"null stays", `{"a":null}`, `{"a":null}`},
		{"escapes that are not needed go", `{"a":"\u00e9\/\u003c"}`, `{"a":"é/<"}`},
		{"half a surrogate pair becomes the replacement character", `{"a":"\ud800"}`, "{\"a\":\"\ufffd\"}"},
		{"an integer stays as it is", `{"n":9223372036854775807}`, `{"n":9223372036854775807}`},
		{"a negative integer stays as it is", `{"n":-9223372036854775808}`, `{"n":-9223372036854775808}`},
		{"a fraction stays as it is", `{"n":0.1}`, `{"n":0.1}`},
		{"digits beyond the precision of a fraction go", `{"n":0.1000000000000000055511151231257827}`, `{"n":0.1}`},
		{"a whole number with a fraction part is an integer", `{"n":[1.0,-3.00,1e2,1E+2,12.5e1]}`, `{"n":[1,-3,100,100,125]}`},
		{"there is one zero", `{"n":[0,-0,0.0,-0.0,0e7,1e-999]}`, `{"n":[0,0,0,0,0,0]}`},
		{"large numbers keep their exponent", `{"n":[1e21,-1e300,1.5E+22]}`, `{"n":[1e+21,-1e+300,1.5e+22]}`},
		{"small numbers keep their exponent", `{"n":[1e-7,5e-324]}`, `{"n":[1e-7,5e-324]}`},
		{"the largest fraction stays exact", `{"n":4503599627370495.5}`, `{"n":4503599627370495.5}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := write(t, read(t, tt.body))
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if again := write(t, read(t, got)); again != got {
				t.Errorf("written twice it becomes %s", again)
			}
		})
	}
}

func TestNumbersAreReadAsTheEnginesCompareThem(t *testing.T) {
	for text, want := range map[string]any{
		"5": int64(5), "5.0": int64(5), "-0.0": int64(0), "5e0": int64(5), "9007199254740991.0": int64(1<<53 - 1),
		"9007199254740993": int64(1<<53 + 1), "-9223372036854775808": int64(math.MinInt64),
		"5.5": 5.5, "1e300": 1e300, "5e-324": 5e-324,
	} {
		if got := read(t, `{"n":`+text+`}`)["n"]; got != want {
			t.Errorf("%s is read as %T %v, want %T %v", text, got, got, want, want)
		}
	}
}

func TestBodiesThatAreRefused(t *testing.T) {
	nested := func(levels int) string { return strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels) }
	for _, tt := range []struct {
		name, body, error string
	}{
		{"nothing", ``, "not JSON"},
		{"half an object", `{"a":`, "not JSON"},
		{"a list", `[]`, "must be a JSON object"},
		{"null", `null`, "must be a JSON object"},
		{"two objects", `{}{}`, "text after"},
		{"text behind", `{} x`, "text after"},
		{"broken UTF-8", "{\"a\":\"\xff\"}", "UTF-8"},
		{"a NUL in text", `{"a":["\u0000"]}`, "U+0000"},
		{"a NUL in a name", `{"a":{"\u0000":1}}`, "U+0000"},
		{"an integer just too large", `{"a":9223372036854775808}`, "64 bits"},
		{"an integer just too small", `{"a":-9223372036854775809}`, "64 bits"},
		{"an integer of many digits", `{"a":` + strings.Repeat("9", 100) + `}`, "64 bits"},
		{"a number out of range", `{"a":1e309}`, "out of range"},
		{"65 levels", nested(66), "64 levels"},
		{"65 levels of lists", `{"a":` + strings.Repeat("[", 65) + strings.Repeat("]", 65) + `}`, "64 levels"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := decodeObject([]byte(tt.body))
			wantCode(t, err, nestor.CodeInvalid)
			if !strings.Contains(err.Error(), tt.error) {
				t.Errorf("the error is %q, want one with %q", err, tt.error)
			}
		})
	}
	if got := write(t, read(t, nested(64))); got != nested(64) {
		t.Errorf("64 levels became %s", got)
	}
}

func TestTheBodyOfAWriteIsAGoValueOrText(t *testing.T) {
	type note struct {
		Text string `json:"text"`
	}
	for _, tt := range []struct {
		name string
		body any
		want string
		code nestor.Code
	}{
		{"a struct", note{"hi"}, `{"text":"hi"}`, ""},
		{"a pointer to one", &note{"hi"}, `{"text":"hi"}`, ""},
		{"a map", map[string]any{"n": 1.0, "s": "<"}, `{"n":1,"s":"<"}`, ""},
		{"JSON text", json.RawMessage(` {"a":1.0}`), `{"a":1}`, ""},
		{"bytes of JSON", []byte(`{"a":1.0}`), `{"a":1}`, ""},
		{"nil", nil, ``, nestor.CodeInvalid},
		{"a value that is no object", 5, ``, nestor.CodeInvalid},
		{"a value that is no JSON", func() {}, ``, nestor.CodeInvalid},
		{"text is a value, not JSON", `{"a":1}`, ``, nestor.CodeInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := Object(tt.body)
			wantCode(t, err, tt.code)
			if err == nil && write(t, m) != tt.want {
				t.Errorf("got %s, want %s", write(t, m), tt.want)
			}
		})
	}
}

// TestMergePatchOfTheRFC runs the examples of RFC 7396, appendix A. Documents
// are objects, so target and patch are a field of one here: that of the
// result, absent where the RFC's is null.
func TestMergePatchOfTheRFC(t *testing.T) {
	for _, tt := range []struct{ target, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`["a","b"]`, `["c","d"]`, `["c","d"]`},
		{`{"a":"b"}`, `["c"]`, `["c"]`},
		{`{"a":"foo"}`, `null`, ``},
		{`{"a":"foo"}`, `"bar"`, `"bar"`},
		{`{"e":null}`, `{"a":1}`, `{"a":1,"e":null}`},
		{`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
	} {
		t.Run(tt.target+" with "+tt.patch, func(t *testing.T) {
			want := `{}`
			if tt.want != "" {
				want = `{"x":` + tt.want + `}`
			}
			target, patch := read(t, `{"x":`+tt.target+`}`), read(t, `{"x":`+tt.patch+`}`)
			if got := write(t, Merge(target, patch)); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestTheExampleOfMergePatch(t *testing.T) { // RFC 7396, section 3
	target := read(t, `{"title":"Goodbye!","author":{"givenName":"John","familyName":"Doe"},"tags":["example","sample"],"content":"This will be unchanged"}`)
	patch := read(t, `{"title":"Hello!","phoneNumber":"+01-123-456-7890","author":{"familyName":null},"tags":["example"]}`)
	want := `{"author":{"givenName":"John"},"content":"This will be unchanged","phoneNumber":"+01-123-456-7890","tags":["example"],"title":"Hello!"}`
	if got := write(t, Merge(target, patch)); got != want {
		t.Errorf("got %s", got)
	}
}

// jsonValue draws any value that a body can hold; jsonObject any body. They
// have few names, so that they often speak of the same field.
func jsonValue(depth int) *rapid.Generator[any] {
	scalars := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.Int64().AsAny(), rapid.Float64Range(-1e6, 1e6).AsAny(),
		rapid.SampledFrom([]any{1e300, -1e21, 5e-324, int64(math.MinInt64)}), rapid.StringOf(rapid.Rune().Filter(notNUL)).AsAny(),
	}
	if depth == 0 {
		return rapid.OneOf(scalars...)
	}
	return rapid.OneOf(append(scalars, rapid.SliceOfN(jsonValue(depth-1), 0, 3).AsAny(), jsonObject(depth-1).AsAny())...)
}

func jsonObject(depth int) *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		name := rapid.OneOf(rapid.SampledFrom([]string{"a", "b", "c"}), rapid.StringOf(rapid.Rune().Filter(notNUL)))
		m := rapid.MapOfN(name, jsonValue(depth), 0, 4).Draw(t, "object")
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return read(t, string(b)) // with the types that a stored body has
	})
}

func notNUL(r rune) bool { return r != 0 }

func TestABodyReadsBackAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := jsonObject(3).Draw(t, "body")
		if again := read(t, write(t, m)); !reflect.DeepEqual(again, m) {
			t.Fatalf("%v became %v", m, again)
		}
	})
}

func TestMergingLeavesItsArgumentsAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		target, patch := jsonObject(2).Draw(t, "target"), jsonObject(2).Draw(t, "patch")
		wasTarget, wasPatch := write(t, target), write(t, patch)
		once := Merge(target, patch)
		if write(t, target) != wasTarget || write(t, patch) != wasPatch {
			t.Fatalf("merge changed its arguments to %v and %v", target, patch)
		}
		if twice := Merge(once, patch); !reflect.DeepEqual(once, twice) {
			t.Fatalf("the same patch once more makes %v of %v", twice, once)
		}
		if same := Merge(target, map[string]any{}); !reflect.DeepEqual(same, target) {
			t.Fatalf("an empty patch makes %v of %v", same, target)
		}
	})
}
