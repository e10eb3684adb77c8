package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/app"
	"github.com/nestorhq/nestor/internal/servertest"
	public "github.com/nestorhq/nestor/server"
)

// circles are documents as no server writes them any more, and an old database may hold
// them: agents that are below themselves, alone and two together, with tasks below.
const circles = `
. {"title":"Circles","participant":"agent:general"}
sub-agents/x {"taskId":"a","role":"general","status":"%[1]s","iterationCount":0,"parentId":"x"}
tasks/a {"type":"agent","name":"agent:general","instruction":"a","status":"%[2]s","subAgentId":"x","parentAgentId":"x"}
sub-agents/y {"taskId":"b","role":"general","status":"%[1]s","iterationCount":0,"parentId":"z"}
tasks/b {"type":"agent","name":"agent:general","instruction":"b","status":"%[2]s","subAgentId":"y","parentAgentId":"z"}
sub-agents/z {"taskId":"d","role":"general","status":"%[1]s","iterationCount":0,"parentId":"y"}
tasks/d {"type":"agent","name":"agent:general","instruction":"d","status":"%[2]s","subAgentId":"z","parentAgentId":"y"}
sub-agents/w {"taskId":"waits","role":"general","status":"waiting_for_user","iterationCount":0,"parentId":"y"}
tasks/waits {"type":"agent","name":"agent:general","instruction":"w","status":"waiting","question":"Which?","subAgentId":"w","parentAgentId":"y"}
tasks/failed {"type":"agent","name":"agent:general","instruction":"f","status":"failed","error":"x","parentAgentId":"x"}
sub-agents/standing {"taskId":"stands","role":"general","status":"active","iterationCount":0,"standing":true}
tasks/stands {"type":"agent","name":"agent:general","instruction":"s","status":"running","subAgentId":"standing","standing":true}
`

// verbs are all that can be done about tasks in a circle.
var verbs = map[string]struct {
	agent, task string // how they stand before
	method, at  string
	body        string
	status      int
	ends        map[string]string // how documents stand then
}{
	"cancel one that is above itself": {
		"active", "running", "POST", "tasks/a/cancel", "", 200,
		map[string]string{"tasks/a": "cancelled cancelled by local", "sub-agents/x": "cancelled", "tasks/b": "running"},
	},
	"cancel one of two": {
		"active", "running", "POST", "tasks/b/cancel", "", 200,
		map[string]string{
			"tasks/b": "cancelled cancelled by local", "tasks/d": "cancelled cancelled by local", "sub-agents/z": "cancelled",
			"tasks/waits": "cancelled cancelled by local", "tasks/a": "running",
		},
	},
	"stop": {
		"active", "running", "POST", "stop", "", 204,
		map[string]string{"tasks/a": "cancelled stopped by local", "tasks/b": "cancelled stopped by local", "tasks/d": "cancelled stopped by local"},
	},
	"pause":  {"active", "running", "POST", "tasks/b/pause", "", 200, map[string]string{"tasks/b": "running"}},
	"resume": {"active", "running", "POST", "tasks/b/resume", "", 200, map[string]string{"tasks/b": "running"}},
	"say something to one": {
		"active", "running", "POST", "tasks/b/messages", `{"content":"Hello"}`, 201,
		map[string]string{"tasks/b": "failed the task b has more than 100 agents above it: they lie in a circle"},
	},
	"say something to one that has ended": {
		"completed", "success", "POST", "tasks/a/messages", `{"content":"Hello"}`, 201,
		map[string]string{"tasks/a": "failed the task a has more than 100 agents above it: they lie in a circle"},
	},
	"answer one below": {
		"active", "running", "POST", "tasks/waits/messages", `{"content":"This."}`, 201,
		map[string]string{"tasks/waits": "failed the task waits has more than 100 agents above it: they lie in a circle"},
	},
	"try one below again": {
		"completed", "success", "POST", "tasks/failed/retry", "", 200,
		map[string]string{"tasks/failed": "failed the task could not be started: the task failed has more than 100 agents above it: they lie in a circle"},
	},
	"say something to the standing agent": {
		"active", "running", "POST", "messages?wait=1", `{"content":"Compute 6*7"}`, 200, map[string]string{"tasks/stands": "success"},
	},
	"begin a task":     {"active", "running", "POST", "tasks", `{"name":"agent:general","instruction":"Compute 6*7"}`, 201, nil},
	"fork":             {"active", "running", "POST", "fork", `{"id":"forked"}`, 404, nil},
	"read as a thread": {"completed", "success", "GET", "tasks/a/thread", "", 200, nil},
	"export":           {"active", "running", "GET", "export?format=json&agents=1", "", 200, nil},
	"delete":           {"active", "running", "DELETE", "", "", 204, nil},
}

// begin writes the documents into a chat for each of the verbs.
func begin(t *testing.T, cfg public.Config) {
	t.Helper()
	id := nestor.DeriveID("participant", "general")
	standing := strings.NewReplacer("sub-agents/standing", "sub-agents/"+id, `"subAgentId":"standing"`, `"subAgentId":"`+id+`"`)
	var lines strings.Builder
	for name, verb := range verbs {
		for line := range strings.Lines(strings.TrimSpace(standing.Replace(fmt.Sprintf(circles, verb.agent, verb.task)))) {
			at, body, _ := strings.Cut(strings.TrimSpace(line), " ")
			at = strings.TrimSuffix("users/local/orch-chats/"+chatOf(name)+"/"+at, "/.")
			fmt.Fprintf(&lines, `{"path":%q,"createdAt":1,"updatedAt":1,"data":%s}`+"\n", at, body)
		}
	}
	if err := app.Import(t.Context(), app.Config{Data: cfg.Data, DB: cfg.DB, Stdout: t.Output()}, "local", strings.NewReader(lines.String())); err != nil {
		t.Fatal(err)
	}
}

func chatOf(name string) string { return strings.ReplaceAll(name, " ", "-") }

// others have a message answered, whatever goes on in circles.
func others(p *servertest.Person, chat string) {
	p.Helper()
	p.Wants(201, "POST", "chats", `{"id":"`+chat+`","title":"Other"}`)
	var run nestor.RunResult
	p.Into(&run, 200, "POST", "chats/"+chat+"/messages?wait=1", `{"content":"Hello"}`)
	if run.Run.Status != nestor.RunSuccess {
		p.Errorf("the message of somebody else came to %s", run.Run.Status)
	}
}

// Each verb on tasks that lie in a circle ends, others are served meanwhile, and after a
// restart there is nothing endless left to do.
func TestACircleOfAgentsEndsAtEveryVerb(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg public.Config) {
		begin(t, cfg)
		p := servertest.Enter(t, cfg)
		for name, verb := range verbs {
			p.Wants(verb.status, verb.method, strings.TrimSuffix("chats/"+chatOf(name)+"/"+verb.at, "/"), verb.body)
			p.Wants(201, "POST", "chats", `{"title":"Somebody else writes"}`)
		}
		others(p, "beside")
		p.Settled()
		for name, verb := range verbs {
			for document, want := range verb.ends {
				var d struct{ Status, Error string }
				p.Into(&d, 200, "GET", "docs/users/local/orch-chats/"+chatOf(name)+"/"+document, "")
				if got := d.Status + " " + d.Error; !strings.HasPrefix(got, want) {
					p.Errorf("%s: %s is %q, want %q", name, document, got, want)
				}
			}
		}
		var runs struct{ Items []nestor.Run }
		p.Into(&runs, 200, "GET", "runs", "")
		for _, run := range runs.Items {
			p.Wants(200, "GET", "runs/"+run.ID+"/tree", "")
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		again := servertest.Enter(t, cfg)
		again.Settled()
		others(again, "after")
	})
}
