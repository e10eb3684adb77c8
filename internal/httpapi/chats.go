package httpapi

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/store"
)

// chatPath is the path of the chat in the request's URL. The chat is the
// caller's, or with the parameter user that user's.
func chatPath(r *http.Request) (nestor.Path, error) { return inChat(r) }

// inChat is the path of that chat, or of a document below it.
func inChat(r *http.Request, below ...string) (nestor.Path, error) {
	user, err := subject(r)
	if err != nil {
		return "", err
	}
	return nestor.ParsePath(strings.Join(append([]string{user.Collection("orch-chats"), r.PathValue("chat")}, below...), "/"))
}

// chatFields are what clients decide about a chat.
type chatFields struct {
	Title             string         `json:"title,omitempty"`
	ProjectID         string         `json:"projectId,omitempty"`
	ModelConnectionID string         `json:"modelConnectionId,omitempty"`
	Budget            *nestor.Budget `json:"budget,omitempty"`
	talk
}

type newChat struct {
	ID string `json:"id,omitempty"`
	chatFields
}

func (s *server) postChat(r *http.Request) (response, error) {
	var req newChat
	if err := web.ReadOptional(r, &req); err != nil {
		return response{}, err
	}
	user, err := subject(r)
	if err != nil {
		return response{}, err
	}
	return s.newChat(r, user, req)
}

// newChat creates a chat of a user.
func (s *server) newChat(r *http.Request, user access.Subject, req newChat) (response, error) {
	if err := req.Budget.Check(); err != nil {
		return response{}, err
	}
	if err := cmp.Or(checkID("projectId", req.ProjectID), checkID("modelConnectionId", req.ModelConnectionID)); err != nil {
		return response{}, err
	}
	if err := req.check(s, r, user.ID()); err != nil {
		return response{}, err
	}
	return s.create(r, creation{collection: user.Collection("orch-chats"), id: req.ID, sent: req.chatFields, body: func(tx store.Tx, p nestor.Path) (any, error) {
		chat := nestor.Chat{
			Title: req.Title, ProjectID: req.ProjectID, ModelConnectionID: req.ModelConnectionID, Budget: req.Budget,
			Participant: req.Participant, SystemPrompt: req.SystemPrompt, ClientTools: req.ClientTools, Metadata: req.Metadata,
		}
		var err error
		if s.Place != nil {
			chat.AccountID, chat.ProjectID, err = s.Place.Of(tx, s.Rules.On(tx, callerOf(r)), p, req.ProjectID)
		}
		return chat, err
	}})
}

func (s *server) listChats(r *http.Request) (response, error) {
	user, err := subject(r)
	if err != nil {
		return response{}, err
	}
	q := store.Query{Collection: user.Collection("orch-chats")}
	switch order := r.URL.Query().Get("order"); order {
	case "", "created":
	case "updated":
		q.OrderBy = []store.Order{{Field: "updatedAt", Desc: true}}
	default:
		return response{}, nestor.Errorf(nestor.CodeInvalid, "order is created (oldest first) or updated (newest first), not %q", order)
	}
	return s.list(r, q, "")
}

// patchable are the fields of a chat that clients may change after its
// creation.
var patchable = []string{"title", "modelConnectionId", "budget", "participant", "systemPrompt", "clientTools", "metadata"}

func (s *server) patchChat(r *http.Request) (response, error) {
	p, err := chatPath(r)
	if err != nil {
		return response{}, err
	}
	version, err := ifMatch(r)
	if err != nil {
		return response{}, err
	}
	var patch map[string]json.RawMessage
	if err := web.Read(r, &patch); err != nil {
		return response{}, err
	}
	d, err := s.changeChat(r, p, patch, version)
	return document(d), err
}

// changeChat changes fields of a chat.
func (s *server) changeChat(r *http.Request, p nestor.Path, patch map[string]json.RawMessage, version int64) (d *nestor.Document, err error) {
	for field := range patch {
		if !slices.Contains(patchable, field) {
			return nil, nestor.Errorf(nestor.CodeInvalid, "%q cannot be set here; these can: %s", field, strings.Join(patchable, ", ")).With("field", field)
		}
	}
	if err := checkConnection(patch["modelConnectionId"]); err != nil {
		return nil, err
	}
	if err := checkTalk(s, r, p.UserID(), patch); err != nil {
		return nil, err
	}
	err = s.update(r, func(tx store.Tx) (err error) {
		if d, err = tx.Patch(p, patch, version); err != nil {
			return err
		}
		chat, err := nestor.As[nestor.Chat](d)
		if err != nil {
			return err
		}
		return checkMetadata(chat.Metadata) // with what it had before
	})
	return d, err
}

type newMessage struct {
	ID string `json:"id,omitempty"`
	// Content is a text, or a list of parts.
	Content content `json:"content"`
}

func (s *server) postMessage(r *http.Request) (response, error) {
	p, err := chatPath(r)
	if err != nil {
		return response{}, err
	}
	var req newMessage
	if err := web.Read(r, &req); err != nil {
		return response{}, err
	}
	if err := req.Content.check(); err != nil {
		return response{}, err
	}
	return s.awaited(r, p, func() (response, error) { return s.say(r, p, req) })
}

// say writes what a person says into a chat.
func (s *server) say(r *http.Request, chat nestor.Path, said newMessage) (response, error) {
	message := nestor.Message{Role: nestor.RoleUser, Type: nestor.MessageText, Content: said.Content.text, Parts: said.Content.parts, IsLLMMessage: new(true)}
	var sent any = message
	if len(message.Parts) > 0 { // what the text of parts is, the store finds: it knows the names of files
		message.Content = ""
		sent = map[string]any{"role": message.Role, "type": message.Type, "isLlmMessage": true}
	}
	return s.create(r, creation{
		collection: string(chat) + "/messages", below: chat, id: said.ID, sent: sent, same: said.Content.same,
		body: func(store.Tx, nestor.Path) (any, error) { return message, nil },
	})
}

// checkConnection refuses what cannot be the id of a model connection. What is no text at
// all the store refuses.
func checkConnection(raw json.RawMessage) error {
	var id string
	_ = json.Unmarshal(raw, &id)
	return checkID("modelConnectionId", id)
}

// checkID refuses what cannot be the id of a document. Empty means none.
func checkID(field, id string) error {
	if id == "" {
		return nil
	}
	if err := nestor.CheckID(id); err != nil {
		return nestor.Errorf(nestor.CodeInvalid, "%s: %w", field, err).With("field", field)
	}
	return nil
}

// checkText refuses text that says nothing.
func checkText(field, s string) error {
	if strings.TrimSpace(s) == "" {
		return nestor.Errorf(nestor.CodeInvalid, "%s must not be empty", field)
	}
	return nil
}

// chatPatch is what PATCH takes for a chat; null removes a field.
type chatPatch struct {
	Title             *string        `json:"title,omitempty"`
	ModelConnectionID *string        `json:"modelConnectionId,omitempty"`
	Budget            *nestor.Budget `json:"budget,omitempty"`
	// Participant, SystemPrompt, ClientTools and Metadata count from the next message on.
	// Metadata is merged, field by field; null removes one.
	Participant  *string             `json:"participant,omitempty"`
	SystemPrompt *string             `json:"systemPrompt,omitempty"`
	ClientTools  []nestor.ClientTool `json:"clientTools,omitempty"`
	Metadata     json.RawMessage     `json:"metadata,omitempty"`
}
