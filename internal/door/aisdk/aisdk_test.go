package aisdk_test

import (
	"testing"

	"github.com/nestorhq/nestor/internal/door/doortest"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/server"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// These tests run the stock AI SDK against the real server, on both engines: see
// testdata/client.mjs.

func TestTheStockClientTalksToAModel(t *testing.T) {
	doortest.Play(t, "text", `
-- reply hello --
when last user contains Hello
when system contains Be brief.
think: A greeting.
text: Hello,
text: " you."
usage in=10 out=3
-- reply now --
when last user contains And now?
text: Still here.
-- reply again --
when last user contains And now?
text: Here again.
-- reply and again --
when last user contains And now?
text: And again.
-- reply edited --
when last user contains And then?
text: Then, too.
`)
}

// What a person edited, had answered anew or left out at the end is not shown to the
// participant any more, whoever that is.
func TestTheModelSeesWhatTheClientKept(t *testing.T) {
	for _, participant := range []string{"model:default", "agent:general", "orchestrator"} {
		t.Run(participant, func(t *testing.T) { doortest.Play(t, "changed "+participant, changed) })
	}
}

const changed = `
-- reply ann --
when last user contains My name is Ann.
text: Hello Ann.
-- reply rome --
when last user contains I live in Rome.
when history contains Hello Ann.
text: Rome it is.
-- reply oslo --
when last user contains I live in Oslo.
when history contains Hello Ann.
when history lacks Rome
text: Oslo it is.
-- reply said --
when last user contains What did I say?
when history contains Oslo it is.
when history lacks Rome
text: Ann in Oslo.
-- reply anew --
when last user contains What did I say?
when history contains Oslo it is.
when history lacks Rome
when history lacks Ann in Oslo.
text: Still Ann in Oslo.
-- reply now --
when last user contains And now?
when history contains Still Ann in Oslo.
text: As before.
-- reply bonn --
when last user contains I live in Bonn.
when history contains Hello Ann.
when history lacks Oslo
text: Bonn it is.
-- reply other --
when last user contains Where was that?
when history contains As before.
when history lacks Bonn
text: In Oslo.
-- reply bob --
when last user contains My name is Bob.
when history lacks Ann
text: Hello Bob.
-- reply name --
when last user contains Say my name.
when history contains Hello Bob.
when history lacks Ann
text: Bob.
`

func TestTheStockClientIsToldOfAgents(t *testing.T) {
	doortest.Play(t, "agents", `
-- reply delegate --
when system contains You are the orchestrator
when last user contains There are no agents yet
text: I will have that worked out.
call create_agent {"type": "general", "instruction": "What is 6*7?"}
-- reply look --
when system contains You are an agent of Nestor
when last user is What is 6*7?
text: Let me see.
call calculator {"expression": "6*7"}
-- reply conclude --
when last tool contains 42
call final_answer {"answer": "It is 42."}
`)
}

func TestTheStockClientAnswersAQuestion(t *testing.T) {
	doortest.Play(t, "question", `
-- reply asks --
when last user is Write to bob.
text: There are two.
call ask_user {"question": "Which bob?"}
-- reply answered --
when last user is Bob Miller.
text: Written.
`)
}

// The demo model can pass an answer on.
func TestAQuestionIsAnsweredByAMessage(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Model = demo.New(demo.Options{Instant: true})
		doortest.Perform(t, cfg, "plainly")
	})
}

const pays = `
-- reply pays --
when last user is Pay 12 cents.
call pay {"cents": 12}
repeat
`

func TestTheStockClientApprovesACall(t *testing.T) {
	doortest.Play(t, "approval", `
-- reply paid --
when last tool contains paid
text: Paid.
-- reply not paid --
when last tool contains denied
text: Not paid.
`+pays)
}

func TestTheStockClientRunsToolsOfItsOwn(t *testing.T) {
	doortest.Play(t, "client", `
-- reply door --
when last tool contains blue
call ask_color {"of": "door"}
-- reply done --
when last tool contains the window was closed
text: A blue house.
-- reply house --
when last user is Paint the house.
when tools contains ask_color
call calculator {"expression": "6*7"}
call ask_color {"of": "house"}
`)
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

func TestAnotherUserHasChatsOfTheirOwn(t *testing.T) {
	doortest.Play(t, "others", pays+`
-- reply hello --
when last user is Hello
text: Hello, you.
`)
}

// The program is killed in the middle of a stream. The client resumes it, and has the
// whole message once.
func TestAStreamThatAKillCutIsResumed(t *testing.T) {
	doortest.KillInTheMiddle(t, "client.mjs", "killed")
}
