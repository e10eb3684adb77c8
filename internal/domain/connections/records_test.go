package connections_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/server"
)

func TestMain(m *testing.M) { testmain.Run(m) }

const (
	at     = "records/model_connections"
	secret = "sk-live-QUJDREVGR0hJSktMTU5P"
	header = "tenant-WFlaMTIz"
)

func TestConnectionsHaveTheCallsOfEveryRecord(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := servertest.Enter(t, cfg)
		p.Wants(201, "POST", at, `{"id":"one","accessFormat":"demo","data":{"instant":true,"note":"mine"}}`, `"id":"one"`, `"version":1`, `"name":"one"`, `"modelId":"demo"`, `"hasSecret":false`, `"createdAt":`)
		p.Wants(409, "POST", at, `{"id":"one","accessFormat":"demo"}`, "already_exists")
		p.Wants(403, "POST", at, `{"id":"default","accessFormat":"demo"}`)
		for body, field := range map[string]string{
			`{"accessFormat":"telepathy"}`: "accessFormat", `{"accessFormat":"openai"}`: "modelId", `{"id":"count","accessFormat":"demo"}`: "id",
			`{"accessFormat":"demo","fallbackId":"none"}`: "fallbackId", `{"accessFormat":"openai","modelId":"m","data":{"apiKey":"sk"}}`: "data.apiKey",
		} {
			p.Wants(400, "POST", at, body, `"field":"`+field+`"`)
		}
		p.Wants(400, "POST", at, `{"accessFormat":"demo","nonsense":1}`, "nonsense")
		p.Wants(400, "POST", at, `{"id":"a/b","accessFormat":"demo"}`)

		p.Wants(200, "GET", at+"/one", "", `"note":"mine"`)
		for id, status := range map[string]int{"one": 200, "none": 404, "default": 404} {
			if res, _ := p.Send(p.Request("HEAD", at+"/"+id, "")); res.StatusCode != status {
				t.Errorf("HEAD %s: %d", id, res.StatusCode)
			}
		}
		same := p.Request("GET", at+"/one", "")
		same.Header.Set("If-None-Match", `"1"`)
		if res, _ := p.Send(same); res.StatusCode != 304 {
			t.Errorf("what is known already is sent again: %d", res.StatusCode)
		}

		p.Wants(409, "POST", at+"/batch", `{"records":[{"id":"two","accessFormat":"demo"},{"id":"one","accessFormat":"demo"}]}`, `"index":1`)
		p.Wants(409, "POST", at+"/batch", `{"records":[{"id":"two","accessFormat":"demo"},{"id":"two","accessFormat":"demo"}]}`, `"index":1`)
		p.Wants(400, "POST", at+"/batch", `{"records":[{"id":"two","accessFormat":"demo"},{"accessFormat":"x"}]}`, `"index":1`, `"field":"accessFormat"`)
		p.Wants(400, "POST", at+"/batch", `{"records":[]}`, `"field":"records"`)
		p.Wants(404, "GET", at+"/two", "")
		p.Wants(201, "POST", at+"/batch", `{"records":[{"id":"two","accessFormat":"demo"},{"id":"three","accessFormat":"demo","fallbackId":"two"}]}`, `"id":"two"`, `"fallbackId":"two"`)
		p.Wants(200, "GET", at+"/count", "", `{"count":3}`)

		var ids []string
		for query := "?limit=2"; query != ""; {
			var page struct {
				Items []struct{ ID string }
				Next  string
			}
			p.Into(&page, 200, "GET", at+query, "")
			for _, one := range page.Items {
				ids = append(ids, one.ID)
			}
			if query = ""; page.Next != "" {
				query = "?limit=2&cursor=" + page.Next
			}
		}
		if fmt.Sprint(ids) != "[one two three]" {
			t.Errorf("the list has %v", ids)
		}

		p.Wants(201, "POST", at+"/one/clone", `{"id":"copy"}`, `"id":"copy"`, `"note":"mine"`, `"version":1`)
		p.Wants(409, "POST", at+"/one/clone", `{"id":"copy"}`)
		p.Wants(201, "POST", at+"/one/clone", "", `"version":1`)
		p.Wants(404, "POST", at+"/none/clone", "")
		p.Wants(404, "POST", at+"/default/clone", "") // the environment's is nobody's

		p.Wants(200, "PATCH", at+"/copy", `{"name":"Copy","data":{"temperature":0.5,"instant":null}}`, `"name":"Copy"`, `"version":2`, `"note":"mine"`, `"temperature":0.5`)
		if text := p.Wants(200, "GET", at+"/copy", ""); strings.Contains(text, "instant") {
			t.Errorf("what was removed is there: %s", text)
		}
		p.Wants(404, "PATCH", at+"/none", `{"name":"x"}`)
		p.Wants(400, "PATCH", at+"/copy", `{"nonsense":1}`)
		p.Wants(400, "PATCH", at+"/copy", `{"concurrency":"many"}`)
		p.Wants(400, "PATCH", at+"/copy", `{"concurrency":-1}`, `"field":"concurrency"`)
		stale := p.Request("PATCH", at+"/copy", `{"name":"x"}`)
		stale.Header.Set("If-Match", `"1"`)
		if res, text := p.Send(stale); res.StatusCode != 412 {
			t.Errorf("a stale change: %d %s", res.StatusCode, text)
		}
		p.Wants(200, "GET", "models", "", `"name":"Copy"`)
		p.Wants(204, "DELETE", at+"/copy", "")
		p.Wants(404, "DELETE", at+"/copy", "")
		p.Wants(404, "GET", at+"/copy", "")
	})
}

// provider is a server that speaks OpenAI's language and tells which credentials came.
func provider(t *testing.T) (url string, came func() string) {
	t.Helper()
	var last string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		last = r.Header.Get("Authorization") + " " + r.Header.Get("X-Tenant")
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(s.Close)
	return s.URL, func() string { return last }
}

// A connection is made, copied, changed, listed and followed without its secrets ever
// leaving the server, but for the provider that they are for.
func TestTheSecretsOfConnectionsStayOnTheServer(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := servertest.Enter(t, cfg)
		url, came := provider(t)
		stream, err := p.Client().HTTP.Do(p.Request("GET", at+"/stream", ""))
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Body.Close()
		clean := func(text string) {
			t.Helper()
			if strings.Contains(text, secret) || strings.Contains(text, header) || strings.Contains(text, "sealed") {
				t.Errorf("a secret is in %s", text)
			}
		}
		calls := func(id string) {
			t.Helper()
			clean(p.Wants(200, "POST", "models/"+id+"/test", "", `"ok":true`))
			if got := came(); got != "Bearer "+secret+" "+header {
				t.Errorf("%s calls with %q", id, got)
			}
		}
		fields, err := json.Marshal(map[string]any{"accessFormat": "openai", "modelId": "m", "baseUrl": url + "/v1", "secret": secret, "headers": map[string]string{"X-Tenant": header}})
		if err != nil {
			t.Fatal(err)
		}
		clean(p.Wants(201, "POST", at, `{"id":"one",`+string(fields[1:]), `"hasSecret":true`, `"headerNames":["X-Tenant"]`))
		clean(p.Wants(201, "POST", at+"/batch", `{"records":[{"id":"two",`+string(fields[1:])+`]}`, `"hasSecret":true`))
		clean(p.Wants(201, "POST", at+"/one/clone", `{"id":"copy"}`, `"hasSecret":true`, `"headerNames":["X-Tenant"]`))
		clean(p.Wants(200, "PATCH", at+"/two", `{"name":"Two"}`, `"hasSecret":true`))
		for _, id := range []string{"one", "two", "copy"} {
			calls(id)
		}
		// The copy stands by itself.
		p.Wants(204, "DELETE", at+"/one", "")
		calls("copy")
		// A secret goes nowhere but to where it was given for, through no door.
		clean(p.Wants(400, "PATCH", at+"/copy", `{"baseUrl":"http://evil.example/v1"}`, `"field":"secret"`))
		clean(p.Wants(200, "PATCH", at+"/two", `{"secret":"","headers":{}}`, `"hasSecret":false`))
		p.Wants(200, "PATCH", "docs/users/local/model-connections/copy", `{"baseUrl":"http://evil.example/v1"}`)
		clean(p.Wants(403, "POST", at+"/copy/clone", "", "another accessFormat or baseUrl"))
		clean(p.Wants(200, "GET", "replication/documents/pull?collection=users/local/model-connections", "", `"id":"copy"`))
		p.Wants(403, "GET", "replication/documents/pull?collection=secrets/local/model-connections", "")
		// Who writes the document as any other shows no more by that.
		p.Wants(201, "PUT", "docs/users/local/model-connections/raw", `{"accessFormat":"demo","modelId":"demo","hasSecret":true,"sealed":"x","apiKey":"`+secret+`"}`)
		clean(p.Wants(200, "GET", at+"/raw", "", `"hasSecret":false`))
		clean(p.Wants(200, "GET", at, "", `"id":"raw"`))

		p.Wants(204, "DELETE", at+"/two", "")
		for lines := bufio.NewScanner(stream.Body); lines.Scan(); {
			clean(lines.Text())
			if lines.Text() == `data: {"id":"two"}` {
				break
			}
		}
	})
}

func TestTwoUsersNeverSeeEachOthersConnections(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := servertest.Enter(t, cfg)
		ann, bob := p.SignIn("ann"), p.SignIn("bob")
		ann.Wants(201, "POST", at, `{"id":"hers","accessFormat":"demo","secret":"`+secret+`"}`)
		for _, stranger := range []*servertest.Person{bob, bob.WithKey("write")} {
			stranger.Wants(200, "GET", at, "", `{"items":[]}`)
			stranger.Wants(200, "GET", at+"/count", "", `{"count":0}`)
			stranger.Wants(404, "GET", at+"/hers", "")
			stranger.Wants(404, "PATCH", at+"/hers", `{"name":"x"}`)
			stranger.Wants(404, "DELETE", at+"/hers", "")
			stranger.Wants(404, "POST", at+"/hers/clone", "")
		}
		// A key for some connections does not copy others.
		narrow := ann.WithKey("write", "users/ann/model-connections/shown")
		narrow.Wants(404, "POST", at+"/hers/clone", `{"id":"shown"}`)
		ann.Wants(200, "GET", at+"/count", "", `{"count":1}`)
	})
}
