package agui_test

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

// These tests run the stock client against the real server, on both engines: see
// testdata/client.mjs.

func TestTheStockClientTalksToAModel(t *testing.T) {
	play(t, "text", `
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
	play(t, "agents", `
-- reply delegate --
when system contains You are the orchestrator
when system contains Answer in German.
when system contains CET
when last user contains There are no tasks yet
text: I will have that worked out.
call create_agent {"type": "general", "instruction": "What is 6*7?"}
-- reply look --
when system contains You are an agent of Nestor
when last user is What is 6*7?
call calculator {"expression": "6*7"}
-- reply conclude --
when last tool contains 42
call final_answer {"answer": "It is 42."}
-- reply report --
when last user contains It is 42.
text: The answer is 42.
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

func TestTheStockClientAnswersAQuestion(t *testing.T) { play(t, "question", asksBob) }

func TestTheStockClientAnswersAnAgentBelow(t *testing.T) {
	play(t, "below", `
-- reply delegate --
when system contains You are the orchestrator
when last user contains There are no tasks yet
call create_agent {"type": "general", "instruction": "Write to bob."}
-- reply passes it on --
when last user contains # Question
text: Which bob do you mean?
-- reply report --
when last user contains Written.
text: Bob has it.
`+asksBob)
}

func TestAQuestionIsAnsweredByAMessage(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Model = demo.New(demo.Options{Instant: true})
		perform(t, cfg, "plainly")
	})
}

func TestTheStockClientApprovesACall(t *testing.T) {
	play(t, "approval", `
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
	play(t, "frontend", `
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

func TestTheStockClientTalksToAGraph(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Model = demo.New(demo.Options{Instant: true})
		perform(t, cfg, "graph")
	})
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
-- reply same --
when last user contains And this?
text: The same.
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

func TestAnotherUserHasThreadsOfTheirOwn(t *testing.T) {
	play(t, "others", `
-- reply asks --
when last user is Write to bob.
call ask_user {"question": "Which bob?"}
-- reply hello --
when last user is Hello
text: Hello, you.
`)
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
