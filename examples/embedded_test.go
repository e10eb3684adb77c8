// Package examples_test builds and runs the example that is a module of its own.
package examples_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/proctest"
	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

const token = "a-token-of-at-least-thirty-two-characters"

// A program that imports only what is public has its own tools, approvals,
// handlers and routes, and survives kill -9 as Nestor itself does.
func TestAProgramOfAnotherModuleRunsNestorInside(t *testing.T) {
	d := &desk{T: t, binary: build(t), data: t.TempDir()}
	d.open()
	if status, _ := d.send("POST", "/tickets", `{}`); status != http.StatusBadRequest {
		t.Errorf("a ticket without a text: %d", status)
	}
	if status, _ := d.send("GET", "/tickets/none", ""); status != http.StatusNotFound {
		t.Errorf("no ticket: %d", status)
	}
	if status, _ := d.send("GET", "/api/v1/chats", ""); status != http.StatusUnauthorized {
		t.Errorf("a customer in the API: %d", status)
	}

	asked := d.ticket(`Use the find_order tool with {"order": "A7"}`)
	d.follow(asked, answered)
	d.answers(asked, "a teapot")

	refund := d.ticket(`Use the refund tool with {"order": "A7", "cents": 1200}`)
	var call nestor.ToolCall
	d.follow(refund, func(c *client.Change) bool {
		return c.Collection == "sub_agent_tool_calls" && c.Decode(&call) == nil && call.Status == nestor.ToolCallAwaitingApproval
	})
	if d.ledger() != "" {
		t.Errorf("it was paid without approval: %s", d.ledger())
	}

	d.kill()
	d.open()
	if err := d.client.Decide(t.Context(), refund, call.SubAgentID, call.ID, nestor.Decision{Action: nestor.Approve}); err != nil {
		t.Fatal(err)
	}
	d.follow(refund, answered)
	d.answers(refund, "1200 cents were paid back for A7")

	d.kill()
	d.open()
	d.answers(asked, "a teapot")
	d.answers(refund, "1200 cents were paid back for A7")
	if lines := strings.Split(strings.TrimSpace(d.ledger()), "\n"); len(lines) != 1 || !strings.HasPrefix(lines[0], "A7 1200 ") {
		t.Errorf("the ledger says %q", lines)
	}
}

// build makes the program from its own go.mod, which must name what Nestor needs.
func build(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "supportdesk")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-mod=readonly", "-o", name, ".")
	cmd.Dir = "embedded"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v (after a change of go.mod run `go mod tidy` in examples/embedded)\n%s", cmd, err, out)
	}
	return name
}

// desk is the program as it runs.
type desk struct {
	*testing.T
	binary, data, url string
	client            *client.Client
	kill              func()
}

// open starts the program, until kill or the end of the test.
func (d *desk) open() {
	d.Helper()
	cmd := exec.CommandContext(d.Context(), d.binary, "--addr", "127.0.0.1:0", "--data", d.data)
	cmd.Env = []string{"DESK_TOKEN=" + token, "NESTOR_MODEL=demo"}
	cmd.Stderr = d.Output()
	transport := &http.Transport{}
	p := proctest.Run(d, cmd)
	d.url, d.kill = p.URL, func() {
		transport.CloseIdleConnections()
		p.Kill()
	}
	d.Cleanup(d.kill)
	d.client = client.New(d.url, token)
	d.client.HTTP = &http.Client{Transport: transport}
}

// send is a request of a customer.
func (d *desk) send(method, path, body string) (int, []byte) {
	d.Helper()
	r, err := http.NewRequestWithContext(d.Context(), method, d.url+path, strings.NewReader(body))
	if err != nil {
		d.Fatal(err)
	}
	res, err := d.client.HTTP.Do(r)
	if err != nil {
		d.Fatal(err)
	}
	defer res.Body.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(res.Body); err != nil {
		d.Fatal(err)
	}
	return res.StatusCode, text.Bytes()
}

// ticket writes one; its id is that of its chat, too.
func (d *desk) ticket(text string) (id string) {
	d.Helper()
	body, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		d.Fatal(err)
	}
	status, answer := d.send("POST", "/tickets", string(body))
	var made struct{ ID string }
	if err := json.Unmarshal(answer, &made); err != nil || status != http.StatusCreated {
		d.Fatalf("%d %s", status, answer)
	}
	return made.ID
}

// follow reads the events of a ticket's chat until one is as wanted.
func (d *desk) follow(chat string, wanted func(*client.Change) bool) {
	d.Helper()
	for e, err := range d.client.Events(d.Context(), chat, client.Start) {
		if err != nil {
			d.Fatal(err)
		}
		if e.Change != nil && e.Change.Document != nil && wanted(e.Change) {
			return
		}
	}
}

// answered: the chat has the title that is written together with the answer.
func answered(c *client.Change) bool {
	var chat nestor.Chat
	return c.Collection == "chats" && c.Decode(&chat) == nil && strings.HasPrefix(chat.Title, "Answered: ")
}

func (d *desk) answers(id, want string) {
	d.Helper()
	if status, text := d.send("GET", "/tickets/"+id, ""); status != http.StatusOK || !bytes.Contains(text, []byte(want)) {
		d.Errorf("the ticket is %d %s, want %q", status, text, want)
	}
}

func (d *desk) ledger() string {
	d.Helper()
	text, err := os.ReadFile(filepath.Join(d.data, "ledger.txt"))
	if err != nil && !os.IsNotExist(err) {
		d.Fatal(err)
	}
	return string(text)
}
