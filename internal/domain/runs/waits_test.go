package runs_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/llm"
)

// waits are what a run waits for now.
func (p *person) waits(run string) (got runs.Waits) {
	p.Helper()
	p.Into(&got, 200, "GET", "runs/"+run+"/waits", "")
	return got
}

// wantWait fails unless a run waits for one thing, and returns that.
func (p *person) wantWait(run string, code runs.WaitCode) runs.Wait {
	p.Helper()
	got := p.waits(run)
	if len(got.Waits) != 1 || got.Waits[0].Code != code {
		p.Fatalf("it waits for %+v, want %s", got, code)
	}
	return got.Waits[0]
}

func TestARunSaysWhichModelItWaitsFor(t *testing.T) {
	each(t, func(p *person) {
		p.chat("c1")
		asked, goOn := p.model.hold()
		before := time.Now().UnixMilli()
		p.Wants(201, "POST", "chats/c1/messages", `{"id":"m1","content":"Hello"}`)
		<-asked
		w := p.wantWait("m1", runs.WaitModel)
		if w.Model != p.model.Name() || w.Stage != "orchestrator" || w.Since < before || w.Since > time.Now().UnixMilli() || w.Helper || !strings.Contains(w.Text, w.Model) {
			p.Errorf("it waits for %+v", w)
		}
		close(goOn)
		if p.Settled(); len(p.waits("m1").Waits) > 0 {
			p.Errorf("in the end it waits for %+v", p.waits("m1"))
		}
		p.Wants(404, "GET", "runs/none/waits", "")
	})
}

func TestAMessageSaysThatTheTriggerOfItsAnswerIsOff(t *testing.T) {
	each(t, func(p *person) {
		p.chat("c1")
		p.Wants(200, "PATCH", "triggers/on-user-message", `{"enabled":false}`)
		p.Wants(201, "POST", "chats/c1/messages", `{"id":"m1","content":"Hello"}`)
		p.Settled()
		if w := p.wantWait("m1", runs.WaitOff); w.Trigger != "on-user-message" || w.Stage != "orchestrator" {
			p.Errorf("it waits for %+v", w)
		}
		p.Wants(200, "PATCH", "triggers/on-user-message", `{"enabled":true}`)
		p.asks("c1", "m2", "Hello") // and answers both
		if got := p.waits("m1"); len(got.Waits) > 0 {
			p.Errorf("when it is on it waits for %+v", got)
		}
	})
}

func TestARunSaysThatTheTriggerOfItsAgentIsOff(t *testing.T) {
	each(t, func(p *person) {
		p.chat("c1")
		p.Wants(200, "PATCH", "triggers/on-sub-agent-message", `{"enabled":false}`)
		p.Wants(201, "POST", "chats/c1/messages", `{"id":"m1","content":"Compute 6*7"}`)
		p.Settled()
		if w := p.wantWait("m1", runs.WaitOff); w.Trigger != "on-sub-agent-message" || w.Stage != "agent-loop" || w.Role != "general" || w.TaskID == "" || !w.Helper {
			p.Errorf("it waits for %+v", w)
		}
	})
}

func TestARunSaysThatItWaitsForAPersonAndThatAnAgentIsPaused(t *testing.T) {
	each(t, func(p *person) {
		p.chat("c1")
		p.asks("c1", "m1", "Book a table for two")
		w := p.wantWait("m1", runs.WaitPerson)
		if w.TaskID == "" || w.SubAgentID == "" || w.Role == "" {
			p.Errorf("it waits for %+v", w)
		}
		asked, goOn := p.model.hold()
		p.Wants(201, "POST", "chats/c1/tasks", `{"id":"t2","type":"agent","name":"agent:general","instruction":"Compute 6*7"}`)
		<-asked
		p.Wants(200, "POST", "chats/c1/tasks/t2/pause", "")
		if w := p.wantWait("t2", runs.WaitModel); w.TaskID != "t2" || !w.Helper {
			p.Errorf("in its step it waits for %+v", w)
		}
		close(goOn)
		p.Settled()
		p.wantWait("t2", runs.WaitPaused)
	})
}

// refusing is a model that fails until it is let go.
type refusing struct {
	llm.Model
	open chan struct{}
}

func (m *refusing) Generate(ctx context.Context, r *llm.Request) iter.Seq2[llm.Event, error] {
	select {
	case <-m.open:
		return m.Model.Generate(ctx, r)
	default:
		return func(yield func(llm.Event, error) bool) {
			yield(nil, &nestor.Error{Code: nestor.CodeRateLimited, Message: "OpenAI limits the rate", Err: errors.Join(nestor.RetryAfter(time.Hour))})
		}
	}
}

func TestARunSaysWhyAndWhenItIsTriedAgain(t *testing.T) {
	each(t, func(p *person) {
		p.chat("c1")
		model := &refusing{p.model.Model, make(chan struct{})}
		p.model.Model = model
		p.Wants(201, "POST", "chats/c1/messages", `{"id":"m1","content":"Hello"}`)
		for got := p.waits("m1"); len(got.Waits) == 1 && got.Waits[0].Code == runs.WaitModel; got = p.waits("m1") {
			continue // until the failure of the attempt is written
		}
		w := p.wantWait("m1", runs.WaitRetry)
		if !strings.Contains(w.Error, "OpenAI limits the rate") || w.Until <= time.Now().UnixMilli() || w.Attempt != 1 {
			p.Errorf("it waits for %+v", w)
		}
		// Who reads runs alone is not told what went wrong.
		key := p.WithKey("read", "users/local/runs/**")
		if got := key.Wants(200, "GET", "runs/m1/waits", "", `"code":"retry"`); strings.Contains(got, "OpenAI") {
			p.Errorf("the key reads %s", got)
		}
		p.Wants(200, "POST", "runs/m1/cancel", "")
	})
}
