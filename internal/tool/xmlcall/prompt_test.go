package xmlcall

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor/internal/llm"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestPromptDescribesTheToolsAndHowToCallThem(t *testing.T) {
	g, err := newGrammar(testTools())
	if err != nil {
		t.Fatal(err)
	}
	got := g.prompt("required")
	golden := filepath.Join("testdata", "prompt.md")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the prompt is not that of %s (run with -update to rewrite it):\n%s", golden, got)
	}
}

func TestExamplesAreCallsThatTheSchemaAccepts(t *testing.T) {
	schemas := map[string]string{
		"no parameters":       `{"type":"object"}`,
		"one string":          `{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}`,
		"optional only":       `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}}}`,
		"bounds":              `{"type":"object","properties":{"a":{"type":"integer","minimum":10},"b":{"type":"number","exclusiveMaximum":0},"c":{"type":"integer","exclusiveMinimum":3,"multipleOf":5}},"required":["a","b","c"]}`,
		"lengths":             `{"type":"object","properties":{"a":{"type":"string","maxLength":3},"b":{"type":"string","minLength":40}},"required":["a","b"]}`,
		"author's own values": `{"type":"object","properties":{"a":{"type":"string","examples":["x"],"maxLength":1},"b":{"enum":["u","v"]},"c":{"const":7},"d":{"type":"boolean","default":false}},"required":["a","b","c","d"]}`,
		"nested":              `{"type":"object","properties":{"rows":{"type":"array","minItems":2,"items":{"$ref":"#/$defs/row"}}},"required":["rows"],"$defs":{"row":{"type":"object","properties":{"id":{"type":"integer"},"tags":{"type":["null","array"],"items":{"type":"string"}}},"required":["id","tags"]}}}`,
		"recursive":           `{"type":"object","properties":{"tree":{"$ref":"#/$defs/t"}},"required":["tree"],"$defs":{"t":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/t"}}}}}}`,
		"formats":             `{"type":"object","properties":{"d":{"type":"string","format":"date"},"u":{"type":"string","format":"uri"}},"required":["d","u"]}`,
		"alternatives":        `{"type":"object","properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"}]},"b":{}},"required":["a","b"]}`,
	}
	for name, schema := range schemas {
		t.Run(name, func(t *testing.T) {
			g, err := newGrammar([]llm.Tool{{Name: "try_it", Parameters: json.RawMessage(schema)}})
			if err != nil {
				t.Fatal(err)
			}
			example := g.tools[0].example()
			events := newParser(g, Options{}).Feed(example)
			if len(events) != 1 || events[0].Call == nil || events[0].Call.Err != nil {
				t.Fatalf("%s is read as %s", example, transcript(events))
			}
			var s jsonschema.Schema
			if err := json.Unmarshal([]byte(schema), &s); err != nil {
				t.Fatal(err)
			}
			resolved, err := s.Resolve(nil)
			if err != nil {
				t.Fatal(err)
			}
			var args any
			if err := json.Unmarshal(events[0].Call.Args, &args); err != nil {
				t.Fatal(err)
			}
			if err := resolved.Validate(args); err != nil {
				t.Errorf("%s: %v", example, err)
			}
		})
	}
}
