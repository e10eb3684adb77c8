package xmlcall

import (
	"encoding/json"
	"testing"
)

// FuzzParser checks that no input crashes the parser, that its events do not
// depend on the chunks, and that a call's arguments are a JSON object.
func FuzzParser(f *testing.F) {
	for _, seed := range []string{
		"so <ask>why?</ask> then",
		`<write-file path="a>b" m='1'><note>n</note>x &lt; y</write-file>`,
		`<typed int="1" num="x"><list>[1]</list><obj>{}</obj></typed>`,
		"<function_calls>\n<invoke name=\"ask\"><parameter name=\"question\">a</parameter></invoke>\n</function_calls>",
		"```\n<now/>\n``` `<now/>` ~~~",
		"<ask>a<ask>b</ask></ask><now / ></now><now a=\"",
	} {
		f.Add(seed, uint8(1), uint8(0))
		f.Add(seed, uint8(3), uint8(20))
	}
	g, err := newGrammar(testTools())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, in string, size, maxBytes uint8) {
		opts := Options{MaxCallBytes: int(maxBytes)}
		p := newParser(g, opts)
		var whole []Event
		whole = append(whole, p.Feed(in)...)
		whole = append(whole, p.Close()...)
		for _, ev := range whole {
			if ev.Call == nil {
				continue
			}
			if ev.Call.Name == "" || ev.Call.Err == nil && ev.Call.Args == nil {
				t.Errorf("incomplete call %+v", ev.Call)
			}
			var object map[string]any
			if ev.Call.Args != nil && json.Unmarshal(ev.Call.Args, &object) != nil {
				t.Errorf("arguments %s are no JSON object", ev.Call.Args)
			}
		}
		var chunks []string
		for rest := in; rest != ""; {
			n := min(len(rest), 1+int(size))
			chunks = append(chunks, rest[:n])
			rest = rest[n:]
		}
		if got, want := parse(newParser(g, opts), chunks...), transcript(whole); got != want {
			t.Errorf("%d chunks of %q\n got %s\nwant %s", len(chunks), in, got, want)
		}
	})
}
