package httpapi_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/agent"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/tool/builtin"
	"github.com/nestorhq/nestor/internal/trigger"
)

// described is the API as its description has it.
type described struct {
	OpenAPI    string
	Tags       []struct{ Name, Description string }
	Paths      map[string]map[string]*call
	Components struct {
		Schemas   map[string]*jsonschema.Schema
		Responses map[string]*answer
	}

	resolved map[*jsonschema.Schema]*jsonschema.Resolved // by schema, for it takes long
}

type call struct {
	OperationID string
	Summary     string
	Description string
	Tags        []string
	Security    *[]any
	Parameters  []struct {
		Name, In, Description string
		Schema                *jsonschema.Schema
		Example               json.RawMessage
	}
	RequestBody *struct {
		Required bool
		Content  map[string]struct {
			Schema  *jsonschema.Schema
			Example json.RawMessage
		}
	}
	Responses map[string]*answer

	method, path string
}

type answer struct {
	Ref     string `json:"$ref"`
	Content map[string]struct {
		Schema *jsonschema.Schema
		Events map[string]*jsonschema.Schema `json:"x-events"`
	}
}

// describe reads the description. References become such that a schema
// resolves by itself.
func describe(t *testing.T) *described {
	t.Helper()
	d := &described{resolved: map[*jsonschema.Schema]*jsonschema.Resolved{}}
	text := bytes.ReplaceAll(openAPI(), []byte("#/components/schemas/"), []byte("#/$defs/"))
	if err := json.Unmarshal(text, d); err != nil {
		t.Fatal(err)
	}
	for path, calls := range d.Paths {
		for method, c := range calls {
			c.method, c.path = strings.ToUpper(method), path
			for status, a := range c.Responses {
				if name, ok := strings.CutPrefix(a.Ref, "#/components/responses/"); ok {
					c.Responses[status] = d.Components.Responses[name]
				}
			}
		}
	}
	return d
}

// calls are all operations in the order of their names.
func (d *described) calls() (all []*call) {
	for _, calls := range d.Paths {
		for _, c := range calls {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b *call) int { return strings.Compare(a.OperationID, b.OperationID) })
	return all
}

// check validates JSON by a schema of the description.
func (d *described) check(t testing.TB, s *jsonschema.Schema, text []byte) {
	t.Helper()
	resolved := d.resolved[s]
	if resolved == nil {
		whole := s.CloneSchemas()
		whole.Defs = map[string]*jsonschema.Schema{}
		d.collect(t, s, whole.Defs)
		var err error
		if resolved, err = whole.Resolve(nil); err != nil {
			t.Fatal(err)
		}
		d.resolved[s] = resolved
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if err := resolved.Validate(value); err != nil {
		t.Errorf("%s is not as described: %v", text, err)
	}
}

var reference = regexp.MustCompile(`"#/\$defs/(\w+)"`)

// collect finds the components that a schema refers to, and those that these do.
func (d *described) collect(t testing.TB, s *jsonschema.Schema, into map[string]*jsonschema.Schema) {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range reference.FindAllSubmatch(text, -1) {
		name := string(m[1])
		if into[name] == nil && d.Components.Schemas[name] != nil {
			into[name] = d.Components.Schemas[name].CloneSchemas()
			d.collect(t, into[name], into)
		}
	}
}

// target is the URL of a call with the examples of its parameters, and with
// the given one instead.
func (c *call) target(t testing.TB, instead ...string) string {
	t.Helper()
	path, query := c.path, url.Values{}
	for _, p := range c.Parameters {
		if len(p.Example) == 0 {
			continue
		}
		var value any
		if err := json.Unmarshal(p.Example, &value); err != nil {
			t.Fatal(err)
		}
		list, ok := value.([]any)
		if !ok {
			list = []any{value}
		}
		var values []string
		for _, v := range list {
			values = append(values, fmt.Sprint(v))
		}
		switch p.In {
		case "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", values[0])
		case "query":
			query[p.Name] = values
		}
	}
	for i := 0; i < len(instead); i += 2 {
		query.Set(instead[i], instead[i+1])
	}
	return strings.TrimPrefix(path, "/api/v1") + "?" + query.Encode()
}

// example is the body of the call's example, "" for none.
func (c *call) example() string {
	if c.RequestBody == nil {
		return ""
	}
	return string(c.RequestBody.Content["application/json"].Example)
}

// withJobs is a store that always has a job, and a dead one to revive and to discard.
type withJobs struct{ store.Store }

func (withJobs) Jobs(context.Context, store.JobFilter) ([]nestor.Job, error) {
	after := &nestor.Document{Path: "users/local/orch-chats/c1/messages/m1", Version: 1, Seq: 1, Data: json.RawMessage(`{"role":"user"}`)}
	return []nestor.Job{{
		ID: "x1", Key: "k", Trigger: "on-user-message", State: nestor.JobDead, Attempt: 3, Error: "no", Owner: "n1",
		Change: nestor.Change{Type: nestor.Create, Path: after.Path, Seq: 1, Version: 1, After: after},
	}}, nil
}

func (withJobs) Revive(context.Context, string) error { return nil }

func (withJobs) Discard(context.Context, string) error { return nil }

type builtinTools []*tool.Tool

func (b builtinTools) Tools(context.Context) ([]*tool.Tool, error) {
	return b, fmt.Errorf("a source of tools cannot be asked")
}

func (builtinTools) LeftOut() []tool.LeftOut { return nil }

// whole is an API with everything in it that the examples are about.
func whole(t testing.TB, open engines.Database, change ...func(*httpapi.Options)) *api {
	t.Helper()
	triggers, err := trigger.New(agent.Triggers().Triggers, trigger.Options{BuiltIn: agent.Triggers()})
	if err != nil {
		t.Fatal(err)
	}
	proxies, err := access.ParseProxies([]string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	a := serve(t, open, setup{triggers: triggers, gate: func(o *access.Options) { o.Proxies = proxies }, api: func(o *httpapi.Options) {
		o.Writes = access.LimiterOptions{PerSecond: 1e6, Burst: 1e6} // there are many requests
		o.Store, o.Tools = withJobs{o.Store}, builtinTools(builtin.Tools(builtin.Options{}))
		for _, fn := range change {
			fn(o)
		}
	}})
	a.seed("local", "c1")
	a.write(
		"users/local/notes/n1", `{"text":"hello"}`,
		"users/local", `{"name":"Local","admin":true,"disabled":false}`,
		"users/local/sessions/x1", `{"refreshedAt":1,"expiresAt":2}`,
		"users/local/model-connections/spare", spareConnection,
		"users/local/keys/x1", `{"name":"k","scopes":["read"],"hint":"abcd"}`,
		"users/local/usage/2026-11-02", `{"inputTokens":1,"outputTokens":2,"costMicros":3,"calls":1,"models":{}}`,
		"account-limits/acc1", `{"jobs":5}`, "accounts/acc1", `{"name":"A","personal":false,"createdBy":"local","members":{"local":"owner","ada":"viewer"}}`,
		"accounts/acc1/projects/acc1.p1", `{"accountId":"acc1","name":"P","createdBy":"local"}`,
		"accounts/acc1/invitations/ada", `{"accountId":"acc1","accountName":"A","userId":"ada","role":"member","invitedBy":"ada","expiresAt":4102444800000}`, "users/ada/invitations/acc1", `{}`,
		"accounts/acc2", `{"name":"A","personal":false,"createdBy":"ada","members":{"ada":"owner"}}`,
		"accounts/acc2/invitations/local", `{"accountId":"acc2","accountName":"A","userId":"local","role":"member","invitedBy":"ada","expiresAt":4102444800000}`, "users/local/invitations/acc2", `{}`,
		"accounts/acc3/invitations/local", `{"accountId":"acc3","accountName":"A","userId":"local","role":"member","invitedBy":"ada","expiresAt":4102444800000}`, "users/local/invitations/acc3", `{}`,
	)
	for _, id := range []string{"ada", "alan"} {
		if _, err := a.gate.AddUser(t.Context(), access.NewUser{ID: id}, examplePassword); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

const spareConnection = `{"name":"Spare","accessFormat":"demo","modelId":"demo"}`

// examplePassword is what the examples say to log in.
const examplePassword = "a long enough password"

// sender is who makes the call of an example, in headers: the person who runs
// the server, unless it is about somebody's session.
func (c *call) sender(a *api) []string {
	a.Helper()
	tokens := func(user string) access.Tokens {
		t, err := a.gate.Login(a.Context(), user, examplePassword, access.Client{})
		if err != nil {
			a.Fatal(err)
		}
		return t
	}
	switch c.OperationID {
	case "putPassword":
		return []string{"Authorization", "Bearer " + tokens("ada").Access}
	case "refresh":
		cookie := access.RefreshCookie(a.server.Listener.Addr().String()) + "=" + tokens("alan").Refresh
		return []string{"Authorization", "", "Sec-Fetch-Site", "same-origin", "Cookie", cookie}
	}
	return nil
}

func TestEveryRouteIsDescribed(t *testing.T) {
	t.Parallel()
	d := describe(t)
	if d.OpenAPI != "3.1.0" {
		t.Errorf("it is OpenAPI %s", d.OpenAPI)
	}
	var described []string
	ids, tags := map[string]bool{}, map[string]string{}
	for _, tag := range d.Tags {
		if tags[tag.Name] != "" {
			t.Errorf("the tag %s is there twice", tag.Name)
		}
		tags[tag.Name] = tag.Description
	}
	for _, c := range d.calls() {
		described = append(described, c.method+" "+c.path)
		if c.OperationID == "" || c.Summary == "" || ids[c.OperationID] {
			t.Errorf("%s %s: no id, no summary, or the id of another", c.method, c.path)
		}
		if !strings.HasSuffix(c.Description, ".") || strings.Contains(c.Description, c.Summary) {
			t.Errorf("%s: %q says no more than %q", c.OperationID, c.Description, c.Summary)
		}
		if len(c.Tags) != 1 || tags[c.Tags[0]] == "" {
			t.Errorf("%s has the tags %q: name one, and describe it", c.OperationID, c.Tags)
		}
		ids[c.OperationID] = true
		for _, p := range c.Parameters {
			if p.Description == "" || p.Schema == nil {
				t.Errorf("%s: the parameter %s is not described: add it to pathParameters", c.OperationID, p.Name)
			}
			if p.Example != nil {
				d.check(t, p.Schema, p.Example)
			}
		}
	}
	for _, pattern := range httpapi.Patterns(routes) {
		pattern = strings.ReplaceAll(pattern, "...}", "}")
		if i := slices.Index(described, pattern); i >= 0 {
			described = slices.Delete(described, i, i+1)
		} else {
			t.Errorf("%s is not described", pattern)
		}
	}
	if len(described) > 0 {
		t.Errorf("described without a route: %v", described)
	}
}

// What allows everything is described like the rest: generators of code do not
// expect the schema true.
func TestNoSchemaIsTrue(t *testing.T) {
	t.Parallel()
	var value any
	if err := json.Unmarshal(openAPI(), &value); err != nil {
		t.Fatal(err)
	}
	var look func(at string, value any)
	look = func(at string, value any) {
		object, _ := value.(map[string]any)
		for key, child := range object {
			_, isBool := child.(bool)
			if isBool && (strings.HasSuffix(at, "/properties") || key == "items" || key == "schema" || strings.HasSuffix(at, "/schemas")) {
				t.Errorf("%s/%s is %v", at, key, child)
			}
			if key != "example" {
				look(at+"/"+key, child)
			}
		}
		list, _ := value.([]any)
		for _, child := range list {
			look(at+"/-", child)
		}
	}
	look("", value)
}

func TestTheCallsAboutAUserSaySo(t *testing.T) {
	t.Parallel()
	takes := func(pattern string) bool {
		return slices.ContainsFunc(requests, func(r row) bool { return r.pattern == pattern && strings.Contains(r.path, "?user=olga") })
	}
	for _, c := range describe(t).calls() {
		says := false
		for _, p := range c.Parameters {
			says = says || p.In == "query" && p.Name == "user"
		}
		if pattern := c.method + " " + c.path; says != takes(pattern) {
			t.Errorf("%s is about a user: %v, described: %v", pattern, takes(pattern), says)
		}
	}
}

func TestTheExamplesOfTheDescriptionWork(t *testing.T) {
	t.Parallel()
	d := describe(t)
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := whole(t, open)
		calls := d.calls()
		slices.SortStableFunc(calls, func(a, b *call) int { // what deletes comes last
			return strings.Compare(strconv.FormatBool(a.method == "DELETE"), strconv.FormatBool(b.method == "DELETE"))
		})
		for _, c := range calls {
			t.Run(c.OperationID, func(t *testing.T) {
				d.drive(a.in(t), c)
			})
		}
	})
}

// drive makes the call of the example and compares the answer with what is
// described for its status.
func (d *described) drive(a *api, c *call) {
	if c.RequestBody != nil {
		d.check(a.TB, c.RequestBody.Content["application/json"].Schema, []byte(c.example()))
	}
	res := a.request(c.method, c.target(a.TB), c.example(), c.sender(a)...)
	answer := c.Responses[strconv.Itoa(res.StatusCode)]
	if answer == nil || res.StatusCode >= 400 {
		text, _ := io.ReadAll(res.Body)
		a.Fatalf("the answer is %d %s", res.StatusCode, text)
	}
	if stream, ok := answer.Content["text/event-stream"]; ok {
		if res.Header.Get("Content-Type") != "text/event-stream" {
			a.Fatalf("the answer is %s", res.Header.Get("Content-Type"))
		}
		if c.OperationID == "followModelConnections" { // it tells of what happens from now on
			at := "users/local/model-connections/new"
			a.write(at+"1", spareConnection, at+"2", spareConnection, at+"3", spareConnection)
		}
		if stream.Events != nil {
			d.stream(a, res, stream.Events)
		}
		return
	}
	text, err := io.ReadAll(res.Body)
	if err != nil {
		a.Fatal(err)
	}
	if answer.Content == nil {
		if len(text) > 0 {
			a.Errorf("the answer has a body: %s", text)
		}
		return
	}
	d.check(a.TB, answer.Content["application/json"].Schema, text)
}

// stream compares some events.
func (d *described) stream(a *api, res *http.Response, schemas map[string]*jsonschema.Schema) {
	s := &events{TB: a.TB, body: bufio.NewReader(res.Body)}
	for range 3 {
		e := s.next()
		if schemas[e.name] == nil {
			a.Fatalf("the event %s is not described", e.name)
		}
		d.check(a.TB, schemas[e.name], []byte(e.data))
	}
}

func TestRequestsThatAreNotAsDescribedAreRefused(t *testing.T) {
	t.Parallel()
	d := describe(t)
	a := whole(t, engines.SQLite(t))
	refused := func(c *call, why, target, body string) {
		t.Helper()
		if status, text := a.call(c.method, target, body); status != 400 || !strings.Contains(text, `"code":"invalid"`) {
			t.Errorf("%s with %s: %d %s", c.OperationID, why, status, text)
		}
	}
	for _, c := range d.calls() {
		for _, p := range c.Parameters {
			if p.In == "query" && (p.Schema.Type == "integer" || p.Schema.Enum != nil) {
				refused(c, "a wrong "+p.Name, c.target(t, p.Name, "nonsense"), c.example())
			}
		}
		if c.RequestBody == nil {
			continue
		}
		schema := c.RequestBody.Content["application/json"].Schema
		if name, ok := strings.CutPrefix(schema.Ref, "#/$defs/"); ok {
			schema = d.Components.Schemas[name]
			refused(c, "a field too many", c.target(t), with(t, c.example(), "nonsense", 1))
		}
		if c.OperationID == "login" || c.OperationID == "putPassword" {
			continue // a password that is missing is a wrong one
		}
		for _, field := range schema.Required {
			refused(c, "no "+field, c.target(t), with(t, c.example(), field, nil))
		}
		refused(c, "a text", c.target(t), `"text"`)
		if c.RequestBody.Required {
			refused(c, "no body", c.target(t), "")
		}
	}
}

// with is an object with a field set, or without it.
func with(t *testing.T, object, field string, value any) string {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(object), &fields); err != nil {
		t.Fatal(err)
	}
	if fields[field] = value; value == nil {
		delete(fields, field)
	}
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheDescriptionSaysWhichCallsNeedAToken(t *testing.T) {
	t.Parallel()
	d := describe(t)
	a := whole(t, engines.SQLite(t))
	for _, c := range d.calls() {
		open := c.Security != nil && len(*c.Security) == 0
		header := []string{"Authorization", ""}
		if c.OperationID == "refresh" {
			header = c.sender(a)
		}
		status, text := a.call(c.method, c.target(t), c.example(), header...)
		if denied := status == 401 && strings.Contains(text, `"code":"unauthenticated"`); denied == open {
			t.Errorf("%s: %d %s", c.OperationID, status, text)
		}
	}
}

func TestEveryErrorCodeIsDescribed(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(gotoken.NewFileSet(), "../../errors.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	codes := []any{}
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(v.Names[0].Name, "Code") {
			code, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			codes = append(codes, code)
		}
		return true
	})
	described := describe(t).Components.Schemas["ErrorCode"].Enum
	for _, code := range codes {
		if !slices.Contains(described, code) {
			t.Errorf("%s is not described, and has no status", code)
		}
	}
	if len(codes) < 10 || len(described) != len(codes) {
		t.Errorf("%d codes, %d described", len(codes), len(described))
	}
}
