package records_test

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// listening tells what a model is asked. If it is silent, it never answers.
type listening struct {
	llm.Model
	silent bool
	asked  chan string
}

func (m *listening) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	text, err := json.Marshal(req.Messages)
	if err != nil {
		panic(err)
	}
	m.asked <- string(text)
	if !m.silent {
		return m.Model.Generate(ctx, req)
	}
	return func(yield func(llm.Event, error) bool) {
		<-ctx.Done()
		yield(nil, ctx.Err())
	}
}

// A server that ends in the middle of a fork's first answer leaves it to the next one,
// whose model sees what the fork shares, even if the other chat was deleted meanwhile.
func TestTheFirstAnswerOfAForkSurvivesTheServer(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		first := &listening{demo.New(demo.Options{Instant: true}), true, make(chan string, 100)}
		cfg.Model, cfg.Drain = first, time.Millisecond
		s, stop := servertest.Start(t, cfg)
		p := &person{&servertest.Person{T: t, Server: s, Token: servertest.Token}, "local"}
		p.chatWith("c", `,"title":"Other"`, "96-meters", "later")
		p.forks("c", `{"id":"f","at":"96-meters","title":"Fork"}`)
		p.wants(201, "POST", "chats/f/messages", `{"content":"Hello"}`)
		if asked := <-first.asked; !strings.Contains(asked, "96-meters") || strings.Contains(asked, "later") {
			t.Errorf("the model was asked %s", asked)
		}
		p.wants(204, "DELETE", "chats/c", "")
		stop()

		second := &listening{demo.New(demo.Options{Instant: true}), false, make(chan string, 100)}
		cfg.Model = second
		p = start(t, cfg)
		p.settled()
		if asked := <-second.asked; !strings.Contains(asked, "96-meters") || strings.Contains(asked, "later") {
			t.Errorf("the model was asked again %s", asked)
		}
		var page struct{ Items []nestor.Message }
		p.into(&page, 200, "GET", "chats/f/messages", "")
		if n := len(page.Items); n != 3 || page.Items[0].Content != "96-meters" || page.Items[2].RepliesTo != page.Items[1].ID {
			t.Errorf("the fork has %d messages: %+v", n, page.Items)
		}
	})
}
