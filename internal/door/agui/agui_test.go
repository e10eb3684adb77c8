package agui_test

import (
	"testing"

	"github.com/nestorhq/nestor/internal/door/doortest"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/server"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// These tests run the stock client against the real server, on both engines: see
// testdata/client.mjs.

func TestTheStockClientTalksToAModel(t *testing.T) {
	doortest.Play(t, "text", `
-- reply hello --
when last user contains Hello
think: A greeting.
text: Hello,
text: " you."
usage in=10 out=3
-- reply now --
when last user contains And now?
text: Still here.
`)
}

func TestTheStockClientIsToldOfAgents(t *testing.T) {
	doortest.Play(t, "agents", `
-- reply delegate --
when system contains You are the orchestrator
when system contains Answer in German.
when system contains CET
when last user contains There are no agents yet
text: I will have that worked out.
call create_agent {"type": "general", "instruction": "What is 6*7?"}
-- reply look --
when system contains You are an agent of Nestor
when last user is What is 6*7?
call calculator {"expression": "6*7"}
-- reply conclude --
when last tool contains 42
call final_answer {"answer": "It is 42."}
`)
}

const asksBob = `
-- reply asks --
when last user is Write to bob.
text: There are two.
call ask_user {"question": "Which bob?"}
-- reply answered --
when last user is Bob Miller.
text: Written.
`

func TestTheStockClientAnswersAQuestion(t *testing.T) { doortest.Play(t, "question", asksBob) }

func TestTheStockClientAnswersAnAgentBelow(t *testing.T) {
	doortest.Play(t, "below", `
-- reply delegate --
when system contains You are the orchestrator
when last user contains There are no agents yet
call create_agent {"type": "general", "instruction": "Write to bob."}
`+asksBob)
}

func TestAQuestionIsAnsweredByAMessage(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Model = demo.New(demo.Options{Instant: true})
		doortest.Perform(t, cfg, "plainly")
	})
}

func TestTheStockClientApprovesACall(t *testing.T) {
	doortest.Play(t, "approval", `
-- reply paid --
when last tool contains paid
text: Paid.
repeat
-- reply not paid --
when last tool contains denied
text: Not paid.
-- reply pays --
when last user is Pay 12 cents.
call pay {"cents": 12}
repeat
`)
}

func TestTheStockClientRunsToolsOfItsOwn(t *testing.T) {
	doortest.Play(t, "frontend", `
-- reply color --
when last user is Paint the house.
when tools contains ask_color
call ask_color {"of": "house"}
-- reply confirm --
when last tool is ask_color blue
call confirm {}
-- reply done --
when last tool contains the window was closed
text: Blue, unconfirmed.
`)
}

// The client of before 1.0 takes every event, whatever is told.
func TestTheClientOfBefore1TakesEveryEvent(t *testing.T) {
	t.Setenv("AGUI_BEFORE_1", "yes")
	for name, test := range map[string]func(*testing.T){
		"text": TestTheStockClientTalksToAModel, "agents": TestTheStockClientIsToldOfAgents, "a question": TestTheStockClientAnswersAnAgentBelow,
		"an approval": TestTheStockClientApprovesACall, "tools": TestTheStockClientRunsToolsOfItsOwn, "cancelled": TestTheStockClientIsToldThatARunWasCancelled,
		"failures": TestTheStockClientIsToldWhatGoesWrong,
	} {
		t.Run(name, test)
	}
}

func TestCopilotKitRunsToolsOfThePage(t *testing.T) {
	doortest.Play(t, "copilot", `
-- reply color --
when last user is Paint the house.
when tools contains ask_color
call ask_color {"of": "house"}
-- reply done --
when last tool contains the house is blue
text: A blue house.
`)
}

func TestTheStockClientTalksToAGraph(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Model = demo.New(demo.Options{Instant: true})
		doortest.Perform(t, cfg, "graph")
	})
}

func TestTheStockClientIsToldThatARunWasCancelled(t *testing.T) {
	doortest.Play(t, "cancelled", `
-- reply waits --
when last user is Wait.
text: One moment.
wait 1h
`)
}

func TestTheStockClientSendsAPicture(t *testing.T) {
	doortest.Play(t, "picture", `
-- reply dot --
when last user contains What is this?
text: A dot.
-- reply same --
when last user contains And this?
text: The same.
`)
}

func TestTheStockClientIsToldWhatGoesWrong(t *testing.T) {
	doortest.Play(t, "failures", `
-- reply fails --
when last user is Fail.
error invalid this makes no sense
-- reply cut --
when last user is Try.
text: First
error unavailable retry_after=1ms the provider went away
-- reply again --
when last user is Try.
text: Second.
`)
}

func TestAnotherUserHasThreadsOfTheirOwn(t *testing.T) {
	doortest.Play(t, "others", `
-- reply asks --
when last user is Write to bob.
call ask_user {"question": "Which bob?"}
-- reply hello --
when last user is Hello
text: Hello, you.
`)
}
