package demo

import (
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/llm"
)

const state = "# State\nIt is Thursday, 19 November 2026, 20:24 UTC.\n" +
	"- A1 | researcher | Which is newer | success since 20:21\n" +
	"- A2 | general | Count | running since 20:22\n"

const waitingState = state + "- A3 | general | Book a table | waiting since 20:23 | question: For which day and time should I book?\n"

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
			[]llm.Message{user("# State\nThere are no agents yet.\n\n# Message\nHello")},
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
			"…\n" + `reply_to_agent {"agent":"A3","content":"Tomorrow at 7pm"}`,
		},
		{
			"the state block may be in a message", "",
			[]llm.Message{user("Book a table"), assistant("When?"), user(waitingState + "\n# Message\nTomorrow")},
			"…\n" + `reply_to_agent {"agent":"A3","content":"Tomorrow"}`,
		},
		{"a newer state block replaces an older one", waitingState, []llm.Message{user(state), user("Tomorrow")}, "I have no rule for that. …"},
		{"an answer may sound like a request", waitingState, []llm.Message{user("Book it on Friday")}, "…\n" + `reply_to_agent {"agent":"A3","content":"Book it on Friday"}`},
		{
			"of several waiting agents the one with the fitting question gets it",
			waitingState + "- A4 | general | Paint | waiting since 20:23 | question: Which colour do you like?\n",
			[]llm.Message{user("On which day? Saturday.")},
			"…\n" + `reply_to_agent {"agent":"A3","content":"On which day? Saturday."}`,
		},
		{"a question is no answer", waitingState, []llm.Message{user("Why do you ask?")}, "I have no rule for that. …"},
		{"other work is no answer", waitingState, []llm.Message{user("Research bees")}, "…\n" + `create_agent {"instruction":"Research bees","type":"researcher"}`},
		{"thanks are no answer", waitingState, []llm.Message{user("Thanks!")}, "You are welcome!…"},

		{
			"a follow-up reactivates the newest finished agent", state + "- A5 | general | What is 6*7? | success since 20:23\n",
			[]llm.Message{user("And what about Tokyo?")},
			"…\n" + `reactivate_agent {"agent":"A5","instruction":"And what about Tokyo?"}`,
		},
		{
			"a call of a tool is no agent that could go on", state + "- T5 | tool:calculator | calculator 6*7 | success since 20:23\n",
			[]llm.Message{user("I would like more detail")},
			"…\n" + `reactivate_agent {"agent":"A1","instruction":"I would like more detail"}`,
		},
		{"more detail is a follow-up", state, []llm.Message{user("I would like more detail")}, "…\n" + `reactivate_agent {"agent":"A1","instruction":"I would like more detail"}`},
		{"without finished work it is new work", "", []llm.Message{user("Now research bees")}, "…\n" + `create_agent {"instruction":"Now research bees","type":"researcher"}`},

		{
			"calls that worked are acknowledged", "",
			[]llm.Message{user("2+2? 3+3?"), assistant("", called("1", "create_agent", "{}"), called("2", "create_agent", "{}")), returned("1", "created"), returned("2", "created")},
			"2 agents are on it. You will see what they find.",
		},
		{
			"calls that failed are explained", "",
			[]llm.Message{user("Tomorrow"), assistant("", called("1", "reply_to_agent", "{}")), failed("1", "there is no agent a9")},
			"That did not work: there is no agent a9",
		},

		{
			"when all have ended it says so", "",
			[]llm.Message{
				user("2+2? 3+3?"), assistant("On it."), user("# Event: result of “2+2?”, which the user sees\n4"), user("# Event: result of “3+3?”, which the user sees\n6"),
				user(state + "\n# Event\nAll that was started has ended"),
			},
			"With that, all 2 parts are done.",
		},
		{
			"of the last part alone, too", "",
			[]llm.Message{user("3+3, now"), assistant("On it."), user("# Event: result of “3+3?”, which the user sees\n6"), user(state + "\n# Event\nAll that was started has ended")},
			"With that, all is done.",
		},
		{
			"and how many could not be done", "",
			[]llm.Message{
				user("2+2? 3+3?"), assistant("On it."), user("# Event: result of “2+2?”, which the user sees\n4"), user("# Event: “3+3?” was not done\nno network"),
				user(state + "\n# Event\nAll that was started has ended"),
			},
			"With that, all 2 parts have ended; 1 could not be done.",
		},
		{
			"one that could not be done is no success", "",
			[]llm.Message{user("Fly."), assistant("On it."), user("# Event: “Fly.” was not done\nNo wings."), user(state + "\n# Event\nAll that was started has ended")},
			"That could not be done. …",
		},

		{
			"an agent's question is answered from the history", "",
			[]llm.Message{user("I am free on Friday at 8. My favourite colour is dark green."), assistant("Noted."), user("# Event: question of an agent\nA3 (“Book”) asks: For which day should I book?\n\nIf so")},
			"…because you wrote: “I am free on Friday at 8.”\n" + `reply_to_agent {"basedOn":"I am free on Friday at 8.","content":"Friday at 8"}`,
		},
		{
			"also if it was stated in so many words", "",
			[]llm.Message{user("My favourite colour is dark green."), user("# Event: question of an agent\nA3 (“Paint”) asks: Which colour do you like?\n\nIf so")},
			"…\n" + `reply_to_agent {"basedOn":"My favourite colour is dark green.","content":"dark green"}`,
		},
		{
			"a place is an answer, too", "",
			[]llm.Message{user("I live in Berlin."), user("# Event: question of an agent\nA3 (“Weather”) asks: Which place do you want the weather for?\n\nIf so")},
			"…\n" + `reply_to_agent {"basedOn":"I live in Berlin.","content":"Berlin"}`,
		},
		{
			"otherwise the user is asked", "",
			[]llm.Message{user("Book a table. Is Friday free?"), user("# Event: question of an agent\nA3 (“Book”) asks: For which day should I book?\n\nIf so")},
			"ASK",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tools := controlTools
			if last := tt.messages[len(tt.messages)-1]; strings.HasPrefix(textOf(last), "# Event: question") {
				tools = []llm.Tool{{Name: "reply_to_agent", Parameters: schema("content", "basedOn")}}
			}
			got := answerTo(t, &llm.Request{System: "You are the orchestrator.\n\n" + tt.system, Messages: tt.messages, Tools: tools})
			if !like(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}
