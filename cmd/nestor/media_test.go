package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
	"github.com/nestorhq/nestor/internal/servertest"
)

// camera is the variable that makes the test program an MCP server over its
// standard input and output, with a tool that returns an image, an image as a
// resource, a note as a resource and a drawing that no model is to be shown.
const camera = "NESTOR_TEST_CAMERA"

// photo and scan are as much of a PNG and a GIF as tells what they are.
var (
	photo = []byte("\x89PNG\r\n\x1a\n a photo")
	scan  = []byte("GIF89a a scan")
)

func serveCamera() error {
	s := mcp.NewServer(&mcp.Implementation{Name: "camera", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "shoot", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{
				&mcp.TextContent{Text: "Taken."},
				&mcp.ImageContent{MIMEType: "image/png", Data: photo},
				&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///roll/scan.gif", MIMEType: "image/jpeg", Blob: scan}},
				&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///roll/note.txt", MIMEType: "text/plain", Text: "The light was good."}},
				&mcp.ImageContent{MIMEType: "image/svg+xml", Data: []byte("<svg/>")},
			}}, nil
		})
	return s.Run(context.Background(), &mcp.StdioTransport{})
}

// studio is a model behind the format of OpenAI. Its agent calls the camera once
// and then answers.
type studio struct {
	*testing.T
	// refuses: the server takes no images.
	refuses bool

	mu   sync.Mutex
	seen []string // the requests of the agent after its call, with their results
}

func (s *studio) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the program was stopped while it sent this
	}
	events := []llm.Event{llm.Text{Text: "It is done."}, llm.Finish{Reason: llm.ReasonStop}}
	switch {
	case bytes.Contains(body, []byte(`"role":"tool"`)):
		s.mu.Lock()
		s.seen = append(s.seen, string(body))
		s.mu.Unlock()
		if s.refuses && bytes.Contains(body, []byte("image_url")) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":{"message":"this model does not take images","type":"invalid_request_error"}}`)
			return
		}
	case bytes.Contains(body, []byte("mcp_camera_shoot")):
		events = []llm.Event{llm.ToolCall{ID: "shot1", Name: "mcp_camera_shoot", Arguments: "{}"}, llm.Finish{Reason: llm.ReasonToolCalls}}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = w.Write(llmtest.OpenAI.Transcript(events)) // the client may have left
}

func (s *studio) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.seen...)
}

// run starts the program with the camera in an mcpServers map, gives an agent a
// task and returns what the agent's messages are in the end.
func (s *studio) run(env ...string) (messages string) {
	model := httptest.NewServer(s)
	s.Cleanup(model.Close)
	self, err := os.Executable()
	if err != nil {
		s.Fatal(err)
	}
	config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"camera": map[string]any{
		"command": self, "env": map[string]string{camera: "on"}, "disabled": false, "autoApprove": []string{},
	}}})
	if err != nil {
		s.Fatal(err)
	}
	tools := filepath.Join(s.TempDir(), "tools.json")
	if err := os.WriteFile(tools, config, 0o600); err != nil {
		s.Fatal(err)
	}
	const token = "short-on-loopback"
	p := newProgram(s.T, append(env, "NESTOR_TOKEN="+token, "NESTOR_TOOLS="+tools,
		"NESTOR_MODEL=openai:studio", "OPENAI_BASE_URL="+model.URL+"/v1")...)
	link, _ := p.serve()
	base, _, _ := strings.Cut(link, "/?")
	b := newBrowser(s.T)
	if status, text := b.send("POST", base+"/api/v1/login", `{"token":"`+token+`"}`); status != 200 {
		s.Fatalf("signing in: %d %s", status, text)
	}
	const chat = "/api/v1/chats/c1"
	for _, d := range [][2]string{
		{"/api/v1/chats", `{"id":"c1","title":"Photos"}`},
		{chat + "/tasks", `{"id":"t1","name":"agent:general","instruction":"Take a photo."}`},
	} {
		if status, text := b.send("POST", base+d[0], d[1]); status != 201 {
			s.Fatalf("%s: %d %s", d[0], status, text)
		}
	}
	var task struct{ Status, Error, SubAgentID string }
	for task.Status != "success" {
		_, text := b.send("GET", base+"/api/v1/docs/users/local/orch-chats/c1/tasks/t1", "")
		if err := json.Unmarshal([]byte(text), &task); err != nil || task.Status == "failed" {
			s.Fatalf("the task: %v %s", err, text)
		}
		if err := s.Context().Err(); err != nil {
			s.Fatal(err)
		}
	}
	status, messages := b.send("GET", base+chat+"/sub-agents/"+task.SubAgentID+"/messages", "")
	if status != 200 {
		s.Fatalf("the messages: %d %s", status, messages)
	}
	return messages
}

// described is what a result says of media to a model that is not shown them.
var described = []string{
	"Taken.", "[an image of type image/png, 16 bytes]", "[resource file:///roll/scan.gif of type image/jpeg, 13 bytes]",
	"The light was good.", "[an image of type image/svg+xml, 6 bytes]",
}

func TestAModelSeesTheImagesThatAToolOfAnMCPServerReturns(t *testing.T) {
	onEachEngine(t, func(t *testing.T, env []string) {
		s := &studio{T: t}
		messages := s.run(env...)
		got := s.requests()
		if len(got) == 0 {
			t.Fatal("the model was not asked after the call")
		}
		for _, want := range append([]string{
			`"role":"tool"`, // the results come first
			`{"role":"user","content":[{"type":"text","text":"Attached to the result of mcp_camera_shoot:"}`,
			`{"type":"image_url","image_url":{"url":"data:image/png;base64,` + base64.StdEncoding.EncodeToString(photo) + `"}}`,
			`{"type":"image_url","image_url":{"url":"data:image/gif;base64,` + base64.StdEncoding.EncodeToString(scan) + `"}}`,
		}, described...) {
			if !strings.Contains(got[0], want) {
				t.Errorf("the request\n%s\nlacks\n%s", got[0], want)
			}
		}
		if strings.Contains(got[0], base64.StdEncoding.EncodeToString([]byte("<svg/>"))) {
			t.Error("the model is shown a drawing that holds markup")
		}
		for _, want := range []string{
			`{"fileId":"` + fileID(photo) + `","mediaType":"image/png","size":16,"type":"image"}`,
			`{"fileId":"` + fileID(scan) + `","mediaType":"image/gif","name":"scan.gif","size":13,"type":"image"}`,
		} {
			if !strings.Contains(messages, want) {
				t.Errorf("the messages\n%s\nlack\n%s", messages, want)
			}
		}
	})
}

func fileID(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func TestATaskGoesOnIfTheModelRefusesImages(t *testing.T) {
	onEachEngine(t, func(t *testing.T, env []string) {
		s := &studio{T: t, refuses: true}
		s.run(env...)
		got := s.requests()
		if len(got) != 2 || !strings.Contains(got[0], "image_url") || strings.Contains(got[1], "image_url") {
			t.Fatalf("%d requests, want one with the images and one without:\n%s", len(got), strings.Join(got, "\n"))
		}
		for _, want := range described {
			if !strings.Contains(got[1], want) {
				t.Errorf("the second request lacks %q", want)
			}
		}
	})
}

func onEachEngine(t *testing.T, run func(t *testing.T, env []string)) {
	t.Run("sqlite", func(t *testing.T) { run(t, nil) })
	t.Run("postgres", func(t *testing.T) { run(t, []string{"NESTOR_DB=" + servertest.Postgres(t)}) })
}
