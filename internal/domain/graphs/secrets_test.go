package graphs_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

func TestSecretsAreSentAndShownNowhere(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		const value, digits = `s3cret "quoted" value`, "8642097531"
		// The service sends back all it gets, in every spelling.
		service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer "+value || r.Header.Get("X-Number") != digits {
				w.WriteHeader(http.StatusTeapot)
				return
			}
			if r.URL.Path == "/fail" {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, strings.Repeat("x", 490)+value)
				return
			}
			fmt.Fprintf(w, `{"got":%q,"number":%s,"list":[%q],%q:1}`, r.Header.Get("Authorization"), digits, "a "+value+" b", value)
		}))
		defer service.Close()
		cfg.AllowPrivate = true
		p := start(t, cfg)
		p.wants(200, "PUT", "secrets/API_KEY", `{"value":`+fmt.Sprintf("%q", value)+`}`, `"name":"API_KEY"`)
		p.wants(200, "PUT", "secrets/NUMBER", `{"value":"`+digits+`"}`)
		p.wants(400, "PUT", "secrets/SHORT", `{"value":"short"}`, `"field":"value"`)
		p.wants(400, "PUT", "secrets/a-b", `{"value":"long enough"}`, `"field":"name"`)
		shown := []string{p.wants(200, "GET", "secrets", "", `"name":"API_KEY"`, `"name":"NUMBER"`)}
		call := func(path string) []string {
			return []string{
				"s on-start", `h http-request {"url":"` + service.URL + path + `","headers":{"Authorization":"Bearer {{secret:API_KEY}}","X-Number":"{{secret:NUMBER}}"}}`, "o output",
			}
		}
		edges := []string{"s.signal>h.run", "h.done>o.run", "h.json>o.value"}
		p.draws("g", call("/ok"), edges...)
		p.draws("f", call("/fail"), edges...)
		ok, failed := p.runs("g", `{}`), p.runs("f", `{}`)
		shown = append(shown, p.ends(ok, `"status":"completed"`, `"got":"Bearer ${API_KEY}"`, `"number":"${NUMBER}"`, `"list":["a ${API_KEY} b"]`), p.ends(failed, `"status":"failed"`, "status 400"))
		for _, x := range []string{ok, failed} {
			shown = append(shown, p.wants(200, "GET", executions+"/"+x+"/resolutions", ""))
			for _, e := range <-p.follows(x, "") {
				shown = append(shown, e.data)
			}
		}
		for _, flat := range []string{"agent_graphs", "agent_graph_executions", "agent_graph_resolutions", "agent_graph_progress"} {
			shown = append(shown, p.wants(200, "POST", "query", `{"flat":"`+flat+`"}`))
		}
		for _, text := range shown {
			for _, secret := range []string{value, `s3cret`, digits, base64.StdEncoding.EncodeToString([]byte(value))} {
				if strings.Contains(text, secret) {
					t.Errorf("a secret is shown: %s", text)
				}
			}
		}

		// A graph has no secret in itself, and what comes to it does not decide who gets one.
		for _, headers := range []string{`{"Authorization":"Bearer s3cret"}`, `{"Cookie":"a=s3cret{{secret:API_KEY}}"}`, `{"X-Api-Key":"{{secret:a-b}}"}`} {
			p.wants(400, "POST", graphs, `{"name":"x",`+drawn([]string{`h http-request {"url":"https://example.com","headers":` + headers + `}`})+`}`, "is secret")
		}
		p.wants(400, "POST", graphs, `{"name":"x",`+drawn([]string{"s on-start", `h http-request {"headers":{"X-Key":"{{secret:API_KEY}}"}}`}, "s.text>h.url")+`}`, "who gets the secret")
		p.draws("led", call("/ok"), "s.signal>h.run", "s.text>h.url", "h.done>o.run", "h.json>o.value")
		p.ends(p.runs("led", `"`+service.URL+`"`), `"status":"failed"`, `"code":"forbidden"`)

		// Nobody has another's secrets.
		bob := p.signIn("bob")
		bob.wants(200, "GET", "secrets", "", `"items":[]`)
		bob.draws("g", call("/ok"), edges...)
		bob.ends(bob.runs("g", `{}`), `"status":"failed"`, "there is no secret")
		bob.wants(404, "DELETE", "secrets/API_KEY", "")
		bob.wants(200, "PUT", "secrets/MINE", `{"value":"long enough"}`)
		p.wants(204, "DELETE", "users/bob", "")
		p.signIn("bob").wants(200, "GET", "secrets", "", `"items":[]`) // another one of that name
		p.wants(204, "DELETE", "secrets/API_KEY", "")
		p.ends(p.runs("g", `{}`), `"status":"failed"`, "there is no secret API_KEY")
	})
}

func TestSecretsInAQueryAndABodyAreSentAndShownNowhere(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		const value = `p&s "w" ü/+1`
		got := make(chan [2]string, 10)
		// The service sends back what it got, as it came and as it reads it.
		service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			got <- [2]string{r.URL.Query().Get("key"), string(body)}
			if r.URL.Path == "/fail" {
				w.WriteHeader(http.StatusBadRequest)
			}
			fmt.Fprintf(w, "%s|%s|%s|%s", r.URL.RawQuery, r.URL.Query().Get("key"), body, r.URL)
		}))
		defer service.Close()
		cfg.AllowPrivate = true
		p := start(t, cfg)
		p.wants(200, "PUT", "secrets/PASS", `{"value":`+fmt.Sprintf("%q", value)+`}`)
		edges := []string{"s.signal>h.run", "h.done>o.run", "h.body>o.value"}
		call := func(path, body string) []string {
			return []string{"s on-start", `h http-request {"method":"PUT","url":"` + service.URL + path + `?a=1&key={{secret:PASS}}","body":` + body + `}`, "o output"}
		}
		quoted, _ := json.Marshal(value)
		var shown []string
		for id, is := range map[string]struct{ path, body, sent, status string }{
			"json":   {"/ok", `{"user":"me","list":["{{secret:PASS}}"]}`, `{"list":[` + string(quoted) + `],"user":"me"}`, "completed"},
			"text":   {"/ok", `"password={{secret:PASS}}"`, "password=" + value, "completed"},
			"failed": {"/fail", `"{{secret:PASS}}"`, value, "failed"},
		} {
			p.draws(id, call(is.path, is.body), edges...)
			x := p.runs(id, `{}`)
			shown = append(shown, p.ends(x, `"status":"`+is.status+`"`, "${PASS}"), p.wants(200, "GET", executions+"/"+x+"/resolutions", "", "{{secret:PASS}}"))
			if g := <-got; g[0] != value || g[1] != is.sent {
				t.Errorf("%s: the service got %q", id, g)
			}
			for _, e := range <-p.follows(x, "") {
				shown = append(shown, e.data)
			}
		}
		// A service that is not there: the error of the request has its address.
		gone := httptest.NewServer(nil)
		gone.Close()
		p.draws("gone", []string{"s on-start", `h http-request {"url":"` + gone.URL + `/?key={{secret:PASS}}"}`}, "s.signal>h.run")
		shown = append(shown, p.ends(p.runs("gone", `{}`), `"status":"failed"`, gone.URL+"/?key=${PASS}"))
		for _, text := range shown {
			for _, spelling := range []string{`p&s`, `p\u0026s`, url.QueryEscape(value), url.PathEscape(value)} {
				if strings.Contains(text, spelling) {
					t.Errorf("a secret is shown: %s", text)
				}
			}
		}

		// What comes to an input is text like any other, and decides nothing.
		p.draws("led", []string{"s on-start", `h http-request {"method":"PUT","url":"` + service.URL + `/?key={{secret:PASS}}"}`, "o output"}, append(edges, "s.input>h.body")...)
		p.ends(p.runs("led", `"{{secret:PASS}}"`), `"status":"completed"`)
		if g := <-got; g[0] != value || g[1] != "{{secret:PASS}}" {
			t.Errorf("the service got %q", g)
		}
		p.draws("both", call("/ok", `"{{secret:PASS}}"`), append(edges, "s.input>h.body")...)
		p.ends(p.runs("both", `"x"`), `"status":"failed"`, `"code":"forbidden"`)
		p.draws("elsewhere", call("/ok", `"x"`), append(edges, "s.text>h.url")...)
		p.ends(p.runs("elsewhere", `"`+service.URL+`"`), `"status":"failed"`, `"code":"forbidden"`)
		for _, bad := range []string{`{"url":"https://{{secret:PASS}}.example.com/"}`, `{"url":"https://example.com/{{secret:PASS}}?a=1"}`, `{"body":{"a":"{{secret:PASS}}"}}`} {
			p.wants(400, "POST", graphs, `{"name":"x",`+drawn([]string{"s on-start", "h http-request " + bad}, "s.signal>h.run", "s.text>h.url")+`}`, "bad-parameters", "secret")
		}
		if len(got) > 0 {
			t.Errorf("the service got %q", <-got)
		}
	})
}
