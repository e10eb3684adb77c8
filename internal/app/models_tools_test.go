package app_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/app"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
)

const modelSecret = "sk-live-QUJDREVGR0hJSktMTU5P"

func vars(set map[string]string) func(string) string {
	return func(name string) string { return set[name] }
}

func ok() llmtest.Turn {
	return llmtest.Turn{Events: []llm.Event{
		llm.Text{Text: "ok"}, llm.Usage{Input: 10, Output: 2}, llm.Finish{Reason: llm.ReasonStop},
	}}
}

func refuses() llmtest.Turn {
	return llmtest.Turn{Status: 401, Message: "Incorrect API key provided: " + modelSecret}
}

// Everything that the API answers and the program prints and stores is searched
// for the secret in the end.
func TestModelConnectionsOverHTTP(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		model := llmtest.OpenAI.Serve(t, ok(), refuses(), ok(), refuses(), ok())
		cfg.Env = vars(map[string]string{"NESTOR_MODEL": "anthropic:claude-sonnet-5", "ANTHROPIC_API_KEY": modelSecret + "-env"})
		cfg.LogLevel = "debug"
		s := start(t, cfg)
		var said strings.Builder
		want := func(status int, method, path, body, contains string, header ...string) {
			t.Helper()
			said.WriteString(s.want(status, method, path, body, contains, header...))
		}
		const one = "/api/v1/models/one"
		body := `{"accessFormat":"openai","modelId":"gpt-5","baseUrl":"` + model.URL + `","data":{"maxTokens":50},"secret":"` + modelSecret + `"}`
		want(200, "GET", "/api/v1/models", "", `"id":"default"`)
		want(201, "PUT", one, body, `"hasSecret":true`)
		want(200, "GET", "/api/v1/models", "", `"id":"one"`)
		want(200, "POST", one+"/test", "", `"ok":true,"report":{"model":"gpt-5","text":"ok"`)
		want(200, "POST", one+"/test", "", `"ok":false,"error":{"code":"unauthenticated","message":"`+model.URL+` does not accept the API key of connection one`)
		want(404, "POST", "/api/v1/models/none/test", "", "there is no model connection none")

		const unsaved = "/api/v1/models/test"
		want(200, "POST", unsaved, body, `"ok":true,"report":{"model":"gpt-5","text":"ok"`)
		want(200, "POST", unsaved, body, `"details":{"field":"secret"}`)
		want(200, "POST", unsaved, `{"id":"one","accessFormat":"openai","modelId":"gpt-5","baseUrl":"`+model.URL+`"}`, `"ok":true`)
		want(400, "POST", unsaved, `{"id":"one","accessFormat":"openai","modelId":"m","baseUrl":"http://evil.example"}`, "must be given again")
		want(400, "POST", unsaved, `{"accessFormat":"telepathy","modelId":"m"}`, `"field":"accessFormat"`)
		want(403, "POST", unsaved, `{"id":"default","accessFormat":"openai","modelId":"m"}`, "NESTOR_MODEL")
		if list := s.want(200, "GET", "/api/v1/models", "", ""); strings.Count(list, `"modelId"`) != 2 {
			t.Errorf("tests were saved: %s", list)
		}

		want(200, "POST", one+"/default", "", `"default":true`)
		want(404, "POST", "/api/v1/models/none/default", "", "there is no model connection none")
		if list := s.want(200, "GET", "/api/v1/models", "", `"id":"one"`); strings.Count(list, `"default":true`) != 1 {
			t.Errorf("there is not one default: %s", list)
		}
		want(412, "PUT", one, body, "conflict", "If-Match", "9")
		want(400, "PUT", one, `{"accessFormat":"openai","modelId":"m","baseUrl":"http://evil.example"}`, "must be given again")
		want(400, "PUT", one, `{"accessFormat":"telepathy","modelId":"m"}`, `"field":"accessFormat"`)
		want(400, "PUT", one, `{"accesFormat":"openai"}`, "accesFormat")
		want(403, "PUT", "/api/v1/models/default", body, "NESTOR_MODEL")
		want(403, "DELETE", "/api/v1/models/default", "", "NESTOR_MODEL")

		want(200, "GET", "/api/v1/docs/users/local/model-connections/one", "", `"hasSecret":true`)
		const sealed = "/api/v1/docs/secrets/local/model-connections/one"
		want(404, "GET", sealed, "", "not_found")
		want(404, "PUT", sealed, `{"sealed":"mine"}`, "not_found")
		want(404, "PATCH", sealed, `{"sealed":"mine"}`, "not_found")
		want(404, "DELETE", sealed, "", "not_found")
		want(404, "DELETE", "/api/v1/docs/secrets/local", "", "not_found")
		want(403, "POST", "/api/v1/query", `{"collection":"secrets/local/model-connections"}`, "forbidden")
		want(403, "POST", "/api/v1/query", `{"collection":"secrets"}`, "forbidden")
		want(200, "GET", "/api/v1/models", "", `"hasSecret":true`)

		extras := `{"accessFormat":"openai","modelId":"gpt-5","baseUrl":"` + model.URL + `","contextTokens":9000,"extraBody":{"seed":7},"headers":{"X-Gateway":"` + modelSecret + `"}}`
		want(200, "PUT", one, extras, `"contextTokens":9000,"extraBody":{"seed":7},"headerNames":["X-Gateway"],"hasSecret":true`)
		want(200, "GET", "/api/v1/models", "", `"headerNames":["X-Gateway"]`)
		want(400, "PUT", one, `{"accessFormat":"openai","modelId":"m","headers":{"Host":"x"}}`, `"field":"headers.Host"`)
		want(404, "GET", "/api/v1/models/none/models", "", "there is no model connection none")
		want(204, "DELETE", one, "", "")
		want(404, "DELETE", one, "", "not_found")
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
		search(t, cfg, said.String()+s.out.String())
	})
}

// search looks for the secret in a text and in the files of a data folder.
func search(t *testing.T, cfg app.Config, text string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(cfg.Data, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text += string(b)
	}
	if strings.Contains(text, modelSecret) {
		t.Error("the secret shows up")
	}
}

func TestModelsAndToolsAreForTheOwnerOnly(t *testing.T) {
	hook, got := receiver(t, func() int { return 200 })
	cfg := app.Config{Data: t.TempDir(), Env: vars(nil), AllowPrivate: true}
	cfg.Triggers = triggersFile(t, `{"triggers":[{"id":"hook","collection":"users/*/notes","action":"`+hook.URL+`"}]}`)
	s := start(t, cfg)
	s.want(201, "PUT", "/api/v1/docs/users/local/notes/n1", `{}`, "")
	bearer := "Bearer " + (<-got)["token"].(string)
	for _, route := range []string{"GET /api/v1/models", "GET /api/v1/tools", "POST /api/v1/tools/calculator/call"} {
		method, path, _ := strings.Cut(route, " ")
		s.want(403, method, path, `{}`, "forbidden", "Authorization", bearer)
	}
	for _, route := range []string{"PUT /api/v1/models/x", "DELETE /api/v1/models/x", "POST /api/v1/models/default/test"} {
		method, path, _ := strings.Cut(route, " ")
		s.want(404, method, path, `{}`, "not_found", "Authorization", bearer)
	}
}

func TestModelsFromTheCommandLine(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		model := llmtest.OpenAI.Serve(t, ok(), refuses())
		out := &output{}
		cfg.Stdout, cfg.Stderr = out, out
		cfg.Env = vars(map[string]string{"NESTOR_MODEL": "openai:gpt-5", "OPENAI_BASE_URL": model.URL, "OPENAI_API_KEY": modelSecret})
		for _, err := range []error{
			app.ListModels(t.Context(), cfg), app.TestModel(t.Context(), cfg, "default"), app.ChooseModel(t.Context(), cfg, "default"),
		} {
			if err != nil {
				t.Error(err)
			}
		}
		for _, want := range []string{"default  openai  gpt-5  " + model.URL, "Where no model is named, gpt-5 is called over connection default.", "ok: gpt-5 answered in", `It said: "ok"`, "10 in, 2 out", "$0.0000325"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q is missing in\n%s", want, out)
			}
		}
		err := app.TestModel(t.Context(), cfg, "default")
		if nestor.CodeOf(err) != nestor.CodeUnauthenticated || !strings.Contains(err.Error(), "OPENAI_API_KEY") {
			t.Errorf("a key that is refused: %v", err)
		}
		missing := app.TestModel(t.Context(), cfg, "none")
		if nestor.CodeOf(missing) != nestor.CodeNotFound {
			t.Errorf("no such connection: %v", missing)
		}
		search(t, cfg, out.String()+err.Error()+missing.Error())
	})
}

// The key of somebody behind a gateway goes to the gateway and nowhere else.
func TestTheModelsOfAGatewayAreListed(t *testing.T) {
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" || r.Header.Get("Authorization") != "Bearer "+modelSecret {
			t.Errorf("asked %s with %v", r.URL, r.Header)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"data":[{"type":"model","id":"claude-of-the-house","display_name":"House"}],"has_more":false}`))
	}))
	defer gateway.Close()
	cfg := app.Config{Data: t.TempDir(), Env: vars(map[string]string{
		"NESTOR_MODEL": "anthropic:claude-of-the-house", "ANTHROPIC_BASE_URL": gateway.URL, "ANTHROPIC_AUTH_TOKEN": modelSecret,
	})}
	s := start(t, cfg)
	s.want(200, "GET", "/api/v1/models/default/models", "", `{"items":[{"id":"claude-of-the-house","name":"House"}]}`)
	out := &output{}
	cfg.Stdout = out
	if err := app.ListOfferedModels(t.Context(), cfg, "default"); err != nil || !strings.Contains(out.String(), "claude-of-the-house") {
		t.Errorf("printed %s, %v", out, err)
	}
}

func TestAnEnvironmentThatMakesNoSenseStopsTheServer(t *testing.T) {
	out := &output{}
	cfg := app.Config{Data: t.TempDir(), Addr: "127.0.0.1:0", Stdout: out, Stderr: out, Env: vars(map[string]string{"NESTOR_MODEL": "oracle:9"})}
	if err := app.Run(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "NESTOR_MODEL") {
		t.Errorf("got %v", err)
	}
	cfg.Env, cfg.Tools = vars(nil), "/nonexistent"
	if err := app.Run(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "tool configuration cannot be read") {
		t.Errorf("got %v", err)
	}
	for _, name := range []string{"final_answer", "ask_user", "create_agent", "reply_to_agent", "reactivate_agent"} {
		cfg.Tools = toolsFile(t, `{"http":[{"name":"`+name+`","url":"https://a.example"}]}`)
		if err := app.Run(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "the tool "+name+" is there already, from the runtime") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func toolsFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tools.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const payTool = `{"http":[{"name":"pay","description":"Pays.","method":"POST","url":"https://pay.example/x",
	"headers":{"Authorization":"Bearer ${PAY_KEY}"},"needsApproval":true}]}`

// withBills is a file of tools with payTool and a document, one operation of which cannot
// be a tool.
func withBills(t *testing.T) (tools, document string) {
	document = toolsFile(t, "openapi: 3.1.0\nservers: [{url: 'https://pay.example'}]\npaths:\n  /bills.all: {get: {}}\n"+
		"  /scans: {post: {operationId: bills.scan, requestBody: {content: {multipart/form-data: {}}}}}\n")
	return toolsFile(t, strings.TrimSuffix(payTool, "}")+`,"openapi":[{"file":"`+document+`"}]}`), document
}

func TestToolsThatNeedAVariableSaySo(t *testing.T) {
	tools, document := withBills(t)
	cfg := app.Config{Data: t.TempDir(), Env: vars(nil), Tools: tools}
	s := start(t, cfg)
	s.want(200, "GET", "/api/v1/tools", "", `"problems":["bills_scan of OpenAPI `+document+` cannot be offered as a tool: its body is neither JSON nor a form: multipart/form-data"]`)
	if log := s.out.String(); !strings.Contains(log, "operation cannot be offered") || !strings.Contains(log, "bills_scan") {
		t.Errorf("the log has %s", log)
	}
	text := s.want(200, "GET", "/api/v1/tools", "", `"needs":"set the environment variable PAY_KEY"`)
	if !strings.Contains(text, `"needs":"set the environment variable TAVILY_API_KEY (keys are given at https://tavily.com)"`) || strings.Count(text, `"needs":`) != 2 {
		t.Errorf("listed %s", text)
	}
	s.want(201, "POST", "/api/v1/users", `{"id":"ann","name":"Ann","password":"the password of ann"}`, "")
	text = s.want(201, "POST", "/api/v1/keys?user=ann", `{"name":"k","scopes":["write"]}`, "")
	var key struct{ Key string }
	if err := json.Unmarshal([]byte(text), &key); err != nil || key.Key == "" {
		t.Fatalf("%s, %v", text, err)
	}
	text = s.want(200, "GET", "/api/v1/tools", "", `"needs":"an administrator has to set it up"`, "Authorization", "Bearer "+key.Key)
	if strings.Contains(text, "PAY_KEY") || strings.Contains(text, "bills_scan") {
		t.Errorf("a user is told of the machine: %s", text)
	}
}

func TestToolsOverHTTP(t *testing.T) {
	cfg := app.Config{Data: t.TempDir(), Env: vars(map[string]string{"PAY_KEY": modelSecret, "TAVILY_API_KEY": modelSecret}), Tools: toolsFile(t, payTool)}
	s := start(t, cfg)
	text := s.want(200, "GET", "/api/v1/tools", "", `"name":"calculator"`)
	var list struct {
		Items []struct {
			Name, Description, Effect string
			NeedsApproval             bool
			Parameters                map[string]any
		}
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	for _, item := range list.Items {
		if item.Description == "" || item.Parameters["type"] != "object" || item.Effect == "" {
			t.Errorf("%+v", item)
		}
		if item.NeedsApproval != (item.Name == "pay") {
			t.Errorf("%s: needsApproval is %v", item.Name, item.NeedsApproval)
		}
	}
	text += s.want(200, "POST", "/api/v1/tools/calculator/call", `{"arguments":{"expression":"6*7"}}`, `{"status":"success","output":"42"`)
	text += s.want(200, "POST", "/api/v1/tools/calculator/call", `{"arguments":{"expression":""}}`, `"status":"failed"`)
	text += s.want(200, "POST", "/api/v1/tools/calculator/call", `{}`, `"code":"invalid"`)
	text += s.want(200, "POST", "/api/v1/tools/read_result/call", `{"arguments":{"id":"x"}}`, "only an agent has results to read")
	text += s.want(404, "POST", "/api/v1/tools/nothing/call", `{}`, "there is no tool nothing")
	text += s.want(400, "POST", "/api/v1/tools/calculator/call", `{"argument":{}}`, "argument")
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	search(t, cfg, text+s.out.String())
}

func TestTheOwnDocumentsAreSearched(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		cfg.Env = vars(nil)
		s := start(t, cfg)
		for path, body := range map[string]string{
			"users/local/orch-chats/c1": `{"title":"Holiday in Lisbon"}`,
			"users/other/orch-chats/c1": `{"title":"Lisbon of somebody else"}`,
		} {
			s.want(201, "PUT", "/api/v1/docs/"+path, body, "")
		}
		s.want(201, "PUT", "/api/v1/docs/users/local/orch-chats/c1/messages/m1", `{"role":"user","content":"The LISBON hotel is called Ático."}`, "")
		s.want(201, "PUT", "/api/v1/docs/users/local/orch-chats/c1/messages/m2", `{"role":"user","content":"Nothing of note."}`, "")
		call := func(query string) string {
			t.Helper()
			return s.want(200, "POST", "/api/v1/tools/search_documents/call", `{"arguments":{"query":"`+query+`"}}`, "success")
		}
		found := call("lisbon")
		for _, want := range []string{"Holiday in Lisbon (users/local/orch-chats/c1)", "user (users/local/orch-chats/c1/messages/m1)", "is called Ático"} {
			if !strings.Contains(found, want) {
				t.Errorf("%q is missing in %s", want, found)
			}
		}
		if strings.Contains(found, "other") || strings.Contains(found, "somebody") || strings.Contains(found, "messages/m2") {
			t.Errorf("found too much: %s", found)
		}
		if both := call("hotel lisbon"); strings.Contains(both, "Holiday") || !strings.Contains(both, "m1") {
			t.Errorf("two words: %s", both)
		}
		if none := call("Reykjavik"); !strings.Contains(none, "No documents match.") {
			t.Errorf("got %s", none)
		}
	})
}

func TestToolsFromTheCommandLine(t *testing.T) {
	out := &output{}
	tools, document := withBills(t)
	cfg := app.Config{
		Data: t.TempDir(), Stdout: out, Stderr: out, Tools: tools,
		Env: vars(map[string]string{"PAY_KEY": modelSecret}),
	}
	if err := app.Migrate(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	if err := app.ListTools(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"calculator", "pay  (once, needs approval; HTTP tool)\n    Pays.\n    parameters: ", "\nget_bills_all  (pure; OpenAPI " + document,
		"\nbills_scan  (not offered; OpenAPI " + document + ")\n    its body is neither JSON nor a form: multipart/form-data\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if err := app.CallTool(t.Context(), cfg, "calculator", `{"expression":"2^10"}`); err != nil || !strings.HasSuffix(out.String(), "\n1024\n") {
		t.Errorf("printed %s, %v", out, err)
	}
	if err := app.CallTool(t.Context(), cfg, "current_time", ""); err != nil {
		t.Errorf("without arguments: %v", err)
	}
	for name, tt := range map[string]struct {
		tool, arguments string
		code            nestor.Code
	}{
		"a wrong argument": {"calculator", `{"expression":"1/0"}`, nestor.CodeInvalid},
		"no JSON":          {"calculator", `1+1`, nestor.CodeInvalid},
		"no such tool":     {"abacus", ``, nestor.CodeNotFound},
		"a missing key":    {"tavily_search", `{"query":"x"}`, nestor.CodeUnavailable},
	} {
		if err := app.CallTool(t.Context(), cfg, tt.tool, tt.arguments); nestor.CodeOf(err) != tt.code {
			t.Errorf("%s: %v (%s)", name, err, nestor.CodeOf(err))
		}
	}
	search(t, cfg, out.String())
}

// What tools.json says about a role counts, also for a built-in one, or the
// server does not start.
func TestTheToolsOfARoleAreThoseOfTheFile(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		cfg.Env, cfg.Tools = vars(nil), toolsFile(t, `{"roles": {"researcher": {"tools": ["current_time"]}}}`)
		s := start(t, cfg)
		if out := toolCall(t, s, "researcher"); strings.TrimSpace(out) != `{"items":[]}` { // the demo calls the calculator if it is offered
			t.Errorf("the researcher: %s", out)
		}
		if out := toolCall(t, s, "general"); !strings.Contains(out, `"result":"42"`) {
			t.Errorf("general: %s", out)
		}
	})
	t.Run("the example that is shipped", func(t *testing.T) {
		s := start(t, app.Config{Data: t.TempDir(), Env: vars(nil), Tools: "../../examples/tools.json"})
		if out := toolCall(t, s, "researcher"); !strings.Contains(out, `"result":"42"`) {
			t.Errorf("the researcher: %s", out)
		}
	})
	agents := filepath.Join(t.TempDir(), "agents.json")
	if err := os.WriteFile(agents, []byte(`{"roles": {"clerk": {"description": "d", "instructions": "i", "tools": ["calculator"]}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		`{"roles": {"reseacher": {"tools": ["calculator"]}}}`: `there is no role "reseacher"`,
		`{"roles": {"clerk": {"tools": ["current_time"]}}}`:   `the tools of role "clerk" are given with the role, too`,
	} {
		cfg := app.Config{Data: t.TempDir(), Addr: "127.0.0.1:0", Stdout: io.Discard, Stderr: io.Discard, Env: vars(nil), Agents: agents, Tools: toolsFile(t, file)}
		if err := app.Run(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// toolCall has an agent compute something and returns its tool calls at the end.
func toolCall(t *testing.T, s *server, role string) string {
	t.Helper()
	s.want(201, "PUT", "/api/v1/docs/users/local/orch-chats/"+role, `{"title":"x"}`, "")
	_, created := s.call("POST", "/api/v1/chats/"+role+"/tasks", `{"name":"agent:`+role+`","instruction":"Compute 6*7"}`)
	var task struct{ ID string }
	if err := json.Unmarshal([]byte(created), &task); err != nil {
		t.Fatal(created)
	}
	ended := s.ended("/api/v1/docs/users/local/orch-chats/" + role + "/tasks/" + task.ID)
	return s.want(200, "POST", "/api/v1/query", `{"collection":"users/local/orch-chats/`+role+`/sub-agents/`+ended.SubAgentID+`/tool-calls"}`, "items")
}
