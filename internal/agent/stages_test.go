package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/worker"
)

// Whatever lets two steps of an agent overlap, the second is refused when it is
// committed: it answers what the first has answered.
func TestAStepWhoseBasisIsGoneIsRefused(t *testing.T) {
	eachBench(t, func(t *testing.T, b *bench) {
		w := stage(t, b, txtar.Parse([]byte(`
-- reply one --
call send {"to": "ann"}
-- reply two --
call send {"to": "ann"}
-- reply done --
when last tool is "send sent to ann"
text: Sent.
`)), false)
		w.do("hold job agent-loop")
		w.do("hold tool send")
		w.do("task general: Write to Ann.")
		think := func(id string) worker.Effect {
			ctx := context.WithValue(t.Context(), attemptKey{}, attempt{w, id, nil})
			effect, err := w.handlers["agent-loop"].Run(ctx, &nestor.Job{
				ID: id, Change: nestor.Change{Path: w.agent("agent1").Child("messages", "any"), Type: nestor.Create},
			})
			if err != nil {
				t.Fatal(err)
			}
			return effect
		}
		first, second := think("first"), think("second")
		w.update(func(tx store.Tx) error { return first(tx) })
		w.update(func(tx store.Tx) error { return second(tx) })
		if calls := list[nestor.ToolCall](w, w.agent("agent1"), "tool-calls"); len(calls) != 1 {
			t.Errorf("%d calls were made", len(calls))
		}
		w.do("release tool send")
		w.do("release job agent-loop")
		w.finish()
		if got := w.render(); strings.Count(got, "effect: ") != 1 {
			t.Errorf("sent more than once:\n%s", got)
		}
	})
}

// An agent that waits for another one is told when that one's task ends, also if
// a program that is not Nestor's own loop ends it, and once.
func TestAParentIsAnsweredWhoeverEndsTheChild(t *testing.T) {
	archive := func(told string) *txtar.Archive {
		return txtar.Parse([]byte(`
-- setup --
{"roles": {"roles": {"lead": {"description": "leads", "instructions": "You lead.", "agents": ["general"]}}}}
-- reply delegate --
call create_agent {"type": "general", "instruction": "Lay bricks"}
-- reply done --
when last tool is "create_agent ` + told + `"
text: The house stands.
`))
	}
	for name, test := range map[string]struct {
		told string
		end  func(w *world, tx store.Tx, child nestor.Path, task nestor.Task) error
	}{
		"with a result": {"Bricks are laid.", func(_ *world, tx store.Tx, child nestor.Path, task nestor.Task) error {
			task.Status, task.Result = nestor.TaskSuccess, "Bricks are laid."
			_, err := tx.Put(child, task, store.AnyVersion)
			return err
		}},
		"as failed": {"Error: the agent failed: no bricks", func(_ *world, tx store.Tx, child nestor.Path, task nestor.Task) error {
			task.Status, task.Error = nestor.TaskFailed, "no bricks"
			_, err := tx.Put(child, task, store.AnyVersion)
			return err
		}},
		"as one that could not be done": {"Error: could not: no bricks", func(_ *world, tx store.Tx, child nestor.Path, task nestor.Task) error {
			task.Status, task.Error, task.Outcome = nestor.TaskFailed, "no bricks", nestor.TaskCouldNot
			_, err := tx.Put(child, task, store.AnyVersion)
			return err
		}},
		"as cancelled": {"Error: the agent failed: it was cancelled", func(_ *world, tx store.Tx, child nestor.Path, task nestor.Task) error {
			task.Status = nestor.TaskCancelled
			_, err := tx.Put(child, task, store.AnyVersion)
			return err
		}},
		"by deleting it": {"Error: the agent failed: it was deleted", func(_ *world, tx store.Tx, child nestor.Path, _ nestor.Task) error {
			return tx.Delete(child, store.AnyVersion)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			eachBench(t, func(t *testing.T, b *bench) {
				w := stage(t, b, archive(test.told), false)
				w.do("hold model Build a house")
				w.do("task lead: Build a house")
				w.do("hold job agent-init")
				w.do("release model Build a house")
				w.update(func(tx store.Tx) error {
					child := w.chat.Child("tasks", list[nestor.ToolCall](w, w.agent("agent1"), "tool-calls")[0].TaskID)
					d, err := tx.Get(child)
					if err != nil {
						return err
					}
					task, err := nestor.As[nestor.Task](d)
					if err != nil {
						return err
					}
					return test.end(w, tx, child, task)
				})
				w.do("release job agent-init")
				w.rest()
				w.checkAnswers(list[nestor.SubAgent](w, w.chat, "sub-agents")[0])
				if parent := list[nestor.Task](w, w.chat, "tasks")[0]; parent.Status != nestor.TaskSuccess {
					t.Errorf("the parent is %s\n%s", parent.Status, w.render())
				}
			})
		})
	}
}

// Guards come before the stage that runs tools, whatever does its work: here
// nothing does. Such a stage sees pending calls, and a call that it must not run
// is never pending.
func TestWhatTheToolRunnerSeesHasPassedTheGuards(t *testing.T) {
	for name, role := range map[string]string{
		"at once":     `"agents": ["general"]`,
		"in sequence": `"agents": ["general"], "sequential": true`,
	} {
		bricks := ""
		if name == "at once" {
			bricks = "-- reply bricks --\nwhen last user is Lay bricks\ntext: Laid.\n"
		}
		t.Run(name, func(t *testing.T) {
			engines.Each(t, func(t *testing.T, open engines.Database) {
				triggers := agent.Triggers().Triggers
				for i := range triggers {
					if triggers[i].ID == "on-sub-agent-tool" {
						triggers[i].Enabled = new(false)
					}
				}
				w := stage(t, newBenchOn(t, open, triggers), txtar.Parse([]byte(`
-- setup --
{"roles": {"roles": {"lead": {"description": "leads", "instructions": "You lead.", `+role+`}}}}
-- reply calls --
when last user is Go.
call store {"text": "fine"}
call pay {"to": "ann"}
call send {"amount": 5}
call nosuch {}
call create_agent {"type": "general", "instruction": "Lay bricks"}
call create_agent {"type": "king", "instruction": "Rule"}
call final_answer {}
`+bricks)), false)
				w.do("task lead: Go.")
				w.update(func(tx store.Tx) error { // a program of somebody's own runs the only call that it can
					path := w.agent("agent1").Child("tool-calls", list[nestor.ToolCall](w, w.agent("agent1"), "tool-calls")[0].ID)
					d, err := tx.Get(path)
					if err != nil {
						return err
					}
					call, err := nestor.As[nestor.ToolCall](d)
					if err != nil || call.ToolName != "store" || call.Status != nestor.ToolCallPending {
						t.Errorf("%+v: %v", call, err)
					}
					call.Status, call.Result = nestor.ToolCallSuccess, "stored fine"
					_, err = tx.Put(path, call, store.AnyVersion)
					return err
				})
				w.rest()
				got := map[string]nestor.ToolCallStatus{}
				for _, c := range list[nestor.ToolCall](w, w.agent("agent1"), "tool-calls") {
					got[c.ToolName+string(c.Args)] = c.Status
				}
				if got[`create_agent{"instruction":"Rule","type":"king"}`] != nestor.ToolCallFailed {
					t.Errorf("%v", got)
				}
				if n := strings.Count(w.render(), "The agent wants to call **pay**"); n != 1 {
					t.Errorf("%d requests for approval", n)
				}
				child := nestor.ToolCallSuccess
				if name == "in sequence" {
					child = nestor.ToolCallRunning
				}
				if status := got[`create_agent{"instruction":"Lay bricks","type":"general"}`]; status != child {
					t.Errorf("the child is %s", status)
				}
				for call, want := range map[string]nestor.ToolCallStatus{
					`send{"amount":5}`: nestor.ToolCallFailed, `nosuch{}`: nestor.ToolCallFailed, `final_answer{}`: nestor.ToolCallFailed,
					`pay{"to":"ann"}`: nestor.ToolCallAwaitingApproval,
				} {
					if got[call] != want {
						t.Errorf("%s is %s, not %s", call, got[call], want)
					}
				}
			})
		})
	}
}

// A task that is a call of a tool ends with the call, also if a program that is not
// Nestor's own tool runner runs it. That sees only calls that passed the guards,
// and what else it writes into the agent sets nothing going: there is no model.
func TestAToolTaskEndsWithItsCallWhoeverRunsIt(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		triggers := agent.Triggers().Triggers
		for i := range triggers {
			if triggers[i].ID == "on-sub-agent-tool" {
				triggers[i].Enabled = new(false)
			}
		}
		w := stage(t, newBenchOn(t, open, triggers), txtar.Parse(nil), false)
		for _, name := range []string{"send: ann", "send: bea", "send: carl", "pay: dora", `send: {"amount": 5}`} {
			w.do("tool " + name)
		}
		for id, outcome := range map[string]nestor.ToolCall{
			"agent1": {Status: nestor.ToolCallSuccess, Result: "sent by hand"},
			"agent2": {Status: nestor.ToolCallFailed, Error: "no paper"},
			"agent3": {Status: nestor.ToolCallCancelled, Error: "never mind"},
		} {
			w.update(func(tx store.Tx) error {
				path := w.call(id, "send", 1)
				call := load[nestor.ToolCall](w, path)
				if call.Status != nestor.ToolCallPending {
					t.Errorf("%s: the call is %s", id, call.Status)
				}
				call.Status, call.Result, call.Error = outcome.Status, outcome.Result, outcome.Error
				if _, err := tx.Put(path, call, store.AnyVersion); err != nil {
					return err
				}
				_, err := tx.Create(w.agent(id).Child("messages", "answer"), nestor.SubAgentMessage{
					Role: nestor.RoleTool, Content: "an answer", IsError: new(false), ToolCallID: call.ID,
				})
				return err
			})
		}
		w.rest()
		got := map[string]string{}
		for _, task := range list[nestor.Task](w, w.chat, "tasks") {
			got[task.Instruction] = strings.TrimSpace(fmt.Sprintf("%s %s%s", task.Status, task.Result, task.Error))
		}
		for instruction, want := range map[string]string{
			"ann": "success sent by hand", "bea": "failed no paper", "carl": "cancelled never mind", "dora": "running",
			`{"amount": 5}`: "failed invalid arguments",
		} {
			if !strings.HasPrefix(got[instruction], want) {
				t.Errorf("%s: %q, want %q", instruction, got[instruction], want)
			}
		}
		if call := load[nestor.ToolCall](w, w.call("agent4", "pay", 1)); call.Status != nestor.ToolCallAwaitingApproval {
			t.Errorf("the call that needs approval is %s", call.Status)
		}
	})
}

// A job about an earlier call of a task that was tried again, which comes late,
// does not end the task.
func TestALateWordOfAnEarlierCallDoesNotEndAToolTask(t *testing.T) {
	eachBench(t, func(t *testing.T, b *bench) {
		w := stage(t, b, txtar.Parse(nil), false)
		w.do("hold job end-tool-task")
		w.do("tool pay: ann")
		w.do("deny agent1 pay: too dear")
		w.do("retry task1")
		w.do("release job end-tool-task")
		if task := list[nestor.Task](w, w.chat, "tasks")[0]; task.Status != nestor.TaskRunning {
			t.Errorf("the task is %s: %s", task.Status, task.Error)
		}
		w.do("approve agent1 pay 2:")
		if task := list[nestor.Task](w, w.chat, "tasks")[0]; task.Status != nestor.TaskSuccess {
			t.Errorf("the task is %s: %s", task.Status, task.Error)
		}
	})
}
