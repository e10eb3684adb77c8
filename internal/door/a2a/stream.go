package a2a

import (
	"context"
	"strings"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/store"
)

// tell tells a client what happens in a run from a position on, until the run rests. It
// begins with the task as it is; what the participant says are artifacts.
func (h *handler) tell(ctx context.Context, p nestor.Path, from string, yield func(a2a.Event, error) bool) {
	t := teller{h: h, path: p, said: map[nestor.Path]*strings.Builder{}, yield: yield}
	if err := t.begin(ctx, from == ""); err != nil || t.done {
		t.fail(err)
		return
	}
	err := t.follow(ctx, from)
	if nestor.CodeOf(err) == nestor.CodeTooOld {
		err = t.catchUp(ctx)
	}
	t.fail(err)
}

// teller tells one client what happens in a run.
type teller struct {
	h     *handler
	path  nestor.Path
	task  *a2a.Task
	yield func(a2a.Event, error) bool
	// said is what the client was sent of each message.
	said map[nestor.Path]*strings.Builder
	// working: the client knows that the task is worked on. Done: it has all, or is gone.
	working, done bool
}

func (t *teller) fail(err error) {
	if err != nil && !t.done {
		t.yield(nil, t.h.door.told(err))
	}
}

func (t *teller) send(e a2a.Event) {
	if !t.done && !t.yield(e, nil) {
		t.done = true
	}
}

// begin sends the task, without what was said: that follows. A task that is followed from
// its begin is told as submitted at first.
func (t *teller) begin(ctx context.Context, whole bool) error {
	task, err := t.h.task(ctx, t.path, nil)
	if err != nil {
		return err
	}
	t.task = task
	first := *task
	first.Artifacts, first.Status.Message = nil, nil
	if len(first.History) > 1 {
		first.History = first.History[:1]
	}
	if first.Status.State = a2a.TaskStateWorking; whole {
		first.Status.State = a2a.TaskStateSubmitted
	}
	t.send(&first)
	return nil
}

// follow tells the events from a position on.
func (t *teller) follow(ctx context.Context, from string) error {
	for e, err := range t.h.door.Runs().Follow(ctx, t.path, from) {
		if err != nil {
			if ctx.Err() != nil {
				t.done = true // the client is gone, or the server stops
			}
			return err
		}
		if err := t.event(ctx, e.Event); err != nil || t.done {
			return err
		}
	}
	if !t.done && ctx.Err() == nil { // it had ended before the position
		return t.rest(ctx)
	}
	return nil
}

// catchUp tells a run whose begin the log no longer has: what came of it so far, and what
// happens from then on.
func (t *teller) catchUp(ctx context.Context) error {
	result, err := t.h.door.Runs().Result(ctx, t.path, 0)
	if err != nil {
		return err
	}
	for i := range result.Messages {
		m := &result.Messages[i]
		t.message(nestor.Path(t.path.Tenant()).Child("orch-chats", result.Run.ChatID).Child("messages", m.ID), m)
	}
	if result.Run.Status != nestor.RunRunning {
		return t.rest(ctx)
	}
	return t.follow(ctx, feed.Position{Seq: result.Run.Seq}.String())
}

// event tells one event.
func (t *teller) event(ctx context.Context, e runs.Event) error {
	own := store.Messages.Has(e.Path) // what agents say among themselves is not for the client
	switch e.Type {
	case runs.Text:
		if own {
			t.text(e.Path, e.Text, e.Offset)
		}
	case runs.Restarted:
		if own && t.said[e.Path] != nil {
			t.void(e.Path)
		}
	case runs.Said:
		t.message(e.Path, e.Message)
	case runs.AgentBegan, runs.AgentEnded, runs.ToolBegan, runs.ToolEnded:
		t.progress(e)
	case runs.RunWaits, runs.RunEnded:
		if t.h.rests(e) {
			return t.rest(ctx)
		}
	}
	return nil
}

// rests reports whether an event is that the run rests now. One that waited, and was
// answered since, does not.
func (h *handler) rests(e runs.Event) bool {
	switch e.Type {
	case runs.RunEnded:
		return true
	case runs.RunWaits:
		_, run, err := h.run(a2a.TaskID(e.RunID))
		return err != nil || run.Status != nestor.RunRunning && run.Resumes == e.Run.Resumes
	}
	return false
}

// rest sends the last event: how the task stands when nothing happens in it by itself.
func (t *teller) rest(ctx context.Context) error {
	task, err := t.h.task(ctx, t.path, nil)
	if err != nil {
		return err
	}
	t.send(&a2a.TaskStatusUpdateEvent{TaskID: task.ID, ContextID: task.ContextID, Status: task.Status, Final: true})
	t.done = true
	return nil
}

// work says once that the task is worked on.
func (t *teller) work() {
	if !t.working {
		t.working = true
		t.send(a2a.NewStatusUpdateEvent(t.task, a2a.TaskStateWorking, nil))
	}
}

// text sends what is being said from the character offset on.
func (t *teller) text(p nestor.Path, text string, offset int) {
	t.work()
	sent := t.said[p]
	if sent == nil {
		sent = &strings.Builder{}
		t.said[p] = sent
	}
	had := []rune(sent.String())
	if offset < len(had) { // told again from there on
		again := []rune(text)
		text = string(again[min(len(again), len(had)-offset):])
	}
	t.chunk(p, sent, text, false)
}

// chunk sends a part of an artifact.
func (t *teller) chunk(p nestor.Path, sent *strings.Builder, text string, last bool) {
	if text == "" && !last {
		return
	}
	begun := sent.Len() > 0
	sent.WriteString(text)
	t.send(&a2a.TaskArtifactUpdateEvent{
		TaskID: t.task.ID, ContextID: t.task.ContextID, Append: begun, LastChunk: last,
		Artifact: &a2a.Artifact{ID: a2a.ArtifactID(p.ID()), Parts: a2a.ContentParts{a2a.TextPart{Text: text}}},
	})
}

// void takes back what was sent of a message.
func (t *teller) void(p nestor.Path) {
	delete(t.said, p)
	t.send(&a2a.TaskArtifactUpdateEvent{
		TaskID: t.task.ID, ContextID: t.task.ContextID,
		Artifact: &a2a.Artifact{ID: a2a.ArtifactID(p.ID()), Parts: a2a.ContentParts{a2a.TextPart{}}},
	})
}

// message sends what is left of a message that was written. What a participant says
// beside its calls is no result: it becomes the text of a status.
func (t *teller) message(p nestor.Path, m *nestor.Message) {
	t.work()
	sent := t.said[p]
	switch {
	case m.Type == nestor.MessageToolCall:
		if sent != nil {
			t.void(p)
		}
		if m.Content != "" {
			t.send(a2a.NewStatusUpdateEvent(t.task, a2a.TaskStateWorking, messageAbout(t.task, "beside", m.Content)))
		}
		return
	case m.Type != "" && m.Type != nestor.MessageText || m.Role != nestor.RoleAssistant || m.Content == "":
		return
	case sent == nil:
		sent = &strings.Builder{}
	}
	rest, begins := strings.CutPrefix(m.Content, sent.String())
	if !begins { // another text than what was streamed, such as a trimmed one
		sent.Reset()
		rest = m.Content
	}
	t.chunk(p, sent, rest, true)
	t.said[p] = sent
}

// progress tells what agents and tools do, as metadata of a status.
func (t *teller) progress(e runs.Event) {
	t.work()
	status := a2a.NewStatusUpdateEvent(t.task, a2a.TaskStateWorking, nil)
	about := map[string]any{"event": string(e.Type), "status": e.Status}
	for field, value := range map[string]string{"role": e.Role, "tool": e.Tool, "callId": e.CallID, "agentId": e.AgentID} {
		if value != "" {
			about[field] = value
		}
	}
	status.Metadata = map[string]any{needed: about}
	t.send(status)
}
