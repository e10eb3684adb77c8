package runs_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/servertest"
)

type listed struct {
	Items []runs.ListedRun
	Next  string
}

func (l listed) ids() (all []string) {
	for _, run := range l.Items {
		all = append(all, run.ID)
	}
	return all
}

// pages are the ids of all runs that a query finds, a page after the other.
func (p *person) pages(query string) (all []string) {
	p.Helper()
	for cursor := ""; ; {
		var page listed
		p.Into(&page, 200, "GET", "runs?limit=2&"+query+"&cursor="+cursor, "")
		all = append(all, page.ids()...)
		if cursor = page.Next; cursor == "" {
			return all
		}
	}
}

func TestRunsAreListedByWhatTheyDid(t *testing.T) {
	each(t, func(p *person) {
		p.model.price = &llm.Price{Input: 10, Output: 1000}
		p.chat("c1")
		p.chat("c2")
		hello := p.asks("c1", "hello", "Hello").Run
		sum := p.asks("c1", "sum", "Compute 6*7").Run
		book := p.asks("c2", "book", "Book a table for two").Run
		p.Wants(201, "POST", "chats/c2/tasks", `{"id":"fails","name":"tool:calculator","type":"tool","args":{"expression":"1/0"}}`)
		fails := p.run("fails").Run
		if sum.Agents != 1 || hello.Agents != 0 || book.Agents != 1 || fails.Agents != 0 {
			p.Errorf("agents: %d, %d, %d and %d", hello.Agents, sum.Agents, book.Agents, fails.Agents)
		}
		if !slices.Equal(sum.Models, []string{"demo"}) || fails.BeganAt < book.BeganAt {
			p.Fatalf("got %+v and %+v", sum, fails)
		}
		if hello.CostMicros == 0 || sum.CostMicros <= hello.CostMicros || book.CostMicros <= hello.CostMicros {
			p.Fatalf("cost: %d, %d and %d", hello.CostMicros, sum.CostMicros, book.CostMicros)
		}
		all := []string{"fails", "book", "sum", "hello"}
		for query, want := range map[string][]string{
			"":                             all,
			"status=failed":                {"fails"},
			"status=waiting":               {"book"},
			"kind=task":                    {"fails"},
			"chatId=c1":                    {"sum", "hello"},
			"role=general":                 {"book", "sum"},
			"role=none":                    nil,
			"model=demo":                   {"book", "sum", "hello"},
			"model=other":                  nil,
			"tool=calculator":              {"fails", "sum"},
			"role=general&tool=calculator": {"sum"},
			"minCostMicros=0":              all,
			"minCostMicros=1":              {"book", "sum", "hello"},
			fmt.Sprintf("minCostMicros=%d", hello.CostMicros):                      {"book", "sum", "hello"},
			fmt.Sprintf("minCostMicros=%d", hello.CostMicros+1):                    {"book", "sum"},
			fmt.Sprintf("from=%d", sum.BeganAt):                                    after(sum.BeganAt, fails, book, sum, hello),
			fmt.Sprintf("from=%d", fails.BeganAt+1):                                nil,
			fmt.Sprintf("to=%d", sum.BeganAt):                                      before(sum.BeganAt, fails, book, sum, hello),
			fmt.Sprintf("from=%d&to=%d&chatId=c1", hello.BeganAt, fails.BeganAt+1): {"sum", "hello"},
			"by=local":    all,
			"by=somebody": nil,
		} {
			if got := p.pages(query); !slices.Equal(got, want) {
				p.Errorf("%q finds %v, want %v", query, got, want)
			}
		}
		for _, bad := range []string{"from=x", "to=1.5", "minCostMicros=much", "status=nope"} {
			name, _, _ := strings.Cut(bad, "=")
			p.Wants(400, "GET", "runs?"+bad, "", `"code":"invalid"`, `"field":"`+name+`"`)
		}
	})
}

func TestAnAdministratorSeesHowRunsOfOthersWentAndNothingOfWhatWasSaid(t *testing.T) {
	each(t, func(p *person) {
		ann, bob := p.SignIn("ann"), p.SignIn("bob")
		for id, one := range map[string]*servertest.Person{"a1": ann, "b1": bob} {
			one.Wants(201, "POST", "chats", `{"id":"canary-chat"}`)
			one.Wants(200, "POST", "chats/canary-chat/messages?wait=1", `{"id":"`+id+`","content":"canary-text"}`)
		}
		ann.Wants(201, "POST", "chats/canary-chat/tasks", `{"id":"t1","name":"tool:calculator","type":"tool","args":{"expression":"1/0"}}`)
		p.Settled()
		got := p.Wants(200, "GET", "server/runs", "", `"id":"a1","userId":"ann"`, `"id":"b1","userId":"bob"`, `"status":"failed"`, `"models":["demo"]`)
		if strings.Contains(got, "canary") || strings.Contains(got, "zero") {
			p.Errorf("told is %s", got)
		}
		for query, want := range map[string]string{"userId=ann&kind=message": "a1", "userId=bob": "b1", "status=failed": "t1", "tool=calculator": "t1", "userId=nobody": "", "by=ann": ""} {
			var page listed
			p.Into(&page, 200, "GET", "server/runs?"+query, "")
			if strings.Join(page.ids(), " ") != want {
				p.Errorf("%q finds %v, want %q", query, page.ids(), want)
			}
		}
		p.Wants(400, "GET", "server/runs?userId=a/b", "", `"code":"invalid"`)
		ann.Wants(403, "GET", "server/runs", "", `"code":"forbidden"`)
		ann.Wants(403, "GET", "server/runs?userId=ann", "")
	})
}

func after(at int64, all ...nestor.Run) (ids []string) {
	for _, run := range all {
		if run.BeganAt >= at {
			ids = append(ids, run.ID)
		}
	}
	return ids
}

func before(at int64, all ...nestor.Run) (ids []string) {
	for _, run := range all {
		if run.BeganAt < at {
			ids = append(ids, run.ID)
		}
	}
	return ids
}

func TestAListOfRunsTellsWhatTheyAreAbout(t *testing.T) {
	each(t, func(p *person) {
		ann, bob := p.SignIn("ann"), p.SignIn("bob")
		said := "Hello,\n\n  what   is " + strings.Repeat("new ", 60) + "?"
		for text, one := range map[string]*servertest.Person{said: ann, "Mine": bob} {
			content, err := json.Marshal(text)
			if err != nil {
				p.Fatal(err)
			}
			one.Wants(201, "POST", "chats", `{"id":"c1"}`)
			one.Wants(200, "POST", "chats/c1/messages?wait=1", `{"id":"m1","content":`+string(content)+`}`)
		}
		ann.Wants(201, "POST", "chats/c1/tasks", `{"id":"t1","name":"tool:calculator","type":"tool","args":{"expression":"1+1"}}`)
		ann.Wants(201, "POST", "records/agent_graphs", graph)
		ann.Wants(202, "POST", "records/agent_graphs/answer/executions", `{"input":{"text":"What is 6*7?"}}`)
		p.Settled()
		about := map[nestor.RunKind]string{}
		var got listed
		ann.Into(&got, 200, "GET", "runs", "")
		for _, run := range got.Items {
			about[run.Kind] = run.About
		}
		want := "Hello, what is " + strings.TrimSpace(strings.Repeat("new ", 37))[:145] + "…"
		if about[nestor.RunOfMessage] != want || about[nestor.RunOfTask] != `calculator {"expression":"1+1"}` || about[nestor.RunOfGraph] != "Answer" {
			p.Errorf("about: %q, want %q", about, want)
		}
		bob.Wants(200, "GET", "runs", "", `"about":"Mine"`)
		// A key for runs alone is not told what was said in the chat.
		key := ann.WithKey("read", "users/ann/runs/**")
		if got := key.Wants(200, "GET", "runs", "", `"id":"m1"`); strings.Contains(got, "about") {
			p.Errorf("the key reads %s", got)
		}
		ann.Wants(204, "DELETE", "chats/c1", "")
		if got := ann.Wants(200, "GET", "runs?kind=message", "", `"id":"m1"`); strings.Contains(got, "about") {
			p.Errorf("of a chat that is gone is told %s", got)
		}
	})
}

// report is what the books say of all days, by group.
func (p *person) report(by string) (rows map[string]budget.Totals, total budget.Totals) {
	p.Helper()
	var got budget.Report
	p.Into(&got, 200, "GET", "usage/report?from=2026-01-01&to=2999-01-01&groupBy="+by, "")
	rows = map[string]budget.Totals{}
	var sum budget.Totals
	for _, row := range got.Rows {
		rows[row.Group[budget.By(by)]] = row.Totals
		sum = budget.Totals{Usage: *sum.Usage.Add(&row.Usage), CostMicros: sum.CostMicros + row.CostMicros, Calls: sum.Calls + row.Calls}
	}
	if sum != got.Total {
		p.Errorf("by %s the rows add up to %+v, and the total is %+v", by, sum, got.Total)
	}
	return rows, got.Total
}

func TestTheBooksTellForWhomAndWhereRunsUsedModels(t *testing.T) {
	each(t, func(p *person) {
		p.model.price = &llm.Price{Input: 10, Output: 1000}
		p.chat("c1")
		p.chat("c2")
		first := p.asks("c1", "m1", "Hello").Run
		second := p.asks("c2", "m2", "Compute 6*7").Run
		p.Settled()
		roles, total := p.report("role")
		if used := *first.Usage.Add(second.Usage); total.Usage != used || total.CostMicros != first.CostMicros+second.CostMicros || total.CostMicros == 0 {
			p.Errorf("the books have %+v, the runs used %+v for %d and %d", total, used, first.CostMicros, second.CostMicros)
		}
		if len(roles) != 2 || roles["orchestrator"].Calls == 0 || roles["general"].Calls == 0 {
			p.Errorf("by role: %+v", roles)
		}
		chats, _ := p.report("chat")
		if of := chats["users/local/orch-chats/c1"]; len(chats) != 2 || of.Usage != *first.Usage || of.CostMicros != first.CostMicros {
			p.Errorf("by chat: %+v", chats)
		}
		models, _ := p.report("model")
		if len(models) != 1 || models["demo"] != total {
			p.Errorf("by model: %+v, want %+v", models, total)
		}
		var days struct{ Items []budget.Day }
		p.Into(&days, 200, "GET", "usage", "")
		var sum budget.Totals
		for _, d := range days.Items {
			sum = budget.Totals{Usage: *sum.Usage.Add(&d.Usage), CostMicros: sum.CostMicros + d.CostMicros, Calls: sum.Calls + d.Calls}
		}
		if sum != total {
			p.Errorf("by day it is %+v, in all %+v", sum, total)
		}
	})
}
