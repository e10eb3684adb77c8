package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
)

// What the program asks of the world outside, in the order in which it does: the
// model is asked to delegate, an agent reserves a room, signs for it when a person
// has approved, and its result comes back, of which the model draws a conclusion.
const (
	delegateStep = "model: delegate"
	reserveStep  = "model: reserve"
	reserveCall  = "tool: reserve"
	signStep     = "model: sign"
	signCall     = "tool: sign"
	resultStep   = "model: result"
	concludeStep = "model: conclude"
)

var wholeStay = []string{delegateStep, reserveStep, reserveCall, signStep, signCall, resultStep, concludeStep}

const (
	guestToken = "a-token-for-the-guests-of-a-hotel-01"
	conclusion = "Room 7 is yours."
)

// hotel is the world outside: a model behind the format of OpenAI, and a service
// whose two tools run once.
type hotel struct {
	*moments
	program *program
	server  *os.Process
	client  *client.Client
	address string
}

// newHotel starts the program with the triggers of the first schema.
func newHotel(t *testing.T, env ...string) *hotel {
	h := &hotel{moments: newMoments(t)}
	world := httptest.NewServer(h)
	t.Cleanup(world.Close)
	tools := filepath.Join(t.TempDir(), "tools.json")
	const one = `{"name": "NAME", "description": "Does it.", "method": "POST", "url": "URL/tools/NAME", "allowPrivate": true, "effect": "once",
		"needsApproval": APPROVAL, "parameters": {"type": "object", "properties": {"room": {"type": "integer"}}, "required": ["room"]}}`
	config := `{"http": [` + strings.NewReplacer("NAME", "reserve", "URL", world.URL, "APPROVAL", "false").Replace(one) + `,
		` + strings.NewReplacer("NAME", "sign", "URL", world.URL, "APPROVAL", "true").Replace(one) + `]}`
	if err := os.WriteFile(tools, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	h.program = newProgram(t, append([]string{
		"NESTOR_TOKEN=" + guestToken, "NESTOR_TOOLS=" + tools, "NESTOR_TRIGGERS=" + listOfSix,
		"NESTOR_LEASE=10s", "NESTOR_MODEL=openai:concierge", "OPENAI_BASE_URL=" + world.URL + "/v1",
	}, env...)...)
	link, process := h.program.serve()
	base, _, _ := strings.Cut(link, "/?")
	h.server, h.client, h.address = process, client.New(base, guestToken), strings.TrimPrefix(base, "http://")
	return h
}

// kill ends the server as kill -9 does, and starts another at its address.
func (h *hotel) kill() {
	h.Helper()
	if err := h.server.Kill(); err != nil {
		h.Fatal(err)
	}
	if _, err := h.server.Wait(); err != nil {
		h.Fatal(err)
	}
	_, h.server = h.program.serve("--addr", h.address)
}

func (h *hotel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the program was killed while it sent this
	}
	if tool, ok := strings.CutPrefix(r.URL.Path, "/tools/"); ok {
		h.arrive(r, "tool: "+tool)
		_, _ = io.WriteString(w, "done: "+tool) // the client may have left
		return
	}
	moment, events := answer(body)
	h.arrive(r, moment)
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = w.Write(llmtest.OpenAI.Transcript(events))
}

// answer is what the model says to a request.
func answer(body []byte) (moment string, events []llm.Event) {
	says := func(text string) []llm.Event {
		return []llm.Event{llm.Text{Text: text}, llm.Finish{Reason: llm.ReasonStop}}
	}
	calls := func(name, arguments string) []llm.Event {
		return []llm.Event{llm.ToolCall{ID: "call_" + name, Name: name, Arguments: arguments}, llm.Finish{Reason: llm.ReasonToolCalls}}
	}
	results := bytes.Count(body, []byte(`"role":"tool"`))
	switch {
	case bytes.Contains(body, []byte(`All that was started has ended`)):
		return concludeStep, says(conclusion)
	case bytes.Contains(body, []byte(`"name":"create_agent"`)):
		booking := calls("create_agent", `{"type": "general", "instruction": "Book room 7.", "deliver": "return"}`)
		return delegateStep, append([]llm.Event{llm.Text{Text: "I have it booked."}}, booking...)
	case results == 0:
		return reserveStep, calls("reserve", `{"room": 7}`)
	case results == 1:
		return signStep, calls("sign", `{"room": 7}`)
	default:
		return resultStep, says("Booked.")
	}
}

// stay has a room booked by a message in a chat, and does what a person has to do,
// until the conclusion is drawn. A call whose effect is not known was made.
func (h *hotel) stay(ctx context.Context) (chat string, task nestor.Task) {
	made, err := h.client.CreateChat(ctx, client.NewChat{})
	if err != nil {
		h.Error(err)
		return "", task
	}
	if _, err := h.client.Say(ctx, made.ID, "Book room 7 for me."); failed(err) {
		h.Error(err)
	}
	for e, err := range h.client.Events(ctx, made.ID, client.After(0)) {
		if err != nil {
			h.Error(err)
			break
		}
		if e.Change == nil {
			continue
		}
		switch e.Change.Collection {
		case "sub_agent_tool_calls":
			h.decide(ctx, made.ID, e.Change)
		case "tasks":
			h.read(e.Change, &task)
		case "messages":
			var m nestor.Message
			if h.read(e.Change, &m); m.Content == conclusion {
				return made.ID, task
			}
		}
	}
	h.Errorf("the task is %s %s, and nothing is concluded: %v", task.Status, task.Error, h.counts())
	return made.ID, task
}

// failed reports whether a request was refused. A request that led to the
// moment at which the server is killed may get no answer, but it took effect.
func failed(err error) bool { return err != nil && nestor.CodeOf(err) != nestor.CodeUnavailable }

func (h *hotel) read(c *client.Change, v any) {
	if err := c.Decode(v); err != nil {
		h.Error(err)
	}
}

// decide is what the person says about a call that waits for one.
func (h *hotel) decide(ctx context.Context, chat string, c *client.Change) {
	var call nestor.ToolCall
	h.read(c, &call)
	var d nestor.Decision
	switch call.Status {
	case nestor.ToolCallAwaitingApproval:
		if n := h.counts()[signCall]; n > 0 {
			h.Errorf("%s ran before it was approved", call.ToolName)
		}
		d = nestor.Decision{Action: nestor.Approve}
	case nestor.ToolCallUnknown:
		d = nestor.Decision{Action: nestor.MarkDone, Reason: "done: " + call.ToolName}
	default:
		return
	}
	if err := h.client.Decide(ctx, chat, call.SubAgentID, call.ID, d); failed(err) {
		h.Errorf("%s of %s: %v", d.Action, call.ToolName, err)
	}
}

// check says what must hold after a stay. Lost is the moment at which something
// happened, "" for none; if it was a call of a tool, the person was asked about
// it.
func (h *hotel) check(ctx context.Context, chat string, task nestor.Task, lost string) {
	h.Helper()
	h.rests(ctx)
	if task.Status != nestor.TaskSuccess || task.Result != "Booked." {
		h.Errorf("the task is %s: %q %s", task.Status, task.Result, task.Error)
	}
	want := []string{"user: Book room 7 for me.", "assistant: I have it booked.", "system: The agent wants to call **sign**", "assistant: Booked.", "assistant: " + conclusion}
	if tool, ok := strings.CutPrefix(lost, "tool: "); ok {
		at := map[string]int{"reserve": 2, "sign": 3}[tool]
		want = slices.Insert(want, at, "system: A call of **"+tool+"** with `{\"room\":7}` was interrupted")
	}
	var said []string
	for m, err := range h.client.Messages(ctx, chat) {
		if err != nil {
			h.Fatal(err)
		}
		said = append(said, string(m.Role)+": "+m.Content)
	}
	if !slices.EqualFunc(said, want, strings.HasPrefix) {
		h.Errorf("the chat is %q, want %q", said, want)
	}
	var answered []string
	for m, err := range h.client.AgentMessages(ctx, chat, task.SubAgentID) {
		if err != nil {
			h.Fatal(err)
		}
		if m.Role == nestor.RoleTool {
			answered = append(answered, m.Content)
		}
	}
	if got := strings.Join(answered, ", "); got != "done: reserve, done: sign" {
		h.Errorf("the agent was answered %q", got)
	}
	// Nothing is asked twice, but a model whose answer was lost.
	asked := map[string]int{}
	for _, moment := range wholeStay {
		asked[moment] = 1
	}
	if strings.HasPrefix(lost, "model: ") {
		asked[lost]++
	}
	if got := h.counts(); !maps.Equal(got, asked) {
		h.Errorf("asked for %v, want %v", got, asked)
	}
}

// rests waits until nothing is left to do, so that what is done twice shows.
func (h *hotel) rests(ctx context.Context) {
	h.Helper()
	for {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+h.address+"/api/v1/jobs", http.NoBody)
		if err != nil {
			h.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+guestToken)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			h.Fatal(err)
		}
		var jobs struct{ Items []nestor.Job }
		err = json.NewDecoder(res.Body).Decode(&jobs)
		if err = errors.Join(err, res.Body.Close()); err != nil || res.StatusCode != http.StatusOK {
			h.Fatalf("the jobs: %d %v", res.StatusCode, err)
		}
		if len(jobs.Items) == 0 {
			return
		}
	}
}

// stayLimit bounds a stay on a machine that has much else to do.
const stayLimit = 3 * time.Minute
