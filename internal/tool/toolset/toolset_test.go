package toolset

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/tool/builtin"
)

func TestMain(m *testing.M) { testmain.Run(m) }

const token = "ghp_0123456789secret"

func env(name string) (string, bool) {
	if name == "GITHUB_TOKEN" {
		return token, true
	}
	return os.LookupEnv(name)
}

func builtins() []*tool.Tool { return builtin.Tools(builtin.Options{TavilyKey: "tvly-secret"}) }

func names(r *tool.Registry) []string {
	var list []string
	for _, o := range r.Offer() {
		list = append(list, o.Name)
	}
	return list
}

// Nothing that would certainly fail is offered to a model; people see it, and what it needs.
func TestToolsThatLackAVariableAreNotOffered(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "t.json"), []byte(`{"http": [
		{"name": "open", "url": "https://a.example/"},
		{"name": "closed", "url": "https://a.example/", "headers": {"Authorization": "Bearer ${NESTOR_TEST_NOT_SET}"}}
	]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(filepath.Join(dir, "t.json"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), c, Options{Builtin: builtin.Tools(builtin.Options{}), Env: env})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, patterns := range [][]string{nil, {"*"}, {"closed", "tavily_search", "open"}} {
		got := names(s.ForRole(t.Context(), "general", patterns))
		if slices.Contains(got, "closed") || slices.Contains(got, "tavily_search") || !slices.Contains(got, "open") {
			t.Errorf("offered for %q: %q", patterns, got)
		}
	}
	needs := map[string]string{}
	tools, err := s.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	registry := tool.NewRegistry(tools, tool.Options{})
	for name, made := range registry.All() {
		needs[name] = made.Needs
	}
	for name, want := range map[string]string{"open": "", "calculator": "", "closed": "NESTOR_TEST_NOT_SET", "tavily_search": "TAVILY_API_KEY"} {
		if got, listed := needs[name]; !listed || (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s needs %q (listed: %v), want %q", name, got, listed, want)
		}
	}
	result := registry.Execute(t.Context(), tool.Call{Name: "unknown"})
	if strings.Contains(result.Error, "closed") || !strings.Contains(result.Error, "open") {
		t.Errorf("a model is told of tools that it is not offered: %s", result.Error)
	}
}

func TestTheExampleFileWorks(t *testing.T) {
	c, err := Load(filepath.Join("..", "..", "..", "examples", "tools.json"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), c, Options{Builtin: builtins(), Env: func(string) (string, bool) { return token, true }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for role, want := range map[string][]string{
		"researcher": {
			"calculator", "current_time", "web_fetch", "tavily_search", "search_documents", "read_result",
			"weather_forecast", "search_library", "holidays_is_today", "holidays_public_holidays",
		},
		"anything": {"calculator", "current_time", "web_fetch", "tavily_search", "search_documents", "read_result"},
	} {
		if got := names(s.ForRole(t.Context(), role, nil)); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", role, got, want)
		}
	}
	for _, made := range s.fixed {
		if made.Name == "create_issue" && (made.Effect != tool.Once || !made.NeedsApproval) {
			t.Errorf("create_issue: %+v", made.Spec)
		}
		if made.Name == "weather_forecast" && (made.Effect != tool.Pure || made.Timeout != 10*time.Second) {
			t.Errorf("weather_forecast: %+v", made.Spec)
		}
		if made.Name == "search_library" && (made.Effect != tool.Pure || made.OutputLimit != 32<<10) {
			t.Errorf("search_library: %+v", made.Spec)
		}
	}
}

func TestProblemsAreNamedWithFilePositionAndEntry(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"no JSON", "{\n  \"http\": [,]\n}", "t.json:2:12: invalid character ',' looking for beginning of value"},
		{"an unfinished file", "{\n  \"http\": [", "t.json:2:11: unexpected end of JSON input"},
		{"a list instead of an object", "[]", "t.json:1:1: this must be an object, not a JSON array"},
		{"an unknown section", "{\n  \"htpp\": []\n}", `t.json:2:3: there is no section "htpp"; the sections are http, openapi, mcp, mcpServers, overrides, roles`},
		{"a section of the wrong kind", "{\"roles\": []}", "t.json:1:11: roles must begin with {"},
		{"an entry of the wrong kind", "{\"http\": [5]}", "t.json:1:11: http[0]: this must be an object, not a JSON number"},
		{
			"an unknown field", "{\"http\": [\n  {\"name\": \"a\", \"url\": \"https://a.example\"},\n  {\"name\": \"b\", \"uri\": \"x\"}\n]}",
			`t.json:3:17: http[1] "b": there is no field "uri"`,
		},
		{"a field of the wrong type", "{\"http\": [\n  {\"name\": \"b\",\n   \"method\": 5}\n]}", `t.json:3:14: http[0] "b": method must be a string, not a JSON number`},
		{"a duration of the wrong type", `{"http": [{"name": "b", "timeout": 5}]}`, `t.json:1:11: http[0] "b": a duration is a string such as "10s", not 5`},
		{"a bad effect", "{\n\"http\": [{\"name\": \"b\", \"url\": \"https://a.example\", \"effect\": \"twice\"}]}", `t.json:2:10: http[0] "b": effect "twice" is not pure, idempotent or once`},
		{"a bad address", `{"http": [{"name": "b", "url": "https://{host}/"}]}`, `t.json:1:11: http[0] "b": url "https://{host}/" must start with`},
		{"a bad schema", `{"http": [{"name": "b", "url": "https://a.example", "parameters": {"type": "string"}}]}`, `http[0] "b": the parameters are a schema of type "string"`},
		{"a bad XML place", `{"http": [{"name": "b", "url": "https://a.example", "xml": {"places": {"q": "inside"}}}]}`, `http[0] "b": "inside" is not attribute, attribute:NAME, element, element:NAME, text or root`},
		{"an XML form of another tool", `{"http": [{"name": "b", "url": "https://a.example", "xml": {"places": {"p": "text"}}}]}`, `http[0] "b": tool b: its XML form places a parameter "p" that the schema does not have`},
		{"a bad OpenAPI entry", `{"openapi": [{"file": "a.json", "url": "https://a.example"}]}`, `t.json:1:14: openapi[0] "a.json": give either file or url`},
		{"a bad MCP entry", `{"mcp": [{"name": "x"}]}`, `t.json:1:10: mcp[0] "x": give either command or url`},
		{"two MCP servers of one name", `{"mcp": [{"name": "x", "command": "a"}, {"name": "x", "command": "b"}]}`, `t.json:1:41: mcp[1] "x": another MCP server has this name`},
		{"an override of nothing", `{"overrides": [{"effect": "pure"}]}`, "t.json:1:16: overrides[0]: tools is missing"},
		{"an override with a bad setting", `{"overrides": [{"tools": ["*"], "outputLimit": -1}]}`, "overrides[0]: outputLimit -1 is negative"},
		{"a bad glob", `{"overrides": [{"tools": ["a["]}]}`, `overrides[0]: "a[" is not a name or a glob`},
		{"a role without tools", `{"roles": {"r": {}}}`, "t.json:1:17: roles.r: tools is missing"},
		{"a role twice", `{"roles": {"r": {"tools": []}, "r": {"tools": []}}}`, "t.json:1:37: roles.r: the role is there twice"},
		{"an unknown field in a role", `{"roles": {"r": {"tool": []}}}`, `t.json:1:18: roles.r: there is no field "tool"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parse("t.json", []byte(tt.text))
			if err == nil || !strings.HasPrefix(err.Error(), "t.json:") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestAllProblemsOfAFileAreListed(t *testing.T) {
	_, err := parse("t.json", []byte(`{"http": [{"name": "a"}, {"url": "https://a.example"}], "mcp": [{"name": "m"}]}`))
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("got %v", err)
	}
}

func TestAMissingFileIsSaidSo(t *testing.T) {
	if _, err := Load(filepath.Join(t.TempDir(), "none.json")); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("got %v", err)
	}
}

func load(t *testing.T, text string) *Config {
	t.Helper()
	file := filepath.Join(t.TempDir(), "t.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestOpenChecksWhatNeedsAllNames(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a name that a built-in tool has", `{"http": [{"name": "calculator", "url": "https://a.example"}]}`, `t.json:1:11: http[0] "calculator": the tool calculator is there already, from the built-in tools`},
		{"a name twice", `{"http": [{"name": "a", "url": "https://a.example"}, {"name": "a", "url": "https://b.example"}]}`, `http[1] "a": the tool a is there already, from `},
		{"an unknown tool in a role", `{"roles": {"r": {"tools": ["web_fetsh"]}}}`, `t.json:1:17: roles.r: there is no tool "web_fetsh"`},
		{"an unknown tool in an override", `{"overrides": [{"tools": ["web_fetsh"]}]}`, `overrides[0]: there is no tool "web_fetsh"`},
		{"an XML form that does not fit", `{"overrides": [{"tools": ["calculator"], "xml": {"places": {"sum": "text"}}}]}`, `overrides[0]: tool calculator: its XML form places a parameter "sum"`},
		{"a missing document", `{"openapi": [{"file": "none.json"}]}`, `t.json:1:14: openapi[0] "none.json": the document cannot be read`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Open(t.Context(), load(t, tt.text), Options{Builtin: builtins()})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestWithoutAFileEveryRoleHasTheBuiltInTools(t *testing.T) {
	s, err := Open(t.Context(), &Config{}, Options{Builtin: builtins()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := names(s.ForRole(t.Context(), "any", nil)); len(got) != 6 {
		t.Errorf("got %q", got)
	}
}

// mcpServer is an MCP server with two tools and more, and counts its requests.
func mcpServer(t *testing.T, more ...string) (*httptest.Server, *atomic.Int32) {
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	for _, name := range append(more, "read", "write") {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: name + " done"}}}, nil
			})
	}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	var requests atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		srv.Close()
		for session := range server.Sessions() { // of clients that left before they could say so
			_ = session.Close()
		}
	})
	return srv, &requests
}

func TestRolesOverridesAndServersTogether(t *testing.T) {
	srv, requests := mcpServer(t)
	c := load(t, fmt.Sprintf(`{
		"mcp": [{"name": "files", "url": %q, "allowPrivate": true}],
		"overrides": [
			{"tools": ["*"], "timeout": "5s"},
			{"tools": ["mcp_files_*", "calculator"], "needsApproval": true},
			{"tools": ["mcp_files_read"], "needsApproval": false, "effect": "pure"}
		],
		"roles": {
			"plain": {"tools": ["calculator", "mcp_other_*"]},
			"reader": {"tools": ["mcp_*_read", "calculator"]},
			"nothing": {"tools": []}
		}
	}`, srv.URL))
	s, err := Open(t.Context(), c, Options{Builtin: builtins()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	if got := names(s.ForRole(t.Context(), "plain", nil)); !slices.Equal(got, []string{"calculator"}) || requests.Load() != 0 {
		t.Errorf("plain: got %q after %d requests to a server it does not use", got, requests.Load())
	}
	if got := names(s.ForRole(t.Context(), "nothing", nil)); len(got) != 0 {
		t.Errorf("nothing: got %q", got)
	}
	r := s.ForRole(t.Context(), "reader", nil)
	if got := names(r); !slices.Equal(got, []string{"calculator", "mcp_files_read"}) {
		t.Fatalf("reader: got %q", got)
	}
	read, _ := r.Lookup("mcp_files_read")
	calculator, _ := r.Lookup("calculator")
	if read.Effect != tool.Pure || read.NeedsApproval || read.Timeout != 5*time.Second ||
		!calculator.NeedsApproval || calculator.Timeout != 5*time.Second {
		t.Errorf("got %+v and %+v", read.Spec, calculator.Spec)
	}
	if result := r.Execute(t.Context(), tool.Call{Name: "mcp_files_read"}); result.Output != "read done" {
		t.Errorf("got %+v", result)
	}
	if all, err := s.Tools(t.Context()); err != nil || len(all) != 8 {
		t.Errorf("got %d tools, %v", len(all), err)
	}
}

func TestAnUnreachableServerIsLoggedOnceAndTheRunGoesOn(t *testing.T) {
	var log bytes.Buffer
	c := load(t, `{"mcp": [{"name": "gone", "url": "http://127.0.0.1:1/mcp", "allowPrivate": true, "headers": {"Authorization": "${GITHUB_TOKEN}"}}]}`)
	s, err := Open(t.Context(), c, Options{Builtin: builtins(), Env: env, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 3 {
		if got := names(s.ForRole(t.Context(), "any", nil)); len(got) != 6 {
			t.Errorf("got %q", got)
		}
	}
	if n := strings.Count(log.String(), "MCP server cannot be reached"); n != 1 {
		t.Errorf("logged %d times: %s", n, log.String())
	}
	all, err := s.Tools(t.Context())
	if len(all) != 6 || nestor.CodeOf(err) != nestor.CodeUnavailable {
		t.Errorf("got %d tools, %v", len(all), err)
	}
}

// TestNoSecretIsShown drives every kind of tool against servers that echo the
// secret, and greps all that came out.
func TestNoSecretIsShown(t *testing.T) {
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/fail" {
			w.WriteHeader(http.StatusBadGateway)
		}
		fmt.Fprintf(w, "%s %s", r.URL, r.Header)
	}))
	defer echo.Close()
	dir := t.TempDir()
	doc := `{"openapi":"3.1.0","paths":{"/op":{"get":{"operationId":"op"}}}}`
	if err := os.WriteFile(filepath.Join(dir, "doc.json"), []byte(doc), 0o600); err != nil {
		t.Fatal(err)
	}
	c := load(t, fmt.Sprintf(`{
		"http": [
			{"name": "good", "url": "%[1]s/good?k=${GITHUB_TOKEN}", "headers": {"X-Key": "${GITHUB_TOKEN}"}, "allowPrivate": true},
			{"name": "fails", "url": "%[1]s/fail?k=${GITHUB_TOKEN}", "allowPrivate": true},
			{"name": "refused", "url": "%[1]s/x?k=${GITHUB_TOKEN}"},
			{"name": "nobody", "url": "http://127.0.0.1:1/${GITHUB_TOKEN}", "allowPrivate": true},
			{"name": "malformed", "url": "http://${GITHUB_TOKEN}:x/", "allowPrivate": true}
		],
		"openapi": [{"file": %[2]q, "baseURL": "%[1]s/${GITHUB_TOKEN}", "headers": {"X-Key": "${GITHUB_TOKEN}"}, "allowPrivate": true}],
		"mcp": [
			{"name": "dies", "command": "sh", "args": ["-c", "echo $K ${GITHUB_TOKEN} >&2; exit 1"], "env": {"K": "${GITHUB_TOKEN}"}},
			{"name": "nobody", "url": "http://127.0.0.1:1/${GITHUB_TOKEN}", "headers": {"X": "${GITHUB_TOKEN}"}, "allowPrivate": true}
		]
	}`, echo.URL, filepath.Join(dir, "doc.json")))

	var out bytes.Buffer
	s, err := Open(t.Context(), c, Options{Env: env, Logger: slog.New(slog.NewTextHandler(&out, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tools, err := s.Tools(t.Context())
	fmt.Fprintln(&out, err)
	registry := tool.NewRegistry(tools, tool.Options{})
	for _, offer := range registry.Offer() {
		fmt.Fprintf(&out, "%+v %s\n", offer, offer.Parameters)
		fmt.Fprintf(&out, "%+v\n", registry.Execute(t.Context(), tool.Call{Name: offer.Name}))
	}
	for _, made := range tools {
		fmt.Fprintf(&out, "%+v %+v\n", made, *made)
	}
	if text := out.String(); strings.Contains(text, token) || !strings.Contains(text, "${GITHUB_TOKEN}") {
		io.Copy(os.Stderr, &out)
		t.Error("the secret is shown, or its name is not")
	}
	if len(tools) != 6 {
		t.Errorf("%d tools were tried, want 6", len(tools))
	}
}

func FuzzParse(f *testing.F) {
	example, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "tools.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(example))
	f.Add(`{"http": [{"name": "b", "url": "https://a.example/{x}", "timeout": "5s"}], "roles": {"r": {"tools": ["a["]}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := parse("t.json", []byte(text)); err != nil && !strings.HasPrefix(err.Error(), "t.json:") {
			t.Errorf("%q: the error has no position: %v", text, err)
		}
	})
}

// As the documentation of other clients has them.
func TestServersAreTakenAsOtherClientsWriteThem(t *testing.T) {
	srv, _ := mcpServer(t)
	c := load(t, fmt.Sprintf(`{"mcpServers": {
		"brave_search": {"command": "npx", "args": ["-y", "@x/brave", "${env:GITHUB_TOKEN}"], "env": {"KEY": "${GITHUB_TOKEN}"}, "disabled": true, "autoApprove": ["search"]},
		"My Files!": {"type": "streamable-http", "url": %q, "headers": {"Authorization": "Bearer ${env:GITHUB_TOKEN}"}, "allowPrivate": true, "needsApproval": true},
		"local": {"type": "stdio", "command": "true", "cwd": "/", "enabled": false},
		"desk": {"serverUrl": %[1]q, "allowPrivate": true, "alwaysAllow": []}
	}}`, srv.URL))
	s, err := Open(t.Context(), c, Options{Env: env})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tools, err := s.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, made := range tools {
		got = append(got, made.Name)
		if strings.HasPrefix(made.Name, "mcp_My") != made.NeedsApproval {
			t.Errorf("%s: approval %t", made.Name, made.NeedsApproval)
		}
	}
	slices.Sort(got)
	if want := []string{"mcp_My-Files_read", "mcp_My-Files_write", "mcp_desk_read", "mcp_desk_write"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, server := range c.mcp {
		if server.value.Name == "My-Files" && server.value.Headers["Authorization"] != "Bearer ${GITHUB_TOKEN}" {
			t.Errorf("the header is %q", server.value.Headers["Authorization"])
		}
	}
}

func TestWhatOtherClientsWriteAndNobodyHereKnowsIsSaid(t *testing.T) {
	for name, c := range map[string]struct{ entry, want string }{
		"the old transport":           {`{"type": "sse", "url": "https://a.example"}`, "mcpServers.x: type sse is MCP's transport of before 2025"},
		"an unknown transport":        {`{"type": "carrier-pigeon", "url": "https://a.example"}`, "is neither stdio nor http"},
		"a prompt for a value":        {`{"command": "a", "env": {"K": "${input:key}"}}`, "${input:key} is filled in by other clients only"},
		"a restriction nobody obeys":  {`{"command": "a", "excludeTools": ["rm"]}`, `there is no field "excludeTools"`},
		"a time without a unit":       {`{"command": "a", "timeout": 60000}`, "a duration is a string"},
		"neither a command nor a URL": {`{}`, "give either command or url"},
		"an entry that is no object":  {`5`, "must be an object"},
	} {
		_, err := parse("t.json", []byte(`{"mcpServers": {"x": `+c.entry+`}}`))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "t.json:1:") {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
	_, err := parse("t.json", []byte(`{"mcpServers": {"a b": {"command": "x"}, "a_b": {"command": "y"}}}`))
	if err == nil || !strings.Contains(err.Error(), "another MCP server has this name") {
		t.Errorf("two servers of one name: %v", err)
	}
}

// Two tools that a model sees under one name, or one that it takes for the runtime's own,
// would be called for each other.
func TestNamesThatModelsWouldMixUpAreRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "doc.yaml"), []byte("openapi: 3.1.0\nservers: [{url: 'https://a.example'}]\npaths: {/p: {get: {operationId: final.answer}}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{"openapi": [{"file": "` + filepath.Join(dir, "doc.yaml") + `"}]}`:                                          `the tool final_answer is there already, from the runtime`,
		`{"http": [{"name": "a", "url": "https://a.example", "xml": {"tag": "final_answer"}}]}`:                      "http[0] \"a\": the tool a: the tag final_answer is one of the runtime",
		`{"overrides": [{"tools": ["mcp_x_*"], "xml": {"tag": "final_answer"}}]}`:                                    "overrides[0]: the tag final_answer is one of the runtime",
		`{"mcp": [{"name": "x", "command": "true"}], "http": [{"name": "mcp_x.read", "url": "https://a.example"}]}`:  "the tool mcp_x.read is named like those of the MCP server x, which begin with mcp_x_",
		`{"http": [{"name": "final_answer", "url": "https://a.example"}]}`:                                           "the tool final_answer is there already, from the runtime",
		`{"http": [{"name": "final answer", "url": "https://a.example"}]}`:                                           "is there already, from the runtime",
		`{"http": [{"name": "a_b", "url": "https://a.example"}, {"name": "a b", "url": "https://a.example"}]}`:       "the tool a b is there already",
		`{"http": [{"name": "a_b", "url": "https://a.example"}, {"name": "a_b\u200b", "url": "https://a.example"}]}`: "is there already",
	} {
		c, err := parse("t.json", []byte(text))
		if err == nil {
			var s *Set
			if s, err = Open(t.Context(), c, Options{Taken: []string{"final_answer"}}); err == nil {
				s.Close()
			}
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// What tools.json says of a name that several tools became holds for all of them, and a
// call reaches the one that is meant.
func TestToolsOfAnMCPServerThatCollideAreReached(t *testing.T) {
	srv, _ := mcpServer(t, "a.read", "a_read", "final_answer")
	c := load(t, fmt.Sprintf(`{"mcp": [{"name": "x", "url": %q, "allowPrivate": true}],
		"overrides": [{"tools": ["mcp_x_a_read"], "needsApproval": true}],
		"roles": {"dots": {"tools": ["mcp_x_a.*"]}}}`, srv.URL))
	s, err := Open(t.Context(), c, Options{Taken: []string{"final_answer"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	all := s.ForRole(t.Context(), "any", nil)
	if got := names(all); !slices.Equal(got, []string{"mcp_x_a_read", "mcp_x_a_read_2", "mcp_x_final_answer", "mcp_x_read", "mcp_x_write"}) {
		t.Errorf("got %q", got)
	}
	dots := s.ForRole(t.Context(), "dots", nil)
	if got := names(dots); !slices.Equal(got, []string{"mcp_x_a_read_2"}) {
		t.Errorf("by its own name: got %q", got)
	}
	for name, want := range map[string]string{"mcp_x_a_read": "a_read done", "mcp_x_a_read_2": "a.read done"} {
		made, _ := all.Lookup(name)
		if result := all.Execute(t.Context(), tool.Call{Name: name}); result.Output != want || !made.NeedsApproval {
			t.Errorf("%s: %+v, approval %t", name, result, made.NeedsApproval)
		}
	}
	if result := dots.Execute(t.Context(), tool.Call{Name: "mcp_x_a_read_2"}); result.Output != "a.read done" {
		t.Errorf("alone: %+v", result)
	}
}
