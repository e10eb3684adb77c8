package turn

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/file"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// Thread is a chat as a client of a door names it.
type Thread struct {
	Chat nestor.Path
	// New: there is no chat of it yet.
	New  bool
	chat nestor.Chat

	req   *httpapi.Request
	files *file.Library
	// waited are the runs that waited for somebody when something was said.
	waited []nestor.Run
}

// Open finds the thread of the caller with a participant.
func Open(req *httpapi.Request, files *file.Library, door, participant, name string) (*Thread, error) {
	if name == "" {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the request names no thread")
	}
	user, err := nestor.ParsePath("users/" + req.UserID())
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeForbidden, "a thread belongs to a user: use a key of one")
	}
	t := &Thread{req: req, files: files, Chat: user.Child("orch-chats", nestor.DeriveID("thread", door, string(user), participant, name))}
	req.Tells(t.Chat)
	d, err := req.Get(t.Chat)
	if errors.Is(err, nestor.ErrNotFound) {
		t.New, t.chat.Participant = true, participant
		return t, nil
	}
	if err == nil {
		t.chat, err = nestor.As[nestor.Chat](d)
	}
	return t, err
}

// Participant is the one that the path of a request names.
func Participant(req *httpapi.Request) (string, error) {
	name, err := url.PathUnescape(req.PathValue("participant"))
	if err != nil || name == "" {
		return "", nestor.Errorf(nestor.CodeInvalid, "the path names no participant, such as orchestrator or agent:general")
	}
	return name, nil
}

// Brief tells the participant what the client wants it to know, and which tools the
// client runs for it, from the next message on. A thread that is new is made. No prompt
// leaves that of before; no tools take away those of before.
func (t *Thread) Brief(systemPrompt string, tools []nestor.ClientTool) error {
	if t.New {
		fields := httpapi.ChatFields{Participant: t.chat.Participant, SystemPrompt: systemPrompt, ClientTools: tools}
		_, chat, err := t.req.NewChat(t.Chat.ID(), fields)
		if err != nil {
			return err
		}
		t.chat, t.New = chat, false
		return nil
	}
	if !slices.EqualFunc(tools, t.chat.ClientTools, sameTool) {
		if err := t.req.SetClientTools(t.Chat, tools); err != nil {
			return err
		}
	}
	if systemPrompt == t.chat.SystemPrompt || systemPrompt == "" {
		return nil
	}
	return t.req.Update(func(tx store.Tx) error {
		_, err := tx.Patch(t.Chat, map[string]any{"systemPrompt": systemPrompt}, store.AnyVersion)
		return err
	})
}

// sameTool compares tools by what they mean: a database may order the fields of a
// schema anew.
func sameTool(a, b nestor.ClientTool) bool {
	var x, y any
	_ = json.Unmarshal(a.Parameters, &x) // none is nil
	_ = json.Unmarshal(b.Parameters, &y)
	return a.Name == b.Name && a.Description == b.Description && reflect.DeepEqual(x, y)
}

// MessageID is the id of a message in the chat that the client knows by another one. A
// client that was told of a message by its id in the chat means that.
func (t *Thread) MessageID(client string) string {
	if nestor.CheckID(client) == nil && !t.New {
		if _, err := t.req.Get(t.Chat.Child("messages", client)); err == nil {
			return client
		}
	}
	return t.Derived(client)
}

// Derived is the id in the chat of a message that the client named.
func (t *Thread) Derived(client string) string {
	return nestor.DeriveID("message", string(t.Chat), client)
}

// Say says something, or finds that it was said, and returns the run of it. A client
// that edits a message says something new under the id of before.
func (t *Thread) Say(clientID string, c Content) (run nestor.Path, err error) {
	if clientID == "" {
		return "", nestor.Errorf(nestor.CodeInvalid, "a message needs an id").With("field", "messages")
	}
	if t.waited, err = t.waiting(); err != nil {
		return "", err
	}
	m, err := t.say(t.MessageID(clientID), c)
	if errors.Is(err, nestor.ErrExists) {
		m, err = t.say(nestor.DeriveID("edit", string(t.Chat), clientID, c.text, fmt.Sprint(c.parts)), c)
	}
	if err != nil {
		return "", err
	}
	return t.RunAt(m.RunID), nil
}

// SayAgain has a message answered anew that was answered: it is said once more. One that
// is being answered is not.
func (t *Thread) SayAgain(clientID string, c Content) (run nestor.Path, err error) {
	id := t.MessageID(clientID)
	for n := 1; ; n++ {
		d, err := t.req.Get(t.RunAt(id))
		if errors.Is(err, nestor.ErrNotFound) {
			break
		}
		if err != nil {
			return "", err
		}
		begun, err := nestor.As[nestor.Run](d)
		if err != nil || !begun.Status.Ended() {
			return d.Path, err
		}
		id = nestor.DeriveID("again", string(t.Chat), clientID, strconv.Itoa(n))
	}
	m, err := t.say(id, c)
	return t.RunAt(m.RunID), err
}

// Latest is the newest run in the thread, nil if there is none.
func (t *Thread) Latest() (*nestor.Run, error) {
	all, err := t.runs(nil, 1)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

// mostWaiting is how many runs of a thread that wait are looked at.
const mostWaiting = 20

// waiting are the runs of the thread that wait for somebody.
func (t *Thread) waiting() ([]nestor.Run, error) {
	return t.runs(store.Where("status", store.Eq, nestor.RunWaiting), mostWaiting)
}

// resumed are those of the runs that waited which go on since something was said.
func (t *Thread) resumed() (legs []Leg, err error) {
	for _, was := range t.waited {
		d, err := t.req.Get(t.RunAt(was.ID))
		if err != nil {
			return nil, err
		}
		now, err := nestor.As[nestor.Run](d)
		if err != nil {
			return nil, err
		}
		if now.Resumes > was.Resumes {
			legs = append(legs, Leg{Run: d.Path, Resumed: &was.Resumes})
		}
	}
	t.waited = nil
	return legs, nil
}

// runs are those of the thread that a filter lets through, newest first.
func (t *Thread) runs(where *store.Filter, limit int) (all []nestor.Run, err error) {
	if t.New {
		return nil, nil
	}
	filter := store.Where("chatId", store.Eq, t.Chat.ID())
	if where != nil {
		filter = &store.Filter{And: []store.Filter{*filter, *where}}
	}
	err = t.req.View(func(docs store.Reader) error {
		all = nil
		page, err := docs.Query(store.Query{
			Collection: t.Chat.Tenant() + "/runs", Where: filter, OrderBy: []store.Order{{Field: "createdAt", Desc: true}}, Limit: limit,
		})
		if err != nil {
			return err
		}
		for _, d := range page.Items {
			run, err := nestor.As[nestor.Run](d)
			if err != nil {
				return err
			}
			all = append(all, run)
		}
		return nil
	})
	return all, err
}

// Messages are those of the chat that a client shows, oldest first, up to and with the
// message last; all of them if last is "".
func (t *Thread) Messages(last string) (all []nestor.Message, err error) {
	if t.New {
		return nil, nil
	}
	end := errors.New("the last one was met")
	err = t.req.ViewChat(t.Chat, func(said httpapi.Said) error {
		all = nil
		return said(func(d *nestor.Document) error {
			m, err := nestor.As[nestor.Message](d)
			if err != nil {
				return err
			}
			switch m.Type {
			case nestor.MessageText, nestor.MessageToolCall, nestor.MessageToolResult, "":
				all = append(all, m)
			}
			if m.ID == last {
				return end
			}
			return nil
		})
	})
	if errors.Is(err, end) {
		err = nil
	}
	return all, err
}

// Said reports whether a message that the client knows by this id was said.
func (t *Thread) Said(client string) bool {
	_, err := t.req.Get(t.Chat.Child("messages", t.MessageID(client)))
	return err == nil
}

// RunAt is where a run of the thread is.
func (t *Thread) RunAt(id string) nestor.Path { return store.RunAt(t.Chat, id) }
