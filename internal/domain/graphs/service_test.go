package graphs_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

const serviceSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// counter is a service of a user: it counts the requests to each of its paths.
type counter struct {
	*httptest.Server
	t     *testing.T
	calls map[string]*atomic.Int64
	keys  map[string]chan string
}

func newCounter(t *testing.T) *counter {
	c := &counter{t: t, calls: map[string]*atomic.Int64{}, keys: map[string]chan string{}}
	for _, path := range []string{"/shout", "/flaky", "/dies", "/refuses", "/gateway", "/wrong", "/other", "/garbage", "/sleeps", "/endless", "/zero", "/broken", "/angry"} {
		c.calls[path], c.keys[path] = &atomic.Int64{}, make(chan string, 20)
	}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := c.calls[r.URL.Path].Add(1)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		c.t.Error(err)
	}
	c.keys[r.URL.Path] <- r.Header.Get("Idempotency-Key")
	switch r.URL.Path {
	case "/shout":
		c.shout(w, r, body)
	case "/flaky":
		if n < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, `{"outputs":{"text":"at last"}}`)
	case "/dies": // in the middle of its answer
		io.WriteString(w, `{"outputs":`)
		panic(http.ErrAbortHandler)
	case "/refuses":
		w.WriteHeader(http.StatusConflict)
		fmt.Fprintf(w, `{"error":{"code":"not_found","message":"no such thing, says %s"}}`, r.Header.Get("X-Key"))
	case "/gateway":
		w.WriteHeader(http.StatusGatewayTimeout)
	case "/wrong":
		io.WriteString(w, `{"outputs":{"text":7}}`)
	case "/other":
		io.WriteString(w, `{"outputs":{"colour":"red"}}`)
	case "/garbage":
		io.WriteString(w, `hello`)
	case "/endless":
		io.WriteString(w, `{"outputs":{"text":"`)
		for _, err := w.Write(make([]byte, 64<<10)); err == nil; {
			_, err = io.WriteString(w, strings.Repeat("x", 64<<10))
		}
	case "/zero":
		io.WriteString(w, `{"outputs":{"text":"a\u0000b\ud800"}}`)
	case "/broken":
		io.WriteString(w, "{\"outputs\":{\"text\":\"a\xff\xfeb\"}}")
	case "/angry":
		io.WriteString(w, `{"error":{"code":"internal","message":"`+strings.Repeat(`no\u0000 `, 40_000)+`"}}`)
	case "/sleeps":
		<-r.Context().Done()
	}
}

// shout checks that a request is whole and signed.
func (c *counter) shout(w http.ResponseWriter, r *http.Request, body []byte) {
	verifier, err := standardwebhooks.NewWebhook(serviceSecret)
	if err != nil {
		c.t.Error(err)
	}
	if err := verifier.Verify(body, r.Header); err != nil {
		c.t.Error(err)
	}
	var asked struct {
		NodeType, NodeID, ExecutionID, UserID, IdempotencyKey string
		Resolution                                            int
		Inputs                                                struct{ Text string }
		Parameters                                            struct{ Marks int }
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		c.t.Error(err)
	}
	if asked.NodeType != "shout" || asked.NodeID != "n" || asked.ExecutionID == "" || asked.UserID != "local" || asked.Resolution != 2 ||
		asked.IdempotencyKey == "" || asked.IdempotencyKey != r.Header.Get("Idempotency-Key") || asked.IdempotencyKey != r.Header.Get("Webhook-Id") || r.Header.Get("X-Key") != "hunter2" {
		c.t.Errorf("asked was %s with %v", body, r.Header)
	}
	answer := map[string]any{"text": strings.ToUpper(asked.Inputs.Text) + strings.Repeat("!", asked.Parameters.Marks), "loud": asked.Parameters.Marks > 2}
	_ = json.NewEncoder(w).Encode(map[string]any{"outputs": answer})
}

// file describes the paths of the service as node types.
func (c *counter) file(more string) string {
	out := `"outputs":[{"id":"text","type":"string"},{"id":"loud","type":"signal"}]`
	types := []string{
		`{"id":"shout","url":"` + c.URL + `/shout","secret":"${SECRET}","headers":{"X-Key":"${KEY}"},"effect":"pure","inputs":[{"id":"text","type":"string","required":true}],` + out +
			`,"parameters":{"type":"object","additionalProperties":false,"properties":{"marks":{"type":"integer","minimum":0}}}` + more + `}`,
		`{"id":"refuses","url":"` + c.URL + `/refuses","headers":{"X-Key":"${KEY}"}` + more + `}`,
		`{"id":"needs","url":"` + c.URL + `/shout","secret":"${MISSING}"` + more + `}`,
		`{"id":"sleeps","url":"` + c.URL + `/sleeps","effect":"pure","timeout":"1ms"` + more + `}`,
	}
	for _, path := range []string{"flaky", "dies", "gateway", "wrong", "other", "garbage", "endless", "zero", "broken", "angry"} {
		for _, effect := range []string{"idempotent", "once"} {
			types = append(types, `{"id":"`+path+"-"+effect+`","url":"`+c.URL+`/`+path+`","effect":"`+effect+`",`+out+more+`}`)
		}
	}
	return writeFile(c.t, `{"nodes":[`+strings.Join(types, ",")+`]}`)
}

func writeFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "nodes.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestAServiceOfAUserIsANode(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		c := newCounter(t)
		cfg.NodesFile = c.file(`,"allowPrivate":true`)
		cfg.Env = func(name string) string { return map[string]string{"SECRET": serviceSecret, "KEY": "hunter2"}[name] }
		p := start(t, cfg)
		p.wants(200, "GET", "node_types", "", `"id":"shout"`, `"marks"`)
		p.wants(400, "POST", graphs, `{"name":"x",`+drawn([]string{`n shout {"marks":-1}`})+`}`, `"bad-parameters"`, `"missing-input"`)

		p.draws("shout", []string{"s on-start", `n shout {"marks":3}`, "o output", `l output {"value":"loud"}`}, "s.signal>n.run", "s.text>n.text", "n.done>o.run", "n.text>o.value", "n.loud>l.run")
		p.ends(p.runs("shout", `"hello"`), `"status":"completed"`, `"output":{"l":"loud","o":"HELLO!!!"}`)
		p.wants(200, "PATCH", graphs+"/shout", `{`+drawn([]string{"s on-start", `n shout {"text":"quiet"}`, "o output", `l output {"value":"loud"}`}, "s.signal>n.run", "n.done>o.run", "n.text>o.value", "n.loud>l.run")+`}`)
		p.ends(p.runs("shout", `null`), `"output":{"o":"QUIET"}`)

		for kind, tt := range map[string]struct {
			path  string
			calls int64
			texts []string
		}{
			"flaky-idempotent": {"/flaky", 3, []string{`"status":"completed"`, `"o":"at last"`}},
			"dies-idempotent":  {"/dies", 3, []string{`"status":"failed"`, `"code":"unavailable"`}},
			"dies-once":        {"/dies", 1, []string{`"code":"interrupted"`, `"nodeId":"n"`}},
			"gateway-once":     {"/gateway", 1, []string{`"code":"interrupted"`}},
			"refuses":          {"/refuses", 3, []string{`"code":"not_found"`, "no such thing, says ${KEY}"}},
			"wrong-once":       {"/wrong", 1, []string{`"code":"invalid"`, `the output \"text\" is no string`}},
			"other-once":       {"/other", 1, []string{`"code":"invalid"`, `puts out \"colour\"`}},
			"garbage-once":     {"/garbage", 1, []string{`"code":"invalid"`, "the answer of the service is not"}},
			"endless-once":     {"/endless", 1, []string{`"code":"interrupted"`, "more than 524288 bytes"}},
			"zero-once":        {"/zero", 1, []string{`"status":"completed"`, `"o":"a`}},
			"broken-once":      {"/broken", 1, []string{`"status":"completed"`, `"o":"a`}},
			"angry-once":       {"/angry", 1, []string{`"code":"invalid"`, "the service says: no"}},
			"needs":            {"/shout", 0, []string{`"code":"invalid"`, "set the environment variable MISSING"}},
			"sleeps":           {"/sleeps", 3, []string{`"code":"timeout"`, "there was no answer in 1ms"}},
		} {
			edges := []string{"s.signal>n.run", "n.done>o.run", "n.text>o.value"}
			nodes := []string{"s on-start", "n " + kind, "o output"}
			if kind == "refuses" || kind == "needs" || kind == "sleeps" { // which put nothing out
				nodes, edges = nodes[:2], edges[:1]
			}
			retried := strings.Replace(drawn(nodes, edges...), `"nodeId":"`+kind+`",`, `"nodeId":"`+kind+`","retry":{"attempts":3},`, 1)
			p.wants(201, "POST", graphs, `{"id":"`+kind+`","name":"x",`+retried+`}`)
			before := c.calls[tt.path].Load()
			p.ends(p.runs(kind, `null`), tt.texts...)
			if n := c.calls[tt.path].Load() - before; kind != "sleeps" && n != tt.calls {
				t.Errorf("%s was called %d times, not %d", kind, n, tt.calls)
			}
		}
		if a, b := <-c.keys["/flaky"], <-c.keys["/flaky"]; a != b || a == "" {
			t.Errorf("the keys of one turn are %q and %q", a, b)
		}
	})
}

func TestAServiceAtAPrivateAddressHasToBeAllowed(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		c := newCounter(t)
		cfg.NodesFile = c.file("")
		p := start(t, cfg)
		p.draws("g", []string{"s on-start", "n dies-idempotent"}, "s.signal>n.run")
		p.ends(p.runs("g", `null`), `"code":"forbidden"`, "allowPrivate")
		if c.calls["/dies"].Load() != 0 {
			t.Error("a private address was reached")
		}
	})
}

func TestAFileOfServicesThatMakesNoSenseIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"nodes":[{"id":"x","url":"ftp://example.com"}]}`:                                                       "http",
		`{"nodes":[{"id":"x"}]}`:                                                                                 "url is missing",
		`{"nodes":[{"id":"x","url":"https://example.com","colour":"red"}]}`:                                      "colour",
		`{"nodes":[{"id":"map","url":"https://example.com"}]}`:                                                   "two node types",
		`{"nodes":[{"id":"x","url":"https://example.com","secret":"simple"}]}`:                                   "whsec_",
		`{"nodes":[{"id":"x","url":"https://example.com","timeout":"1h"}]}`:                                      "longer than",
		`{"nodes":[{"id":"x","url":"https://example.com","headers":{"webhook-id":"1"}}]}`:                        "set by the request",
		`{"nodes":[{"id":"x","url":"https://example.com","inputs":[{"id":"a","type":"colour"}]}]}`:               "port",
		`{"nodes":[{"id":"x","url":"https://example.com","inputs":[{"id":"a","type":"signal"}]}]}`:               "is a signal",
		`{"nodes":[{"id":"x","url":"https://example.com","parameters":{"type":"object","properties":{"a":7}}}]}`: "parameters",
		`[]`: "nodes.json",
	} {
		s, err := server.New(t.Context(), server.Config{NodesFile: writeFile(t, text), Env: func(string) string { return "" }})
		if err == nil {
			s.Close()
			t.Errorf("%s was taken", text)
		} else if nestor.CodeOf(err) != nestor.CodeInvalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	s, err := server.New(t.Context(), server.Config{NodesFile: "../../../examples/nodes.json", Env: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}
