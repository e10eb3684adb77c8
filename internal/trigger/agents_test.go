package trigger_test

import (
	"reflect"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/trigger"
)

func TestTheBuiltInTriggers(t *testing.T) {
	const (
		chat  = "users/u1/orch-chats/c1"
		msg   = chat + "/messages/m1"
		task  = chat + "/tasks/t1"
		agent = chat + "/sub-agents/a1"
		turn  = agent + "/messages/m1"
		call  = agent + "/tool-calls/k1"
	)
	type want struct {
		trigger, action, key string
		coalesce             bool
	}
	for name, test := range map[string]struct {
		event *store.Event
		want  []want
	}{
		"a user's message is answered, and may get the chat its title": {
			event(msg, "", `{"role":"user","content":"hi"}`), []want{
				{"on-user-message", "POST /webhook/orchestrator", "chat:" + chat, false},
				{"on-first-message", "POST /webhook/title", "title:" + chat, false},
			},
		},
		"the orchestrator's own message is not":        {event(msg, "", `{"role":"assistant","content":"hello"}`), nil},
		"an edited message is not answered again":      {event(msg, `{"role":"user","content":"hi"}`, `{"role":"user","content":"ho"}`), nil},
		"a new agent task starts an agent":             {event(task, "", `{"type":"agent","status":"pending"}`), []want{{"on-new-task", "POST /webhook/agent-init", "task:" + task, false}}},
		"a new tool task has its call made":            {event(task, "", `{"type":"tool","status":"pending"}`), []want{{"new-tool-task", "POST /webhook/tool-init", "task:" + task, false}}},
		"a tool task that is tried again does, too":    {event(task, `{"type":"tool","status":"failed"}`, `{"type":"tool","status":"pending"}`), []want{{"new-tool-task", "POST /webhook/tool-init", "task:" + task, false}}},
		"a call that is a task ends it":                {event(call, `{"status":"pending","endsTask":true}`, `{"status":"failed","endsTask":true}`), []want{{"tool-task-ended", "POST /webhook/end-tool-task", "ends:" + call, false}}},
		"a task that starts running does nothing":      {event(task, `{"type":"agent","status":"pending"}`, `{"type":"agent","status":"running"}`), nil},
		"a user's message to an agent wakes its loop":  {event(turn, "", `{"role":"user","content":"go"}`), []want{{"on-sub-agent-message", "POST /webhook/agent-loop", "agent:" + agent, true}}},
		"a tool's answer wakes the loop":               {event(turn, "", `{"role":"tool","content":"4"}`), []want{{"on-sub-agent-message", "POST /webhook/agent-loop", "agent:" + agent, true}}},
		"an agent's own message never wakes its loop":  {event(turn, "", `{"role":"assistant","content":"hm"}`), nil},
		"a system message does not wake the loop":      {event(turn, "", `{"role":"system","content":"be good"}`), nil},
		"a pending call is run":                        {event(call, "", `{"status":"pending"}`), []want{{"on-sub-agent-tool", "POST /webhook/tool-runner", "tool-call:" + call, false}}},
		"a call that waits for approval is not":        {event(call, "", `{"status":"awaiting_approval"}`), nil},
		"a call is run once it is approved":            {event(call, `{"status":"awaiting_approval"}`, `{"status":"pending"}`), []want{{"on-sub-agent-tool", "POST /webhook/tool-runner", "tool-call:" + call, false}}},
		"a call that is running is not run again":      {event(call, `{"status":"pending"}`, `{"status":"running"}`), nil},
		"a call that waits for another is not":         {event(call, "", `{"status":"pending","held":true}`), nil},
		"a call is run when the one before it ended":   {event(call, `{"status":"pending","held":true}`, `{"status":"pending"}`), []want{{"on-sub-agent-tool", "POST /webhook/tool-runner", "tool-call:" + call, false}}},
		"an agent that is resumed goes on":             {event(agent, `{"status":"active","paused":true}`, `{"status":"active","paused":false}`), []want{{"on-sub-agent-resumed", "POST /webhook/agent-loop", "agent:" + agent, true}}},
		"an agent that is retried goes on":             {event(agent, `{"status":"failed"}`, `{"status":"active","paused":false}`), []want{{"on-sub-agent-resumed", "POST /webhook/agent-loop", "agent:" + agent, true}}},
		"an agent that makes a step does not":          {event(agent, `{"status":"active"}`, `{"status":"active","iterationCount":1}`), nil},
		"a task that is tried again starts an agent":   {event(task, `{"type":"agent","status":"failed"}`, `{"type":"agent","status":"pending"}`), []want{{"on-new-task", "POST /webhook/agent-init", "task:" + task, false}}},
		"a task that succeeds is reported":             {event(task, `{"status":"running"}`, `{"status":"success"}`), []want{{"on-task-completed", "POST /webhook/orchestrator-finalize", "chat:" + chat, false}}},
		"a task that has succeeded is reported once":   {event(task, `{"status":"success"}`, `{"status":"success","result":"x"}`), nil},
		"a task that fails is reported":                {event(task, `{"status":"running"}`, `{"status":"failed"}`), []want{{"on-task-failed", "POST /webhook/task-failed", "chat:" + chat, false}}},
		"a task that waits is passed on":               {event(task, `{"status":"running"}`, `{"status":"waiting"}`), []want{{"on-task-waiting", "POST /webhook/orchestrator-notify", "chat:" + chat, false}}},
		"a task that is cancelled is not":              {event(task, `{"status":"running"}`, `{"status":"cancelled"}`), nil},
		"a deleted message leads to nothing":           {event(msg, `{"role":"user"}`, ""), nil},
		"a chat leads to nothing":                      {event(chat, "", `{"title":"x"}`), nil},
		"a message in a user's own collection neither": {event("users/u1/messages/m1", "", `{"role":"user"}`), nil},
	} {
		t.Run(name, func(t *testing.T) {
			set := newSet(t, builtIn.Defaults()...)
			var got []want
			for _, j := range set.Plan(test.event) {
				got = append(got, want{j.Trigger, action(set, j.Trigger), j.Key, j.Coalesce})
			}
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
		})
	}
	if n := len(builtIn.Defaults()); n != 9 {
		t.Errorf("there are %d built-in triggers", n)
	}
}

func action(set *trigger.Set, id string) string {
	info, _ := set.Get(id)
	return info.Action
}

func TestExplainSaysWhyATriggerDoesNotFire(t *testing.T) {
	const open = `{"status":"open","n":1}`
	set := newSet(t,
		nestor.Trigger{ID: "off", Collection: "notes", Action: "POST /webhook/x", Enabled: new(false)},
		nestor.Trigger{ID: "elsewhere", Collection: "users/*/notes", Action: "POST /webhook/x"},
		nestor.Trigger{ID: "deaf", Collection: "notes", Action: "POST /webhook/x", Events: []nestor.ChangeType{nestor.Create, nestor.Delete}},
		nestor.Trigger{ID: "false", Collection: "notes", Action: "POST /webhook/x", Condition: "event.document.status == 'closed'"},
		nestor.Trigger{ID: "still", Collection: "notes", Action: "POST /webhook/x", Condition: "event.document.status == 'open'"},
		nestor.Trigger{ID: "broken", Collection: "notes", Action: "POST /webhook/x", Condition: "event.document.nope == 'x'"},
		nestor.Trigger{ID: "text", Collection: "notes", Action: "POST /webhook/x", Condition: "event.document.status"},
		nestor.Trigger{ID: "always", Collection: "notes", Action: "POST /webhook/x"},
		nestor.Trigger{ID: "before", Collection: "notes", Action: "POST /webhook/x", Condition: "event.before.status == 'open'"},
		nestor.Trigger{ID: "now", Collection: "notes", Action: "POST /webhook/x", Condition: "event.document.n == 1"},
	)
	want := []trigger.Verdict{
		{Trigger: "off", Reason: "it is disabled"},
		{Trigger: "elsewhere", Reason: "its collection users/*/notes does not match notes"},
		{Trigger: "deaf", Reason: "it listens to create and delete, not to update"},
		{Trigger: "false", Reason: "its condition is false"},
		{Trigger: "still", Reason: "its condition was true before the update already"},
		{Trigger: "broken", Reason: "its condition cannot be evaluated: no such key: nope"},
		{Trigger: "text", Reason: "its condition cannot be evaluated: it gives a value of type string, not true or false"},
		{Trigger: "always", Fires: true, Reason: "it has no condition"},
		{Trigger: "before", Fires: true, Reason: "its condition is true"},
		{Trigger: "now", Fires: true, Reason: "its condition became true"},
	}
	got := set.Explain(event("notes/n1", `{"status":"open"}`, open))
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got  %+v\nwant %+v", got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d verdicts, want %d", len(got), len(want))
	}
	for _, i := range set.List() {
		if i.Fired != 0 || i.Errors != 0 {
			t.Errorf("explaining was counted: %+v", i)
		}
	}
}
