package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
)

// A server that is killed while a model answers takes its runs up again: each ends, and says
// what it used once.
func TestARunOfAServerThatIsKilledEnds(t *testing.T) {
	onEachEngine(t, func(t *testing.T, env []string) {
		asked, goOn := make(chan struct{}, 10), make(chan struct{})
		model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			asked <- struct{}{}
			select {
			case <-goOn:
			case <-r.Context().Done():
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write(llmtest.OpenAI.Transcript([]llm.Event{ // the client may have left
				llm.Text{Text: "It is 42."}, llm.Usage{Input: 10, Output: 5}, llm.Finish{Reason: llm.ReasonStop},
			}))
		}))
		defer model.Close()
		p := newProgram(t, append(env, "NESTOR_TOKEN=short-on-loopback")...)
		link, process := p.serve()
		base, _, _ := strings.Cut(link, "/?")
		b := newBrowser(t)
		send := func(method, path, body string) string {
			t.Helper()
			status, text := b.send(method, base+"/api/v1"+path, body)
			if status >= 300 {
				t.Fatalf("%s %s: %d %s", method, path, status, text)
			}
			return text
		}
		send("POST", "/login", `{"token":"short-on-loopback"}`)
		send("PUT", "/models/slow", `{"accessFormat":"openai","modelId":"slow","baseUrl":"`+model.URL+`/v1"}`)
		send("POST", "/chats", `{"id":"c1","title":"Sums","participant":"model:slow"}`)
		send("POST", "/chats/c1/messages", `{"id":"m1","content":"What is 6*7?"}`)
		<-asked
		if err := process.Kill(); err != nil {
			t.Fatal(err)
		}
		_, _ = process.Wait() // it was killed
		close(goOn)

		link, _ = p.serve()
		base, _, _ = strings.Cut(link, "/?")
		b = newBrowser(t)
		send("POST", "/login", `{"token":"short-on-loopback"}`)
		var got nestor.RunResult
		if err := json.Unmarshal([]byte(send("GET", "/runs/m1?wait=1", "")), &got); err != nil {
			t.Fatal(err)
		}
		if got.Run.Status != nestor.RunSuccess || got.Text != "It is 42." || got.Run.Usage.Tokens() != 15 || got.Run.Calls != 1 {
			t.Errorf("got %+v", got)
		}
		p.env = append(p.env, "NESTOR_URL="+base)
		if out := p.prints("runs"); !strings.Contains(out, "m1") || !strings.Contains(out, "success") || !strings.Contains(out, "15") {
			t.Errorf("printed %s", out)
		}
		if out := p.prints("run", "m1"); !strings.Contains(out, "It is 42.") || !strings.Contains(out, "model") {
			t.Errorf("printed %s", out)
		}
		if out := p.prints("chats", "export", "c1"); !strings.Contains(out, "```text\nWhat is 6*7?\n```") || !strings.Contains(out, "It is 42.") {
			t.Errorf("printed %s", out)
		}
		if out := p.prints("chats", "export", "--format", "json", "c1"); !json.Valid([]byte(out)) || !strings.Contains(out, `"content":"It is 42."`) {
			t.Errorf("printed %s", out)
		}
	})
}
