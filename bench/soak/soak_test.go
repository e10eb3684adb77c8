package main

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// TestHalfAMinuteOfEverythingGoingWrong is the soak itself, long enough for every
// kind of fault. `make soak` does it for longer.
func TestHalfAMinuteOfEverythingGoingWrong(t *testing.T) {
	c := config{
		Duration: 30 * time.Second, Settle: 5 * time.Minute, Nodes: 3, People: 3, Pace: 500 * time.Millisecond, Lease: 3 * time.Second, Limit: -1,
	}
	r, err := run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r)
	for promise, list := range r.violations {
		t.Errorf("broken: %s\n%q", promise, list)
	}
	if len(r.acts) == 0 || r.tasks[nestor.TaskSuccess] == 0 || r.told == 0 || r.writes == 0 || len(r.model.faults) == 0 {
		t.Error("too little happened: this tested nothing")
	}
	if !t.Failed() { // else the logs tell why
		if err := os.RemoveAll(r.Folder); err != nil {
			t.Error(err)
		}
	}
}

// small is the world after one person had one agent work: a message, its answer, a
// task with two steps and a call of a tool that runs once. All promises were kept.
func small(t *testing.T) (*soak, *person, *world) {
	t.Helper()
	j, err := openJournal(t.TempDir() + "/acts.log")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.close)
	s := &soak{journal: j, model: newModel(1, j), tools: newToolServer(1)}
	p := &person{soak: s, id: "ann", chats: []*chat{{id: "c", said: []string{"m"}, started: []string{"t"}, wishes: []string{"m"}}}}
	now := time.Now()
	for i, step := range []int{0, 0, 1} {
		s.model.requests = append(s.model.requests, &request{
			step: step, began: now.Add(time.Duration(2*i) * time.Second), ended: now.Add(time.Duration(2*i+1) * time.Second),
		})
	}
	s.tools.take("post", "m/0", "k")
	meta := func(id string) nestor.Meta { return nestor.Meta{ID: id, Version: 1} }
	calls := []nestor.ToolRequest{{ID: "k", Function: nestor.FunctionCall{Name: "post"}}}
	w := &world{
		chats: []nestor.Chat{{Meta: meta("c"), Usage: used(100), UnsaidUsage: used(30)}},
		messages: map[string][]nestor.Message{"c": {
			{Meta: meta("m"), Role: nestor.RoleUser, Content: "Do it."},
			{Meta: meta("a"), Role: nestor.RoleAssistant, RepliesTo: "m", Content: "‹0› I see to it.", Metadata: took(40)},
			{Meta: meta("r"), Role: nestor.RoleAssistant, Type: nestor.MessageText, TaskID: "t", Title: "A task", Content: "Done."},
		}},
		tasks:  []nestor.Task{{Meta: meta("t"), ChatID: "c", Type: nestor.TaskAgent, Instruction: "[[k=m do=post]]", Status: nestor.TaskSuccess, SubAgentID: "g"}},
		agents: []nestor.SubAgent{{Meta: meta("g"), ChatID: "c", Usage: used(30)}},
		said: map[string][]nestor.SubAgentMessage{"g": {
			{Meta: meta("s1"), Role: nestor.RoleAssistant, Content: "‹1› Step 0.", ToolCalls: calls, Metadata: took(10)},
			{Meta: meta("s2"), Role: nestor.RoleAssistant, Content: "‹2› Step 1.", Metadata: took(20)},
		}},
		calls: map[string][]nestor.ToolCall{"g": {{Meta: meta("k"), ToolName: "post", Status: nestor.ToolCallSuccess}}},
		end:   1 << 40,
	}
	seq := int64(0)
	tell := func(collection, path string, doc any) {
		seq++
		w.log = append(w.log, change{Type: "create", Path: "users/ann/orch-chats/c" + path, Collection: collection, Seq: seq, Document: json.RawMessage(encode(doc))})
	}
	tell("chats", "", w.chats[0])
	for _, m := range w.messages["c"] {
		tell("messages", "/messages/"+m.ID, m)
	}
	tell("tasks", "/tasks/t", w.tasks[0])
	tell("sub_agents", "/sub-agents/g", w.agents[0])
	for _, m := range w.said["g"] {
		tell("sub_agent_messages", "/sub-agents/g/messages/"+m.ID, m)
	}
	tell("sub_agent_tool_calls", "/sub-agents/g/tool-calls/k", w.calls["g"][0])
	f := newFollower(p, "node1")
	for _, c := range w.log {
		f.seen = append(f.seen, c.mark())
	}
	p.followers = []*follower{f}
	return s, p, w
}

func used(tokens int64) *nestor.Usage { return &nestor.Usage{InputTokens: tokens} }

func took(tokens int64) *nestor.MessageMetadata { return &nestor.MessageMetadata{Usage: used(tokens)} }

func TestTheChecksNoticeWhatIsWrong(t *testing.T) {
	var b books // of the small world
	if err := json.Unmarshal([]byte(`{"items":[{"inputTokens":60},{"inputTokens":40}],"budgets":[{"used":{"tokens":100}}]}`), &b); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		spoil func(s *soak, p *person, w *world)
		want  []string
	}{
		"nothing": {func(*soak, *person, *world) {}, nil},
		"a message is gone": {func(_ *soak, p *person, _ *world) {
			p.chats[0].said = append(p.chats[0].said, "other")
		}, []string{"nothing lost"}},
		"a message has no answer": {func(_ *soak, _ *person, w *world) { w.messages["c"][1].RepliesTo = "" }, []string{"nothing lost", "streams"}},
		"a wish led to nothing":   {func(_ *soak, p *person, _ *world) { p.chats[0].wishes = []string{"other"} }, []string{"nothing lost"}},
		"a task is gone":          {func(_ *soak, p *person, _ *world) { p.chats[0].started = []string{"other"} }, []string{"nothing lost"}},
		"a task does not end":     {func(_ *soak, _ *person, w *world) { w.tasks[0].Status = nestor.TaskRunning }, []string{"nothing lost", "streams"}},
		"a task fails for no reason": {func(_ *soak, _ *person, w *world) {
			w.tasks[0].Status, w.tasks[0].Error = nestor.TaskFailed, "no idea"
		}, []string{"nothing lost", "streams"}},
		"a report is there twice": {func(_ *soak, _ *person, w *world) {
			w.messages["c"] = append(w.messages["c"], w.messages["c"][2])
		}, []string{"nothing doubled"}},
		"a reply is there twice": {func(_ *soak, _ *person, w *world) { w.messages["c"][2].Content += " ‹0›" }, []string{"nothing doubled", "streams"}},
		"an agent is made twice": {func(_ *soak, _ *person, w *world) { w.tasks = append(w.tasks, w.tasks[0]) }, []string{"nothing doubled"}},
		"steps overlap":          {func(s *soak, _ *person, _ *world) { s.model.requests[2].began = s.model.requests[1].began }, []string{"no overlap"}},
		"a step is made again": {func(s *soak, _ *person, w *world) {
			s.model.requests[2].step = 0
			w.said["g"][1].ToolCalls = w.said["g"][0].ToolCalls
		}, []string{"no committed model call is repeated", "streams"}},
		"steps are out of order":   {func(s *soak, _ *person, _ *world) { s.model.requests[1].step = 2 }, []string{"order"}},
		"a tool of once ran twice": {func(s *soak, _ *person, _ *world) { s.tools.take("post", "m/0", "k") }, []string{"a tool of once runs at most once"}},
		"a call has no effect":     {func(s *soak, _ *person, _ *world) { clear(s.tools.hits) }, []string{"nothing lost"}},
		"an effect has no call":    {func(s *soak, _ *person, _ *world) { s.tools.take("post", "x/0", "z") }, []string{"every effect belongs to a call"}},
		"work is done under two keys": {func(s *soak, _ *person, w *world) {
			s.tools.take("post", "m/0", "l")
			delete(s.tools.tools, "l")
		}, []string{"nothing doubled"}},
		"a follower misses a change": {func(_ *soak, p *person, _ *world) { p.followers[0].seen = slices.Delete(p.followers[0].seen, 2, 3) }, []string{"streams"}},
		"a follower misses the last": {func(_ *soak, p *person, _ *world) { p.followers[0].seen = p.followers[0].seen[:3] }, []string{"streams"}},
		"a follower hears a change twice": {func(_ *soak, p *person, _ *world) {
			p.followers[0].seen = slices.Insert(p.followers[0].seen, 2, p.followers[0].seen[1])
		}, []string{"streams"}},
		"a follower hears another content": {func(_ *soak, p *person, _ *world) { p.followers[0].seen[3].sum++ }, []string{"streams"}},
		"the log skips a version": {func(_ *soak, p *person, w *world) {
			w.log[0].Document = json.RawMessage(`{"id":"c","version":2}`)
			p.followers[0].seen[0] = w.log[0].mark()
		}, []string{"streams"}},
		"a version has two contents": {func(s *soak, _ *person, _ *world) {
			s.versions.note(&change{Type: "create", Path: "a/b", Document: json.RawMessage(`{"version":1,"x":1}`)})
			s.versions.note(&change{Type: "create", Path: "a/b", Document: json.RawMessage(`{"version":1,"x":2}`)})
		}, []string{"a version stands for one content"}},
		"an agent is charged for more than it says": {func(_ *soak, _ *person, w *world) {
			w.agents[0].Usage = used(31)
		}, []string{"books balanced", "streams"}},
		"a chat is charged for more than it says": {func(_ *soak, _ *person, w *world) { w.chats[0].Usage = used(101) }, []string{"books balanced", "streams"}},
		"a person is charged for more than their chats": {func(_ *soak, _ *person, w *world) {
			w.chats[0].Usage, w.chats[0].UnsaidUsage = used(99), used(29)
		}, []string{"books balanced", "streams"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, p, w := small(t)
			c.spoil(s, p, w)
			r := &report{soak: s}
			p.checkLost(r, w)
			p.checkDoubled(r, w)
			s.checkSteps(r, w)
			p.checkTools(r, w)
			p.checkStreams(r, w)
			p.checkCharged(r, w, &b)
			s.checkShared(r)
			if got := slices.Sorted(maps.Keys(r.violations)); !slices.Equal(got, c.want) {
				t.Errorf("broken are %q, want %q: %q", got, c.want, r.violations)
			}
		})
	}
}
