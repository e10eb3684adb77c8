package app_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm/scripted"
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
		p.Wants(403, "DELETE", agent+"/messages/"+messages.Items[0].ID, "")
		p.Wants(200, "GET", agent+"/tool-calls/"+call.ID, "", `"result":"`+call.Result+`"`)
	})
}

// The arguments of a call are stored with the message that asks for it, as the model wrote
// them: with spaces, in any order. Clients see them in both, whatever becomes of the call
// and of the message.
func TestTheArgumentsOfACallAreSeenInTheCallAndInTheMessage(t *testing.T) {
	text := strings.Repeat("Zürich, 12 °C; ", 10)
	written := `{"place": "here", "note": "` + text + `"}`
	const script = `
-- reply ask --
when last user contains Note
call take_note ARGS

-- reply done --
when last tool contains noted
text: It is noted.
`
	servertest.Each(t, func(t *testing.T, cfg nestorserver.Config) {
		model, err := scripted.Parse([]byte(strings.Replace(script, "ARGS", written, 1)))
		if err != nil {
			t.Fatal(err)
		}
		cfg.Model = model
		p := servertest.Enter(t, cfg)
		p.Wants(201, "POST", "chats", `{"id":"c1","clientTools":[{"name":"take_note","parameters":{"type":"object"}}]}`)
		var task nestor.Task
		p.Into(&task, 201, "POST", "chats/c1/tasks", `{"name":"agent:general","instruction":"Note the weather"}`)
		p.Settled()
		p.Into(&task, 200, "GET", "docs/users/local/orch-chats/c1/tasks/"+task.ID, "")
		agent := "users/local/orch-chats/c1/sub-agents/" + task.SubAgentID
		var call nestor.ToolCall
		look := func(status nestor.ToolCallStatus) {
			t.Helper()
			var calls struct{ Items []nestor.ToolCall }
			p.Into(&calls, 200, "POST", "query", `{"collection":"`+agent+`/tool-calls","where":{"field":"args.place","op":"=","value":"here"}}`)
			var args struct{ Note, Place string }
			if len(calls.Items) != 1 || calls.Items[0].Status != status || json.Unmarshal(calls.Items[0].Args, &args) != nil || args.Note != text {
				t.Fatalf("the calls are %+v", calls.Items)
			}
			call = calls.Items[0]
			p.Wants(200, "GET", "docs/"+agent+"/tool-calls/"+call.ID, "", `"args":{"note":"`+text+`","place":"here"}`)
			p.Wants(200, "GET", "replication/sub_agent_tool_calls/pull?chatId=c1&subAgentId="+task.SubAgentID+"&limit=10", "", text)
		}
		look(nestor.ToolCallRunning)
		p.Wants(200, "POST", "chats/c1/sub-agents/"+task.SubAgentID+"/tool-calls/"+call.ID+"/decision", `{"action":"result","reason":"noted"}`)
		p.Settled()
		look(nestor.ToolCallSuccess)
		var message nestor.SubAgentMessage
		p.Into(&message, 200, "GET", "docs/"+agent+"/messages/"+call.MessageID, "")
		if got := message.ToolCalls[0].Function.Arguments; got != written {
			t.Errorf("the message has %s, the model wrote %s", got, written)
		}
		p.Wants(403, "DELETE", "docs/"+agent+"/messages/"+call.MessageID, "")
		look(nestor.ToolCallSuccess)
	})
}
