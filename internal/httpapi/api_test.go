package httpapi_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/agent"
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/domain/accounts"
	"github.com/nestorhq/nestor/internal/domain/connections"
	"github.com/nestorhq/nestor/internal/domain/jobs"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/internal/trigger"
)

func TestMain(m *testing.M) { testmain.Run(m) }

const (
	token    = "a-token-for-the-tests"
	password = "a password for the tests"
)

// api is a running API.
type api struct {
	testing.TB
	store  store.Store
	feed   *feed.Feed
	agents *fakeAgents
	key    *access.Key
	gate   *access.Gate
	server *httptest.Server
	client *http.Client
	// stop is what ends the streams of a server.
	stop context.CancelFunc
}

// setup changes what an api is made of before it starts.
type setup struct {
	feed feed.Options
	log  func(store.Store) store.Store // what the feed reads
	api  func(*httpapi.Options)
	// triggers are those that there are. Defaults to none.
	triggers *trigger.Set
	gate     func(*access.Options)
	server   func(*http.Server)
}

// domains are the modules that the API is tested with.
func domains(models *connection.Connections) module.List {
	return module.List{accounts.Module, connections.Module(func() *connection.Connections { return models }), jobs.Module}
}

var (
	modules = append(domains(nil), agent.Module(agent.Settings{}))
	routes  = modules.Routes()
)

// openAPI is the description of the API with the modules.
var openAPI = sync.OnceValue(func() []byte {
	text, err := modules.Description()
	if err != nil {
		panic(err)
	}
	return text
})

// The key and the compiled rules are the same for all tests.
var (
	key = sync.OnceValue(func() *access.Key {
		k, err := access.ParseKey(base64.StdEncoding.EncodeToString(make([]byte, 32)))
		if err != nil {
			panic(err)
		}
		return k
	})
	builtInRules = sync.OnceValues(func() (*rules.Engine, error) {
		return rules.New(rules.Options{Modules: modules.Rules(), Members: account.Members{}, Key: key()})
	})
)

func serve(t testing.TB, open engines.Database, with setup) *api {
	t.Helper()
	a := &api{TB: t, store: open(t, store.Options{}), agents: &fakeAgents{}}
	with.feed.Logger = slog.New(slog.DiscardHandler)
	read := a.store
	if with.log != nil {
		read = with.log(read)
	}
	a.feed = feed.New(read, with.feed)
	var err error
	a.key = key()
	gate := access.Options{
		Store: a.store, Key: a.key, Token: token, Logger: slog.New(slog.DiscardHandler),
		HashCost: access.HashCost{Memory: 64, Time: 1, Threads: 1},
	}
	if with.gate != nil {
		with.gate(&gate)
	}
	a.gate = access.New(gate)
	engine, err := builtInRules()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stopping, stop := context.WithCancel(ctx)
	a.stop = stop
	done := make(chan error, 1)
	go func() { done <- a.feed.Run(ctx) }()
	opts := httpapi.Options{
		Store: a.store, Feed: a.feed, Agents: a.agents, Gate: a.gate, Rules: engine, Stopping: stopping,
		Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "nestor_writes_total 7") }), Logger: slog.New(slog.DiscardHandler),
	}
	if with.api != nil {
		with.api(&opts)
	}
	models, err := connection.New(connection.Options{Store: a.store, Key: key(), Env: func(string) string { return "" }, UserBudget: opts.UserBudget})
	if err != nil {
		t.Fatal(err)
	}
	parts, err := domains(models).Start(ctx, module.Host{Store: opts.Store, Feed: a.feed, Triggers: with.triggers, Models: models, Logger: opts.Logger})
	if err != nil {
		t.Fatal(err)
	}
	opts.Schemas = modules.APISchemas()
	for _, part := range parts {
		opts.Routes = append(opts.Routes, part.Routes...)
	}
	handler, err := httpapi.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	a.server = httptest.NewUnstartedServer(documented(t, handler))
	if with.server != nil {
		with.server(a.server.Config)
	}
	a.server.Start()
	a.client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	t.Cleanup(func() {
		cancel()
		a.server.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return a
}

// in is the same API for a part of a test.
func (a *api) in(t *testing.T) *api {
	b := *a
	b.TB = t
	return &b
}

// request sends a request; header is names and values in turn.
func (a *api) request(method, path, body string, header ...string) *http.Response {
	a.Helper()
	ctx, cancel := context.WithTimeout(a.Context(), 2*time.Minute)
	a.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, method, a.server.URL+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		a.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := a.client.Do(req)
	if err != nil {
		a.Fatal(err)
	}
	a.Cleanup(func() { res.Body.Close() })
	return res
}

func (a *api) call(method, path, body string, header ...string) (int, string) {
	a.Helper()
	res := a.request(method, path, body, header...)
	text, err := io.ReadAll(res.Body)
	if err != nil {
		a.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// want calls and checks status and a part of the body, which it decodes.
func (a *api) want(status int, method, path, body, contains string, header ...string) (answer map[string]any) {
	a.Helper()
	got, text := a.call(method, path, body, header...)
	if got != status || !strings.Contains(text, contains) {
		a.Fatalf("%s %s: %d %s, want %d with %q", method, path, got, text, status, contains)
	}
	if text != "" {
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			a.Fatal(err)
		}
	}
	return answer
}

// write writes documents; doc is paths and bodies in turn.
func (a *api) write(doc ...string) {
	a.Helper()
	err := a.store.Update(a.Context(), func(tx store.Tx) error {
		for i := 0; i < len(doc); i += 2 {
			if _, err := tx.Put(nestor.Path(doc[i]), json.RawMessage(doc[i+1]), store.AnyVersion); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		a.Fatal(err)
	}
}

// seed writes a chat of a user with one of everything in it.
func (a *api) seed(user, chat string) {
	a.Helper()
	p := "users/" + user + "/orch-chats/" + chat
	a.write(
		p, `{"title":"`+chat+`"}`,
		p+"/messages/m1", `{"role":"user","type":"text","content":"hello from `+chat+`"}`,
		p+"/tasks/t1", `{"type":"agent","name":"agent:general","instruction":"work","status":"running","subAgentId":"a1"}`,
		p+"/sub-agents/a1", `{"taskId":"t1","role":"general","status":"active","iterationCount":1}`,
		p+"/sub-agents/a1/messages/x1", `{"role":"user","content":"work"}`,
		p+"/sub-agents/a1/tool-calls/k1", `{"toolName":"search","status":"awaiting_approval"}`,
	)
}

// grant is a token for what lies at and below a path, and, if one is given, of a program
// that was told of a change of a document there.
func (a *api) grant(user string, path nestor.Path, of ...nestor.Path) string {
	g := access.Grant{User: user, Path: path, Expires: time.Now().Add(time.Hour).Unix()}
	if len(of) > 0 {
		g.Of = of[0]
	}
	return "Bearer " + a.key.MintToken(g)
}

// apiKey makes a key of a user, who is added if need be.
func (a *api) apiKey(user string, scopes ...string) string {
	a.Helper()
	a.user(access.NewUser{ID: user})
	_, key, err := a.gate.CreateAPIKey(a.Context(), onUser(user), access.APIKey{Name: "for a test", Scopes: scopes})
	if err != nil {
		a.Fatal(err)
	}
	return "Bearer " + key
}

// user makes sure that there is a user, whose password is password.
func (a *api) user(u access.NewUser) {
	a.Helper()
	if _, err := a.gate.AddUser(a.Context(), u, password); err != nil && nestor.CodeOf(err) != nestor.CodeExists {
		a.Fatal(err)
	}
}

// mark writes something unrelated and returns its position in the log, where
// everything written before can be read, too.
func (a *api) mark() int64 {
	a.Helper()
	var d *nestor.Document
	err := a.store.Update(a.Context(), func(tx store.Tx) (err error) {
		d, err = tx.Put("marks/mark", map[string]any{}, store.AnyVersion)
		return err
	})
	for last := int64(0); err == nil && last < d.Seq; {
		last, err = a.store.LastSeq(a.Context())
	}
	if err != nil {
		a.Fatal(err)
	}
	return d.Seq
}

// changesAfter tells what was written since a mark, as lines of type and kind.
func (a *api) changesAfter(mark int64) (lines []string) {
	a.Helper()
	for _, c := range a.writtenAfter(mark) {
		lines = append(lines, string(c.Type)+" "+store.DefaultCatalogue.Of(c.Path).Name)
	}
	return lines
}

// writtenAfter is what was written since a mark.
func (a *api) writtenAfter(mark int64) []nestor.Change {
	a.Helper()
	end := a.mark()
	changes, err := a.store.Changes(a.Context(), mark, 100, nil)
	if err != nil {
		a.Fatal(err)
	}
	return slices.DeleteFunc(changes, func(c nestor.Change) bool { return c.Seq >= end })
}

// fakeAgents note what they are asked to do.
type fakeAgents struct {
	mu    sync.Mutex
	calls []string
}

// asked is what they were asked to do since the last time.
func (f *fakeAgents) asked() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	calls := f.calls
	f.calls = nil
	return calls
}

func (f *fakeAgents) note(what string, p nestor.Path, rest ...any) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, strings.TrimSpace(fmt.Sprintln(append([]any{what, p}, rest...)...)))
	if p.ID() == "none" {
		return nestor.Errorf(nestor.CodeNotFound, "there is no document %s", p)
	}
	return nil
}

func (f *fakeAgents) CheckTask(_ context.Context, task *nestor.Task) error {
	if task.Name == "tool:none" {
		return nestor.Errorf(nestor.CodeInvalid, "there is no tool none")
	}
	return nil
}

func (f *fakeAgents) Cancel(_ context.Context, p nestor.Path, by string) error {
	return f.note("cancel", p, by)
}

func (f *fakeAgents) Pause(_ context.Context, p nestor.Path, by string) error {
	return f.note("pause", p, by)
}

func (f *fakeAgents) Resume(_ context.Context, p nestor.Path, by string) error {
	return f.note("resume", p, by)
}

func (f *fakeAgents) Retry(_ context.Context, p nestor.Path, by string) error {
	return f.note("retry", p, by)
}

func (f *fakeAgents) Stop(_ context.Context, p nestor.Path, by string) error {
	return f.note("stop", p, by)
}

func (f *fakeAgents) Steer(_ context.Context, p nestor.Path, by, content string, _ ...nestor.Part) (*nestor.Document, error) {
	data, _ := json.Marshal(map[string]string{"role": "user", "content": content})
	return &nestor.Document{Path: p.Child("messages", "new"), Version: 1, Data: data}, f.note("steer", p, by, content)
}

func (f *fakeAgents) SteerAs(ctx context.Context, p nestor.Path, by, _, content string, parts ...nestor.Part) (*nestor.Document, error) {
	return f.Steer(ctx, p, by, content, parts...)
}

func (f *fakeAgents) AnswerQuestion(_ context.Context, p nestor.Path, a nestor.Answer) (*nestor.Document, bool, error) {
	data, _ := json.Marshal(nestor.Message{
		Role: nestor.RoleUser, Content: a.Content, Parts: a.Parts, AuthorID: a.By, TaskID: p.ID(), QuestionID: a.QuestionID,
	})
	d := &nestor.Document{Path: p.Parent().Child("messages", a.ID), Version: 1, Data: data}
	return d, a.ID != "again", f.note("answer", p, a.By, a.QuestionID, a.Content)
}

func (*fakeAgents) Reserves(tool string) bool { return tool == "final_answer" }

func (f *fakeAgents) Decide(_ context.Context, p nestor.Path, d nestor.Decision) error {
	if d.At == 0 {
		return nestor.Errorf(nestor.CodeInternal, "a decision without a time")
	}
	return f.note("decide", p, d.By, d.Action, string(d.Args), d.Reason)
}
