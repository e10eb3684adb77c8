package trigger_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/trigger"
)

// withoutKeys are six triggers as Syntrix writes them: a bare list, its own names
// of fields, no keys, and creations only.
func withoutKeys(t *testing.T) []nestor.Trigger {
	t.Helper()
	data, err := os.ReadFile("testdata/syntrix.json")
	if err != nil {
		t.Fatal(err)
	}
	list, err := trigger.Load("syntrix.json", data, nil, builtIn)
	if err != nil || len(list) != 6 {
		t.Fatalf("%d triggers: %v", len(list), err)
	}
	return list
}

func TestTheKeyBelongsToTheHandler(t *testing.T) {
	const agent = "users/u/orch-chats/c/sub-agents/a"
	loop := nestor.Trigger{ID: "mine", Collection: "users/*/orch-chats/*/sub-agents/*/messages", Action: "POST /webhook/agent-loop"}
	parallel := loop
	parallel.Key = "{trigger}:{seq}"
	webhook := parallel
	webhook.Action = "https://example.com/loop"
	message := event(agent+"/messages/m", "", `{"role":"user"}`)
	for name, test := range map[string]struct {
		trigger  nestor.Trigger
		key      string
		coalesce bool
	}{
		"a trigger without a key has the handler's":   {loop, "agent:" + agent, true},
		"a trigger with another has it nevertheless":  {parallel, "agent:" + agent, true},
		"a webhook has the key that its trigger says": {webhook, "mine:107", false},
	} {
		t.Run(name, func(t *testing.T) {
			jobs := newSet(t, test.trigger).Plan(message)
			if len(jobs) != 1 || jobs[0].Key != test.key || jobs[0].Coalesce != test.coalesce {
				t.Errorf("%+v", jobs)
			}
		})
	}
}

func TestAWebhookInPlaceOfAStageHasItsKey(t *testing.T) {
	list, err := trigger.Load("t.json", []byte(`{"extend": true, "triggers": [{"id": "on-user-message", "action": "https://example.com"}]}`), nil, builtIn)
	if err != nil {
		t.Fatal(err)
	}
	jobs := newSet(t, list...).Plan(event("users/u/orch-chats/c/messages/m", "", `{"role":"user"}`))
	if len(jobs) == 0 || jobs[0].Key != "chat:users/u/orch-chats/c" {
		t.Errorf("%+v", jobs)
	}
}

// The result of the call that gives the final answer comes with the end of the agent,
// so there is no step to make about it. Every other result is a reason for one.
func TestAHandlerIsNotGivenWhatItWouldDoNothingAbout(t *testing.T) {
	loop := nestor.Trigger{ID: "mine", Collection: "users/*/orch-chats/*/sub-agents/*/messages", Action: "POST /webhook/agent-loop"}
	webhook := loop
	webhook.Action = "https://example.com/loop"
	for name, test := range map[string]struct {
		trigger nestor.Trigger
		message string
		jobs    int
	}{
		"the answer was delivered":           {loop, `{"role":"tool","name":"final_answer","content":"Delivered."}`, 0},
		"to a webhook that is told":          {webhook, `{"role":"tool","name":"final_answer","content":"Delivered."}`, 1},
		"the answer was not, somebody spoke": {loop, `{"role":"tool","name":"final_answer","content":"Skipped: a new message came meanwhile."}`, 1},
		"another tool says the same":         {loop, `{"role":"tool","name":"post_parcel","content":"Delivered."}`, 1},
		"a person says the same":             {loop, `{"role":"user","name":"final_answer","content":"Delivered."}`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			set := newSet(t, test.trigger)
			e := event("users/u/orch-chats/c/sub-agents/a/messages/m", "", test.message)
			if jobs := set.Plan(e); len(jobs) != test.jobs {
				t.Errorf("%d jobs, want %d", len(jobs), test.jobs)
			}
			if v := set.Explain(e)[0]; v.Fires != (test.jobs == 1) {
				t.Errorf("explained as %+v", v)
			}
		})
	}
}

// A handler that began something for a trigger goes on with it: that takes no
// other trigger.
func TestAHandlerGoesOnWithWhatItBegan(t *testing.T) {
	const chat = "users/u/orch-chats/c"
	for name, test := range map[string]struct {
		path          nestor.Path
		before, after string
		trigger       string // that fires, if one does
	}{
		"an approved call is run":            {chat + "/sub-agents/a/tool-calls/k", `{"status":"awaiting_approval"}`, `{"status":"pending"}`, "on-sub-agent-tool"},
		"a call that is let go is run":       {chat + "/sub-agents/a/tool-calls/k", `{"status":"pending","held":true}`, `{"status":"pending"}`, "on-sub-agent-tool"},
		"a call that was pending is not":     {chat + "/sub-agents/a/tool-calls/k", `{"status":"pending"}`, `{"status":"pending","x":1}`, ""},
		"a resumed agent goes on":            {chat + "/sub-agents/a", `{"status":"active","paused":true}`, `{"status":"active","paused":false}`, "on-sub-agent-message"},
		"a task that is tried again goes on": {chat + "/tasks/t", `{"type":"agent","status":"failed"}`, `{"type":"agent","status":"pending"}`, "on-new-task"},
	} {
		t.Run(name, func(t *testing.T) {
			var want []string
			if test.trigger != "" {
				want = []string{test.trigger}
			}
			for _, list := range [][]nestor.Trigger{withoutKeys(t), builtIn.Defaults()} {
				set := newSet(t, list...)
				var got []string
				for _, j := range set.Plan(event(test.path, test.before, test.after)) {
					got = append(got, strings.Replace(j.Trigger, "on-sub-agent-resumed", "on-sub-agent-message", 1))
				}
				if !slices.Equal(got, want) {
					t.Errorf("%d triggers: %v fire, want %v", len(list), got, want)
				}
			}
		})
	}
	set := newSet(t, withoutKeys(t)...)
	if err := set.SetEnabled("on-sub-agent-tool", false); err != nil {
		t.Fatal(err)
	}
	approved := event(chat+"/sub-agents/a/tool-calls/k", `{"status":"awaiting_approval"}`, `{"status":"pending"}`)
	if jobs := set.Plan(approved); len(jobs) > 0 {
		t.Errorf("a trigger that is switched off goes on: %+v", jobs)
	}
}

func TestATaskThatAnAgentWaitsForIsSeenToWhateverTheTriggersAre(t *testing.T) {
	const task = "users/u/orch-chats/c/tasks/t"
	set := newSet(t)
	for name, test := range map[string]struct {
		before, after string
		jobs          int
	}{
		"it succeeds":          {`{"status":"running","parentCallId":"k"}`, `{"status":"success","parentCallId":"k"}`, 1},
		"it is cancelled":      {`{"status":"running","parentCallId":"k"}`, `{"status":"cancelled","parentCallId":"k"}`, 1},
		"it is deleted":        {`{"status":"running","parentCallId":"k"}`, "", 1},
		"it goes on":           {`{"status":"running","parentCallId":"k"}`, `{"status":"waiting","parentCallId":"k"}`, 0},
		"it has ended before":  {`{"status":"failed","parentCallId":"k"}`, `{"status":"failed","parentCallId":"k","x":1}`, 0},
		"nobody waits for it":  {`{"status":"running"}`, `{"status":"success"}`, 0},
		"one without a parent": {`{"status":"running","parentCallId":""}`, `{"status":"success","parentCallId":""}`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if jobs := set.Plan(event(task, test.before, test.after)); len(jobs) != test.jobs {
				t.Errorf("%+v", jobs)
			}
		})
	}
	if err := set.SetEnabled("child-ended", false); err == nil {
		t.Error("it can be switched off")
	}
	if _, err := trigger.New([]nestor.Trigger{{ID: "child-ended", Collection: "notes", Action: "https://example.com"}}, trigger.Options{BuiltIn: builtIn}); err == nil {
		t.Error("its id can be taken")
	}
}

func TestWarningsSayWhatIsLeftUndoneAndWhatDoesNotCount(t *testing.T) {
	if w := newSet(t, builtIn.Defaults()...).Warnings(); len(w) > 0 {
		t.Errorf("the built-in triggers: %q", w)
	}
	check := func(list []nestor.Trigger, want ...string) {
		t.Helper()
		got := newSet(t, list...).Warnings()
		if !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	const failures, titles = "nothing does the work of the built-in trigger on-task-failed: failures are not told in the chat",
		"nothing does the work of the built-in trigger on-first-message: chats get no title"
	check(withoutKeys(t), failures, titles)

	keyed := withoutKeys(t)
	keyed[2].Key, keyed[3].Coalesce = "{seq}", true
	check(keyed, `trigger "on-sub-agent-message": its key is ignored: the jobs of agent-loop have the key agent:{agent}`,
		`trigger "on-sub-agent-tool": coalesce is ignored: tool-runner needs each of its jobs`, failures, titles)

	external := builtIn.Defaults()
	for i := range external {
		external[i].Action = "https://example.com/stage"
		if external[i].ID == "on-sub-agent-tool" {
			external[i].Events = []nestor.ChangeType{nestor.Create}
		}
	}
	check(external, "nothing does the work of the built-in trigger on-sub-agent-tool: approved tool calls stay pending")
}
