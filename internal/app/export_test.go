package app_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/app"
	"github.com/nestorhq/nestor/internal/servertest"
)

func TestWhatIsExportedCanBeImportedElsewhereAndTriggersNothing(t *testing.T) {
	// From one engine to the other, and back.
	sqlite := app.Config{Data: t.TempDir(), Stdout: t.Output()}
	postgres := app.Config{Data: t.TempDir(), DB: servertest.Postgres(t), Stdout: t.Output()}
	talk(t, sqlite, app.ChatOptions{Message: "Compute 6*7"})
	renamed := strings.NewReplacer("users/local", "users/bob", `"userId":"local"`, `"userId":"bob"`)
	var first, second, jobs bytes.Buffer
	if err := app.Export(t.Context(), sqlite, "local", &first); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time finds everything there
		if err := app.Import(t.Context(), postgres, "bob", bytes.NewReader(first.Bytes())); err != nil {
			t.Fatal(err)
		}
	}
	if err := app.Export(t.Context(), postgres, "bob", &second); err != nil {
		t.Fatal(err)
	}
	if got, want := second.String(), renamed.Replace(first.String()); got != want {
		t.Errorf("exported again\n%s\nwant\n%s", got, want)
	}
	if n := strings.Count(first.String(), "\n"); n < 10 || !strings.Contains(first.String(), `"content":"Compute 6*7"`) {
		t.Errorf("%d documents were exported:\n%s", n, first.String())
	}
	postgres.Stdout = &jobs
	if err := app.ListJobs(t.Context(), postgres, app.JobFilter{}); err != nil || jobs.String() != "No jobs.\n" {
		t.Errorf("jobs: %s %v", jobs.String(), err)
	}
}

func TestAnImportSaysWhatIsWrong(t *testing.T) {
	cfg := app.Config{Data: t.TempDir(), Stdout: t.Output()}
	for name, test := range map[string]struct{ line, want string }{
		"text":                   {"hello", "document 1 cannot be read"},
		"nobody's document":      {`{"path":"accounts/a","data":{}}`, "accounts/a is not a user's"},
		"a body that is wrong":   {`{"path":"users/u/orch-chats/c","data":{"title":5}}`, "title"},
		"a child of nobody":      {`{"path":"users/u/orch-chats/c/messages/m","data":{"role":"user","content":"x"}}`, "it would lie below does not exist"},
		"a path that makes none": {`{"path":"users/u/orch-chats","data":{}}`, "names a collection"},
	} {
		t.Run(name, func(t *testing.T) {
			err := app.Import(t.Context(), cfg, "u", strings.NewReader(test.line))
			if nestor.CodeOf(err) == nestor.CodeInternal || err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestUsersAndKeysAreMadeFromTheCommandLine(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		var out bytes.Buffer
		cfg.Stdout = &out
		if err := app.AddUser(t.Context(), cfg, app.NewUser{ID: "ann", Admin: true}, "correct horse battery"); err != nil {
			t.Fatal(err)
		}
		if err := app.CreateKey(t.Context(), cfg, app.NewKey{User: "ann", Name: "ci", Scopes: "read"}); err != nil {
			t.Fatal(err)
		}
		printed := strings.Split(out.String(), "\n")
		key := printed[1]
		s := start(t, cfg)
		status, body := s.call("GET", "/api/v1/chats", "", "Authorization", "Bearer "+key)
		if status != 200 {
			t.Fatalf("the key gets %d %s", status, body)
		}
		out.Reset()
		if err := app.ListKeys(t.Context(), cfg, "ann"); err != nil || strings.Contains(out.String(), key) {
			t.Fatalf("%v %s", err, out.String())
		}
		id := strings.Fields(strings.Split(out.String(), "\n")[1])[0]
		if err := app.RevokeKey(t.Context(), cfg, "ann", id); err != nil {
			t.Fatal(err)
		}
		for status == 200 { // until the server notices, which takes up to a second
			status, _ = s.call("GET", "/api/v1/chats", "", "Authorization", "Bearer "+key)
		}
		if status != 401 {
			t.Errorf("a revoked key gets %d", status)
		}
	})
}

func TestUsersAreListedAndRemovedFromTheCommandLine(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		var out bytes.Buffer
		cfg.Stdout = &out
		for _, u := range []app.NewUser{{ID: "ann", Admin: true}, {ID: "bob", Email: "bob@example.org"}} {
			if err := app.AddUser(t.Context(), cfg, u, "correct horse battery"); err != nil {
				t.Fatal(err)
			}
		}
		if err := app.CreateKey(t.Context(), cfg, app.NewKey{User: "bob", Name: "ci", Scopes: "write"}); err != nil {
			t.Fatal(err)
		}
		key := strings.Split(out.String(), "\n")[2]
		s := start(t, cfg)
		as := []string{"Authorization", "Bearer " + key}
		if status, body := s.call("POST", "/api/v1/chats", `{"id":"c1"}`, as...); status != 201 {
			t.Fatalf("the key gets %d %s", status, body)
		}
		out.Reset()
		if err := app.ListUsers(t.Context(), cfg); err != nil || !strings.Contains(out.String(), "bob@example.org") || !strings.Contains(out.String(), "ann") {
			t.Errorf("listed %v\n%s", err, out.String())
		}
		if err := app.RemoveUser(t.Context(), cfg, "ann"); nestor.CodeOf(err) != nestor.CodeConflict {
			t.Errorf("the only administrator: %v", err)
		}
		if err := app.RemoveUser(t.Context(), cfg, "bob"); err != nil {
			t.Fatal(err)
		}
		status := 200
		for status == 200 { // until the server notices, which takes up to a second
			status, _ = s.call("GET", "/api/v1/chats", "", as...)
		}
		if status != 401 {
			t.Errorf("the key of who is gone gets %d", status)
		}
		s.want(404, "GET", "/api/v1/docs/users/bob/orch-chats/c1", "", "")
		if err := app.RemoveUser(t.Context(), cfg, "bob"); nestor.CodeOf(err) != nestor.CodeNotFound {
			t.Errorf("again: %v", err)
		}
	})
}

// The person who runs the server has no document before the first link is used.
func TestTheLocalUserCanHaveAKeyBeforeTheFirstStart(t *testing.T) {
	var out bytes.Buffer
	cfg := app.Config{Data: t.TempDir(), Stdout: &out, Stderr: io.Discard}
	if err := app.CreateKey(t.Context(), cfg, app.NewKey{User: "local", Name: "ci", Scopes: "write"}); err != nil {
		t.Fatal(err)
	}
	s := start(t, cfg)
	if status, body := s.call("GET", "/api/v1/me", "", "Authorization", "Bearer "+strings.Split(out.String(), "\n")[0]); status != 200 {
		t.Errorf("it gets %d %s", status, body)
	}
}

// A fork is exported with what it shares, also if that is in a chat of another user,
// and reads the same where it is imported. A file cannot make a chat show what others
// said.
func TestAForkIsExportedWithWhatItShares(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		s := start(t, cfg)
		s.want(201, "POST", "/api/v1/chats", `{"id":"c","title":"Other"}`, "")
		for _, m := range []string{"a", "b"} {
			s.want(201, "PUT", "/api/v1/docs/users/local/orch-chats/c/messages/"+m, `{"role":"assistant","content":"said `+m+`"}`, "")
		}
		s.want(201, "POST", "/api/v1/chats/c/fork", `{"id":"f","at":"a"}`, "")
		s.want(201, "PUT", "/api/v1/docs/users/local/orch-chats/f/messages/x", `{"role":"assistant","content":"said x"}`, "")
		s.want(204, "DELETE", "/api/v1/chats/c", "", "")
		s.want(201, "POST", "/api/v1/chats/f/fork", `{"id":"g"}`, "")
		var file bytes.Buffer
		if err := app.Export(t.Context(), cfg, "local", &file); err != nil {
			t.Fatal(err)
		}
		forged := `{"path":"users/eve/orch-chats/forged","data":{"title":"Forged","forkedFrom":{"userId":"local","chatId":"f","messageId":"x","saidAt":9000000000000000}}}`
		quiet := cfg
		quiet.Stdout = t.Output()
		for user, text := range map[string]string{"bob": file.String(), "eve": forged} {
			if err := app.Import(t.Context(), quiet, user, strings.NewReader(text)); err != nil {
				t.Fatal(err)
			}
		}
		_, body := s.call("GET", "/api/v1/chats/g/messages?user=bob", "")
		a, x := strings.Index(body, "said a"), strings.Index(body, "said x")
		if a < 0 || x < a || strings.Contains(body, "said b") {
			t.Errorf("the fork says %s", body)
		}
		if _, body := s.call("GET", "/api/v1/chats/forged/messages?user=eve", ""); strings.Contains(body, "said") {
			t.Errorf("a forged chat shows %s", body)
		}
	})
}

// What an imported document refers to may come later in the file, or be gone for long.
// A program that gave edges no ids, and nodes and edges no stamps, left graphs and executions.
func TestGraphsAndExecutionsOfAnOlderProgramAreOpened(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		s := start(t, cfg)
		quiet := cfg
		quiet.Stdout = t.Output()
		const drawn = `"nodes":[{"id":"s","nodeId":"on-start","position":{"x":0,"y":0}},{"id":"o","nodeId":"output","position":{"x":0,"y":0}}],` +
			`"edges":[{"sourceNodeId":"s","sourcePortId":"signal","targetNodeId":"o","targetPortId":"run"},{"sourceNodeId":"s","sourcePortId":"text","targetNodeId":"o","targetPortId":"value"}]`
		old := `{"path":"users/local/agent-graphs/g","createdAt":1000,"updatedAt":2000,"data":{"userId":"local","name":"Old","description":"",` + drawn + "}}\n" +
			`{"path":"users/local/agent-graph-executions/x","createdAt":3000,"updatedAt":4000,"data":{"userId":"local","agentGraphId":"g","name":"Old","status":"completed","graph":{` + drawn + `},"startTime":3000,"endTime":4000}}`
		if err := app.Import(t.Context(), quiet, "local", strings.NewReader(old)); err != nil {
			t.Fatal(err)
		}
		type stamped struct {
			ID                   string
			CreatedAt, UpdatedAt int64
		}
		type graph struct{ Nodes, Edges []stamped }
		read := func(method, path, body string, into any) {
			t.Helper()
			if err := json.Unmarshal([]byte(s.want(200, method, "/api/v1/records/"+path, body, "")), into); err != nil {
				t.Fatal(err)
			}
		}
		want := func(g graph, nodes, first stamped) {
			t.Helper()
			if len(g.Nodes) != 2 || len(g.Edges) != 2 || g.Edges[0].ID == "" || g.Edges[0].ID == g.Edges[1].ID {
				t.Fatalf("the graph is %+v", g)
			}
			if first.ID, nodes.ID = g.Nodes[0].ID, g.Nodes[1].ID; g.Nodes[0] != first || g.Nodes[1] != nodes {
				t.Errorf("the nodes are %+v", g.Nodes)
			}
			if nodes.ID = g.Edges[1].ID; g.Edges[1] != nodes {
				t.Errorf("the edges are %+v", g.Edges)
			}
		}
		var saved, changed graph
		var ran struct{ Graph graph }
		read("GET", "agent_graphs/g", "", &saved)
		want(saved, stamped{"", 1000, 2000}, stamped{"", 1000, 2000})
		read("GET", "agent_graph_executions/x", "", &ran)
		want(ran.Graph, stamped{"", 3000, 3000}, stamped{"", 3000, 3000})
		read("PATCH", "agent_graphs/g", `{`+strings.Replace(drawn, `"x":0`, `"x":1`, 1)+`}`, &changed)
		want(changed, stamped{"", 1000, 2000}, stamped{"", 1000, changed.Nodes[0].UpdatedAt})
		if changed.Nodes[0].UpdatedAt <= 2000 || changed.Edges[0] != saved.Edges[0] {
			t.Errorf("changed is %+v", changed)
		}
		s.want(202, "POST", "/api/v1/records/agent_graph_executions/x/rerun", `{"from":"o","graph":"current"}`, "")
	})
}

func TestAnImportBringsBackWhatRefersToWhatIsNotThereYet(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		s := start(t, cfg)
		quiet := cfg
		quiet.Stdout = t.Output()
		chat := `{"path":"users/local/chat-threads/c","data":{"name":"Chat","description":"","participantId":"x","threadId":"later"}}`
		if err := app.Import(t.Context(), quiet, "local", strings.NewReader(chat)); err != nil {
			t.Fatal(err)
		}
		s.want(200, "GET", "/api/v1/records/chat_threads/c", "", `"threadId":"later"`)
	})
}
