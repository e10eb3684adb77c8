package door_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/server"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// door is one as a client meets it.
type door struct {
	// says is a request that says something to the orchestrator.
	says request
	// forbids is what a key that may only read is told.
	forbids string
	status  int
	// reads asks for the run of the id {run}, and gone is what it is told who may not know of
	// it. A door without it has no way to name a run of others.
	reads request
	gone  string
}

type request struct{ method, path, body string }

var doors = map[string]door{
	"OpenAI, completions": {
		says:    request{"POST", "/v1/chat/completions", `{"model":"orchestrator","messages":[{"role":"user","content":"Hello"}]}`},
		forbids: "insufficient_permissions", status: 403,
	},
	"OpenAI, responses": {
		says:    request{"POST", "/v1/responses", `{"model":"orchestrator","input":"Hello"}`},
		forbids: "insufficient_permissions", status: 403,
		reads: request{"GET", "/v1/responses/resp_{run}", ""}, gone: "not_found",
	},
	"AG-UI": {
		says: request{
			"POST", "/agui/orchestrator",
			`{"threadId":"t1","runId":"r1","state":{},"messages":[{"id":"agui1","role":"user","content":"Hello"}],"tools":[],"context":[],"forwardedProps":{}}`,
		},
		forbids: "forbidden", status: 403,
	},
	"AI SDK": {
		says:    request{"POST", "/aisdk/orchestrator", `{"id":"t1","trigger":"submit-message","messages":[{"id":"aisdk1","role":"user","parts":[{"type":"text","text":"Hello"}]}]}`},
		forbids: "you may not", status: 403,
	},
	"MCP": {
		says:    request{"POST", "/mcp", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","arguments":{"message":"Hello"}}}`},
		forbids: "you may not", status: 200,
		reads: request{"POST", "/mcp", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_status","arguments":{"runId":"{run}"}}}`}, gone: "there is no",
	},
	"A2A": {
		says: request{
			"POST", "/a2a/orchestrator",
			`{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","role":"user","messageId":"a2a1","parts":[{"kind":"text","text":"Hello"}]}}}`,
		},
		forbids: "you may not", status: 200,
		reads: request{"POST", "/a2a/orchestrator", `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"{run}"}}`}, gone: "-32001",
	},
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

// client sends requests of one person to a door.
type client struct{ *servertest.Person }

// asks sends a request; one to MCP in a session of its own.
func (c *client) asks(r request) (status int, text string) {
	c.Helper()
	session := ""
	if r.path == "/mcp" {
		first := c.request(request{"POST", "/mcp", initialize}, "")
		res, text := c.Send(first)
		if res.StatusCode != http.StatusOK {
			return res.StatusCode, text
		}
		session = res.Header.Get("Mcp-Session-Id")
		c.Send(c.request(request{"POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`}, session))
	}
	res, text := c.Send(c.request(r, session))
	return res.StatusCode, text
}

func (c *client) request(r request, session string) *http.Request {
	c.Helper()
	req, err := http.NewRequestWithContext(c.Context(), r.method, "http://127.0.0.1"+r.path, strings.NewReader(r.body))
	if err != nil {
		c.Fatal(err)
	}
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	for _, cookie := range c.Cookies {
		req.AddCookie(cookie)
	}
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	return req
}

// runs are those of a user.
func (c *client) runs(of string) []nestor.Run {
	c.Helper()
	var listed struct{ Items []nestor.Run }
	c.Into(&listed, 200, "GET", "runs?user="+of, "")
	return listed.Items
}

// At every door the same people are let in, to the same: nobody without a credential, who may
// only read says nothing, what is said is a run of who said it, and nobody else knows
// of it.
func TestEveryDoorLetsTheSamePeopleIn(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Model = demo.New(demo.Options{Instant: true})
		p := servertest.Enter(t, cfg)
		whole := &client{Person: p}
		for name, d := range doors {
			t.Run(name, func(t *testing.T) {
				id := "ann-" + nestor.NewID()
				ann, bob := p.In(t).SignIn(id), p.In(t).SignIn("bob-"+nestor.NewID())
				for who, token := range map[string]string{"nobody": "", "who has no key of ours": "nst_k_wrong"} {
					c := &client{Person: p.In(t).With(token)}
					if status, text := c.asks(d.says); status != http.StatusUnauthorized {
						t.Errorf("%s: %d %.300s", who, status, text)
					}
				}
				reader := &client{Person: ann.WithKey("read")}
				if status, text := reader.asks(d.says); status != d.status || !strings.Contains(text, d.forbids) {
					t.Errorf("a key that may only read: %d %.300s", status, text)
				}
				narrow := &client{Person: ann.WithKey("write", "users/"+id+"/**")}
				if status, text := narrow.asks(d.says); status != http.StatusForbidden {
					t.Errorf("a key for some documents: %d %.300s", status, text)
				}
				if runs := whole.runs(id); len(runs) != 0 {
					t.Errorf("what was refused left %+v", runs)
				}
				writer := &client{Person: ann.WithKey("write")}
				status, text := writer.asks(d.says)
				p.Settled()
				runs := whole.runs(id)
				if status != http.StatusOK || !strings.Contains(text, "Hello") || len(runs) != 1 || runs[0].Status != nestor.RunSuccess {
					t.Fatalf("a key that may write: %d %.500s, %+v", status, text, runs)
				}
				if d.reads.path == "" {
					return
				}
				read := d.reads
				read.path, read.body = strings.ReplaceAll(read.path, "{run}", runs[0].ID), strings.ReplaceAll(read.body, "{run}", runs[0].ID)
				if status, text := reader.asks(read); status != http.StatusOK || !strings.Contains(text, "Hello") {
					t.Errorf("ann reads %d %.300s", status, text)
				}
				other := &client{Person: bob.WithKey("write")}
				if _, text := other.asks(read); !strings.Contains(text, d.gone) || strings.Contains(text, "Hello") {
					t.Errorf("bob reads %.300s", text)
				}
			})
		}
	})
}
