package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
)

// A model without calls of its own writes one as the tool's entry in tools.json says:
// the name as an attribute, and the file as all that is between the tags.
func TestAToolIsCalledInTheXMLFormOfItsEntry(t *testing.T) {
	const file = "# Notes\n<p>1 < 2 &amp; more</p>"
	files := make(chan string, 10)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		files <- string(body)
		_, _ = w.Write([]byte("Saved.")) // the client may have left
	}))
	defer service.Close()
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the program was stopped while it sent this
		}
		says := "It is done."
		if bytes.Contains(body, []byte("create-file")) && !bytes.Contains(body, []byte("Saved.")) {
			says = "I write.\n<create-file file_path=\"notes/a.md\">\n" + file + "\n</create-file>\n<create-file file_path=\"b\">beyond the cap</create-file>"
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(llmtest.OpenAI.Transcript([]llm.Event{llm.Text{Text: says}, llm.Finish{Reason: llm.ReasonStop}}))
	}))
	defer model.Close()
	config, err := json.Marshal(map[string]any{"http": []any{map[string]any{
		"name": "create_file", "method": "POST", "url": service.URL, "allowPrivate": true,
		"parameters": map[string]any{"type": "object", "required": []string{"file_path", "contents"}, "properties": map[string]any{
			"file_path": map[string]string{"type": "string"}, "contents": map[string]string{"type": "string"},
		}},
		"xml": map[string]any{"tag": "create-file", "places": map[string]string{"file_path": "attribute", "contents": "root"}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	tools := filepath.Join(t.TempDir(), "tools.json")
	if err := os.WriteFile(tools, config, 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, "NESTOR_TOKEN=short-on-loopback", "NESTOR_TOOLS="+tools)
	link, _ := p.serve()
	base, _, _ := strings.Cut(link, "/?")
	b := newBrowser(t)
	for _, d := range [][3]string{
		{"POST", "/login", `{"token":"short-on-loopback"}`},
		{"PUT", "/models/old", `{"accessFormat":"openai","modelId":"old","baseUrl":"` + model.URL + `/v1","data":{"xmlTools":true,"maxXmlCalls":1}}`},
		{"POST", "/chats", `{"id":"c1","modelConnectionId":"old"}`},
		{"POST", "/chats/c1/tasks", `{"id":"t1","name":"agent:general","instruction":"Write a note."}`},
	} {
		if status, text := b.send(d[0], base+"/api/v1"+d[1], d[2]); status >= 300 {
			t.Fatalf("%s %s: %d %s", d[0], d[1], status, text)
		}
	}
	want, err := json.Marshal(map[string]string{"file_path": "notes/a.md", "contents": file})
	if err != nil {
		t.Fatal(err)
	}
	var task struct{ Status, Error string }
	for task.Status != "success" {
		_, text := b.send("GET", base+"/api/v1/docs/users/local/orch-chats/c1/tasks/t1", "")
		if err := json.Unmarshal([]byte(text), &task); err != nil || task.Status == "failed" {
			t.Fatalf("the task: %v %s", err, text)
		}
	}
	close(files)
	var got []string
	for f := range files {
		got = append(got, f)
	}
	if len(got) != 1 || !sameJSON(got[0], string(want)) {
		t.Errorf("the service got %q, want %q once", got, want)
	}
}

func sameJSON(a, b string) bool {
	var x, y map[string]string
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && len(x) == len(y) && x["file_path"] == y["file_path"] && x["contents"] == y["contents"]
}
