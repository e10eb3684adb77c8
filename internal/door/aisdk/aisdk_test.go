package aisdk_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/nestorhq/nestor/internal/door/doortest"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/model/modeltest"
	"github.com/nestorhq/nestor/server"
	"github.com/nestorhq/nestor/tool"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// These tests run the stock AI SDK against the real server, on both engines: see
// testdata/client.mjs.

func TestTheStockClientTalksToAModel(t *testing.T) {
	play(t, "text", `
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

func TestTheStockClientIsToldOfAgents(t *testing.T) {
	play(t, "agents", `
-- reply delegate --
when system contains You are the orchestrator
when last user contains There are no tasks yet
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
-- reply report --
when last user contains It is 42.
text: The answer is 42.
`)
}

func TestTheStockClientAnswersAQuestion(t *testing.T) {
	play(t, "question", `
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
		perform(t, cfg, "plainly")
	})
}

const pays = `
-- reply pays --
when last user is Pay 12 cents.
call pay {"cents": 12}
repeat
`

func TestTheStockClientApprovesACall(t *testing.T) {
	play(t, "approval", `
-- reply paid --
when last tool contains paid
text: Paid.
-- reply not paid --
when last tool contains denied
text: Not paid.
`+pays)
}

func TestTheStockClientRunsToolsOfItsOwn(t *testing.T) {
	play(t, "client", `
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
	play(t, "cancelled", `
-- reply waits --
when last user is Wait.
text: One moment.
wait 1h
`)
}

func TestTheStockClientSendsAPicture(t *testing.T) {
	play(t, "picture", `
-- reply dot --
when last user contains What is this?
text: A dot.
`)
}

func TestTheStockClientIsToldWhatGoesWrong(t *testing.T) {
	play(t, "failures", `
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
	play(t, "others", pays+`
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

const titles = `
-- reply title --
when system contains title
text: A title
usage in=1 out=1
repeat
`

type payment struct {
	Cents int `json:"cents"`
}

var pay = tool.New("pay", tool.Options{Description: "Pays.", Effect: tool.Once, NeedsApproval: true},
	func(_ context.Context, in payment) (string, error) { return fmt.Sprint("paid ", in.Cents), nil })

// play runs a scenario of the client on every engine, with a model that follows a
// script.
func play(t *testing.T, scenario, script string) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		model, err := modeltest.Parse(titles + script)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Model = model
		perform(t, cfg, scenario)
		if err := model.Finished(); err != nil {
			t.Error(err)
		}
	})
}

// perform runs a scenario of the client, with two users.
func perform(t *testing.T, cfg server.Config, scenario string) {
	cfg.Tools, cfg.Addr = []*tool.Tool{pay}, "127.0.0.1:0"
	p := servertest.Enter(t, cfg)
	ann, bob := p.SignIn("ann"), p.SignIn("bob")
	doortest.Run(t, "testdata", []string{
		"NESTOR_URL=" + p.URL(), "NESTOR_KEY=" + ann.WithKey("write").Token, "NESTOR_READ_KEY=" + ann.WithKey("read").Token,
		"NESTOR_OTHER_KEY=" + bob.WithKey("write").Token,
	}, "client.mjs", scenario)
	p.Settled()
}
