package app_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/app"
)

// person is somebody who is signed in with a browser.
type person struct {
	*server
	name string
	as   []string // headers
}

const personalPassword = "a password for the tests"

func (s *server) signIn(name string) person {
	s.Helper()
	req, err := http.NewRequestWithContext(s.Context(), "POST", s.url+"/api/v1/login", strings.NewReader(`{"login":"`+name+`","password":"`+personalPassword+`"}`))
	if err != nil {
		s.Fatal(err)
	}
	res, err := client.Do(req)
	if err != nil {
		s.Fatal(err)
	}
	res.Body.Close()
	var cookies []string
	for _, c := range res.Cookies() {
		cookies = append(cookies, c.Name+"="+c.Value)
	}
	return person{s, name, []string{"Authorization", "", "Cookie", strings.Join(cookies, "; "), "Origin", s.url}}
}

func (p person) want(status int, method, path, body, contains string) string {
	p.Helper()
	return p.server.want(status, method, "/api/v1"+path, body, contains, p.as...)
}

// id is the id of what a request creates.
func (p person) id(path, body string) string {
	p.Helper()
	var d struct{ ID string }
	if err := json.Unmarshal([]byte(p.want(201, "POST", path, body, "")), &d); err != nil {
		p.Fatal(err)
	}
	return d.ID
}

// calls is how many model calls a person was charged for.
func (p person) calls() (n int) {
	p.Helper()
	var days struct{ Items []struct{ Calls int } }
	if err := json.Unmarshal([]byte(p.want(200, "GET", "/usage", "", "")), &days); err != nil {
		p.Fatal(err)
	}
	for _, d := range days.Items {
		n += d.Calls
	}
	return n
}

// ask says something in a chat of olga's. It returns the message, the task that
// it leads to and its tool call, when the task is reported.
func (p person) ask(chat, content string) (m nestor.Message, t nestor.Task, c nestor.ToolCall) {
	p.Helper()
	in := "/chats/" + chat
	if err := json.Unmarshal([]byte(p.want(201, "POST", in+"/messages?user=olga", `{"content":"`+content+`"}`, "")), &m); err != nil {
		p.Fatal(err)
	}
	p.until(in+"/events?user=olga&from=0", func(line string) bool {
		return strings.Contains(line, `"role":"assistant"`) && strings.Contains(line, `"taskId"`) && strings.Contains(line, `"collection":"messages"`) &&
			p.taskOf(in, m.ID, &t)
	})
	var calls struct{ Items []nestor.ToolCall }
	text := p.want(200, "GET", in+"/sub-agents/"+t.SubAgentID+"/tool-calls?user=olga", "", "search_documents")
	if err := json.Unmarshal([]byte(text), &calls); err != nil || len(calls.Items) == 0 {
		p.Fatalf("the calls are %s, %v", text, err)
	}
	return m, t, calls.Items[0]
}

// taskOf finds the task that came of a message, if it was reported.
func (p person) taskOf(chat, message string, t *nestor.Task) bool {
	p.Helper()
	var tasks struct{ Items []nestor.Task }
	if err := json.Unmarshal([]byte(p.want(200, "GET", chat+"/tasks?user=olga", "", "")), &tasks); err != nil {
		p.Fatal(err)
	}
	for _, task := range tasks.Items {
		if task.TriggerMessageID == message && task.Status == nestor.TaskSuccess {
			*t = task
			_, messages := p.call("GET", "/api/v1"+chat+"/messages?user=olga", "", p.as...)
			return strings.Contains(messages, `"taskId":"`+task.ID+`"`)
		}
	}
	return false
}

// until follows a stream until found accepts a line.
func (p person) until(path string, found func(line string) bool) {
	p.Helper()
	req, err := http.NewRequestWithContext(p.Context(), "GET", p.url+"/api/v1"+path, nil)
	if err != nil {
		p.Fatal(err)
	}
	for i := 0; i < len(p.as); i += 2 {
		req.Header.Set(p.as[i], p.as[i+1])
	}
	res, err := client.Do(req)
	if err != nil {
		p.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "data:") && found(lines.Text()) {
			return
		}
	}
	p.Fatalf("the stream ended: %v", lines.Err())
}

// shared is a server with olga, who shares a chat with mia, and has others that
// she does not share.
func shared(t *testing.T, cfg app.Config) (olga, mia person, chat, private string) {
	t.Helper()
	cfg.Stdout, cfg.Stderr, cfg.Env = &output{}, &output{}, vars(nil)
	for _, id := range []string{"olga", "mia"} {
		if err := app.AddUser(t.Context(), cfg, app.NewUser{ID: id}, personalPassword); err != nil {
			t.Fatal(err)
		}
	}
	s := start(t, cfg)
	olga, mia = s.signIn("olga"), s.signIn("mia")
	team := olga.id("/accounts", `{"name":"Team"}`)
	project := olga.id("/accounts/"+team+"/projects", `{"name":"Plans"}`)
	chat = olga.id("/chats", `{"title":"Zanzibar in the open","projectId":"`+project+`"}`)
	private = olga.id("/chats", `{"title":"Zanzibar in private"}`)

	olga.want(202, "PUT", "/accounts/"+team+"/members/mia", `{"role":"member"}`, "")
	mia.want(404, "GET", "/chats/"+chat+"?user=olga", "", "") // nobody is put into an account unasked
	mia.want(200, "GET", "/accounts", "", `"items":[]`)
	mia.want(200, "GET", "/invitations", "", `"accountName":"Team"`)
	mia.want(204, "POST", "/invitations/"+team+"/accept", "", "")
	mia.want(200, "GET", "/chats/"+chat+"?user=olga", "", "")
	return olga, mia, chat, private
}

const lookUp = "Search my documents for Zanzibar"

func TestInASharedChatAToolFindsWhatIsSharedAndWhoAskedPays(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		olga, mia, chat, private := shared(t, cfg)
		m, task, call := mia.ask(chat, lookUp)
		if m.AuthorID != "mia" || task.AskedBy.Payer() != "mia" || call.AskedBy.Payer() != "mia" {
			t.Errorf("the message is %s's, the task %v's, the call %v's", m.AuthorID, task.AskedBy, call.AskedBy)
		}
		if !strings.Contains(call.Result, "in the open") || strings.Contains(call.Result, "in private") || strings.Contains(call.Result, private) {
			t.Errorf("mia is told %s", call.Result)
		}
		if olga.calls() != 0 || mia.calls() != 3 { // the orchestrator's, and the agent's two
			t.Errorf("olga pays for %d calls, mia for %d", olga.calls(), mia.calls())
		}
		// Mia reads what olga is told there.
		if _, _, call := olga.ask(chat, lookUp); strings.Contains(call.Result, "in private") {
			t.Errorf("in the shared chat olga is told %s", call.Result)
		}
		paid := mia.calls()
		if _, _, call := olga.ask(private, lookUp); !strings.Contains(call.Result, "in private") {
			t.Errorf("in her own chat olga is told %s", call.Result)
		}
		if mia.calls() != paid || olga.calls() == 0 {
			t.Errorf("mia pays for %d calls after %d, olga for %d", mia.calls(), paid, olga.calls())
		}
	})
}

// Rules of one's own can give members of one account different rights.
func TestAToolHasTheRightsOfWhoAsked(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		text := printedRules(t)
		const read = `"condition": "chat.role in ['viewer', 'member', 'owner']"`
		if strings.Count(text, read) != 2 {
			t.Fatal("the built-in rules have changed")
		}
		// Chats whose title says so are for their own user alone.
		changed := strings.Replace(text, read,
			`"condition": "chat.role in ['viewer', 'member', 'owner'] && (request.auth.uid == resource.params.userId || !resource.before.title.contains('draft'))"`, 1)
		cfg.Rules = filepath.Join(t.TempDir(), "rules.json")
		if err := os.WriteFile(cfg.Rules, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		olga, mia, chat, _ := shared(t, cfg)
		var c nestor.Chat
		if err := json.Unmarshal([]byte(olga.want(200, "GET", "/chats/"+chat, "", "")), &c); err != nil {
			t.Fatal(err)
		}
		olga.id("/chats", `{"title":"Zanzibar draft","projectId":"`+c.ProjectID+`"}`)
		if _, _, call := mia.ask(chat, lookUp); strings.Contains(call.Result, "draft") || !strings.Contains(call.Result, "in the open") {
			t.Errorf("mia is told %s", call.Result)
		}
		if _, _, call := olga.ask(chat, lookUp); !strings.Contains(call.Result, "draft") {
			t.Errorf("olga is told %s", call.Result)
		}
	})
}
