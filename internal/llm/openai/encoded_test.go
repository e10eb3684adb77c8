package openai

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/llm"
)

// always lies outside of the heap.
var always = [...]llm.Part{llm.Text{Text: "always"}}

func TestAMessageIsEncodedOnceForEachThatItCanBe(t *testing.T) {
	parts := []llm.Part{
		llm.Text{Text: "a"}, llm.Reasoning{Text: "Hm."}, llm.ToolCall{ID: "call-of-another-provider", Name: "t", Arguments: "no JSON"},
	}
	said := llm.Message{Role: llm.RoleAssistant, Parts: parts}
	d := dialect{}
	var e encoded
	seen := map[*byte]string{}
	for _, tt := range []struct {
		name    string
		dialect dialect
		message llm.Message
	}{
		{"a message", d, said},
		{"one that was cut", d, llm.Message{Role: said.Role, Parts: parts[:1]}},
		{"its end", d, llm.Message{Role: said.Role, Parts: parts[2:]}},
		{"one with the same parts elsewhere", d, llm.Message{Role: said.Role, Parts: slices.Clone(parts)}},
		{"one with other parts", d, llm.Message{Role: said.Role, Parts: []llm.Part{llm.Text{Text: "b"}}}},
		{"the same of somebody else", d, llm.Message{Role: llm.RoleUser, Parts: parts[:1]}},
		{"with its reasoning", dialect{replayReasoning: true}, said},
		{"for OpenAI itself", dialect{official: true}, said},
		{"with short ids", dialect{ids: llm.ID9}, said},
		{"one that is never gone", d, llm.Message{Role: llm.RoleUser, Parts: always[:]}},
	} {
		want, err := tt.dialect.encode(&tt.message)
		if err != nil {
			t.Fatal(err)
		}
		var at *byte
		for range 2 {
			copied := tt.message // as conversations are
			got, err := e.message(tt.dialect, &copied)
			if err != nil || string(got) != string(want) {
				t.Fatalf("%s is %s, %v, want %s", tt.name, got, err, want)
			}
			if at != nil && at != &got[0] {
				t.Errorf("%s is encoded again", tt.name)
			}
			at = &got[0]
		}
		if other := seen[at]; other != "" {
			t.Errorf("%s is taken for %s", tt.name, other)
		}
		seen[at] = tt.name
	}
	if text, err := e.message(d, &llm.Message{Role: llm.RoleUser}); err != nil || len(text) > 0 {
		t.Errorf("a message without parts is %s, %v", text, err)
	}
	if _, err := e.message(d, &llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.Media{MIMEType: "video/mp4", URL: "x"}}}); err == nil {
		t.Error("a message that cannot be encoded is")
	}
}

func TestAToolIsEncodedOnceAsLongAsItIsTheSame(t *testing.T) {
	schema := json.RawMessage(`{"type":"object"}`)
	var e encoded
	seen := map[*byte]string{}
	for _, tt := range []struct {
		name string
		tool llm.Tool
	}{
		{"a tool", llm.Tool{Name: "t", Description: "It is.", Parameters: schema}},
		{"another with its parameters", llm.Tool{Name: "u", Description: "It is.", Parameters: schema}},
		{"one that is described anew", llm.Tool{Name: "t", Description: "It was.", Parameters: schema}},
		{"one with other parameters", llm.Tool{Name: "t", Description: "It is.", Parameters: slices.Clone(schema)}},
		{"one without", llm.Tool{Name: "t", Description: "It is."}},
	} {
		want, err := llm.EncodeJSON(tool{"function", function{tt.tool.Name, tt.tool.Description, tt.tool.Parameters}})
		if err != nil {
			t.Fatal(err)
		}
		first, err := e.tool(&tt.tool)
		again, err2 := e.tool(&tt.tool)
		if err != nil || err2 != nil || string(first) != string(want) || &first[0] != &again[0] {
			t.Errorf("%s is %s, then %s, want %s once: %v, %v", tt.name, first, again, want, err, err2)
		}
		if other := seen[&first[0]]; other != "" {
			t.Errorf("%s is taken for %s", tt.name, other)
		}
		seen[&first[0]] = tt.name
	}
}

func TestWhatIsKeptOfMessagesIsBoundedAndWhatIsSentAgainStays(t *testing.T) {
	var e encoded
	say := func(m llm.Message) []byte {
		text, err := e.message(dialect{}, &m)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	stays := llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: "stays"}}}
	first := say(stays)
	long := strings.Repeat("x", maxEncoded/10)
	for i := range 50 { // places in memory are used again, for messages that differ
		want := fmt.Sprintf(`{"role":"user","content":"%d%s"}`, i, long)
		if got := say(llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: fmt.Sprint(i) + long}}}); string(got) != want {
			t.Fatalf("message %d is %.30s…", i, got)
		}
		if again := say(stays); &again[0] != &first[0] {
			t.Fatalf("after message %d one that is sent again and again is encoded anew", i)
		}
		kept := 0
		for _, g := range []map[any][]byte{e.young, e.old} {
			for _, text := range g {
				kept += len(text)
			}
		}
		if kept > 2*maxEncoded {
			t.Fatalf("after message %d %d bytes are kept", i, kept)
		}
	}
}

// Instructions may be others at every call, and are kept as they were given, too.
func TestInstructionsAreEncodedOnceAndBounded(t *testing.T) {
	var e encoded
	var first []byte
	long := strings.Repeat("x", maxEncoded/10)
	for i := range 50 {
		for _, instructions := range []string{"stays <b>\n", fmt.Sprint(i) + long} {
			text, err := e.system(strings.Clone(instructions))
			var got message
			if err == nil {
				err = json.Unmarshal(text, &got)
			}
			if err != nil || got.Role != "system" || got.Content != instructions {
				t.Fatalf("instructions %d are %.40s…, %v", i, text, err)
			}
			if first == nil {
				first = text
			}
			if instructions == "stays <b>\n" && &text[0] != &first[0] {
				t.Fatalf("after instructions %d those that are given again and again are encoded anew", i)
			}
		}
		kept := 0
		for _, g := range []map[any][]byte{e.young, e.old} {
			for key, text := range g {
				kept += len(key.(sentSystem)) + len(text)
			}
		}
		if kept > 2*maxEncoded {
			t.Fatalf("after instructions %d %d bytes are kept", i, kept)
		}
	}
}
