package app_test

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/app"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	nestord "github.com/nestorhq/nestor/server"
)

// ofGo is how Go, its decoders and the drivers of databases speak: names of types, functions
// and packages, values as they are printed, formats that do not fit.
var ofGo = regexp.MustCompile(`json: |strconv\.|errors\.|reflect\.|runtime\.|unmarshal|Go (value|struct|type)|\*?\b(main|nestor|record|store|web|httpapi|tool|llm|plan|graph|view|agui|openai|mcp|a2a|jsonrpc|time|url|big|http|sql|pgconn|sqlite|jsonschema)\.[A-Z]\w*` +
	`|map\[|\[\](string|byte|interface|any)\b|interface \{|\bu?int(8|16|32|64)\b|\bfloat(32|64)\b|<nil>|%!|&\{|0x[0-9a-f]{6}|\.go:\d|goroutine|nil pointer|SQLSTATE|SQL logic|constraint failed`)

// garbage are values of every kind, none of which fits everywhere.
var garbage = []string{
	`5`, `-1`, `1.5`, `1e400`, `123456789012345678901`, `true`, `null`, `""`, `"text"`, `"a/../b"`, `"2020-13-45"`, `"\u0000"`, `"\ud800"`,
	`[]`, `[5]`, `["text"]`, `[{"x":1}]`, `{}`, `{"x":1}`, `{"x":{"y":[1e400]}}`, strings.Repeat("[", 70) + strings.Repeat("]", 70),
}

var garbageBodies = []string{
	``, `{`, `[`, `nul`, `5`, `"text"`, `true`, `null`, `[]`, `[5]`, `[[]]`, `[{}]`, `{}`, `{"nonsense":1}`, `{} {}`, `{"a":1e400}`, `{"a":` + "\"\xff\"" + `}`, `{"":null}`, "\x00",
	strings.Repeat("[", 20_000), `{"a":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}`, `{"records":[{"nonsense":1}]}`, `{"operations":[{"op":7}]}`, `{"messages":[{"role":5}]}`,
	`{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":5}}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`,
}

var headers = []string{"If-Match", "If-None-Match", "Idempotency-Key", "Prefer", "Last-Event-ID", "Range", "Content-Type", "Accept"}

var garbageTexts = []string{"x", "-1", "1e400", "99999999999999999999", "1.5", "true", "null", "{}", "[1", "a,b", "(", "*", "2020-13-45", "\xff", "a\x00b", "..", "a/b", "::"}

// callsProvider are the routes that call a model's provider, or have all others call one.
var callsProvider = regexp.MustCompile(`^models/\{id\}/(default|test|models)$|^models/test$`)

// thrower sends requests and looks at all answers.
type thrower struct {
	*servertest.Person
	sent, refused, fields int
}

// throw sends a request, and returns the status and the answer if it is no stream.
func (g *thrower) throw(r *http.Request) (int, string) {
	g.Helper()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	res := g.Open(r.WithContext(ctx))
	defer res.Body.Close()
	g.sent++
	door := !strings.HasPrefix(r.URL.Path, "/api/")
	if res.StatusCode < 300 && strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") && !(door && r.Method == http.MethodPost) {
		return res.StatusCode, ""
	}
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		g.Fatal(err)
	}
	text := string(raw)
	if res.StatusCode >= http.StatusBadRequest {
		g.refused++
	}
	if found := ofGo.FindString(text); found != "" && (door || res.StatusCode >= http.StatusBadRequest) {
		g.Errorf("%s %s is answered with %q: %.400s", r.Method, r.URL, found, text)
	}
	g.look(r.Method+" "+r.URL.Path, text)
	if res.StatusCode == http.StatusInternalServerError || (res.StatusCode == http.StatusTooManyRequests || res.StatusCode == http.StatusUnauthorized) && r.URL.Path != "/api/v1/login" {
		g.Errorf("%s %s: %d %.400s", r.Method, r.URL, res.StatusCode, text)
	}
	return res.StatusCode, text
}

// at is a request to a path below /api/v1, or to a whole one that begins with a slash.
func (g *thrower) at(method, path, body string) *http.Request {
	g.Helper()
	r := g.Request(method, "", body)
	if !strings.HasPrefix(path, "/") {
		path = "/api/v1/" + path
	}
	to, err := url.Parse(path)
	if err != nil {
		g.Fatal(err)
	}
	r.URL.Path, r.URL.RawPath, r.URL.RawQuery = to.Path, to.RawPath, to.RawQuery
	return r
}

// Whatever a client sends, no answer speaks of Go: garbage as bodies, in each field, parameter
// and header of each route, as arguments of each tool, and what is stored of all that.
func TestNoAnswerToGarbageSpeaksOfGo(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg nestord.Config) {
		cfg.Model = demo.New(demo.Options{Instant: true})
		p := servertest.Enter(t, cfg)
		there := settle(p, "local", "word") // whose requests are not limited
		p.SignIn("another")
		there["users"], there["{user}"] = "another", "another" // so that nothing ends who asks
		for kind, id := range everybodys {
			there[kind] = id
		}
		g := &thrower{Person: p}
		n := 0
		next := func(of []string) string { n++; return of[n%len(of)] } // each meets each, over all routes
		operations(p, func(method, path string, op operation) {
			if path == "logout" || path == "me/password" || path == "refresh" || callsProvider.MatchString(path) {
				return
			}
			to := there.at(t, path)
			for _, q := range op.Parameters {
				for range 4 {
					text := next(garbageTexts)
					switch q.In {
					case "query":
						g.throw(g.at(method, to+"?"+url.QueryEscape(q.Name)+"="+url.QueryEscape(text), ""))
					case "path":
						if method != http.MethodDelete {
							g.throw(g.at(method, regexp.MustCompile(`\{`+strings.TrimSuffix(q.Name, "...")+`[^}]*\}`).ReplaceAllLiteralString(path, url.PathEscape(text)), `{}`))
						}
					}
				}
			}
			g.throw(g.at(method, to+"?nonsense=1", ""))
			if method == http.MethodDelete {
				return
			}
			for range 3 {
				r := g.at(method, to, `{"nonsense":1}`)
				r.Header.Set(next(headers), strings.ToValidUTF8(strings.ReplaceAll(next(garbageTexts), "\x00", "0"), "?"))
				g.throw(r)
			}
			if method == http.MethodGet {
				return
			}
			for _, body := range garbageBodies {
				g.throw(g.at(method, to, body))
			}
			fields(op.RequestBody.Content["application/json"].Example, func(make func(string) string) {
				for range 5 {
					g.throw(g.at(method, to, make(next(garbage))))
				}
			})
			g.named(method, to, op.RequestBody.Content["application/json"].Example)
		})
		for _, door := range app.DoorPatterns(t) {
			method, path, both := strings.Cut(door, " ")
			if !both {
				method, path = http.MethodPost, door
			}
			path = strings.ReplaceAll(strings.ReplaceAll(path, "{participant}", "orchestrator"), "{id}", "none")
			for _, body := range garbageBodies {
				g.throw(g.at(method, path, body))
			}
			for _, example := range []string{
				`{"model":"orchestrator","messages":[{"role":"user","content":[{"type":"text","text":"x"}]}],"tools":[{"type":"function","function":{"name":"x","parameters":{}}}],"stream":false,"temperature":1,"max_tokens":5,"metadata":{"a":"b"}}`,
				`{"model":"orchestrator","input":[{"role":"user","content":"x"}],"previous_response_id":"x","tools":[{"type":"function","name":"x"}],"store":true,"metadata":{}}`,
				`{"threadId":"x","runId":"y","messages":[{"id":"m","role":"user","content":"x"}],"tools":[{"name":"x","description":"x","parameters":{}}],"context":[],"state":{},"forwardedProps":{},"resume":[{"interruptId":"x"}]}`,
				`{"id":"x","trigger":"submit-message","messageId":"m","messages":[{"id":"m","role":"user","parts":[{"type":"text","text":"x"}]}]}`,
				`{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"x"}]},"configuration":{"blocking":false,"historyLength":1}}}`,
				`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"x","historyLength":1}}`,
				`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
				`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"message":"x","runId":"y"}}}`,
			} {
				if method == http.MethodPost {
					fields([]byte(example), func(make func(string) string) {
						for range 5 {
							r := g.at(method, path, make(next(garbage)))
							r.Header.Set("Accept", "application/json, text/event-stream")
							g.throw(r)
						}
					})
				}
			}
		}
		tools := g.tools(next)
		p.Settled()
		kept := g.kept()
		if g.sent < 4_000 || g.refused < g.sent/2 || g.fields < 150 || tools < 10 || kept < 100 {
			t.Errorf("%d requests were sent, %d refused, %d for a field; %d tools were called, and %d documents are there", g.sent, g.refused, g.fields, tools, kept)
		}
	})
}

// named checks that an error names the field of a body that is unknown, or holds what no field
// takes.
func (g *thrower) named(method, to string, example []byte) {
	g.Helper()
	var body map[string]json.RawMessage
	if json.Unmarshal(example, &body) != nil || strings.HasPrefix(to, "docs/") || strings.HasSuffix(to, "/decision") || to == "login" {
		return // a list, any document, a call that has ended, and guesses, which are limited
	}
	for _, field := range append(slices.Sorted(maps.Keys(body)), "nonsense") {
		sent := maps.Clone(body)
		sent[field] = json.RawMessage(`[[{"x":[[1]]}]]`)
		status, text := g.throw(g.at(method, to, encoded(g, sent)))
		var answer struct {
			Error struct {
				Code    string
				Details struct{ Field string }
			}
		}
		if status == http.StatusBadRequest && (json.Unmarshal([]byte(text), &answer) != nil || answer.Error.Code != "invalid" || !strings.HasPrefix(answer.Error.Details.Field, field)) ||
			field == "nonsense" && status != http.StatusBadRequest {
			g.Errorf("%s %s with %s: %d %.400s", method, to, field, status, text)
		}
		if status == http.StatusBadRequest {
			g.fields++
		}
	}
}

// fields calls fn for each value in an example with what makes a body with another value there.
func fields(example []byte, fn func(make func(value string) string)) {
	var value any
	if json.Unmarshal(example, &value) != nil {
		return
	}
	const here = "garbage-stands-here"
	var walk func(v any, set func(any))
	walk = func(v any, set func(any)) {
		set(here)
		text, err := json.Marshal(value)
		if err != nil {
			panic(err) // it was decoded
		}
		fn(func(value string) string { return strings.Replace(string(text), `"`+here+`"`, value, 1) })
		set(v)
		switch v := v.(type) {
		case []any:
			for i := range v {
				walk(v[i], func(to any) { v[i] = to })
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				walk(v[name], func(to any) { v[name] = to })
			}
		}
	}
	walk(value, func(to any) { value = to })
}

// tools calls each tool with garbage, and returns how many there are. A model would be told
// the error.
func (g *thrower) tools(next func([]string) string) int {
	g.Helper()
	var list struct {
		Items []struct {
			Name       string
			Parameters struct{ Properties map[string]json.RawMessage }
		}
	}
	g.Into(&list, 200, "GET", "tools", "")
	for _, made := range list.Items {
		bodies := slices.Clone(garbage)
		for _, name := range slices.Sorted(maps.Keys(made.Parameters.Properties)) {
			for range 6 {
				bodies = append(bodies, `{"`+name+`":`+next(garbage)+`}`)
			}
		}
		for _, arguments := range bodies {
			status, text := g.throw(g.at("POST", "tools/"+made.Name+"/call", `{"arguments":`+arguments+`}`))
			if found := ofGo.FindString(text); status < 300 && strings.Contains(text, `"failed"`) && found != "" {
				g.Errorf("%s of %.60s says %q: %s", made.Name, arguments, found, text)
			}
		}
	}
	return len(list.Items)
}

// errorField is a field that says why something failed.
var errorField = regexp.MustCompile(`"(error|lastError|failureReason|reason|notice|errors|problems|message|result|output)":\s*(\["|")(?:[^"\\]|\\.)*"`)

// look finds what a document or an answer says of a failure.
func (g *thrower) look(where, text string) {
	for _, told := range errorField.FindAllString(text, -1) {
		if found := ofGo.FindString(told); found != "" {
			g.Errorf("%s has %q: %s", where, found, told)
		}
	}
}

// kept looks at the documents that there are of every kind, and returns how many.
func (g *thrower) kept() (n int) {
	g.Helper()
	var schemas map[string]json.RawMessage
	g.Into(&schemas, 200, "GET", "schemas", "")
	for kind := range schemas {
		var page struct{ Items []json.RawMessage }
		res, text := g.Send(g.Request("POST", "query", `{"flat":"`+kind+`","limit":500}`))
		if res.StatusCode != 200 || json.Unmarshal([]byte(text), &page) != nil {
			continue
		}
		n += len(page.Items)
		for _, item := range page.Items {
			g.look(kind, string(item))
		}
	}
	g.look("jobs", g.Wants(200, "GET", "jobs?state=dead&limit=500", ""))
	return n
}
