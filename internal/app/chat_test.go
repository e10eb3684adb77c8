package app_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/app"
)

// talk holds a chat with the demo model and returns what was printed.
func talk(t *testing.T, cfg app.Config, o app.ChatOptions, typed ...string) string {
	t.Helper()
	var out output
	cfg.Stdout, cfg.Stderr, cfg.LogLevel = &out, t.Output(), "error"
	cfg.Env = vars(nil)
	if o.In == nil {
		o.In = strings.NewReader(strings.Join(typed, "\n"))
	}
	if err := app.Chat(t.Context(), cfg, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// inOrder checks that the texts occur one after the other.
func inOrder(t *testing.T, printed string, texts ...string) {
	t.Helper()
	rest := printed
	for _, text := range texts {
		_, after, ok := strings.Cut(rest, text)
		if !ok {
			t.Fatalf("%q is missing, or not where it should be, in:\n%s", text, printed)
		}
		rest = after
	}
}

func TestAChatInTheTerminalShowsAgentsAtWorkAndEndsWhenAllIsSaid(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		printed := talk(t, cfg, app.ChatOptions{Message: "Compute 6*7 and also tell me the time in Tokyo"})
		inOrder(t, printed, "> Compute 6*7", "These are 2 things", "› general  Compute 6*7", "    calculator → 42",
			"✓ general  Compute 6*7 · 2 steps", "`6*7` = **42**", "all 2 parts are done")
		if n := strings.Count(printed, "`6*7` = **42**"); n != 1 {
			t.Errorf("the result is printed %d times:\n%s", n, printed)
		}
	})
}

func TestAChatInTheTerminalAsksWhatAgentsAsk(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		printed := talk(t, cfg, app.ChatOptions{Message: "Book a table for two"}, "next Friday at 7pm")
		inOrder(t, printed, "For which day and time should I book?", "> next Friday at 7pm", "✓ general  Book a table for two")
		inOrder(t, printed, "✓ general  Book a table for two", "— next Friday at 7pm")
	})
}

func TestAQuestionThatNobodyAnswersEndsTheChatAndStaysOpen(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		printed := talk(t, cfg, app.ChatOptions{Message: "Book a table for two"})
		if !strings.Contains(printed, "For which day and time") || strings.Contains(printed, "✓") {
			t.Errorf("printed:\n%s", printed)
		}
	})
}

func TestAChatInTheTerminalAsksForApproval(t *testing.T) {
	tools := filepath.Join(t.TempDir(), "tools.json")
	if err := os.WriteFile(tools, []byte(`{"overrides": [{"tools": ["calculator"], "needsApproval": true}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	each(t, func(t *testing.T, cfg app.Config) {
		cfg.Tools = tools
		printed := talk(t, cfg, app.ChatOptions{Message: "Compute 6*7"}, "what?", `{"expression": "6*8"}`)
		inOrder(t, printed, "Type yes, no", "Type yes, no", "calculator → 48", "✓ general")
	})
}

func TestLinesFromElsewhereAreSaidOneAfterTheOther(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		printed := talk(t, cfg, app.ChatOptions{}, "Compute 2+2", "now in more detail")
		inOrder(t, printed, "> Compute 2+2", "✓ general  Compute 2+2", "`2+2` = **4**", "> now in more detail", "will continue", "✓ general", "4 steps")
	})
}

func TestCtrlCStopsWhatIsUnderWay(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		// The agent waits for an approval that never comes.
		cfg.Tools = filepath.Join(t.TempDir(), "tools.json")
		if err := os.WriteFile(cfg.Tools, []byte(`{"overrides": [{"tools": ["calculator"], "needsApproval": true}]}`), 0o600); err != nil {
			t.Fatal(err)
		}
		in, typing := io.Pipe()
		defer typing.Close()
		stop := make(chan struct{}, 1)
		stopper := &watcher{text: "Type yes", then: func() { stop <- struct{}{} }}
		cfg.Stdout, cfg.Stderr, cfg.LogLevel, cfg.Env = stopper, t.Output(), "error", vars(nil)
		if err := app.Chat(t.Context(), cfg, app.ChatOptions{Message: "Compute 6*7", In: in, Interrupt: stop}); err != nil {
			t.Fatal(err)
		}
		inOrder(t, stopper.String(), "Type yes", "– general  Compute 6*7")
	})
}

// watcher does something once when a text has been printed.
type watcher struct {
	output
	text string
	then func()
	done bool
}

func (w *watcher) Write(p []byte) (int, error) {
	n, err := w.output.Write(p)
	if !w.done && strings.Contains(w.String(), w.text) {
		w.done = true
		w.then()
	}
	return n, err
}

func TestAChatGoesOnWhereItWas(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		s := start(t, cfg)
		_, body := s.call("POST", "/api/v1/chats", `{"id": "c1", "title": "Sums"}`)
		if !strings.Contains(body, "c1") {
			t.Fatal(body)
		}
		cfg.Token = token
		printed := talk(t, cfg, app.ChatOptions{URL: s.url, ChatID: "c1", Message: "Compute 1+1"})
		inOrder(t, printed, "Sums", "> Compute 1+1", "✓ general")
		printed = talk(t, cfg, app.ChatOptions{URL: s.url, ChatID: "c1", Message: "now in more detail"})
		inOrder(t, printed, "Sums", "will continue", "4 steps")
		printed = talk(t, cfg, app.ChatOptions{URL: s.url, Fork: "c1", Message: "Compute 2+2"})
		inOrder(t, printed, "Sums (fork)", "> Compute 2+2", "✓ general")
	})
}

// After a chat is deleted no agent goes on, and none fails because the chat is
// gone.
func TestDeletingAChatEndsWhatItsAgentsDo(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		called, ended := make(chan struct{}, 10), make(chan struct{}, 10)
		model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // or the end of the request is not noticed
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
			called <- struct{}{}
			<-r.Context().Done()
			ended <- struct{}{}
		}))
		defer model.Close()
		cfg.Env = vars(map[string]string{"NESTOR_MODEL": "openai:slow", "OPENAI_API_KEY": "k", "OPENAI_BASE_URL": model.URL})
		s := start(t, cfg)
		s.want(201, "POST", "/api/v1/chats", `{"id":"c1","title":"With a title, so that none is asked for"}`, "")
		s.want(201, "POST", "/api/v1/chats/c1/messages", `{"content":"Think for long."}`, "")
		s.want(201, "POST", "/api/v1/chats/c1/tasks", `{"name":"agent:general","instruction":"Think for long, too."}`, "")
		for range 2 {
			<-called
		}
		s.want(204, "DELETE", "/api/v1/chats/c1", "", "")
		for range 2 {
			<-ended
		}
		for _, state := range []string{"", "dead"} {
			for { // until those that were interrupted have ended
				if _, list := s.call("GET", "/api/v1/jobs?state="+state, ""); strings.Contains(list, `"items":[]`) {
					break
				}
			}
		}
		s.want(404, "GET", "/api/v1/chats/c1", "", "")
		for _, flat := range []string{"messages", "tasks", "sub_agents", "sub_agent_messages"} {
			s.want(200, "POST", "/api/v1/query", `{"flat":"`+flat+`"}`, `"items":[]`)
		}
	})
}
