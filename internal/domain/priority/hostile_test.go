package priority_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// odd are texts that programs stumble over.
var odd = []string{
	"\u202eright to left\u202c", "emoji 👩\u200d👩\u200d👧\u200d👦 family", "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘ text", "'; DROP TABLE processed_documents; --", "<script>alert(1)</script>",
	"${jndi:ldap://x}", "a\tb\u2028c", "\u200b\u200bzero width", "日本語のタスク", "{{.Title}} %s %d %!",
}

func TestManyAndOddTasks(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Model = demo.New(demo.Options{Instant: true})
		p := start(t, cfg)
		p.creates("outcomes", launch)
		const documents, each = 55, 20
		for i := range documents {
			var list strings.Builder
			for j := range each {
				fmt.Fprintf(&list, "- [ ] Task %d of %d: %s\n", j, i, odd[(i+j)%len(odd)])
			}
			body, err := json.Marshal(map[string]string{"title": odd[i%len(odd)], "content": list.String()})
			if err != nil {
				t.Fatal(err)
			}
			p.creates("documents", string(body))
		}
		p.settled()
		if n := len(p.tasks("")); n != documents*each {
			t.Errorf("there are %d tasks", n)
		}
		session := p.begins()
		p.settled()
		var made struct {
			Plan *struct {
				Order []string `json:"ordered_task_ids"`
			} `json:"prioritized_plan"`
		}
		p.into(&made, 200, "GET", "agent/sessions/"+session, "")
		if made.Plan == nil || len(made.Plan.Order) != documents*each {
			t.Fatalf("the plan is %+v", made.Plan)
		}
		all, err := json.Marshal(made.Plan.Order)
		if err != nil {
			t.Fatal(err)
		}
		plan := "agent/sessions/" + session + "/plan"
		p.wants(200, "PATCH", plan, `{"done":`+string(all)+`}`, `"execution_waves":[]`)
		p.wants(200, "PATCH", plan, `{"undo":`+string(all)+`}`)
		unknown := make([]string, 10_000)
		for i := range unknown {
			unknown[i] = fmt.Sprintf("%q", fmt.Sprintf("no-such-task-%d", i))
		}
		if text := p.wants(400, "PATCH", plan, `{"order":[`+strings.Join(unknown, ",")+`]}`, "and 9980 more"); len(text) > 10_000 {
			t.Errorf("the refusal has %d bytes", len(text))
		}
		p.wants(400, "PATCH", plan, `{"pin":{"`+made.Plan.Order[0]+`":-9223372036854775808}}`)
		for name, arguments := range map[string]string{
			"semantic-search":       `{"query":"` + strings.Repeat("x", 501) + `"}`,
			"get-document-context":  `{"task_ids":[` + strings.Join(unknown[:51], ",") + `]}`,
			"detect-dependencies":   `{"task_ids":["a"]}`,
			"query-task-graph":      `{"task_ids":[` + strings.Join(unknown[:101], ",") + `]}`,
			"cluster-by-similarity": `{"task_ids":["a","b"],"threshold":2}`,
		} {
			p.wants(200, "POST", "tools/"+name+"/call", `{"arguments":`+arguments+`}`, `"status":"failed"`, `"code":"invalid"`)
		}
		p.wants(200, "POST", "tools/semantic-search/call", `{"arguments":{"query":"family","limit":100,"threshold":0}}`, `\"total_found\":100`)
	})
}
