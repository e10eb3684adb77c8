package graphs_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// reruns runs an execution again and returns the id of the new one.
func (p *person) reruns(execution, body string) string {
	p.Helper()
	var begun struct{ ID string }
	if err := json.Unmarshal([]byte(p.wants(202, "POST", executions+"/"+execution+"/rerun", body, `"rerunOf":"`+execution+`"`)), &begun); err != nil {
		p.Fatal(err)
	}
	return begun.ID
}

// lists wants these executions, newest first, in pages of one.
func (p *person) lists(query string, want ...string) {
	p.Helper()
	var got []string
	for cursor := ""; ; {
		var page struct {
			Items []struct{ ID string }
			Next  string
		}
		text := p.wants(200, "GET", executions+"?limit=1&"+query+cursor, "")
		if err := json.Unmarshal([]byte(text), &page); err != nil {
			p.Fatal(err)
		}
		for _, item := range page.Items {
			got = append(got, item.ID)
		}
		if cursor = "&cursor=" + page.Next; page.Next == "" {
			break
		}
	}
	if !slices.Equal(got, want) {
		p.Errorf("%s lists %q, not %q", query, got, want)
	}
}

func TestAnExecutionIsRunAgainFromANodeOn(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		var posts atomic.Int64
		service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"paid":%d}`, posts.Add(1))
		}))
		defer service.Close()
		cfg.AllowPrivate = true
		p := start(t, cfg)
		nodes := func(expression string) []string {
			return []string{
				"s on-start", `pay http-request {"url":"` + service.URL + `","method":"POST"}`, `m map {"expression":"` + expression + `"}`, "o output", `side output {"name":"side"}`,
			}
		}
		edges := []string{"s.signal>pay.run", "pay.done>m.run", "pay.json>m.value", "m.done>o.run", "m.result>o.value", "s.signal>side.run", "s.text>side.value"}
		p.draws("g", nodes("value.payed"), edges...)
		first := p.runs("g", `"hello"`)
		p.ends(first, `"status":"failed"`, `"nodeId":"m"`)

		again := p.reruns(first, "")
		p.ends(again, `"status":"failed"`, `"nodeId":"m"`, `"rerunFrom":"m"`)
		p.wants(200, "PATCH", graphs+"/g", `{`+drawn(nodes("value.paid"), edges...)+`}`)
		fixed := p.reruns(first, `{"graph":"current"}`)
		p.ends(fixed, `"status":"completed"`, `"output":{"o":1,"side":"hello"}`)
		if n := posts.Load(); n != 1 {
			t.Errorf("who paid once paid %d times", n)
		}
		p.wants(200, "GET", executions+"/"+fixed+"/resolutions", "", `"nodeId":"pay"`, `"recorded":true`, `"recorded":false`)
		p.lists("rerunOf="+first, fixed, again)
		p.lists("rerunOf="+first+"&status=failed", again)
		p.lists("agentGraphId=g&status=failed", again, first)
		p.lists("parentExecutionId=" + first)
		p.lists("to=1")
		p.lists("from=1", fixed, again, first)
		p.wants(400, "GET", executions+"?from=yesterday", "", `"field":"from"`)
		later := p.reruns(fixed, `{"from":"pay"}`) // a re-run is run again as any other
		p.ends(later, `"output":{"o":2,"side":"hello"}`)

		// Two runs are compared node by node.
		p.wants(200, "GET", executions+"/"+fixed+"/compare?to="+later, "", `"same":false`, `"port":"result","left":"1","right":"2"`, `"nodeId":"side"`)
		differs := p.wants(200, "GET", executions+"/"+first+"/compare?to="+fixed, "", `"status":"failed"`, `"right":null`, `"port":"onError"`)
		if strings.Contains(differs, `"port":"json"`) {
			t.Errorf("what was the same is told to differ: %s", differs)
		}
		p.wants(200, "GET", executions+"/"+first+"/compare?to="+first, "", `"same":true`)
		p.wants(400, "GET", executions+"/"+first+"/compare", "", `"field":"to"`)
		p.wants(404, "GET", executions+"/"+first+"/compare?to=none", "")

		// What does not fit is refused, with the nodes.
		p.wants(400, "POST", executions+"/"+fixed+"/rerun", "", `"field":"from"`)
		p.wants(400, "POST", executions+"/"+first+"/rerun", `{"graph":"other"}`, `"field":"graph"`)
		p.wants(400, "POST", executions+"/"+first+"/rerun", `{"from":"none"}`, `"DOES_NOT_FIT"`, `"nodeId":"none","code":"no-such-node"`)
		p.wants(200, "PATCH", graphs+"/g", `{`+drawn([]string{"s on-start", `pay map {"expression":"value"}`, `m map {"expression":"value"}`, "n output"},
			"s.signal>pay.run", "s.input>pay.value", "pay.done>m.run", "pay.result>m.value", "m.done>n.run", "m.result>n.value")+`}`)
		p.wants(400, "POST", executions+"/"+first+"/rerun", `{"graph":"current"}`, `"DOES_NOT_FIT"`, `"nodeId":"pay","code":"recorded-by-another-type"`)
		p.ends(p.reruns(first, `{"graph":"current","from":"pay"}`), `"status":"completed"`, `"output":{"n":"hello"}`)
		p.wants(200, "PATCH", graphs+"/g", `{`+drawn(nodes("value.paid"), "s.signal>pay.run", "pay.done>m.run", "pay.error>m.value", "m.done>o.run", "m.result>o.value", "s.text>side.value")+`}`)
		p.wants(400, "POST", executions+"/"+first+"/rerun", `{"graph":"current"}`, `"DOES_NOT_FIT"`, `"nodeId":"m","code":"nothing-recorded"`)
		p.wants(200, "GET", executions+"/"+fixed+"/compare?to="+first, "", `"same":false`)
		p.wants(204, "DELETE", graphs+"/g", "")
		p.wants(404, "POST", executions+"/"+first+"/rerun", `{"graph":"current"}`)
		bob := p.signIn("bob")
		bob.wants(404, "POST", executions+"/"+first+"/rerun", "")
		bob.wants(404, "GET", executions+"/"+first+"/compare?to="+first, "")
		if n := posts.Load(); n != 2 {
			t.Errorf("%d requests were made", n)
		}
	})
}

func TestARunOfACircleIsTheSameFromWhateverNodeItIsRunAgain(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		p.draws("counter", []string{"s on-start", `add map {"expression":"value + 1.0"}`, `c condition {"expression":"value < 40.0"}`, "o output", "d debug-log"},
			"s.signal>add.run", "s.input>add.value", "add.done>c.run", "add.result>c.value", "add.result>add.value", "c.true>add.run", "c.true>d.run", "c.false>o.run", "add.result>o.value")
		p.wants(200, "PATCH", graphs+"/counter", `{"maxResolutions":1000}`)
		first := p.runs("counter", `0`)
		p.ends(first, `"status":"completed"`, `"output":{"o":40}`)
		for _, node := range []string{"s", "add", "c", "o", "d"} {
			again := p.reruns(first, `{"from":"`+node+`"}`)
			p.ends(again, `"status":"completed"`, `"output":{"o":40}`)
			p.wants(200, "GET", executions+"/"+first+"/compare?to="+again, "", `"same":true`, `"recorded":false`)
		}
	})
}
