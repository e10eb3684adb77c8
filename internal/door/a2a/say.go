package a2a

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// said is what came of a message: the run that it began or went on with, and from where
// on what happens in the run is news for the client.
type said struct {
	run  nestor.Path
	from string
}

// say takes a message of a client: the begin of a task, or the answer that one waits for.
// A message that comes again, by its id, begins nothing new.
func (h *handler) say(p *a2a.MessageSendParams) (said, error) {
	m := p.Message
	if m == nil || m.ID == "" {
		return said{}, errNothing
	}
	var push *a2a.PushConfig
	if p.Config != nil {
		push = p.Config.PushConfig
	}
	if push != nil {
		if err := h.door.checkPush(push); err != nil {
			return said{}, err
		}
	}
	took, err := h.take(m)
	if err == nil && push != nil {
		_, err = h.setPush(took.run, push)
	}
	return took, err
}

// take takes a message.
func (h *handler) take(m *a2a.Message) (said, error) {
	if m.TaskID != "" {
		return h.goOn(m)
	}
	parts, err := h.parts(m)
	if err != nil {
		return said{}, err
	}
	chat, err := h.chat(m)
	if err != nil {
		return said{}, err
	}
	wrote, err := h.speak(chat, messageID(chat.ID(), m.ID), parts)
	if err != nil {
		return said{}, err
	}
	return said{run: store.RunAt(chat, wrote.RunID)}, nil
}

// messageID is the id of what a client said in a chat.
func messageID(chat, id string) string { return nestor.DeriveID("a2a", chat, id) }

// chat is the chat that the context of a message is. One that is not there is made; a
// message without a context begins one of its own.
func (h *handler) chat(m *a2a.Message) (nestor.Path, error) {
	participant := participantOf(h.r)
	id := m.ContextID
	if id == "" {
		id = nestor.DeriveID("a2a", h.r.UserID(), participant, m.ID)
	}
	p, err := nestor.ParsePath("users/" + h.r.UserID() + "/orch-chats/" + id)
	if err != nil || p.ID() != id {
		return "", nestor.Errorf(nestor.CodeInvalid, "the contextId %.100q cannot be one", id)
	}
	d, err := h.r.Get(p)
	if errors.Is(err, nestor.ErrNotFound) {
		p, _, err = h.r.NewChat(id, httpapi.ChatFields{Participant: participant, Metadata: json.RawMessage(`{"door":"a2a"}`)})
		return p, err
	}
	if err != nil {
		return "", err
	}
	chat, err := nestor.As[nestor.Chat](d)
	if err != nil {
		return "", err
	}
	if of := chat.Participant; of != participant && (of != "" || participant != nestor.KindOrchestrator) {
		return "", nestor.Errorf(nestor.CodeInvalid, "the context %s is one with %s", id, of)
	}
	return p, nil
}

// goOn gives a task what it waits for, or says more to one at work.
func (h *handler) goOn(m *a2a.Message) (said, error) {
	p, run, err := h.run(m.TaskID)
	if err != nil {
		return said{}, err
	}
	if m.ContextID != "" && m.ContextID != run.ChatID {
		return said{}, nestor.Errorf(nestor.CodeInvalid, "the task %s is not of the context %.100q", m.TaskID, m.ContextID)
	}
	from := said{run: p, from: feed.Position{Seq: run.Seq}.String()}
	chat := run.Of(nestor.Path("orch-chats/" + run.ChatID))
	id := messageID(chat.ID(), m.ID)
	if again, err := h.hadBefore(chat, run, id); err != nil || again {
		return said{run: p}, err // told from the begin on: the client may have missed all of it
	}
	if again, err := h.decidedBefore(chat, run, m); err != nil || again {
		return said{run: p}, err
	}
	if run.Status.Ended() {
		return said{}, refusal{"the task has ended: send a message without taskId, in the same context", a2a.ErrUnsupportedOperation}
	}
	needs, err := h.needs(run)
	if err != nil {
		return said{}, err
	}
	if n, d, err := needs.decision(m); err != nil || n != nil {
		if err == nil {
			err = h.r.Decide(n.At, d)
		}
		return from, err
	}
	parts, err := h.parts(m)
	if err != nil {
		return said{}, err
	}
	if q := needs.question(m); q != nil && !q.Standing {
		if text, plain := plainly(parts); plain {
			return from, h.r.SteerAs(q.At, id, text)
		}
		return from, h.r.SteerAs(q.At, id, "", parts...)
	}
	_, err = h.speak(chat, id, parts)
	return from, err
}

// speak says something in a chat.
func (h *handler) speak(chat nestor.Path, id string, parts []nestor.Part) (nestor.Message, error) {
	if text, plain := plainly(parts); plain {
		return h.r.Say(chat, id, text)
	}
	return h.r.SayParts(chat, id, parts)
}

// hadBefore reports whether a message came before: in the chat, or to an agent of the
// run.
func (h *handler) hadBefore(chat nestor.Path, run *nestor.Run, id string) (found bool, err error) {
	err = h.r.View(func(docs store.Reader) error {
		d, err := store.FindDocument(docs, chat.Child("messages", id))
		if found = d != nil; err != nil || found {
			return err
		}
		agents, err := agentsOf(docs, chat, run)
		for _, agent := range agents {
			d, err := store.FindDocument(docs, agent.Child("messages", id))
			if found = d != nil; err != nil || found {
				return err
			}
		}
		return err
	})
	return found, err
}

// decidedBefore reports whether a message is a decision that the caller has made already
// about a call that it names.
func (h *handler) decidedBefore(chat nestor.Path, run *nestor.Run, m *a2a.Message) (found bool, err error) {
	call, _ := dataOf(m)[fieldCall].(string)
	action, _ := dataOf(m)[fieldAction].(string)
	if call == "" || action == "" {
		return false, nil
	}
	err = h.r.View(func(docs store.Reader) error {
		agents, err := agentsOf(docs, chat, run)
		for _, agent := range agents {
			at, err := nestor.ParsePath(string(agent) + "/tool-calls/" + call)
			if err != nil {
				return nil // the call is none, which is told later
			}
			c, err := store.Find[nestor.ToolCall](docs, at)
			if err != nil {
				return err
			}
			if c != nil && c.Status != nestor.ToolCallAwaitingApproval && c.Status != nestor.ToolCallUnknown {
				found = slices.ContainsFunc(c.Decisions, func(d nestor.Decision) bool { return d.By == h.r.UserID() && string(d.Action) == action })
			}
		}
		return err
	})
	return found, err
}

// agentsOf are the agents of a run.
func agentsOf(docs store.Reader, chat nestor.Path, run *nestor.Run) (agents []nestor.Path, err error) {
	q := store.Query{Collection: string(chat) + "/tasks", Where: store.Where("updatedAt", store.Ge, run.BeganAt)}
	err = store.Each(docs, q, func(_ nestor.Path, t *nestor.Task) {
		if t.RunID == run.ID && t.SubAgentID != "" {
			agents = append(agents, chat.Child("sub-agents", t.SubAgentID))
		}
	})
	return agents, err
}
