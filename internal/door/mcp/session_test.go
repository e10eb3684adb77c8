package mcp_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor/internal/door/mcp"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// peer is a client that speaks the protocol by hand.
type peer struct {
	*world
	session string
	last    string // the id of the last event
}

// as is a peer who shows a token.
func (w *world) as(token string) *peer {
	return &peer{world: &world{w.With(token), w.model}}
}

// begin begins a session.
func (p *peer) begin() *peer {
	p.Helper()
	res := p.post(hello)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body) // a client that does not wait for its answer begins none
	if err != nil || res.StatusCode != http.StatusOK {
		p.Fatalf("no session: %s %s %v", res.Status, text, err)
	}
	p.session = res.Header.Get("Mcp-Session-Id")
	p.wants(http.StatusAccepted, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return p
}

// in is a peer in the session of another.
func (p *peer) in(session string) *peer {
	p.session = session
	return p
}

// send sends a request of the transport.
func (p *peer) send(method, body string) *http.Response {
	p.Helper()
	r, err := http.NewRequestWithContext(p.Context(), method, p.URL()+mcp.Path, strings.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Content-Type", "application/json")
	for name, value := range map[string]string{"Mcp-Session-Id": p.session, "Last-Event-Id": p.last} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	if p.session != "" {
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	if p.Token != "" {
		r.Header.Set("Authorization", "Bearer "+p.Token)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	res, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		p.Fatal(err)
	}
	return res
}

func (p *peer) post(body string) *http.Response {
	p.Helper()
	return p.send(http.MethodPost, body)
}

// wants reports an answer with another status.
func (p *peer) wants(status int, body string) *http.Response {
	p.Helper()
	res := p.post(body)
	text, _ := io.ReadAll(res.Body)
	res.Body.Close()
	if res.StatusCode != status {
		p.Errorf("%s: %s %s", body, res.Status, text)
	}
	return res
}

// message is one of JSON-RPC.
type message struct {
	ID     int
	Method string
	Params struct {
		Message string
		Meta    map[string]struct {
			RunID string
		} `json:"_meta"`
	}
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

// result is that of a tool.
type result struct {
	IsError           bool
	Content           []struct{ Text string }
	StructuredContent struct {
		RunID, Status, Text string
		WaitingFor          []struct{ ID, Kind, Text string }
		Error               struct{ Code string }
	}
}

// next reads the next message of a stream.
func (p *peer) next(stream *bufio.Reader) (m message, err error) {
	for {
		line, err := stream.ReadString('\n')
		if err != nil {
			return m, err
		}
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch {
		case name == "id":
			p.last = value
		case name == "data" && value != "":
			return m, json.Unmarshal([]byte(value), &m)
		}
	}
}

// asks makes a request and reads its answer.
func (p *peer) asks(method, params string) (m message) {
	p.Helper()
	res := p.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":%s}`, method, params))
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		p.Fatalf("%s: %s", method, res.Status)
	}
	stream := bufio.NewReader(res.Body)
	for {
		m, err := p.next(stream)
		if err != nil {
			p.Fatal(err)
		}
		if m.ID == 7 && m.Method == "" {
			p.last = ""
			return m
		}
	}
}

// calls makes a call of a tool.
func (p *peer) calls(name, args string) (r result) {
	p.Helper()
	m := p.asks("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, args))
	if m.Error != nil {
		p.Fatalf("%s: %+v", name, m.Error)
	}
	if err := json.Unmarshal(m.Result, &r); err != nil {
		p.Fatal(err)
	}
	return r
}

func TestAStreamThatBreaksIsResumed(t *testing.T) {
	each(t, func(w *world) {
		release := w.model.hold()
		defer release()
		p := w.as(servertest.Token).begin()
		res := p.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"message":"Hello"},"_meta":{"progressToken":"t"}}}`)
		began, err := p.next(bufio.NewReader(res.Body))
		if err != nil || began.Params.Meta["nestor/event"].RunID == "" || p.last == "" {
			w.Fatalf("the begin is %+v, %v, at %q", began, err, p.last)
		}
		res.Body.Close() // the connection breaks
		release()
		// Until the server has noticed that the connection is gone, the stream is taken.
		for res = p.send(http.MethodGet, ""); res.StatusCode == http.StatusConflict; res = p.send(http.MethodGet, "") {
			res.Body.Close()
		}
		defer res.Body.Close()
		stream := bufio.NewReader(res.Body)
		for {
			m, err := p.next(stream)
			if err != nil {
				w.Fatalf("%s: %v", res.Status, err)
			}
			if m.ID == 1 && m.Method == "" {
				if !bytes.Contains(m.Result, []byte(`"status":"success"`)) {
					w.Errorf("the end is %s", m.Result)
				}
				return
			}
			if m.Params.Message == began.Params.Message {
				w.Error("the begin came twice")
			}
		}
	})
}

func TestAClientIsToldThatARunGoesOnInWhichNothingHappens(t *testing.T) {
	defer mcp.Beat(10 * time.Millisecond)()
	each(t, func(w *world) {
		release := w.model.hold()
		defer release()
		p := w.as(servertest.Token).begin()
		res := p.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"message":"Hello"},"_meta":{"progressToken":"t"}}}`)
		defer res.Body.Close()
		stream := bufio.NewReader(res.Body)
		for beats, ended := 0, false; !ended; {
			m, err := p.next(stream)
			if err != nil {
				w.Fatal(err)
			}
			if m.Params.Message == "goes on" {
				if beats++; beats == 3 {
					release()
				}
			}
			ended = m.ID == 1 && m.Method == ""
		}
	})
}

func TestAQuestionIsAlsoAnsweredByTheNextMessage(t *testing.T) {
	each(t, func(w *world) {
		p := w.as(servertest.Token).begin()
		for _, tool := range []string{"ask", "ask_general"} {
			asks := p.calls(tool, `{"message":"Book a table for two","thread":"`+tool+`"}`)
			if asks.StructuredContent.Status != "waiting" {
				w.Fatalf("%s: %+v", tool, asks)
			}
			next := p.calls(tool, `{"message":"Friday at 8","thread":"`+tool+`"}`)
			if next.StructuredContent.Status != "success" || next.StructuredContent.RunID == asks.StructuredContent.RunID {
				w.Errorf("%s: the next message comes to %+v", tool, next)
			}
			first := p.calls("run_status", `{"runId":"`+asks.StructuredContent.RunID+`","wait":60}`)
			if first.StructuredContent.Status != "success" || !strings.Contains(first.StructuredContent.Text, "Friday at 8") {
				w.Errorf("%s: the question comes to %+v", tool, first)
			}
		}
	})
}

func TestNobodyComesInWithoutACredential(t *testing.T) {
	each(t, func(w *world) {
		for _, method := range []string{"POST", "GET", "DELETE"} {
			res := w.as("").send(method, `{"jsonrpc":"2.0","id":0,"method":"ping"}`)
			res.Body.Close()
			if res.StatusCode != http.StatusUnauthorized || !strings.HasPrefix(res.Header.Get("WWW-Authenticate"), "Bearer ") {
				w.Errorf("%s: %s, WWW-Authenticate: %s", method, res.Status, res.Header.Get("WWW-Authenticate"))
			}
		}
		// There is no authorization server that a client could be told of.
		w.Answers(404, func() *http.Request {
			r := w.Request("GET", "", "")
			r.URL.Path = "/.well-known/oauth-protected-resource"
			return r
		}())
	})
}

func TestASessionBelongsToItsUser(t *testing.T) {
	each(t, func(w *world) {
		ann := w.as(w.SignIn("ann").WithKey("write").Token).begin()
		bob := w.as(w.SignIn("bob").WithKey("write").Token).in(ann.session)
		for _, method := range []string{"POST", "GET", "DELETE"} {
			res := bob.send(method, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
			text, _ := io.ReadAll(res.Body)
			res.Body.Close()
			if res.StatusCode != http.StatusForbidden || bytes.Contains(text, []byte("ask")) {
				w.Errorf("%s: %s %s", method, res.Status, text)
			}
		}
		if r := ann.calls("ask_general", `{"message":"Compute 6*7"}`); r.IsError || !strings.Contains(r.StructuredContent.Text, "42") {
			w.Errorf("her session gives her %+v", r)
		}
		ann.send(http.MethodDelete, "").Body.Close()
		ann.wants(http.StatusNotFound, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	})
}

const echo = `{"id":"echo","name":"Echo","nodes":[{"id":"m","nodeId":"on-chat-message"},{"id":"w","nodeId":"write-chat-message"}],` +
	`"edges":[{"sourceNodeId":"m","sourcePortId":"signal","targetNodeId":"w","targetPortId":"run"},` +
	`{"sourceNodeId":"m","sourcePortId":"text","targetNodeId":"w","targetPortId":"text"}]}`

func TestToolsAndResourcesAreThoseOfTheCaller(t *testing.T) {
	each(t, func(w *world) {
		annSignedIn := w.SignIn("ann")
		annSignedIn.Wants(201, "POST", "records/agent_graphs", echo)
		ann := w.as(annSignedIn.WithKey("write").Token).begin()
		bob := w.as(w.SignIn("bob").WithKey("write").Token).begin()
		if list := ann.asks("tools/list", `{}`).Result; !bytes.Contains(list, []byte(`"graph_echo"`)) {
			w.Errorf("her tools are %s", list)
		}
		for _, method := range []string{"tools/list", "prompts/list"} {
			if list := bob.asks(method, `{}`).Result; bytes.Contains(list, []byte("echo")) {
				w.Errorf("%s of another: %s", method, list)
			}
		}
		said := ann.calls("graph_echo", `{"message":"as I said"}`)
		if said.StructuredContent.Text != "as I said" {
			w.Errorf("the graph says %+v", said)
		}
		if m := bob.asks("tools/call", `{"name":"graph_echo","arguments":{"message":"x"}}`); m.Error == nil {
			w.Errorf("another may call it: %s", m.Result)
		}
		run := said.StructuredContent.RunID
		if r := bob.calls("run_status", `{"runId":"`+run+`"}`); r.StructuredContent.Error.Code != "not_found" {
			w.Errorf("another sees the run: %+v", r)
		}
		if r := bob.calls("run_cancel", `{"runId":"`+run+`"}`); r.StructuredContent.Error.Code != "not_found" {
			w.Errorf("another cancels the run: %+v", r)
		}
		for _, uri := range []string{"nestor://runs/" + run, "nestor://documents/users/ann/runs/" + run, "nestor://documents/users/ann"} {
			for _, method := range []string{"resources/read", "resources/subscribe"} {
				if m := bob.asks(method, `{"uri":"`+uri+`"}`); m.Error == nil || m.Error.Code != -32002 {
					w.Errorf("%s %s of another: %s", method, uri, m.Result)
				}
			}
		}
		if m := ann.asks("resources/read", `{"uri":"nestor://documents/users/ann/runs/`+run+`"}`); m.Error != nil {
			w.Errorf("she cannot read it herself: %+v", m.Error)
		}
	})
}

func TestTheCredentialOfEachRequestCountsNotThatOfTheSession(t *testing.T) {
	each(t, func(w *world) {
		signedIn := w.SignIn("ann")
		ann := w.as(signedIn.WithKey("write").Token).begin()
		reader := w.as(signedIn.WithKey("read").Token).in(ann.session)
		if r := reader.calls("ask", `{"message":"Hello"}`); !r.IsError || r.StructuredContent.Error.Code != "forbidden" {
			w.Errorf("a key that only reads asks: %+v", r)
		}
		if list := reader.asks("resources/list", `{}`); bytes.Contains(list.Result, []byte("nestor://chats/")) {
			w.Errorf("something was written: %s", list.Result)
		}
		if r := ann.calls("ask", `{"message":"Hello"}`); r.IsError {
			w.Errorf("a key that writes: %+v", r)
		}
		if list := reader.asks("resources/list", `{}`); !bytes.Contains(list.Result, []byte("nestor://chats/")) {
			w.Errorf("a key that reads sees %s", list.Result)
		}
		var keys struct{ Items []struct{ ID string } }
		signedIn.Into(&keys, 200, "GET", "keys", "")
		stream := ann.send(http.MethodGet, "") // open while the key is revoked
		defer stream.Body.Close()
		for _, k := range keys.Items {
			signedIn.Wants(204, "DELETE", "keys/"+k.ID, "")
		}
		if _, err := io.Copy(io.Discard, stream.Body); err != nil {
			w.Errorf("the stream of a key that was revoked ends with %v", err)
		}
		ann.wants(http.StatusUnauthorized, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	})
}

func TestAUserHasSoManySessions(t *testing.T) {
	each(t, func(w *world) {
		key := w.SignIn("ann").WithKey("write").Token
		var all []*peer
		for range mcp.MaxSessions {
			all = append(all, w.as(key).begin())
		}
		first := all[0]
		// What begins no session takes the place of none for long.
		bob := w.as(w.SignIn("bob").WithKey("write").Token).begin()
		for range 2 * mcp.MaxSessions {
			w.as(bob.Token).wants(http.StatusBadRequest, `nonsense`)
		}
		bob.asks("tools/list", `{}`)

		// One more takes the place of the one that was used longest ago.
		first.asks("tools/list", `{}`)
		all = append(all, w.as(key).begin())
		first.asks("tools/list", `{}`)
		all[1].wants(http.StatusNotFound, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)

		// One that is in use keeps its place.
		for _, p := range append(all[2:], first) {
			stream := p.send(http.MethodGet, "")
			defer stream.Body.Close()
		}
		w.as(key).wants(http.StatusTooManyRequests, hello)
		first.send(http.MethodDelete, "").Body.Close()
		w.as(key).begin()
	})
}

func TestTheServerStopsThoughACallLasts(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		model := &gated{Model: demo.New(demo.Options{Instant: true})}
		defer model.hold()()
		cfg.Model, cfg.Addr, cfg.Drain = model, "127.0.0.1:0", time.Millisecond
		s, stop := servertest.Start(t, cfg)
		p := (&world{&servertest.Person{T: t, Server: s}, model}).as(servertest.Token).begin()
		res := p.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"message":"Hello"},"_meta":{"progressToken":"t"}}}`)
		defer res.Body.Close()
		if _, err := p.next(bufio.NewReader(res.Body)); err != nil {
			t.Fatal(err)
		}
		stop()
		_, _ = io.Copy(io.Discard, res.Body) // it ends, in whatever way
	})
}

// A tool that the client of a chat runs can be answered for it.
func TestTheResultOfAToolOfAClientIsGiven(t *testing.T) {
	each(t, func(w *world) {
		w.Wants(201, "POST", "chats", `{"id":"c1","title":"t","participant":"agent:general","clientTools":[{"name":"shelf","description":"What is on a shelf","parameters":{"type":"object","properties":{"shelf":{"type":"string"}}}}]}`)
		p := w.as(servertest.Token).begin()
		waits := p.calls("ask_general", `{"thread":"c1","message":"Use the shelf tool with {\"shelf\": \"A\"}"}`)
		if got := waits.StructuredContent; got.Status != "waiting" || len(got.WaitingFor) != 1 || got.WaitingFor[0].Kind != "result" {
			w.Fatalf("it waits for %+v", got)
		}
		run := waits.StructuredContent.RunID
		if r := p.calls("answer", `{"runId":"`+run+`","answer":"nine teapots"}`); !r.IsError {
			w.Errorf("without a decision: %+v", r)
		}
		if r := p.calls("answer", `{"runId":"`+run+`","decision":"result","answer":"nine teapots"}`); !strings.Contains(r.StructuredContent.Text, "nine teapots") {
			w.Errorf("it says %+v", r)
		}
	})
}

// An agent of one Nestor asks another Nestor, as its MCP server.
func TestANestorAsksAnother(t *testing.T) {
	each(t, func(w *world) {
		file := filepath.Join(t.TempDir(), "tools.json")
		tools := `{"mcp": [{"name": "other", "url": "` + w.URL() + mcp.Path + `", "headers": {"Authorization": "Bearer ${OTHER}"}, "allowPrivate": true}]}`
		if err := os.WriteFile(file, []byte(tools), 0o600); err != nil {
			w.Fatal(err)
		}
		env := func(name string) string { return map[string]string{"OTHER": servertest.Token}[name] }
		one := servertest.Enter(w.T, server.Config{ToolsFile: file, Model: demo.New(demo.Options{Instant: true}), Env: env})
		one.Wants(201, "POST", "chats", `{"id":"c1","title":"t","participant":"agent:general"}`)
		one.Wants(200, "POST", "chats/c1/messages?wait=1", `{"content":"Use the mcp_other_ask_general tool with {\"message\": \"Compute 6*7\"}"}`, "42", `"status":"success"`, "mcp_other_ask_general")
	})
}
