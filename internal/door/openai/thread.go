package openai

import (
	"bytes"
	"encoding/json"
	"errors"
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
	previous *OpenAIResponse
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
// is repeated, by the client itself or with its Idempotency-Key, finds what the first one
// began.
func (d *Door) begin(req *httpapi.Request, a *ask, try *attempt) (b begun, err error) {
	if a.model == "" {
		return b, nestor.Errorf(nestor.CodeInvalid, "name a model: GET /v1/models lists them").With("field", "model")
	}
	if !a.speaks() {
		return d.resume(req, a)
	}
	fresh, err := try.messageID()
	if err != nil {
		return b, err
	}
	files, err := d.keep(req, a.files)
	if err != nil {
		return b, err
	}
	results, err := resultsFor(req, a)
	if err != nil {
		return b, err
	}
	first, made := "", false
	if results != nil {
		b.chat = results.chat
		err = refusal(adjust(req, b.chat, a), a.model)
	} else {
		b.chat, first, made, err = d.chatOf(req, a, fresh)
	}
	if err != nil {
		return b, err
	}
	if b.place.Also, err = d.waiting(req, b.chat, fresh); err != nil {
		return b, err
	}
	if results != nil {
		if err := results.give(req); err != nil {
			return b, err
		}
	}
	m, err := say(req, b.chat, fresh, first+a.said, files)
	if made && (nestor.CodeOf(err) == nestor.CodeTooLarge || nestor.CodeOf(err) == nestor.CodeInvalid) {
		err = errors.Join(err, forget(req, b.chat)) // what cannot be said begins no chat
	}
	b.id, b.place.Run, b.at = m.ID, m.RunID, m.CreatedAt/1000
	return b, err
}

// say says something in a chat.
func say(req *httpapi.Request, chat nestor.Path, id, text string, files []nestor.Part) (nestor.Message, error) {
	if len(files) == 0 {
		return req.Say(chat, id, text)
	}
	if strings.TrimSpace(text) != "" {
		files = append([]nestor.Part{{Type: nestor.PartText, Text: text}}, files...)
	}
	return req.SayParts(chat, id, files)
}

func forget(req *httpapi.Request, chat nestor.Path) error {
	return req.Update(func(tx store.Tx) error { return tx.Delete(chat, store.AnyVersion) })
}

// resultsFor are results that a client gives together with something that the user says.
// It is nil if there are none, or if they are of calls that nobody here waits for: then
// they are a part of what was said.
func resultsFor(req *httpapi.Request, a *ask) (*given, error) {
	if len(a.results) == 0 {
		return nil, nil
	}
	g, err := findCalls(req, a.results)
	if nestor.CodeOf(err) == nestor.CodeInvalid {
		return nil, nil
	}
	if err == nil {
		err = g.complete(req)
	}
	return g, err
}

// chatOf is the chat that a conversation is, with the participant's instructions and
// tools of this request, and what must be told before what the user says. Made says that
// the chat begins with it.
func (d *Door) chatOf(req *httpapi.Request, a *ask, message string) (chat nestor.Path, first string, made bool, err error) {
	// A new chat has an id that derives from the message, so that a repeated request
	// finds it.
	fresh := nestor.DeriveID("openai-chat", message)
	switch {
	case a.previous != nil:
		chat, err = d.goOn(req, a.previous, message, fresh)
	case len(a.history()) > 0:
		chat, err = turnOn(req, hash(a.model, a.history()), message, fresh)
	}
	if err != nil {
		return "", "", false, err
	}
	if chat != "" {
		err := adjust(req, chat, a)
		if nestor.CodeOf(err) != nestor.CodeNotFound || a.previous != nil {
			return chat, "", false, refusal(err, a.model)
		}
		// Somebody deleted the chat. The client has all that was said.
	}
	chat, _, err = req.NewChat(fresh, httpapi.ChatFields{
		Title: title(a.said), Participant: a.model, SystemPrompt: a.system, ClientTools: a.tools, Metadata: a.metadata,
	})
	return chat, transcript(a.history()), true, refusal(err, a.model)
}

// titleLength is how many characters of a message the title of its chat has.
const titleLength = 60

// title is what a chat is called. It is not made by a model: a program may begin a chat
// with each of its requests.
func title(said string) string {
	text := []rune(strings.Join(strings.Fields(said), " "))
	if len(text) > titleLength {
		return strings.TrimSpace(string(text[:titleLength])) + "…"
	}
	return string(text)
}

// goOn is the chat in which a thread goes on after a response: that of the response, or a
// fork if something else was said there already.
func (d *Door) goOn(req *httpapi.Request, previous *OpenAIResponse, message, fresh string) (nestor.Path, error) {
	is, mine, err := claim[OpenAIResponse](req, responseAt(req.UserID(), previous.ID), message)
	chat := chatAt(req.UserID(), previous.ChatID)
	if err != nil || is == nil || mine {
		return chat, err
	}
	silent := newTold(is, 0)
	got, err := d.now(req.Context(), &begun{chat: chat, place: is.Place}, silent)
	if err != nil {
		return "", err
	}
	if got == nil {
		return "", nestor.Errorf(nestor.CodeInvalid, "the response %s is not complete, and something else was said after it", silent.response.ID).With("field", "previous_response_id")
	}
	at := got.lastMessage()
	if at == "" {
		at = is.Place.Run // the message that it answers, with calls
	}
	return req.ForkChat(chat, fresh, at)
}

// turnOn is the chat in which a conversation goes on: the one that it is, or a fork if
// the client takes another way from there. It is "" if nobody knows the conversation.
func turnOn(req *httpapi.Request, turn, message, fresh string) (nestor.Path, error) {
	is, mine, err := claim[OpenAITurn](req, turnAt(req.UserID(), turn), message)
	switch {
	case err != nil || is == nil:
		return "", err
	case mine:
		return chatAt(req.UserID(), is.ChatID), nil
	case is.MessageID == "":
		return "", nil
	}
	chat, err := req.ForkChat(chatAt(req.UserID(), is.ChatID), fresh, is.MessageID)
	if nestor.CodeOf(err) == nestor.CodeNotFound {
		return "", nil // it was deleted
	}
	return chat, err
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
		for _, f := range m.files {
			parts = append(parts, f.name, f.fileID, string(f.data))
		}
	}
	return nestor.DeriveID(parts...)
}

// remember notes which chat a conversation is, once it has its reply.
func remember(req *httpapi.Request, a *ask, b *begun, reply message, got *answer) error {
	turn := hash(a.model, append(a.all(), reply))
	return save(req, turnAt(req.UserID(), turn), OpenAITurn{ChatID: b.chat.ID(), MessageID: got.lastMessage()})
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
		for _, f := range m.files {
			fmt.Fprintf(&b, "\n%s: %s\n", m.role, f.label())
		}
		for _, c := range m.calls {
			fmt.Fprintf(&b, "\n%s called %s with %s\n", m.role, c.name, c.args)
		}
	}
	b.WriteString("\n# Message\n\n")
	return b.String()
}
