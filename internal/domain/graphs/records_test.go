package graphs_test

import (
	"bufio"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/server"
)

// hears follows a stream of records and sends its events, "name id".
func (p *person) hears(path string) <-chan string {
	p.Helper()
	res := p.request("GET", path, "")
	if res.StatusCode != 200 {
		p.Fatalf("no stream: %v", res.Status)
	}
	heard := make(chan string, 100)
	p.Cleanup(func() { _ = res.Body.Close() })
	go func() {
		defer close(heard)
		name := ""
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			if said, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				name = said
			}
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				_, id, _ := strings.Cut(data, `"id":"`)
				if id, _, ok = strings.Cut(id, `"`); ok {
					heard <- name + " " + id
				}
			}
		}
	}()
	return heard
}

func TestGraphsAndExecutionsHaveTheCallsOfRecords(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		heard, runs := p.hears(graphs+"/stream"), p.hears(executions+"/stream")
		echo := drawn([]string{"s on-start", "o output"}, "s.signal>o.run", "s.text>o.value")
		bad := drawn([]string{"x nonsense"})
		p.wants(201, "POST", graphs+"/batch", `{"records":[{"id":"a","name":"A",`+echo+`},{"id":"b","name":"B",`+echo+`}]}`, `"id":"a"`, `"id":"b"`, `"version":1`)
		p.wants(409, "POST", graphs+"/batch", `{"records":[{"id":"c","name":"C",`+echo+`},{"id":"b","name":"B",`+echo+`}]}`, `"index":1`)
		p.wants(400, "POST", graphs+"/batch", `{"records":[{"id":"c","name":"C",`+echo+`},{"name":"B",`+bad+`}]}`, `"index":1`, `"BAD_GRAPH"`)
		p.wants(400, "POST", graphs+"/batch", `{"records":[]}`, `"field":"records"`)
		p.wants(400, "POST", graphs, `{"id":"count","name":"C",`+echo+`}`, `"field":"id"`)
		p.wants(200, "GET", graphs+"/count", "", `{"count":2}`)
		p.wants(201, "POST", graphs+"/a/clone", `{"id":"copy"}`, `"id":"copy"`, `"name":"A"`, `"nodeId":"on-start"`)
		p.wants(409, "POST", graphs+"/a/clone", `{"id":"copy"}`)
		p.wants(404, "POST", graphs+"/none/clone", "")
		p.WithKey("write", "users/local/agent-graphs/mine").Wants(404, "POST", graphs+"/a/clone", `{"id":"mine"}`) // a key for the copy alone
		p.wants(200, "HEAD", graphs+"/copy", "")
		p.wants(404, "HEAD", graphs+"/none", "")
		p.wants(200, "PATCH", graphs+"/copy", `{"name":"C"}`, `"version":2`)
		p.wants(204, "DELETE", graphs+"/copy", "")
		p.wants(200, "GET", graphs+"/count", "", `{"count":2}`)
		for _, want := range []string{"created a", "created b", "created copy", "updated copy", "deleted copy"} {
			if got := testmain.Next(t, want, heard); got != want {
				t.Errorf("the stream told %q, not %q", got, want)
			}
		}

		x := p.runs("a", `"hello"`)
		p.ends(x, `"status":"completed"`)
		p.wants(200, "HEAD", executions+"/"+x, "")
		p.wants(200, "GET", executions+"/count", "", `{"count":1}`)
		p.wants(200, "GET", executions+"/count?status=failed", "", `{"count":0}`)
		p.wants(200, "GET", executions+"/count?agentGraphId=a&status=completed", "", `{"count":1}`)
		p.wants(405, "PATCH", executions+"/"+x, `{"status":"failed"}`)
		p.wants(204, "DELETE", executions+"/"+x, "")
		got := []string{}
		for len(got) == 0 || !strings.HasPrefix(got[len(got)-1], "deleted") {
			got = append(got, testmain.Next(t, "the run is deleted", runs))
		}
		if !slices.Equal(got, []string{"created " + x, "updated " + x, "deleted " + x}) {
			t.Errorf("the stream told %q", got)
		}
		bob := p.signIn("bob")
		bob.wants(200, "GET", graphs+"/count", "", `{"count":0}`)
		bob.wants(404, "POST", graphs+"/a/clone", "")
		bob.wants(404, "HEAD", graphs+"/a", "")
	})
}
