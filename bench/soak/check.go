package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nestorhq/nestor"
)

// check holds what the nodes, the model and the tools tell at the end against what
// was promised.
func (s *soak) check(ctx context.Context, r *report) error {
	limit := s.Settle + s.Duration
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the checks take longer than %s", limit))
	defer cancel()
	s.checkJobs(ctx, r)
	for _, p := range s.people {
		end, err := p.tail(ctx)
		if err != nil {
			r.violated("streams", "%v", err)
			continue
		}
		w, err := p.read(ctx, end)
		if err != nil {
			return err
		}
		r.count(w)
		p.checkLost(r, w)
		p.checkDoubled(r, w)
		s.checkSteps(r, w)
		p.checkTools(r, w)
		p.checkStreams(r, w)
		if err := p.checkBooks(ctx, r, w); err != nil {
			return err
		}
		if err := p.checkPulls(ctx, r, w); err != nil {
			return err
		}
		if err := p.checkNotes(ctx, r); err != nil {
			return err
		}
		for why, n := range p.refusals {
			r.violated("no refusal without a reason", "%s, %d times: %s", p.id, n, why)
		}
	}
	s.checkShared(r)
	return nil
}

// world is all that a person has, as lists tell it, and its history.
type world struct {
	chats    []nestor.Chat
	messages map[string][]nestor.Message // by chat, oldest first
	tasks    []nestor.Task
	agents   []nestor.SubAgent
	said     map[string][]nestor.SubAgentMessage // by agent
	calls    map[string][]nestor.ToolCall        // by agent
	log      []change
	end      int64
}

func (p *person) read(ctx context.Context, end int64) (*world, error) {
	w := &world{messages: map[string][]nestor.Message{}, said: map[string][]nestor.SubAgentMessage{}, calls: map[string][]nestor.ToolCall{}, end: end}
	var err error
	if w.chats, err = list[nestor.Chat](ctx, p.api, "/chats"); err != nil {
		return nil, err
	}
	var mu sync.Mutex
	group, each := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for _, c := range w.chats {
		group.Go(func() error { return p.readChat(each, w, &mu, c.ID) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	w.log, err = p.history(ctx, end)
	return w, err
}

// readChat adds what is in a chat.
func (p *person) readChat(ctx context.Context, w *world, mu *sync.Mutex, chat string) error {
	at := "/chats/" + chat
	messages, err := list[nestor.Message](ctx, p.api, at+"/messages")
	if err != nil {
		return err
	}
	tasks, err := list[nestor.Task](ctx, p.api, at+"/tasks")
	if err != nil {
		return err
	}
	agents, err := list[nestor.SubAgent](ctx, p.api, at+"/sub-agents")
	if err != nil {
		return err
	}
	mu.Lock()
	w.messages[chat], w.tasks, w.agents = messages, append(w.tasks, tasks...), append(w.agents, agents...)
	mu.Unlock()
	for _, a := range agents {
		said, err := list[nestor.SubAgentMessage](ctx, p.api, at+"/sub-agents/"+a.ID+"/messages")
		if err != nil {
			return err
		}
		calls, err := list[nestor.ToolCall](ctx, p.api, at+"/sub-agents/"+a.ID+"/tool-calls")
		if err != nil {
			return err
		}
		mu.Lock()
		w.said[a.ID], w.calls[a.ID] = said, calls
		mu.Unlock()
	}
	return nil
}

// history reads the whole log of a person anew, while nothing happens.
func (p *person) history(ctx context.Context, end int64) (all []change, err error) {
	f := newFollower(p, "reader", p.soak.nodes...)
	f.tell = func(c change) { all = append(all, c) }
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.follow(ctx)
	}()
	defer func() {
		cancel()
		<-done
	}()
	for f.reached() < end {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(50 * time.Millisecond):
		}
	}
	return all, nil
}

func (w *world) task(id string) *nestor.Task {
	for i := range w.tasks {
		if w.tasks[i].ID == id {
			return &w.tasks[i]
		}
	}
	return nil
}

// checkJobs looks for work that is left, and for dead letters that no fault
// explains.
func (s *soak) checkJobs(ctx context.Context, r *report) {
	jobs, err := list[nestor.Job](ctx, &api{nodes: s.nodes, token: ownerToken}, "/jobs")
	if err != nil {
		r.violated("nothing lost", "jobs cannot be read: %v", err)
	}
	for _, j := range jobs {
		if j.State == nestor.JobDead && explained(j.Error) {
			r.dead++
			continue
		}
		r.violated("nothing lost", "job %s (%s) of %s is %s after %d attempts: %s", j.ID, j.Trigger, j.Change.Path, j.State, j.Attempt, j.Error)
	}
}

// explained reports whether a failure is one that the soak caused or wanted.
func explained(reason string) bool {
	for _, known := range []string{
		"limits the rate", "failed with status", "connection failed", "stalled", "broke off", "budget", "no_such_tool", "not now", "denied", "skipped",
		"the request failed", // a tool's server that cut the connection
		"event stream", "status 503", "as the soak wants it", "not its protocol",
	} {
		if strings.Contains(reason, known) {
			return true
		}
	}
	return false
}

// checkLost looks for what was acknowledged and is not there, or has no end.
func (p *person) checkLost(r *report, w *world) {
	const promise = "nothing lost"
	for _, c := range p.chats {
		messages := w.messages[c.id]
		place := map[string]int{}
		answered := -1
		for i, m := range messages {
			place[m.ID] = i
			if at, ok := place[m.RepliesTo]; ok && m.RepliesTo != "" && m.Role != nestor.RoleUser {
				answered = max(answered, at)
			}
		}
		for _, id := range c.said {
			switch at, ok := place[id]; {
			case !ok:
				r.violated(promise, "message %s of chat %s was acknowledged and is gone", id, c.id)
			case at > answered:
				r.violated(promise, "message %s of chat %s has no answer", id, c.id)
			}
		}
		for _, id := range c.started {
			if w.task(id) == nil {
				r.violated(promise, "task %s of chat %s was acknowledged and is gone", id, c.id)
			}
		}
	}
	for _, t := range w.tasks {
		if !t.Status.Ended() {
			r.violated(promise, "task %s of chat %s is %s at the end; %s", t.ID, t.ChatID, t.Status, w.lastWords(t.ChatID))
		}
		if t.Status == nestor.TaskFailed && !explained(t.Error) {
			r.violated(promise, "task %s of chat %s failed for no reason that the soak gave: %s", t.ID, t.ChatID, t.Error)
		}
	}
}

// lastWords are the last messages of a chat, in short.
func (w *world) lastWords(chat string) string {
	const most = 10
	messages := w.messages[chat]
	var b strings.Builder
	for _, m := range messages[max(0, len(messages)-most):] {
		fmt.Fprintf(&b, "\n\t%s %s %s task=%s to=%s question=%s calls=%v %.80q", m.ID, m.Role, m.Type, m.TaskID, m.RepliesTo, m.QuestionID, m.ToolCalls, m.Content)
	}
	return b.String()
}

// checkDoubled looks for replies, agents and reports that are there twice, and for
// wishes that led to nothing.
func (p *person) checkDoubled(r *report, w *world) {
	const promise = "nothing doubled"
	byKey := map[string][]string{}
	became := map[string]int{} // how often a task became successful
	for _, t := range w.tasks {
		if found := plan.FindStringSubmatch(t.Instruction); found != nil {
			byKey[found[1]] = append(byKey[found[1]], t.ID)
		}
	}
	status := map[string]nestor.TaskStatus{}
	for _, c := range w.log {
		var t nestor.Task
		if c.Collection != "tasks" || decode(c, &t) != nil {
			continue
		}
		if t.Status == nestor.TaskSuccess && status[t.ID] != nestor.TaskSuccess {
			became[t.ID]++
		}
		status[t.ID] = t.Status
	}
	reports := map[string]int{}
	failed := map[string]bool{} // chats in which the orchestrator gave up on a message
	numbers := map[int]string{}
	seen := func(text, where string) {
		if n := numberOf(text); n >= 0 {
			if other, ok := numbers[n]; ok {
				r.violated(promise, "reply %d stands at %s and at %s", n, other, where)
			}
			numbers[n] = where
		}
	}
	for chat, messages := range w.messages {
		for _, m := range messages {
			failed[chat] = failed[chat] || m.Type == nestor.MessageError
			seen(m.Content, chat+"/"+m.ID)
			if m.TaskID != "" && m.Title != "" && m.Type == nestor.MessageText {
				reports[m.TaskID]++
			}
		}
	}
	for agent, messages := range w.said {
		for _, m := range messages {
			seen(m.Content, agent+"/"+m.ID)
		}
	}
	for key, tasks := range byKey {
		if len(tasks) > 1 {
			r.violated(promise, "the agent %s was made %d times: %v", key, len(tasks), tasks)
		}
	}
	for _, c := range p.chats {
		for _, key := range c.wishes {
			if len(byKey[key]) == 0 && !failed[c.id] {
				r.violated("nothing lost", "message %s of chat %s asked for an agent, and there is none", key, c.id)
			}
		}
	}
	for _, t := range w.tasks {
		if t.ParentAgentID == "" && t.Type == nestor.TaskAgent && reports[t.ID] > became[t.ID] {
			r.violated(promise, "task %s of chat %s was reported %d times and succeeded %d times", t.ID, t.ChatID, reports[t.ID], became[t.ID])
		}
		if t.ParentAgentID == "" && t.Type == nestor.TaskAgent && t.Status == nestor.TaskSuccess && reports[t.ID] == 0 && !failed[t.ChatID] {
			r.violated("nothing lost", "task %s of chat %s succeeded and was not reported", t.ID, t.ChatID)
		}
	}
}

// checkSteps looks for steps of an agent that overlap, are repeated after they
// were committed, or are out of order.
func (s *soak) checkSteps(r *report, w *world) {
	s.model.mu.Lock()
	defer s.model.mu.Unlock()
	for agent, messages := range w.said {
		var last *request
		steps := map[string]bool{}
		for _, m := range messages {
			n := numberOf(m.Content)
			if n < 0 || m.Role != nestor.RoleAssistant {
				continue
			}
			now := s.model.requests[n]
			if last != nil && now.began.Before(last.ended) {
				r.violated("no overlap", "agent %s asked for step %d at %s, before step %d ended at %s", agent, now.step, stamp(now.began), last.step, stamp(last.ended))
			}
			if last != nil && now.step < last.step {
				r.violated("order", "agent %s made step %d after step %d", agent, now.step, last.step)
			}
			if id := fmt.Sprint(now.step); len(m.ToolCalls) > 0 && m.ToolCalls[0].Function.Name != "final_answer" {
				if steps[id] {
					r.violated("no committed model call is repeated", "agent %s made step %s twice: %s", agent, id, encode(messages))
				}
				steps[id] = true
			}
			last = now
		}
	}
}

func stamp(t time.Time) string { return t.Format("15:04:05.000") }

// checkTools holds the calls against what the tools were asked to do.
func (p *person) checkTools(r *report, w *world) {
	p.tools.mu.Lock()
	defer p.tools.mu.Unlock()
	for agent, calls := range w.calls {
		for _, c := range calls {
			hits, again := p.tools.hits[c.ID], 0
			marked := false
			for _, d := range c.Decisions {
				if d.Action == nestor.RetryCall {
					again++
				}
				marked = marked || d.Action == nestor.MarkDone
			}
			once := c.ToolName == "post" || c.ToolName == "sign"
			switch {
			case once && hits > 1+again:
				r.violated("a tool of once runs at most once", "call %s (%s) of agent %s was made %d times, and %d times a person wanted it again", c.ID, c.ToolName, agent, hits, again)
			case (once || c.ToolName == "bump") && c.Status == nestor.ToolCallSuccess && hits == 0 && !marked:
				r.violated("nothing lost", "call %s (%s) of agent %s succeeded, and the tool knows nothing of it", c.ID, c.ToolName, agent)
			case !c.Status.Ended():
				r.violated("nothing lost", "call %s (%s) of agent %s is %s at the end", c.ID, c.ToolName, agent, c.Status)
			}
			delete(p.tools.tools, c.ID)
			r.calls++
		}
	}
}

// checkShared looks for effects that belong to no call of anybody, for work that was
// done under several keys, and for versions with several contents.
func (s *soak) checkShared(r *report) {
	s.versions.mu.Lock()
	defer s.versions.mu.Unlock()
	for _, broken := range s.versions.broken {
		r.violated("a version stands for one content", "%s", broken)
	}
	for key, tool := range s.tools.tools {
		r.violated("every effect belongs to a call", "%s was called with key %s, which no call has", tool, key)
	}
	for work, keys := range s.tools.keys {
		if len(keys) > 1 {
			r.violated("nothing doubled", "%s was done under the keys %v", work, slices.Sorted(maps.Keys(keys)))
		}
	}
}

// checkNotes holds the counters against what was acknowledged.
func (p *person) checkNotes(ctx context.Context, r *report) error {
	for path, n := range p.notes {
		var doc struct {
			N int `json:"n"`
		}
		if err := p.call(ctx, http.MethodGet, "/docs/"+path, nil, &doc); err != nil && !refused(err, "not_found") {
			return err
		}
		if doc.N < n.acknowledged || doc.N > n.acknowledged+n.doubted {
			r.violated("nothing lost", "%s: %d writes were acknowledged, of %d it was not known, and %d are there", path, n.acknowledged, n.doubted, doc.N)
		}
		r.writes += n.acknowledged
	}
	return nil
}
