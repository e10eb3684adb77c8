package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/nestorhq/nestor"
)

// desk is where a person finds what waits for them: questions of agents, calls to
// approve, calls of which nobody knows whether they took effect. They come from the
// stream, so one that the stream does not tell of waits for ever.
type desk struct {
	*person
	mu      sync.Mutex
	waiting []change
	more    chan struct{}
}

func newDesk(p *person) *desk {
	return &desk{person: p, more: make(chan struct{}, 1)}
}

// put takes what the stream tells.
func (d *desk) put(c change) {
	switch c.Collection {
	case "tasks":
		var t *nestor.Task
		if c.Type != "delete" && json.Unmarshal(c.Document, &t) != nil {
			return
		}
		d.track(c.Path, t)
		return
	case "sub_agents", "sub_agent_tool_calls":
	default:
		return
	}
	d.mu.Lock()
	d.waiting = append(d.waiting, c)
	d.mu.Unlock()
	select {
	case d.more <- struct{}{}:
	default:
	}
}

func (d *desk) work(ctx context.Context) {
	for {
		d.mu.Lock()
		list := d.waiting
		d.waiting = nil
		d.mu.Unlock()
		for _, c := range list {
			if err := d.see(ctx, &c); refused(err) {
				d.refuse(err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-d.more:
		}
	}
}

func (d *desk) see(ctx context.Context, c *change) error {
	if c.Type == "delete" {
		return nil
	}
	chat := strings.Split(c.Path, "/")[3]
	if c.Collection == "sub_agents" {
		var agent nestor.SubAgent
		if err := json.Unmarshal(c.Document, &agent); err != nil || agent.Status != nestor.SubAgentWaiting || agent.Question == "" {
			return err
		}
		return d.answer(ctx, chat, &agent)
	}
	var call nestor.ToolCall
	if err := json.Unmarshal(c.Document, &call); err != nil {
		return err
	}
	return d.decide(ctx, chat, strings.Split(c.Path, "/")[5], &call)
}

// answer tells the orchestrator to pass a yes on.
func (d *desk) answer(ctx context.Context, chat string, agent *nestor.SubAgent) error {
	id := "a-" + nestor.DeriveID(agent.ID, agent.QuestionCallID)
	return d.call(ctx, http.MethodPost, "/chats/"+chat+"/messages",
		map[string]string{"id": id, "content": fmt.Sprintf("Yes. [[m=%s reply=%s]]", id, agent.ID)}, nil)
}

// decide approves most calls, and has some of which nobody knows made again.
func (d *desk) decide(ctx context.Context, chat, agent string, call *nestor.ToolCall) error {
	var action nestor.DecisionAction
	drawn := chance(d.Seed, call.ID+fmt.Sprint(len(call.Decisions)), 4)
	switch {
	case call.Status == nestor.ToolCallAwaitingApproval && drawn == 0:
		action = nestor.Deny
	case call.Status == nestor.ToolCallAwaitingApproval:
		action = nestor.Approve
	case call.Status == nestor.ToolCallUnknown:
		action = []nestor.DecisionAction{nestor.RetryCall, nestor.MarkDone, nestor.SkipCall, nestor.RetryCall}[drawn]
	default:
		return nil
	}
	err := d.call(ctx, http.MethodPost, "/chats/"+chat+"/sub-agents/"+agent+"/tool-calls/"+call.ID+"/decision",
		map[string]string{"action": string(action), "reason": "as the soak wants it"}, nil)
	if refused(err, "invalid") && strings.Contains(err.Error(), "nothing to decide") {
		return nil // an attempt without an answer took effect, or the task was cancelled
	}
	return err
}
