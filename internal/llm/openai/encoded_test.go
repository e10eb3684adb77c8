package openai

import (
	"fmt"
	"runtime"
	"slices"
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
	runtime.KeepAlive(parts)
}

func TestWhatIsKeptOfAMessageGoesWithIt(t *testing.T) {
	var e encoded
	kept := func() int {
		e.mu.Lock()
		defer e.mu.Unlock()
		return len(e.texts)
	}
	stays := llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: "stays"}}}
	say := func(m llm.Message) string {
		text, err := e.message(dialect{}, &m)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	say(stays)
	// Places in memory are used again and again, for messages that differ.
	for i := range 2000 {
		want := fmt.Sprintf(`{"role":"user","content":"message %d"}`, i)
		if got := say(llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: fmt.Sprintf("message %d", i)}}}); got != want {
			t.Fatalf("it is %s, want %s", got, want)
		}
		if i%100 == 0 {
			runtime.GC()
		}
	}
	for kept() > 1 { // what collects garbage also tells of it, in its own time
		runtime.GC()
		runtime.Gosched()
	}
	if say(stays); kept() != 1 {
		t.Errorf("%d messages are kept", kept())
	}
	runtime.KeepAlive(stays.Parts)
}
