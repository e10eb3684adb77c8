package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	nestord "github.com/nestorhq/nestor/server"
)

// Whatever the description of the API requires of a request is refused when it is missing or
// null, at every route and any depth, and the answer names it. Whatever it does not require
// may be missing.
func TestWhatTheDescriptionRequiresIsRefusedWhenMissing(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg nestord.Config) {
		cfg.Model = demo.New(demo.Options{Instant: true})
		p := servertest.Enter(t, cfg)
		there := settle(p, "local", "word")
		maps.Copy(there, everybodys)
		there["replication"] = "chats" // which lie below nothing that a request would have to name
		var api described
		p.Into(&api, 200, "GET", "openapi.json", "")
		refused, taken := 0, 0
		operations(p, func(method, path string, op operation) {
			e := &exampleRequest{Person: p, method: method, path: path, to: there.at(t, path), query: url.Values{}}
			for _, q := range op.Parameters {
				if q.In == "query" && q.Required {
					e.query.Set(q.Name, fmt.Sprint(q.Example))
				}
			}
			content := op.RequestBody.Content["application/json"]
			if content.Schema != nil && json.Unmarshal(content.Example, &e.body) != nil {
				t.Fatalf("%s %s: the example is %s", method, path, content.Example)
			}
			for name, value := range maps.Clone(e.query) {
				delete(e.query, name)
				e.refused(name, "missing")
				e.query[name] = value
			}
			var optional []property
			api.properties(content.Schema, e.body, "", func(p property) {
				if !p.required {
					optional = append(optional, p)
					return
				}
				value, is := p.object[p.name]
				if !is {
					t.Errorf("%s %s: the example lacks %s", method, path, p.path)
				}
				delete(p.object, p.name)
				e.refused(p.path, "missing")
				if p.object[p.name] = nil; !p.nullable {
					e.refused(p.path, "null")
				}
				p.object[p.name] = value
			})
			refused += e.asked
			if callsProvider.MatchString(path) || method != http.MethodGet && content.Schema == nil {
				return
			}
			e.taken("all of it")
			var left []string
			for _, p := range optional {
				delete(p.object, p.name)
				if !slices.Contains(dependent, method+" "+path+" "+p.path) {
					left = append(left, p.path)
				}
			}
			e.taken("what is required", left...)
			taken++
		})
		if refused < 300 || taken < 100 {
			t.Errorf("%d requests were refused for what is missing, and %d routes had all", refused, taken)
		}
	})
}

// dependent are properties that other parts of a request, or what is stored, make necessary: a
// schema cannot say so.
var dependent = []string{
	"POST chats/{chat}/tasks args",                                      // as the tool says
	"PUT models/{id} secret",                                            // was given for another address
	"PUT models/{id} modelId", "POST records/model_connections modelId", // of all formats but demo
	"POST records/agent_graph_executions/{execution}/rerun from", // where no node failed
}

// exampleRequest is that of a route in the description.
type exampleRequest struct {
	*servertest.Person
	method, path, to string
	query            url.Values
	body             any
	asked            int
}

// send returns the status and, unless the answer is a stream, what it says.
func (e *exampleRequest) send() (int, string) {
	e.Helper()
	body := ""
	if e.body != nil {
		body = encoded(e, e.body)
	}
	r := e.Request(e.method, e.to, body)
	r.URL.RawQuery = e.query.Encode()
	res := e.Open(r)
	defer res.Body.Close()
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		return res.StatusCode, ""
	}
	text, err := io.ReadAll(res.Body)
	if err != nil {
		e.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// refused reports an answer that does not say what is wrong with a field.
func (e *exampleRequest) refused(field, what string) {
	e.Helper()
	e.asked++
	if status, text := e.send(); status != http.StatusBadRequest || wrongField(text) != field {
		e.Errorf("%s %s with %s %s: %d %.300s", e.method, e.path, field, what, status, text)
	}
}

// taken reports an answer that says that something is missing, such as a field that was left
// out.
func (e *exampleRequest) taken(what string, left ...string) {
	e.Helper()
	status, text := e.send()
	missing := strings.Contains(text, ` is missing"`) || strings.Contains(text, ` must not be null"`) || slices.Contains(left, wrongField(text))
	if status == http.StatusBadRequest && (missing || e.method == http.MethodGet) {
		e.Errorf("%s %s with %s: %d %.300s", e.method, e.path, what, status, text)
	}
}

// wrongField is the field that an answer says is wrong.
func wrongField(answer string) string {
	var told struct {
		Error struct {
			Code    string
			Details struct{ Field string }
		}
	}
	if json.Unmarshal([]byte(answer), &told) != nil || told.Error.Code != "invalid" {
		return ""
	}
	return told.Error.Details.Field
}

// property is one of an object in an example.
type property struct {
	object map[string]any
	name   string
	// path is how errors call it.
	path               string
	required, nullable bool
}

// properties calls fn with each property of a value that a schema has, outermost first, and
// with those that the schema requires and the value lacks.
func (d *described) properties(s *jsonschema.Schema, value any, path string, fn func(property)) {
	for _, s := range d.alternatives(s) {
		switch value := value.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
				inner, at := s.Properties[name], strings.TrimPrefix(path+"."+name, ".")
				required := slices.Contains(s.Required, name)
				if within, there := value[name]; there || required {
					fn(property{value, name, at, required, d.nullable(inner)})
					d.properties(inner, within, at, fn)
				}
			}
		case []any:
			for i, item := range value {
				d.properties(s.Items, item, fmt.Sprintf("%s[%d]", path, i), fn)
			}
		}
	}
}

// alternatives are the schemas of which a value has one.
func (d *described) alternatives(s *jsonschema.Schema) (all []*jsonschema.Schema) {
	if s == nil {
		return nil
	}
	s = d.named(s)
	for _, one := range s.AnyOf {
		all = append(all, d.alternatives(one)...)
	}
	return append(all, s)
}

func (d *described) nullable(s *jsonschema.Schema) bool {
	return slices.ContainsFunc(d.alternatives(s), func(s *jsonschema.Schema) bool {
		anything := s.Type == "" && s.Types == nil && s.AnyOf == nil
		return anything || s.Type == "null" || slices.Contains(s.Types, "null")
	})
}
