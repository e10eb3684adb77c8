package app_test

import (
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/servertest"
	nestorserver "github.com/nestorhq/nestor/server"
)

// The result of a call is stored with the message that answers it. Clients see it in
// both, also when the message is gone.
func TestTheResultOfACallIsSeenInTheCallAndInItsAnswer(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg nestorserver.Config) {
		p := servertest.Enter(t, cfg)
		p.Wants(201, "POST", "chats", `{"id":"c1"}`)
		var task nestor.Task
		p.Into(&task, 201, "POST", "chats/c1/tasks", `{"name":"agent:general","instruction":"What is 2^400?"}`)
		p.Settled()
		p.Into(&task, 200, "GET", "docs/users/local/orch-chats/c1/tasks/"+task.ID, "")
		agent := "docs/users/local/orch-chats/c1/sub-agents/" + task.SubAgentID
		var calls struct{ Items []nestor.ToolCall }
		p.Into(&calls, 200, "GET", "chats/c1/sub-agents/"+task.SubAgentID+"/tool-calls", "")
		if len(calls.Items) != 1 || len(calls.Items[0].Result) < 100 {
			t.Fatalf("the calls are %+v", calls.Items)
		}
		call := calls.Items[0]
		var messages struct{ Items []nestor.SubAgentMessage }
		p.Into(&messages, 200, "POST", "query", `{"collection":"users/local/orch-chats/c1/sub-agents/`+task.SubAgentID+`/messages",
			"where":{"field":"toolCallId","op":"=","value":"`+call.ID+`"}}`)
		if len(messages.Items) != 1 || messages.Items[0].Content != call.Result {
			t.Fatalf("the answers are %+v, the result %s", messages.Items, call.Result)
		}
		p.Wants(200, "GET", "replication/sub_agent_tool_calls/pull?chatId=c1&subAgentId="+task.SubAgentID+"&limit=10", "", call.Result)
		p.Wants(204, "DELETE", agent+"/messages/"+messages.Items[0].ID, "")
		p.Wants(200, "GET", agent+"/tool-calls/"+call.ID, "", `"result":"`+call.Result+`"`)
	})
}
