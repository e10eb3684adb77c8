package door_test

import (
	"bufio"
	"context"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// secret is what nobody may be told whose right has ended.
const secret = "The answer is forty-two."

// held is a model that says the secret once it is let go.
type held struct {
	llm.Model
	mu          sync.Mutex
	asked, goOn chan struct{}
}

// hold has the model wait from now on: asked is told when it is asked, and it answers when
// goOn is closed.
func (h *held) hold() (asked, goOn chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked, h.goOn = make(chan struct{}, 100), make(chan struct{})
	return h.asked, h.goOn
}

func (h *held) Generate(ctx context.Context, _ *llm.Request) iter.Seq2[llm.Event, error] {
	h.mu.Lock()
	asked, goOn := h.asked, h.goOn
	h.mu.Unlock()
	return func(yield func(llm.Event, error) bool) {
		asked <- struct{}{}
		select {
		case <-goOn:
			_ = yield(llm.Text{Text: secret}, nil) && yield(llm.Finish{Reason: llm.ReasonStop}, nil)
		case <-ctx.Done():
			yield(nil, ctx.Err())
		}
	}
}

// waiting are requests that are answered when the model has said something. Whole says that
// nothing is sent before, so the answer has a status that tells.
var waiting = map[string]struct {
	asks  request
	whole bool
}{
	"OpenAI, a completion": {doors["OpenAI, completions"].says, true},
	"OpenAI, a streamed completion": {
		request{"POST", "/v1/chat/completions", `{"model":"orchestrator","stream":true,"messages":[{"role":"user","content":"Hello"}]}`}, false,
	},
	"OpenAI, a response": {doors["OpenAI, responses"].says, true},
	"OpenAI, a streamed response": {
		request{"POST", "/v1/responses", `{"model":"orchestrator","stream":true,"input":"Hello"}`}, false,
	},
	"AG-UI":       {doors["AG-UI"].says, false},
	"AI SDK":      {doors["AI SDK"].says, false},
	"MCP, a call": {doors["MCP"].says, false},
	"A2A":         {doors["A2A"].says, true},
	"A2A, a stream": {
		request{"POST", "/a2a/orchestrator", strings.Replace(doors["A2A"].says.body, "message/send", "message/stream", 1)}, false,
	},
	"the API, a message": {request{"POST", "/api/v1/chats/c/messages?wait=1", `{"content":"Hello"}`}, true},
	"the API, a task":    {request{"POST", "/api/v1/chats/c/tasks?wait=1", `{"name":"agent:general","instruction":"Hello"}`}, true},
}

// A right that ends while somebody waits for an answer ends the answer: whatever is said
// from then on is not sent, whichever the door, and the way in which the right ended.
func TestNothingIsToldToThoseWhoseRightHasEnded(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		model := &held{Model: demo.New(demo.Options{Instant: true})}
		model.hold()
		cfg.Model = model
		p := servertest.Enter(t, cfg)
		for name, w := range waiting {
			t.Run(name, func(t *testing.T) {
				id := "ann-" + nestor.NewID()
				ann, admin := p.In(t).SignIn(id), p.In(t)
				ann.Wants(201, "POST", "chats", `{"id":"c"}`)
				revoked := ann.WithKey("write")
				var keys struct{ Items []struct{ ID string } }
				ann.Into(&keys, 200, "GET", "keys", "")
				suspended := ann.WithKey("write")
				for _, c := range []struct {
					right string
					who   *servertest.Person
					ends  func()
				}{
					{"a key that is revoked", revoked, func() { ann.Wants(204, "DELETE", "keys/"+keys.Items[0].ID, "") }},
					{"a session that ends", ann, func() { ann.Wants(204, "POST", "logout", "") }},
					{"a key of a user who is disabled", suspended, func() { admin.Wants(200, "PATCH", "users/"+id, `{"disabled":true}`) }},
				} {
					asked, goOn := model.hold()
					answer := make(chan string, 1)
					go func() {
						status, text := (&client{Person: c.who}).asks(w.asks.anew())
						if w.whole && status != http.StatusUnauthorized {
							t.Errorf("%s: the answer has the status %d", c.right, status)
						}
						answer <- text
					}()
					<-asked
					c.ends()
					close(goOn)
					if text := <-answer; strings.Contains(text, "forty-two") {
						t.Errorf("%s: it is told %s", c.right, text)
					}
					p.Settled()
				}
			})
		}
	})
}

// anew is the request with ids for what it says that were not said before.
func (r request) anew() request {
	for _, id := range []string{"t1", "agui1", "aisdk1", "a2a1"} {
		r.body = strings.ReplaceAll(r.body, `"`+id+`"`, `"`+nestor.NewID()+`"`)
	}
	return r
}

// A client of MCP is not told of changes by what somebody subscribed to with a key that was
// revoked, though another key of the same user listens.
func TestASubscriptionEndsWithItsKey(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Model = demo.New(demo.Options{Instant: true})
		p := servertest.Enter(t, cfg)
		ann := p.SignIn("ann")
		for _, id := range []string{"c1", "c2"} {
			ann.Wants(201, "POST", "chats", `{"id":"`+id+`"}`)
		}
		first := &client{Person: ann.WithKey("read")}
		var keys struct{ Items []struct{ ID string } }
		ann.Into(&keys, 200, "GET", "keys", "")
		second := &client{Person: ann.WithKey("read")}
		begun, _ := first.Send(first.request(request{"POST", "/mcp", initialize}, ""))
		session := begun.Header.Get("Mcp-Session-Id")
		first.Send(first.request(request{"POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`}, session))
		for chat, c := range map[string]*client{"c1": first, "c2": second} {
			asks := `{"jsonrpc":"2.0","id":7,"method":"resources/subscribe","params":{"uri":"nestor://chats/` + chat + `"}}`
			if res, text := c.Send(c.request(request{"POST", "/mcp", asks}, session)); res.StatusCode != http.StatusOK || strings.Contains(text, `"error"`) {
				t.Fatalf("%d %s", res.StatusCode, text)
			}
		}
		stream := second.Open(second.request(request{"GET", "/mcp", ""}, session))
		defer stream.Body.Close()
		ann.Wants(204, "DELETE", "keys/"+keys.Items[0].ID, "")
		for _, chat := range []string{"c1", "c2"} {
			ann.Wants(200, "POST", "chats/"+chat+"/messages?wait=1", `{"content":"Hello"}`)
		}
		for lines := bufio.NewScanner(stream.Body); lines.Scan(); {
			if strings.Contains(lines.Text(), "chats/c1") {
				t.Errorf("it is told %s", lines.Text())
			}
			if strings.Contains(lines.Text(), "chats/c2") {
				return
			}
		}
		t.Error("the subscription of the other key told nothing")
	})
}

// A client of A2A is not notified of what happens after the key was revoked with which it
// asked for that.
func TestANotificationEndsWithItsKey(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		model := &held{Model: demo.New(demo.Options{Instant: true})}
		asked, goOn := model.hold()
		cfg.Model, cfg.AllowPrivate = model, true
		p := servertest.Enter(t, cfg)
		notified := make(chan string, 100)
		hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { notified <- r.URL.Path }))
		defer hook.Close()
		ann := p.SignIn("ann")
		revoked := ann.WithKey("write")
		var keys struct{ Items []struct{ ID string } }
		ann.Into(&keys, 200, "GET", "keys", "")
		for path, key := range map[string]*servertest.Person{"/revoked": revoked, "/kept": ann.WithKey("write")} {
			says := doors["A2A"].says.anew()
			says.body = strings.Replace(says.body, `"params":{`,
				`"params":{"configuration":{"blocking":false,"pushNotificationConfig":{"url":"`+hook.URL+path+`"}},`, 1)
			if status, text := (&client{Person: key}).asks(says); status != http.StatusOK || strings.Contains(text, `"error"`) {
				t.Fatalf("%d %s", status, text)
			}
			<-asked
		}
		ann.Wants(204, "DELETE", "keys/"+keys.Items[0].ID, "")
		close(goOn)
		p.Settled()
		close(notified)
		var got []string
		for path := range notified {
			got = append(got, path)
		}
		if !slices.Equal(got, []string{"/kept"}) {
			t.Errorf("notified were %q", got)
		}
	})
}
