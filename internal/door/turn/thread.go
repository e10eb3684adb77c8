package turn

import (
	"encoding/json"
	"errors"
	"net/url"
	"reflect"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/file"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// Thread is a conversation as a client of a door names it.
type Thread struct {
	// Chat is the chat in which it goes on: the root, or a fork that comes from it.
	Chat nestor.Path
	// New: there is no chat of it yet.
	New  bool
	chat nestor.Chat
	root nestor.Path
	// noted is the fork that the root has a note about, and said the id under which
	// something is said next.
	noted nestor.Path
	said  string

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
	root := user.Child("orch-chats", nestor.DeriveID("thread", door, string(user), participant, name))
	t := &Thread{req: req, files: files, Chat: root, root: root, chat: nestor.Chat{Participant: participant}}
	req.Tells(root)
	return t, t.enter()
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

// Names are the ids in the chat that a message of a person may have which the client
// named.
func (t *Thread) Names(client string) []string { return t.names(client) }

func (t *Thread) derived(chat nestor.Path, client string) string {
	return nestor.DeriveID("message", string(chat), client)
}

// Say says something where [Thread.Place] found that it is said, or finds that it was
// said, and returns the run of it.
func (t *Thread) Say(c Content) (run nestor.Path, err error) {
	if t.waited, err = t.waiting(); err != nil {
		return "", err
	}
	m, err := t.sayIn(t.Chat, t.said, c)
	if err != nil {
		return "", err
	}
	return t.RunAt(m.RunID), t.note()
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
		now, err := t.run(was.ID)
		if err != nil {
			return nil, err
		}
		if now.Resumes > was.Resumes {
			legs = append(legs, Leg{Run: t.RunAt(was.ID), Resumed: &was.Resumes})
		}
	}
	t.waited = nil
	return legs, nil
}

// run is a run as it is now.
func (t *Thread) run(id string) (run nestor.Run, err error) {
	d, err := t.req.Get(t.RunAt(id))
	if err != nil {
		return run, err
	}
	return nestor.As[nestor.Run](d)
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
	m, err := t.known(client)
	return err == nil && m != nil
}

// RunAt is where a run of the thread is.
func (t *Thread) RunAt(id string) nestor.Path { return store.RunAt(t.Chat, id) }
