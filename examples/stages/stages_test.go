// Package stages tests the stages in this folder from outside: the built server,
// and the programs under Node.
package stages

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/launch"
	"github.com/nestorhq/nestor/internal/proctest"
	"github.com/nestorhq/nestor/internal/servertest"
)

const token = "a-token-for-the-test-of-stages-01"

var secret = "whsec_" + base64.StdEncoding.EncodeToString([]byte("a secret of thirty-two bytes, ok"))

// A moment is when a program is killed: after the server has carried out its
// request, and before the program knows.
type moment struct{ program, path string }

func TestStagesInAnotherLanguageDoEachStepOnce(t *testing.T) {
	databases := map[string]func(testing.TB) string{"sqlite": func(testing.TB) string { return "" }, "postgres": servertest.Postgres}
	for engine, database := range databases {
		t.Run(engine, func(t *testing.T) { converse(t, database(t)) })
		t.Run(engine+", killed", func(t *testing.T) {
			converse(t, database(t),
				moment{"orchestrator", "/drafts/"}, moment{"orchestrator", "/batch"},
				moment{"agent-loop", "/drafts/"}, moment{"agent-loop", "/batch"})
		})
	}
}

// converse has 6*7 computed by the two programs, which are killed at moments.
func converse(t *testing.T, database string, kills ...moment) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	g := &gateway{t: t, kills: kills, programs: map[string]*program{}}
	triggers := filepath.Join(t.TempDir(), "triggers.json")
	text := read(t, "triggers.json")
	for name, port := range map[string]string{"orchestrator": "9091", "agent-loop": "9092"} {
		url := g.start(name)
		text = bytes.ReplaceAll(text, []byte("http://127.0.0.1:"+port+"/"), []byte(url+"/"))
	}
	// Nobody wants to wait for the next attempt here.
	text = bytes.ReplaceAll(text, []byte(`"timeout"`), []byte(`"retryPolicy": {"maxAttempts": 50, "initialBackoff": "50ms", "maxBackoff": "100ms"}, "timeout"`))
	if err := os.WriteFile(triggers, text, 0o600); err != nil {
		t.Fatal(err)
	}
	server := command(t, proctest.Nestor(t), "serve", "--addr", "127.0.0.1:0", "--triggers", triggers, "--allow-private", "--log-level", "error")
	server.Env = append(server.Env, "NESTOR_TOKEN="+token, "NESTOR_DATA="+t.TempDir(), "NESTOR_DB="+database, "NESTOR_MODEL=demo")
	g.nestor = proctest.Run(t, server).URL

	c := client.New(g.nestor, token)
	chat, err := c.CreateChat(ctx, client.NewChat{})
	if err != nil {
		t.Fatal(err)
	}
	follow(t, ctx, c, chat.ID).check(t, len(kills) > 0)
	checkSteps(t, ctx, c, chat.ID)
	if left := g.left(); len(left) > 0 {
		t.Errorf("nobody was killed at %v", left)
	}
}

// seen is what somebody who follows the chat sees.
type seen struct {
	drafts   map[nestor.Path]string // what was said, by the message that it becomes
	finished map[nestor.Path]string // what the messages say
	restarts int
	task     nestor.Task
}

// follow says what is to be computed and looks until that is done and reported.
func follow(t *testing.T, ctx context.Context, c *client.Client, chat string) *seen {
	t.Helper()
	s := &seen{drafts: map[nestor.Path]string{}, finished: map[nestor.Path]string{}}
	// Who sees this draft sees all that come after it.
	first := nestor.Path("users/local/orch-chats/"+chat).Child("messages", "first")
	if err := c.SayInDraft(ctx, first, client.Words{Text: "hello"}); err != nil {
		t.Fatal(err)
	}
	for e, err := range c.Events(ctx, chat, client.Now) {
		if err != nil {
			t.Fatal(err)
		}
		switch d := e.Delta; {
		case d != nil && d.Path == first && d.Kind == "text":
			if err := c.SayInDraft(ctx, first, client.Words{Drop: true}); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Say(ctx, chat, "Compute 6*7"); err != nil {
				t.Fatal(err)
			}
		case d != nil && d.Kind == "restart":
			s.restarts++
			s.drafts[d.Path] = ""
		case d != nil && d.Kind == "text":
			if before := []rune(s.drafts[d.Path]); len(before) != d.Offset {
				t.Errorf("after %q comes %q at %d", string(before), d.Text, d.Offset)
			}
			s.drafts[d.Path] += d.Text
		}
		if e.Change == nil {
			continue
		}
		switch e.Change.Collection {
		case "messages", "sub_agent_messages":
			var m nestor.Message
			decode(t, e.Change, &m)
			s.finished[e.Change.Path] = m.Content
			if s.task.Status.Ended() && m.TaskID == s.task.ID {
				return s
			}
		case "tasks":
			decode(t, e.Change, &s.task)
		}
	}
	t.Fatalf("the task was not done in time: %+v", s)
	return nil
}

func (s *seen) check(t *testing.T, killed bool) {
	t.Helper()
	if s.task.Status != nestor.TaskSuccess || s.task.Result != "The result is 42." {
		t.Errorf("the task is %s: %s%s", s.task.Status, s.task.Result, s.task.Error)
	}
	shown := 0
	for path, text := range s.drafts {
		if text != "" && strings.HasPrefix(s.finished[path], text) {
			shown++
		} else if text != "" {
			t.Errorf("%q was shown of the message %q", text, s.finished[path])
		}
	}
	if shown < 3 {
		t.Errorf("of the drafts only %d were shown: %v", shown, s.drafts)
	}
	if killed && s.restarts == 0 {
		t.Error("nothing that was said before a program was killed was taken back")
	}
}

// checkSteps finds each step of the conversation exactly once.
func checkSteps(t *testing.T, ctx context.Context, c *client.Client, chat string) {
	t.Helper()
	said := map[string]int{}
	for m, err := range c.Messages(ctx, chat) {
		if err != nil {
			t.Fatal(err)
		}
		if m.TaskID == "" { // a result is told by the server
			said[string(m.Role)+": "+m.Content]++
		}
	}
	tasks := 0
	for _, err := range c.Tasks(ctx, chat) {
		if err != nil {
			t.Fatal(err)
		}
		tasks++
	}
	agents := 0
	for a, err := range c.SubAgents(ctx, chat) {
		if err != nil {
			t.Fatal(err)
		}
		agents++
		if a.Status != nestor.SubAgentCompleted || a.IterationCount != 2 {
			t.Errorf("the agent is %s after %d steps", a.Status, a.IterationCount)
		}
		for m, err := range c.AgentMessages(ctx, chat, a.ID) {
			if err != nil {
				t.Fatal(err)
			}
			if m.Role != nestor.RoleSystem {
				said["agent, "+string(m.Role)+": "+m.Content]++
			}
		}
		for k, err := range c.ToolCalls(ctx, chat, a.ID) {
			if err != nil {
				t.Fatal(err)
			}
			said["call of "+k.ToolName+", "+string(k.Status)+": "+k.Result]++
		}
	}
	want := []string{
		"user: Compute 6*7", "assistant: An agent computes that for you.", "agent, user: Compute 6*7", "agent, assistant: Let me compute 6*7.",
		"call of calculator, success: 42", "agent, tool: 42", "agent, assistant: The result is 42.",
	}
	for _, line := range want {
		if said[line] != 1 {
			t.Errorf("%q is there %d times", line, said[line])
		}
	}
	if len(said) != len(want) || tasks != 1 || agents != 1 {
		t.Errorf("%d tasks, %d agents, and %v", tasks, agents, said)
	}
}

// gateway stands between the programs and the server. So it knows when the server
// has carried out a request and the program has not heard of it: then it kills.
type gateway struct {
	t      *testing.T
	nestor string

	mu       sync.Mutex
	kills    []moment
	programs map[string]*program
}

type program struct {
	*launch.Process
	port string
}

// start runs a program behind a gateway of its own, and returns its address.
func (g *gateway) start(name string) (url string) {
	g.t.Helper()
	hooks := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { g.pass(name, w, r) }))
	g.t.Cleanup(hooks.Close)
	p := &program{port: "0"}
	g.programs[name] = p
	if err := p.run(g.t, name, hooks.URL); err != nil {
		g.t.Fatal(err)
	}
	p.port = p.URL[strings.LastIndex(p.URL, ":")+1:]
	return p.URL
}

// run starts the program until it is killed or the test ends.
func (p *program) run(t *testing.T, name, gateway string) (err error) {
	cmd := command(t, "node", name+".mjs")
	cmd.Env = append(cmd.Env, "NESTOR_URL="+gateway, "PORT="+p.port)
	if p.Process, err = launch.Start(cmd); err == nil {
		t.Cleanup(p.Process.Kill)
	}
	return err
}

// pass carries a request to the server, and kills who sent it if it is time.
func (g *gateway) pass(name string, w http.ResponseWriter, r *http.Request) {
	req, err := http.NewRequestWithContext(r.Context(), r.Method, g.nestor+r.URL.RequestURI(), r.Body)
	if err != nil {
		g.t.Error(err)
		return
	}
	req.Header = r.Header.Clone()
	req.Header.Del("Accept-Encoding")
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer res.Body.Close()
	if g.isTime(name, r.URL.Path) && res.StatusCode < 300 {
		g.kill(name, "http://"+r.Host)
		return
	}
	w.WriteHeader(res.StatusCode)
	_, _ = io.Copy(w, res.Body) // the program may be gone
}

func (g *gateway) isTime(name, path string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, k := range g.kills {
		if k.program == name && strings.HasPrefix(path, "/api/v1"+k.path) {
			g.kills = append(g.kills[:i:i], g.kills[i+1:]...)
			return true
		}
	}
	return false
}

func (g *gateway) left() []moment {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.kills
}

// kill ends a program as kill -9 does, and starts it again at the same address.
func (g *gateway) kill(name, gateway string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.programs[name]
	p.Kill()
	if err := p.run(g.t, name, gateway); err != nil {
		g.t.Error(err)
	}
}

func command(t *testing.T, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "STAGES_SECRET=" + secret}
	cmd.Stderr = t.Output()
	return cmd
}

func decode(t *testing.T, c *client.Change, v any) {
	t.Helper()
	if err := json.Unmarshal(c.Document, v); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
