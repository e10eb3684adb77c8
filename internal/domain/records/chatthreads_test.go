package records_test

import (
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// Whoever writes a chat thread, and however, it is about a thread that is there, with a
// participant that its user can talk to.
func TestAChatThreadIsAboutWhatIsThereThroughEveryDoor(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		owner := start(t, cfg)
		p := owner.withKey()
		with := func(thread, participant string) string {
			return `"name":"Chat","description":"","participantId":"` + participant + `","threadId":"` + thread + `"`
		}
		fields := func(thread string) string { return with(thread, "agent:general") }
		const at = "users/local/chat-threads/"
		p.wants(201, "POST", "records/message_threads", `{"id":"there"}`)
		p.wants(201, "PUT", "docs/"+at+"good", `{`+fields("there")+`}`)

		wrong := []string{`"field":"threadId"`, "there is no message thread"}
		p.wants(400, "POST", "records/chat_threads", `{"id":"bad",`+fields("none")+`}`, wrong...)
		p.wants(400, "PATCH", "records/chat_threads/good", `{"threadId":"none"}`, wrong...)
		p.wants(400, "PUT", "docs/"+at+"bad", `{`+fields("none")+`}`, wrong...)
		p.wants(400, "PUT", "docs/"+at+"good", `{`+fields("none")+`}`, wrong...)
		p.wants(400, "PATCH", "docs/"+at+"good", `{"threadId":"../x"}`, wrong...)
		p.wants(400, "POST", "batch", `{"operations":[{"op":"create","path":"`+at+`other","body":{`+fields("there")+`}},{"op":"create","path":"`+at+`bad","body":{`+fields("none")+`}}]}`, "there is no message thread")
		p.wants(404, "GET", "docs/"+at+"other", "")
		res, text := p.send("POST", "replication/chat_threads/push?userId=local", `[{"newDocumentState":{"id":"bad","userId":"local",`+fields("none")+`,"_deleted":false}}]`)
		if res.StatusCode != 200 || !strings.Contains(res.Header.Get("Nestor-Refused"), "there is no message thread") {
			t.Errorf("a push gets %d %s %v", res.StatusCode, text, res.Header)
		}
		p.wants(404, "GET", "docs/"+at+"bad", "")
		p.wants(200, "GET", "docs/"+at+"good", "", `"threadId":"there"`, `"version":1`)

		p.wants(201, "POST", "records/agent_graphs", `{"id":"mine","name":"Mine","nodes":[],"edges":[]}`)
		owner.signIn("bob").wants(201, "POST", "records/agent_graphs", `{"id":"his","name":"His","nodes":[],"edges":[]}`)
		for _, there := range []string{"orchestrator", "agent:researcher", "model:default", "graph:mine"} {
			p.wants(200, "PATCH", "records/chat_threads/good", `{"participantId":"`+there+`"}`, there)
		}
		for _, none := range []string{"somebody", "agent:none", "model:none", "model:a/b", "graph:his", "graph:", "orchestrator:x", "agent"} {
			wrong := []string{`"field":"participantId"`, `there is no participant \"` + none + `\"`}
			p.wants(400, "POST", "records/chat_threads", `{"id":"bad",`+with("there", none)+`}`, wrong...)
			p.wants(400, "PATCH", "records/chat_threads/good", `{"participantId":"`+none+`"}`, wrong...)
			p.wants(400, "PUT", "docs/"+at+"bad", `{`+with("there", none)+`}`, wrong...)
		}
		if res, _ := p.send("POST", "replication/chat_threads/push?userId=local", `[{"newDocumentState":{"id":"bad","userId":"local",`+with("there", "graph:none")+`,"_deleted":false}}]`); !strings.Contains(res.Header.Get("Nestor-Refused"), "there is no participant") {
			t.Errorf("a push gets %v", res.Header)
		}
		p.wants(400, "POST", "batch", `{"operations":[{"op":"create","path":"`+at+`bad","body":{`+with("there", "graph:none")+`}}]}`, "there is no participant")
		p.wants(404, "GET", "docs/"+at+"bad", "")
		p.wants(200, "GET", "docs/"+at+"good", "", `"participantId":"graph:mine"`)
		p.wants(200, "POST", "batch", `{"operations":[`+
			`{"op":"create","path":"users/local/model-connections/new","body":{"name":"New","accessFormat":"openai","modelId":"m"}},`+
			`{"op":"create","path":"`+at+`second","body":{`+with("there", "model:new")+`}}]}`)
		p.wants(204, "DELETE", "records/agent_graphs/mine", "")

		// A chat whose participant or thread is gone can be renamed, and moved to another thread.
		p.wants(200, "PATCH", "records/chat_threads/good", `{"description":"x"}`)
		p.wants(204, "DELETE", "docs/users/local/message-threads/there", "")
		p.wants(200, "PATCH", "docs/"+at+"good", `{"name":"Renamed"}`, `"name":"Renamed"`)
		p.wants(201, "POST", "records/message_threads", `{"id":"another"}`)
		p.wants(200, "PATCH", "records/chat_threads/good", `{"threadId":"another"}`)
	})
}
