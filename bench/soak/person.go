package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/nestorhq/nestor"
)

// person is a user who is busy: says things, starts tasks, answers, decides,
// cancels, and writes documents. What the nodes acknowledged is kept, to be looked
// for at the end.
type person struct {
	*soak
	*api
	id        string
	random    *rand.Rand
	followers []*follower // one at each node, and one that wanders
	desk      *desk
	pulls     *puller

	mu       sync.Mutex
	chats    []*chat
	tasks    []ref            // started by hand or by message
	open     map[string]bool  // paths of tasks that have not ended, as the stream says
	notes    map[string]*note // by path
	refusals map[string]int
	serial   int
}

// chat is one that the person holds.
type chat struct {
	id       string
	said     []string // ids of messages
	started  []string // ids of tasks
	wishes   []string // keys of the agents that messages asked for
	bounded  int64    // tokens, 0 for no bound
	sayLimit int
}

type ref struct{ chat, task string }

// note is a document that only this person writes.
type note struct {
	acknowledged, doubted int
}

// invite makes the users and their keys.
func (s *soak) invite(ctx context.Context) error {
	owner := &api{nodes: s.nodes, token: ownerToken}
	for i := range s.People {
		p := &person{
			soak: s, id: fmt.Sprintf("person%d", i+1), random: s.random(uint64(100 + i)),
			open: map[string]bool{}, notes: map[string]*note{}, refusals: map[string]int{},
		}
		if err := owner.call(ctx, http.MethodPost, "/users", map[string]string{"id": p.id, "password": "a long enough password"}, nil); err != nil {
			return err
		}
		var key struct {
			Key string `json:"key"`
		}
		if err := owner.call(ctx, http.MethodPost, "/keys?user="+p.id, map[string]any{"name": "soak", "scopes": []string{"write"}}, &key); err != nil {
			return err
		}
		p.api = &api{nodes: s.nodes, token: key.Key}
		p.desk, p.pulls = newDesk(p), newPuller(p)
		for _, n := range s.nodes {
			p.followers = append(p.followers, newFollower(p, n.name, n))
		}
		p.followers = append(p.followers, newFollower(p, "wanderer", s.nodes...))
		s.people = append(s.people, p)
	}
	return nil
}

// follow has all followers follow. The one that wanders tells the person's desk.
func (p *person) follow(ctx context.Context, group *sync.WaitGroup) {
	for i, f := range p.followers {
		if i == len(p.followers)-1 {
			f.tell = p.desk.put
		}
		group.Go(func() { f.follow(ctx) })
	}
}

// react does what waits for a person, and keeps copies.
func (p *person) react(ctx context.Context, group *sync.WaitGroup) {
	group.Go(func() { p.desk.work(ctx) })
	group.Go(func() { p.pulls.work(ctx) })
}

// plans are what agents do.
var plans = []string{
	"bump,post", "look,calc,bump", "post,post", "both,bump", "ask,post", "sign", "nest,bump", "nest,ask", "wrong,bump", "bump,bump,bump,post", "sign,ask,both",
}

// live does one thing after the other until ctx ends.
func (p *person) live(ctx context.Context) {
	deeds := []struct {
		weight int
		do     func(context.Context) error
	}{
		{5, p.say}, {4, p.delegate}, {5, p.startTask}, {2, p.callTool}, {6, p.writeNote}, {1, p.cancel}, {1, p.pause}, {1, p.steer},
	}
	total := 0
	for _, d := range deeds {
		total += d.weight
	}
	for ctx.Err() == nil {
		drawn, pause := p.random.IntN(total), p.random.Int64N(int64(2*p.Pace)+1)
		for _, d := range deeds {
			if drawn -= d.weight; drawn >= 0 {
				continue
			}
			if err := d.do(ctx); refused(err) {
				p.refuse(err)
			}
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(pause)):
		}
		for p.busy() && ctx.Err() == nil {
			time.Sleep(100 * time.Millisecond) // people do not pile work up without bound
		}
	}
}

// most is how many tasks a person has under way at once.
const most = 25

func (p *person) busy() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.open) > most
}

// refuse notes why a node said no, by its code.
func (p *person) refuse(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.journal.note("%s was refused: %v", p.id, err)
	p.refusals[fmt.Sprint(err)]++
}

// name makes an id that nobody else has.
func (p *person) name(kind string) string {
	p.serial++
	return fmt.Sprintf("%s-%s-%d", kind, p.id, p.serial)
}

// room is a chat to speak in: mostly the last one, sometimes a new one, now and
// then one that may use little.
func (p *person) room(ctx context.Context) (*chat, error) {
	p.mu.Lock()
	n := len(p.chats)
	if n > 0 && len(p.chats[n-1].said)+len(p.chats[n-1].started) < p.chats[n-1].sayLimit {
		defer p.mu.Unlock()
		return p.chats[n-1], nil
	}
	p.mu.Unlock()
	c := &chat{id: p.name("c"), sayLimit: 4 + p.random.IntN(6)}
	body := map[string]any{"id": c.id, "title": "Soak"}
	if p.random.IntN(6) == 0 {
		c.bounded = 12_000
		body["budget"] = map[string]int64{"tokens": c.bounded}
	}
	if err := p.call(ctx, http.MethodPost, "/chats", body, nil); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.chats = append(p.chats, c)
	return c, nil
}

func (p *person) say(ctx context.Context) error { return p.tell(ctx, "") }

func (p *person) delegate(ctx context.Context) error {
	return p.tell(ctx, plans[p.random.IntN(len(plans))])
}

// tell says something, with a plan for an agent or none.
func (p *person) tell(ctx context.Context, plan string) error {
	c, err := p.room(ctx)
	if err != nil {
		return err
	}
	id := p.name("m")
	wish := "[[m=" + id + "]]"
	if plan != "" {
		wish = "[[m=" + id + " agent=" + plan + "]]"
	}
	if err := p.call(ctx, http.MethodPost, "/chats/"+c.id+"/messages", map[string]string{"id": id, "content": "Please see to this. " + wish}, nil); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c.said = append(c.said, id)
	if plan != "" {
		c.wishes = append(c.wishes, id)
	}
	return nil
}

func (p *person) startTask(ctx context.Context) error {
	id := p.name("t")
	return p.start(ctx, id, map[string]any{
		"id": id, "name": "agent:worker", "instruction": "[[k=" + id + " do=" + plans[p.random.IntN(len(plans))] + "]] Work.",
	})
}

func (p *person) callTool(ctx context.Context) error {
	id := p.name("t")
	tool := []string{"bump", "post", "look", "sign"}[p.random.IntN(4)]
	return p.start(ctx, id, map[string]any{"id": id, "name": "tool:" + tool, "args": map[string]string{"work": id + "/0"}})
}

func (p *person) start(ctx context.Context, id string, task map[string]any) error {
	c, err := p.room(ctx)
	if err != nil {
		return err
	}
	if err := p.call(ctx, http.MethodPost, "/chats/"+c.id+"/tasks", task, nil); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c.started = append(c.started, id)
	p.tasks = append(p.tasks, ref{c.id, id})
	return nil
}

// recent is a task of the last few, if there is one.
func (p *person) recent() (ref, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.tasks) == 0 {
		return ref{}, false
	}
	return p.tasks[len(p.tasks)-1-p.random.IntN(min(len(p.tasks), 4))], true
}

func (p *person) control(ctx context.Context, action string, body any) error {
	t, ok := p.recent()
	if !ok {
		return nil
	}
	err := p.call(ctx, http.MethodPost, "/chats/"+t.chat+"/tasks/"+t.task+"/"+action, body, nil)
	if refused(err, "conflict", "invalid") {
		return nil // it has ended, or is of a kind that cannot be told anything
	}
	return err
}

func (p *person) cancel(ctx context.Context) error { return p.control(ctx, "cancel", nil) }

// steer is not repeatable: what is told twice is told twice.
func (p *person) steer(ctx context.Context) error {
	return p.control(ctx, "messages", map[string]string{"content": "Mind the gap."})
}

func (p *person) pause(ctx context.Context) error {
	t, ok := p.recent()
	if !ok {
		return nil
	}
	path := "/chats/" + t.chat + "/tasks/" + t.task
	if err := p.call(ctx, http.MethodPost, path+"/pause", nil, nil); err != nil && !refused(err) {
		return err
	}
	// Whatever became of the pause, it must not last.
	if err := p.call(context.WithoutCancel(ctx), http.MethodPost, path+"/resume", nil, nil); err != nil && !refused(err, "conflict", "invalid") {
		return err
	}
	return nil
}

// writeNote counts up in a document, guarded by its version.
func (p *person) writeNote(ctx context.Context) error {
	path := fmt.Sprintf("users/%s/notes/n%d", p.id, p.random.IntN(3))
	if p.notes[path] == nil {
		p.mu.Lock()
		p.notes[path] = &note{}
		p.mu.Unlock()
	}
	var doc struct {
		Version int `json:"version"`
		N       int `json:"n"`
	}
	switch err := p.call(ctx, http.MethodGet, "/docs/"+path, nil, &doc); {
	case refused(err, "not_found"):
	case err != nil:
		return err
	}
	n := p.notes[path]
	if doc.N < n.acknowledged {
		return &refusal{Code: "lost", Text: fmt.Sprintf("%s: write %d was acknowledged, and %d is there", path, n.acknowledged, doc.N)}
	}
	header := []string{"If-Match", fmt.Sprint(doc.Version)}
	if doc.Version == 0 {
		header = []string{"If-None-Match", "*"}
	}
	before := p.doubts.Load()
	err := p.call(ctx, http.MethodPut, "/docs/"+path, map[string]int{"n": doc.N + 1}, nil, header...)
	p.mu.Lock()
	defer p.mu.Unlock()
	doubt := p.doubts.Load() != before
	switch {
	case err == nil:
		n.acknowledged = doc.N + 1
	case refused(err, "conflict", "exists") && doubt: // an attempt without an answer took effect
	case refused(err):
		return err
	}
	if doubt {
		n.doubted++
	}
	return nil
}

// track keeps count of the tasks that have not ended, as the stream tells.
func (p *person) track(path string, t *nestor.Task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t == nil || t.Status.Ended() {
		delete(p.open, path)
	} else {
		p.open[path] = true
	}
}
