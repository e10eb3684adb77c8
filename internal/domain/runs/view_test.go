package runs_test

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs/view"
	"github.com/nestorhq/nestor/internal/servertest"
)

// tree is the whole tree of a run, all pages of it.
func tree(p *servertest.Person, path string) (got view.RunTree) {
	p.Helper()
	for cursor := ""; ; {
		var page view.RunTree
		sign := "?"
		if strings.Contains(path, "?") {
			sign = "&"
		}
		p.Into(&page, 200, "GET", path+sign+"cursor="+url.QueryEscape(cursor), "")
		got.Run, got.Seq = page.Run, page.Seq
		got.Rows = append(got.Rows, page.Rows...)
		if cursor = page.Next; cursor == "" {
			return got
		}
	}
}

func only(rows []view.RunRow, kind view.RowKind) (found []view.RunRow) {
	for _, r := range rows {
		if r.Kind == kind {
			found = append(found, r)
		}
	}
	return found
}

func TestTheTreeOfARunTellsWhatHappened(t *testing.T) {
	each(t, func(p *person) {
		p.chat("c1")
		p.asks("c1", "m0", "Hello")
		p.asks("c1", "m1", "Compute 6*7")
		run := p.run("m1").Run
		got := tree(p.Person, "runs/m1/tree")
		var used *nestor.Usage
		var cost int64
		ids := map[string]bool{}
		for _, r := range got.Rows {
			if ids[r.ID] {
				p.Errorf("the row %s is there twice", r.ID)
			}
			ids[r.ID] = true
			used, cost = used.Add(r.Usage), cost+r.CostMicros
			if r.Parent != "" && !ids[r.Parent] {
				p.Errorf("the row %s comes before the one above it", r.ID)
			}
			if r.EndedAt < r.BeganAt || r.BeganAt < r.QueuedAt || r.QueuedAt < got.Rows[0].QueuedAt {
				p.Errorf("the times of %+v make no sense", r)
			}
			for _, w := range r.Waits {
				if w.To <= w.From {
					p.Errorf("a wait of %+v makes no sense", r)
				}
			}
		}
		if *used != *run.Usage || cost != run.CostMicros {
			p.Errorf("the rows used %+v and %d, the run %+v and %d", used, cost, run.Usage, run.CostMicros)
		}
		agents, tools, turns := only(got.Rows, view.Agent), only(got.Rows, view.Tool), only(got.Rows, view.Model)
		if len(agents) != 1 || agents[0].Name != "general" || agents[0].Status != "success" || agents[0].Parent != "orchestrator" {
			p.Errorf("the agents are %+v", agents)
		}
		if len(tools) != 1 || tools[0].Name != "calculator" || tools[0].Parent != agents[0].ID {
			p.Errorf("the calls are %+v", tools)
		}
		if got.Rows[0].Kind != view.Message || got.Rows[0].Label != "Compute 6*7" || len(only(turns, view.Model)) < 3 {
			p.Errorf("the rows are %+v", got.Rows)
		}

		// What there is to know of a row.
		row := func(path, id string) string { return path + "?row=" + url.QueryEscape(id) }
		p.Wants(200, "GET", row("runs/m1/step", tools[0].ID), "", `"result":"42"`, `"args":`)
		p.Wants(200, "GET", row("runs/m1/step", agents[0].ID), "", "6*7")
		p.Wants(404, "GET", row("runs/m1/step", "orch-chats/c1/messages/m0"), "") // of another run
		p.Wants(404, "GET", row("runs/m1/step", "../../secrets"), "")
		p.Wants(400, "GET", "runs/m1/tree?since=x", "", `"field":"since"`)

		// What the orchestrator was asked, with what was said before, and what an agent was.
		answer := turns[slices.IndexFunc(turns, func(r view.RunRow) bool { return r.For == "answer" })]
		var prompt view.RunPrompt
		p.Into(&prompt, 200, "GET", row("runs/m1/prompt", answer.ID), "")
		last := prompt.Messages[len(prompt.Messages)-1].Text
		if prompt.System == "" || !strings.Contains(last, "There are no agents yet.\n") || !strings.HasSuffix(last, "# Message\nCompute 6*7") || !slices.Contains(prompt.Tools, "create_agent") ||
			prompt.Messages[0].Text != "Hello" {
			p.Errorf("the orchestrator was asked %+v", prompt)
		}
		p.asks("c1", "m2", "Compute 2*3 and also tell me the time in Tokyo")
		p.run("m2")
		concluded := only(tree(p.Person, "runs/m2/tree").Rows, view.Model)
		conclusion := concluded[slices.IndexFunc(concluded, func(r view.RunRow) bool { return r.For == "conclusion" })]
		p.Wants(200, "GET", row("runs/m2/prompt", conclusion.ID), "", "All that was started has ended", "which the user sees", "**6**")
		var steps []view.RunRow
		for _, r := range turns {
			if r.Parent == agents[0].ID {
				steps = append(steps, r)
			}
		}
		p.Into(&prompt, 200, "GET", row("runs/m1/prompt", steps[0].ID), "")
		if len(prompt.Messages) != 1 || !strings.Contains(prompt.Messages[0].Text, "6*7") {
			p.Errorf("the agent was first asked %+v", prompt)
		}
		p.Into(&prompt, 200, "GET", row("runs/m1/prompt", steps[1].ID), "")
		if n := len(prompt.Messages); n != 3 || prompt.Messages[2].Tool != "calculator" || prompt.Messages[2].Text != "42" {
			p.Errorf("the agent was then asked %+v", prompt)
		}
		p.Wants(404, "GET", row("runs/m1/prompt", tools[0].ID), "")

		// Who asks again gets what is new.
		if again := tree(p.Person, "runs/m1/tree?since="+jsonNumber(got.Seq)); len(again.Rows) != 0 {
			p.Errorf("nothing happened since, and the rows are %+v", again.Rows)
		}
	})
}

func jsonNumber(n int64) string {
	text, _ := json.Marshal(n)
	return string(text)
}

func TestTheTreeTellsWhatIsWaitedFor(t *testing.T) {
	each(t, func(p *person) {
		p.chat("c1")
		p.asks("c1", "m1", "Book a table for two")
		p.Settled()
		before := tree(p.Person, "runs/m1/tree")
		asked := only(before.Rows, view.Question)
		if len(asked) != 1 || asked[0].Status != "waiting" || asked[0].EndedAt != 0 || len(asked[0].Waits) != 1 || asked[0].Waits[0].For != view.ForPerson || asked[0].Waits[0].To != 0 {
			p.Fatalf("asked was %+v", asked)
		}
		p.asks("c1", "m2", "Friday at 8")
		p.Settled()
		news := tree(p.Person, "runs/m1/tree?since="+jsonNumber(before.Seq))
		asked = only(news.Rows, view.Question)
		if len(asked) != 1 || asked[0].Status != "success" || asked[0].EndedAt == 0 {
			p.Errorf("asked was %+v", asked)
		}
	})
}

func TestTheTreeOfOtherRuns(t *testing.T) {
	each(t, func(p *person) {
		p.chat("c1")
		p.Wants(201, "POST", "chats/c1/tasks", `{"id":"t1","name":"tool:calculator","type":"tool","args":{"expression":"1/0"}}`)
		p.Wants(201, "POST", "chats/c1/tasks", `{"id":"t2","name":"agent:nobody","instruction":"x"}`)
		p.Settled()
		for id, want := range map[string]string{"t1": "division by zero", "t2": "there is no role nobody"} {
			got := only(tree(p.Person, "runs/"+id+"/tree").Rows, view.Agent)
			if len(got) != 1 || got[0].Status != "failed" || !strings.Contains(got[0].Error, want) {
				p.Errorf("%s: %+v", id, got)
			}
		}
		p.Wants(201, "POST", "records/agent_graphs", graph)
		var begun struct {
			ID        string `json:"id"`
			SessionID string `json:"session_id"`
		}
		p.Into(&begun, 202, "POST", "records/agent_graphs/answer/executions", `{"input":{"text":"What is 6*7?"}}`)
		p.Settled()
		got := tree(p.Person, "runs/"+begun.ID+"/tree")
		nodes := only(got.Rows, view.Node)
		if len(nodes) != 3 || nodes[0].Parent != got.Rows[0].ID || got.Rows[0].Kind != view.Execution || got.Rows[0].Usage.Tokens() == 0 {
			p.Errorf("of a graph: %+v", got.Rows)
		}
		p.Wants(200, "GET", "runs/"+begun.ID+"/step?row="+url.QueryEscape(nodes[2].ID), "", `"args":{"value":`)
		p.Wants(201, "POST", "outcomes", `{"direction":"launch","object":"the shop","metric":"orders","clarifier":"20 by June"}`)
		p.Wants(201, "POST", "documents", `{"title":"Plan","content":"- Design the shop (2h)\n- Build the shop (4h)"}`)
		p.Settled()
		p.Into(&begun, 202, "POST", "agent/prioritize", `{}`)
		p.Settled()
		got = tree(p.Person, "runs/"+begun.SessionID+"/tree")
		if got.Rows[0].Kind != view.Session || len(got.Rows) < 2 {
			p.Errorf("of a prioritisation: %+v", got.Rows)
		}
		p.Wants(200, "GET", "runs/"+begun.SessionID+"/step?row="+url.QueryEscape(got.Rows[1].ID), "")
	})
}

// What somebody sees of a run is what they may read of it.
func TestTheTreeShowsWhatTheCallerMayRead(t *testing.T) {
	each(t, func(p *person) {
		ann, bob := p.SignIn("ann"), p.SignIn("bob")
		ann.Wants(201, "POST", "chats", `{"id":"c1"}`)
		ann.Wants(200, "POST", "chats/c1/messages?wait=1", `{"id":"m1","content":"Compute 6*7"}`, `"status":"success"`)
		whole := tree(ann, "runs/m1/tree")
		for _, path := range []string{"tree", "step?row=x", "prompt?row=x", "shares"} {
			bob.Wants(404, "GET", "runs/m1/"+path+sep(path)+"user=ann", "")
		}
		p.Wants(200, "GET", "runs/m1/tree?user=ann", "", "Compute 6*7")
		// A key for runs alone is told how the run went, and nothing of what was said.
		key := ann.WithKey("read", "users/ann/runs/**")
		if got := tree(key, "runs/m1/tree"); len(got.Rows) != 2 || got.Rows[0].Label != "" {
			p.Errorf("the key for runs sees %+v", got.Rows)
		}
		key.Wants(404, "GET", "runs/m1/step?row=orch-chats/c1/messages/m1", "")
		// A key for the chat sees what happened there.
		key = ann.WithKey("read", "users/ann/orch-chats/c1/**", "users/ann/orch-chats/c1")
		if got := tree(key, "runs/m1/tree"); len(got.Rows) != len(whole.Rows) {
			p.Errorf("the key for the chat sees %+v", got.Rows)
		}
		key.Wants(404, "GET", "runs/m1", "")
		key.Wants(403, "POST", "runs/m1/shares", `{}`)
	})
}

func sep(path string) string {
	if strings.Contains(path, "?") {
		return "&"
	}
	return "?"
}
