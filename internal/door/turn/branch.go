package turn

import (
	"errors"
	"fmt"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/chatfork"
	"github.com/nestorhq/nestor/internal/store"
)

// A client may say something in the place of what was said before: it edits a message,
// has one answered anew, or leaves out the end of the conversation. The thread goes on in
// a fork of its chat then, which shares only what the client kept. The chat that the
// thread's name stands for, its root, has a note about it.

// Branches are the notes below roots.
var Branches = func() *store.Collection {
	c := store.NewCollection[ThreadBranch]("thread_branches", store.Chats, "users/{userId}/orch-chats/{chatId}/thread-branches/{id}")
	c.ServerWrites, c.ServerDeletes, c.Unfollowed = true, true, true
	return c
}()

// ThreadBranch, as the API calls it, says in which fork of its chat a thread goes on.
type ThreadBranch struct {
	nestor.Meta
	UserID string `json:"userId,omitempty"`
	ChatID string `json:"chatId,omitempty"`
	// GoesOnIn is the fork.
	GoesOnIn string `json:"goesOnIn"`
}

const branchID = "now"

func (t *Thread) noteAt() nestor.Path { return t.root.Child("thread-branches", branchID) }

// at has the thread stand in a chat, and reports false if there is none.
func (t *Thread) at(chat nestor.Path) (bool, error) {
	d, err := t.req.Get(chat)
	if errors.Is(err, nestor.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	t.req.Tells(chat)
	t.Chat = chat
	t.chat, err = nestor.As[nestor.Chat](d)
	return true, err
}

// enter has the thread stand where it goes on.
func (t *Thread) enter() error {
	found, err := t.at(t.root)
	if err != nil || !found {
		t.New = err == nil
		return err
	}
	d, err := t.req.Get(t.noteAt())
	if errors.Is(err, nestor.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	note, err := nestor.As[ThreadBranch](d)
	if err != nil {
		return err
	}
	t.noted = t.root.Parent().Child("orch-chats", note.GoesOnIn)
	_, err = t.at(t.noted) // one that was deleted leaves the thread at its root
	return err
}

// note writes down where the thread goes on.
func (t *Thread) note() error {
	if t.Chat == t.noted || t.noted == "" && t.Chat == t.root {
		return nil
	}
	t.noted = t.Chat
	return t.req.Act(t.noteAt(), func(tx store.Tx) error {
		_, err := tx.Put(t.noteAt(), ThreadBranch{GoesOnIn: t.Chat.ID()}, store.AnyVersion)
		return err
	})
}

// Place finds where a client says something under an id of its own, behind the message
// that it knows as after, "" for one that names none. Again: it wants another answer to
// what was said before. Say says it there.
func (t *Thread) Place(clientID, after string, c Content, again bool) error {
	if clientID == "" {
		return nestor.Errorf(nestor.CodeInvalid, "a message needs an id").With("field", "messages")
	}
	t.said = t.derived(t.Chat, clientID)
	if t.New {
		return nil
	}
	last, err := t.standBehind(after)
	if err != nil {
		return err
	}
	instead, err := t.known(clientID)
	if err != nil {
		return err
	}
	if instead != nil {
		same, err := t.stands(instead, c, again)
		if err != nil || same {
			return err
		}
	} else if instead, err = t.left(last); err != nil {
		return err
	}
	t.said = t.derived(t.Chat, clientID)
	if instead == nil {
		return nil
	}
	fork, err := t.req.ForkBefore(t.Chat, nestor.DeriveID("branch", string(t.Chat), instead.ID, clientID, c.text, fmt.Sprint(c.parts)), instead.ID)
	if err != nil {
		return err
	}
	t.said = t.derived(fork, clientID)
	_, err = t.at(fork)
	return err
}

// stands reports whether what a client says was said before as it is, so that it is not
// said once more. One that is to be answered again must still be being answered.
func (t *Thread) stands(m *nestor.Message, c Content, again bool) (bool, error) {
	if again {
		d, err := t.req.Get(t.RunAt(m.RunID))
		if err != nil {
			return false, err
		}
		if run, err := nestor.As[nestor.Run](d); err != nil || run.Status.Ended() {
			return false, err
		}
	}
	chat := t.root.Parent().Child("orch-chats", m.ChatID)
	if _, err := t.sayIn(chat, m.ID, c); err != nil {
		if errors.Is(err, nestor.ErrExists) {
			err = nil
		}
		return false, err
	}
	t.said = m.ID
	_, err := t.at(chat)
	return true, err
}

// Behind has the thread stand in the branch that has a message of a person which the
// client knows. One that nobody knows changes nothing.
func (t *Thread) Behind(client string) error {
	_, err := t.standBehind(client)
	return err
}

// standBehind has the thread stand in the branch that has the message which the client
// knows as after, and returns that; nil if no branch has it.
func (t *Thread) standBehind(after string) (*nestor.Message, error) {
	m, err := t.known(after)
	if m != nil || err != nil || nestor.CheckID(after) != nil {
		return m, err
	}
	d, err := t.req.Get(t.RunAt(after)) // what began a run has its id
	if errors.Is(err, nestor.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	run, err := nestor.As[nestor.Run](d)
	if err != nil || run.ChatID == "" {
		return nil, err
	}
	other := t.root.Parent().Child("orch-chats", run.ChatID)
	if ours, err := t.branch(other); err != nil || !ours {
		return nil, err
	}
	if _, err := t.at(other); err != nil {
		return nil, err
	}
	return t.known(after)
}

// branch reports whether a chat comes from the root of the thread.
func (t *Thread) branch(chat nestor.Path) (ours bool, err error) {
	err = t.req.View(func(docs store.Reader) error {
		ours = false
		for n := 0; n <= chatfork.MaxAbove; n++ {
			if ours = chat == t.root; ours {
				return nil
			}
			c, err := store.Find[nestor.Chat](docs, chat)
			if err != nil || c == nil || c.ForkedFrom == nil {
				return err
			}
			chat = c.ForkedFrom.Chat()
		}
		return nil
	})
	return ours, err
}

// known is the message that the client knows by an id, nil if the chat of the thread has
// none: by its id in the chat, or as the client named it when it was said.
func (t *Thread) known(client string) (m *nestor.Message, err error) {
	if client == "" || t.New {
		return nil, nil
	}
	err = t.req.View(func(docs store.Reader) error {
		m = nil
		for _, id := range t.names(client) {
			d, err := chatfork.Find(docs, &t.chat, id)
			if err != nil || d != nil {
				if d != nil {
					m = new(nestor.Message)
					*m, err = nestor.As[nestor.Message](d)
				}
				return err
			}
		}
		return nil
	})
	return m, err
}

// names are the ids that a message may have which the client knows by one.
func (t *Thread) names(client string) (all []string) {
	if nestor.CheckID(client) == nil {
		all = append(all, client)
	}
	chats := []nestor.Path{t.Chat, t.root}
	if t.chat.ForkedFrom != nil {
		chats = append(chats, t.chat.ForkedFrom.Chat())
	}
	for _, chat := range chats {
		if id := t.derived(chat, client); !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	return all
}

// left is the first message of a person that the client left out: one behind the last
// message that it sent, and answered by a run of its own. It is nil if the client sent all,
// or nothing that is known here.
func (t *Thread) left(last *nestor.Message) (left *nestor.Message, err error) {
	if last == nil {
		return nil, nil
	}
	if latest, err := t.Latest(); err != nil || latest != nil && latest.ID == last.RunID {
		return nil, err
	}
	all, err := t.Messages("")
	if err != nil {
		return nil, err
	}
	from := slices.IndexFunc(all, func(m nestor.Message) bool { return m.ID == last.ID })
	for i := range all[from+1:] {
		m := &all[from+1+i]
		if m.Role != nestor.RoleUser || m.RunID == last.RunID {
			continue
		}
		d, err := t.req.Get(t.RunAt(m.RunID))
		if errors.Is(err, nestor.ErrNotFound) {
			return m, nil // its run was forgotten
		}
		if err != nil {
			return nil, err
		}
		if run, err := nestor.As[nestor.Run](d); err != nil || run.JoinedTo != last.RunID {
			return m, err
		}
	}
	return nil, nil
}
