package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// ask is a request for an answer, in whichever form it came.
type ask struct {
	model string
	conversation
	// system is what the chat's participant is told, below its own instructions.
	system   string
	tools    []nestor.ClientTool
	metadata json.RawMessage
	// previous is the response that this one follows, nil for none.
	previous *Response
}

// begun is an answer that was asked for.
type begun struct {
	chat  nestor.Path
	place Place
	// id is the message that began it, or what stands for the results that did.
	id string
	// at is when, in Unix seconds.
	at int64
}

// begin says what the caller says, in the chat that the conversation is. A request that
// is repeated with its Idempotency-Key finds what the first one began.
func (d *Door) begin(req *httpapi.Request, a *ask) (b begun, err error) {
	if a.model == "" {
		return b, nestor.Errorf(nestor.CodeInvalid, "name a model: GET /v1/models lists them").With("field", "model")
	}
	if len(a.results) > 0 {
		return d.resume(req, a)
	}
	fresh := nestor.NewID()
	if key := req.Header.Get("Idempotency-Key"); key != "" {
		fresh = nestor.DeriveID("openai", req.UserID(), key)
	}
	chat, first, err := d.chatOf(req, a, fresh)
	if err != nil {
		return b, err
	}
	b.chat = chat
	if b.place.Also, err = d.waiting(req, chat, fresh); err != nil {
		return b, err
	}
	m, err := req.Say(chat, fresh, first+a.said)
	b.id, b.place.Run, b.at = m.ID, m.RunID, m.CreatedAt/1000
	return b, err
}

// chatOf is the chat that a conversation is, with the participant's instructions and
// tools of this request, and what must be told before what the user says.
func (d *Door) chatOf(req *httpapi.Request, a *ask, message string) (chat nestor.Path, first string, err error) {
	id := ""
	switch {
	case a.previous != nil:
		id = a.previous.ChatID
	case len(a.before) > 0:
		if id, err = claim(req, hash(a.model, a.before), message); err != nil {
			return "", "", err
		}
	}
	if id != "" {
		chat = chatAt(req.UserID(), id)
		err := adjust(req, chat, a)
		if nestor.CodeOf(err) != nestor.CodeNotFound || a.previous != nil {
			return chat, "", refusal(err, a.model)
		}
		// Somebody deleted the chat. The client has all that was said.
	}
	fields := httpapi.ChatFields{Participant: a.model, SystemPrompt: a.system, ClientTools: a.tools, Metadata: a.metadata}
	// The chat has an id of its own: one of a deleted chat stays taken.
	chat, _, err = req.NewChat(nestor.DeriveID("openai-chat", message), fields)
	return chat, transcript(a.before), refusal(err, a.model)
}

// adjust has a chat as this request wants it.
func adjust(req *httpapi.Request, chat nestor.Path, a *ask) error {
	d, err := req.Get(chat)
	if err != nil {
		return err
	}
	is, err := nestor.As[nestor.Chat](d)
	if err != nil {
		return err
	}
	patch := map[string]any{}
	if is.SystemPrompt != a.system {
		patch["systemPrompt"] = a.system
	}
	if is.Participant != a.model {
		patch["participant"] = a.model
	}
	if !sameTools(is.ClientTools, a.tools) {
		patch["clientTools"] = a.tools
	}
	if len(patch) == 0 {
		return nil
	}
	return req.ChangeChat(chat, patch)
}

// waiting are the runs of a chat that wait for somebody. What is said next, in the
// message of this id, may be for one of them.
func (d *Door) waiting(req *httpapi.Request, chat nestor.Path, next string) (stands []Stand, err error) {
	err = req.View(func(docs store.Reader) error {
		stands = nil
		page, err := docs.Query(store.Query{Collection: "users/" + req.UserID() + "/runs", Limit: store.MaxLimit, Where: &store.Filter{And: []store.Filter{
			*store.Where("chatId", store.Eq, chat.ID()), *store.Where("status", store.Eq, nestor.RunWaiting),
		}}})
		if err != nil {
			return err
		}
		for _, d := range page.Items {
			run, err := nestor.As[nestor.Run](d)
			if err != nil {
				return err
			}
			if run.JoinedTo == "" && run.ID != next {
				stands = append(stands, Stand{Run: run.ID, From: fmt.Sprint(run.Seq), Resumes: run.Resumes, Used: run.Usage})
			}
		}
		return nil
	})
	return stands, err
}

// hash is the id of a conversation: of what was said by whom, not of how it was written.
func hash(model string, said []message) string {
	parts := []string{"openai-turn", model}
	for _, m := range said {
		parts = append(parts, m.role, strings.TrimSpace(m.text), m.callID)
		for _, c := range m.calls {
			parts = append(parts, c.id)
		}
	}
	return nestor.DeriveID(parts...)
}

// claim finds the chat of a conversation for a message that goes on with it. It returns
// "" if nobody knows the conversation, or if another message went on with it already: the
// client takes another way from there.
func claim(req *httpapi.Request, turn, message string) (chat string, err error) {
	p := turnAt(req.UserID(), turn)
	if _, err := req.Get(p); err != nil {
		if nestor.CodeOf(err) == nestor.CodeNotFound {
			err = nil
		}
		return "", err
	}
	err = req.Act(p, func(tx store.Tx) error {
		chat = ""
		t, err := store.Find[Turn](tx, p)
		if err != nil || t == nil || t.Next != "" && t.Next != message {
			return err
		}
		chat = t.ChatID
		if t.Next == message {
			return nil
		}
		t.Next = message
		_, err = tx.Put(p, t, store.AnyVersion)
		return err
	})
	return chat, err
}

// remember notes which chat a conversation is, once it has its reply.
func remember(req *httpapi.Request, a *ask, chat nestor.Path, reply message) error {
	turn := hash(a.model, append(a.all(), reply))
	return save(req, turnAt(req.UserID(), turn), Turn{ChatID: chat.ID()})
}

// transcript tells a participant what was said before it took part.
func transcript(before []message) string {
	if len(before) == 0 {
		return ""
	}
	var b bytes.Buffer
	b.WriteString("# What was said before\n")
	for _, m := range before {
		if text := strings.TrimSpace(m.text); text != "" {
			fmt.Fprintf(&b, "\n%s: %s\n", m.role, text)
		}
		for _, c := range m.calls {
			fmt.Fprintf(&b, "\n%s called %s with %s\n", m.role, c.name, c.args)
		}
	}
	b.WriteString("\n# Message\n\n")
	return b.String()
}
