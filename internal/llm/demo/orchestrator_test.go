package demo

import (
	"testing"

	"github.com/nestorhq/nestor/internal/llm"
)

const state = "# State\n" +
	"- task t1 | agent a1 | agent:researcher | success | result: Rust is newer.\n" +
	"  It is | fine.\n" +
	"- task t2 | agent a2 | agent:general | running\n"

const waitingState = state + "- task t3 | agent a3 | agent:general | waiting | question: For which day and time should I book?\n"

func TestOrchestrator(t *testing.T) {
	tests := []struct {
		name     string
		system   string
		messages []llm.Message
		want     string // the whole reply, or its parts where … stands
	}{
		{
			"small talk is answered directly, honestly the first time", "",
			[]llm.Message{user("Hi!")},
			"Hello! What can I do for you?\n\n" + disclosure + " " + advice,
		},
		{
			"what the state block says is not what the user says", "",
			[]llm.Message{user("# State\nThere are no tasks yet.\n\n# Message\nHello")},
			"Hello! What can I do for you?\n\n" + disclosure + " " + advice,
		},
		{"the second time it need not say so again", "", []llm.Message{user("Hi!"), assistant("Hello! " + disclosure), user("thanks")}, "You are welcome!"},
		{"asked what it is, it says so", "", []llm.Message{user("Hi!"), assistant("Hello! " + disclosure), user("Are you an AI?")}, disclosure + " " + advice},
		{"what it has no rule for, it says", "", []llm.Message{user("Who wrote Faust?")}, "I have no rule for that. …"},
		{
			"arithmetic is delegated", "",
			[]llm.Message{user("What is 6*7?")},
			`…` + "\n" + `create_agent {"instruction":"What is 6*7?","type":"general"}`,
		},
		{
			"time is delegated", "",
			[]llm.Message{user("What time is it in Tokyo?")},
			"…\n" + `create_agent {"instruction":"What time is it in Tokyo?","type":"general"}`,
		},
		{
			"research is delegated to a researcher", "",
			[]llm.Message{user("Please find out who keeps bees")},
			"…\n" + `create_agent {"instruction":"Please find out who keeps bees","type":"researcher"}`,
		},
		{
			"several parts go to several agents", "",
			[]llm.Message{user("Research Go and also tell me what 2+2 is.")},
			"These are 2 things; …\n" + `create_agent {"instruction":"Research Go","type":"researcher"}` + "\n" + `create_agent {"instruction":"tell me what 2+2 is.","type":"general"}`,
		},
		{
			"X, Y and Z are three agents", "",
			[]llm.Message{user("Research Go, Rust and Zig")},
			"These are 3 things; …\n" + `create_agent {"instruction":"Research Go","type":"researcher"}` + "\n" + `create_agent {"instruction":"Research Rust","type":"researcher"}` + "\n" + `create_agent {"instruction":"Research Zig","type":"researcher"}`,
		},
		{
			"two messages in a row get one reply that sees both", "",
			[]llm.Message{user("What is 2+2?"), user("What time is it in Rome?")},
			"These are 2 things; …\n" + `create_agent {"instruction":"What is 2+2?","type":"general"}` + "\n" + `create_agent {"instruction":"What time is it in Rome?","type":"general"}`,
		},

		{
			"an answer goes to the waiting agent", waitingState,
			[]llm.Message{user("Book a table"), assistant("When?"), user("Tomorrow at 7pm")},
			"…\n" + `reply_to_agent {"content":"Tomorrow at 7pm","subAgentId":"a3"}`,
		},
		{
			"the state block may be in a message", "",
			[]llm.Message{user("Book a table"), assistant("When?"), user(waitingState + "\n# Message\nTomorrow")},
			"…\n" + `reply_to_agent {"content":"Tomorrow","subAgentId":"a3"}`,
		},
		{"and needs no heading after it", "", []llm.Message{user(waitingState + "\nTomorrow")}, "…\n" + `reply_to_agent {"content":"Tomorrow","subAgentId":"a3"}`},
		{"a newer state block replaces an older one", waitingState, []llm.Message{user(state), user("Tomorrow")}, "I have no rule for that. …"},
		{"an answer may sound like a request", waitingState, []llm.Message{user("Book it on Friday")}, "…\n" + `reply_to_agent {"content":"Book it on Friday","subAgentId":"a3"}`},
		{
			"of several waiting agents the one with the fitting question gets it",
			waitingState + "- task t4 | agent a4 | agent:general | waiting | question: Which colour do you like?\n",
			[]llm.Message{user("On which day? Saturday.")},
			"…\n" + `reply_to_agent {"content":"On which day? Saturday.","subAgentId":"a3"}`,
		},
		{"a question is no answer", waitingState, []llm.Message{user("Why do you ask?")}, "I have no rule for that. …"},
		{"other work is no answer", waitingState, []llm.Message{user("Research bees")}, "…\n" + `create_agent {"instruction":"Research bees","type":"researcher"}`},
		{"thanks are no answer", waitingState, []llm.Message{user("Thanks!")}, "You are welcome!…"},

		{
			"a follow-up reactivates the newest finished agent", state + "- task t5 | agent a5 | agent:general | success | result: 42\n",
			[]llm.Message{user("And what about Tokyo?")},
			"…\n" + `reactivate_agent {"instruction":"And what about Tokyo?","subAgentId":"a5"}`,
		},
		{
			"a call of a tool is no agent that could go on", state + "- task t5 | tool:calculator | success | instruction: 6*7 | result: 42\n",
			[]llm.Message{user("I would like more detail")},
			"…\n" + `reactivate_agent {"instruction":"I would like more detail","subAgentId":"a1"}`,
		},
		{"more detail is a follow-up", state, []llm.Message{user("I would like more detail")}, "…\n" + `reactivate_agent {"instruction":"I would like more detail","subAgentId":"a1"}`},
		{"without finished work it is new work", "", []llm.Message{user("Now research bees")}, "…\n" + `create_agent {"instruction":"Now research bees","type":"researcher"}`},

		{
			"calls that worked are acknowledged", "",
			[]llm.Message{user("2+2? 3+3?"), assistant("", called("1", "create_agent", "{}"), called("2", "create_agent", "{}")), returned("1", "created"), returned("2", "created")},
			"2 agents are on it. I will report as they finish.",
		},
		{
			"calls that failed are explained", "",
			[]llm.Message{user("Tomorrow"), assistant("", called("1", "reply_to_agent", "{}")), failed("1", "there is no agent a9")},
			"That did not work: there is no agent a9",
		},

		{
			"a finished task is reported from its result", "",
			[]llm.Message{user("Which is newer?"), assistant("Wait."), user("# Report\n- task t1 | agent a1 | agent:researcher | success | result: Rust is newer.\n\n## Why\n\nIt began later.")},
			"The researcher is done:\n\nRust is newer.\n\n## Why\n\nIt began later.",
		},
		{
			"a failed task is reported with its reason", "",
			[]llm.Message{user("# Report\n- task t1 | agent a1 | agent:general | failed | error: the model was unavailable")},
			"The agent could not finish: the model was unavailable",
		},
		{
			"the last of several tasks is reported, and that all are done", "",
			[]llm.Message{user("# Report\n- task t1 | agent a1 | agent:general | success | result: 4\n- task t2 | agent a2 | agent:researcher | success | result: bees")},
			"The agent is done:\n\n4\n\nWith that, all 2 parts are done.",
		},
		{
			"the last of several tasks is reported, and that one failed before", "",
			[]llm.Message{user("# Report\n- task t1 | agent a1 | agent:general | success | result: 4\n- task t2 | agent a2 | agent:researcher | failed | error: no network")},
			"The agent is done:\n\n4\n\nWith that, all 2 parts have ended; 1 could not be done.",
		},

		{
			"an agent's question is answered from the history", "",
			[]llm.Message{user("I am free on Friday at 8. My favourite colour is dark green."), assistant("Noted."), user("# Question\n- task t3 | agent a3 | agent:general | waiting | question: For which day should I book?")},
			"…because you wrote: “I am free on Friday at 8.”\n" + `reply_to_agent {"content":"Friday at 8","subAgentId":"a3"}`,
		},
		{
			"also if it was stated in so many words", "",
			[]llm.Message{user("My favourite colour is dark green."), user("# Question\n- task t3 | agent a3 | agent:general | waiting | question: Which colour do you like?")},
			"…\n" + `reply_to_agent {"content":"dark green","subAgentId":"a3"}`,
		},
		{
			"a place is an answer, too", "",
			[]llm.Message{user("I live in Berlin."), user("# Question\n- task t3 | agent a3 | agent:general | waiting | question: Which place do you want the weather for?")},
			"…\n" + `reply_to_agent {"content":"Berlin","subAgentId":"a3"}`,
		},
		{
			"otherwise the question is put to the user", "",
			[]llm.Message{user("Book a table. Is Friday free?"), user("# Question\n- task t3 | agent a3 | agent:general | waiting | question: For which day should I book?")},
			"The agent needs to know: **For which day should I book?**",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := answerTo(t, &llm.Request{System: "You are the orchestrator.\n\n" + tt.system, Messages: tt.messages, Tools: controlTools})
			if !like(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}
