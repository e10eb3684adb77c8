package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// The documents of the door. Nobody but the server writes them.
var (
	Responses = ours(store.NewCollection[OpenAIResponse]("openai_responses", nil, "users/{userId}/openai-responses/{id}", store.Column[string]("chatId")))
	Turns     = ours(store.NewCollection[OpenAITurn]("openai_turns", nil, "users/{userId}/openai-turns/{id}"))
)

func ours(c *store.Collection) *store.Collection {
	c.ServerWrites, c.Unfollowed = true, true
	return c
}

// OpenAIResponse, as the API calls it, is what was asked for, and where the answer is told, stored at
// users/{userId}/openai-responses/{id}. Its id is that of the run that it began; of a
// response that goes on with a run it is its own.
type OpenAIResponse struct {
	nestor.Meta
	UserID string `json:"userId,omitempty"`
	ChatID string `json:"chatId"`
	Place  Place  `json:"place"`
	// Next is the message, or the results, that went on from here. Others begin a fork.
	Next string `json:"next,omitempty"`
	// System is what developer messages of the thread say.
	System string `json:"system,omitempty"`
	// What follows is what the caller sent, which they are told again.
	Model        string          `json:"model"`
	Previous     string          `json:"previous,omitempty"`
	Instructions string          `json:"instructions,omitempty"`
	Tools        json.RawMessage `json:"tools,omitempty"`
	Metadata     json.RawMessage `json:"metadata,omitempty"`
	Background   bool            `json:"background,omitempty"`
}

// Place is where an answer is told.
type Place struct {
	Stand
	// Given are the calls whose results were given, as paths below the chat. What the
	// run says before it has them is not the answer yet.
	Given []string `json:"given,omitempty"`
	// Also are runs that waited when the message was said, and may go on with it.
	Also []Stand `json:"also,omitempty"`
}

// Stand is a run as it was when an answer was asked for.
type Stand struct {
	// Run is the run, and From the position in its events, "" for its begin.
	Run  string `json:"run"`
	From string `json:"from,omitempty"`
	// Resumes is how often a run that waited had been set going again.
	Resumes int `json:"resumes,omitempty"`
	// Used is what it had used.
	Used *nestor.Usage `json:"used,omitempty"`
	// Until is how often it had been set going again when it waited and somebody went on
	// from the answer, which ends there. Nil if nobody has.
	Until *int `json:"until,omitempty"`
}

// over reports whether somebody went on from the answer while its run waited.
func (p *Place) over() bool {
	return slices.ContainsFunc(p.stands(), func(s Stand) bool { return s.Until != nil })
}

// stands are all runs of an answer, its own first.
func (p *Place) stands() []Stand { return append([]Stand{p.Stand}, p.Also...) }

// OpenAITurn, as the API calls it, says which chat a conversation is, stored at users/{userId}/openai-turns/{id}.
// Its id is the hash of what was said.
type OpenAITurn struct {
	nestor.Meta
	UserID string `json:"userId,omitempty"`
	ChatID string `json:"chatId"`
	// MessageID is the last message of its reply, "" if that has none.
	MessageID string `json:"messageId,omitempty"`
	// Next is the message that goes on with it. Another one begins a fork.
	Next string `json:"next,omitempty"`
}

func (t *OpenAITurn) next() *string { return &t.Next }

func (r *OpenAIResponse) next() *string { return &r.Next }

// claim notes in a turn or a response which message goes on from there. It returns the
// document, nil if there is none, and whether it is this message that does.
func claim[T any, P interface {
	*T
	next() *string
}](req *httpapi.Request, p nestor.Path, message string) (doc P, mine bool, err error) {
	if _, err := req.Get(p); err != nil {
		if nestor.CodeOf(err) == nestor.CodeNotFound {
			err = nil
		}
		return nil, false, err
	}
	err = req.Act(p, func(tx store.Tx) error {
		found, err := store.Find[T](tx, p)
		doc, mine = found, false
		if err != nil || found == nil {
			return err
		}
		next := doc.next()
		switch *next {
		case message:
			mine = true
			return nil
		case "":
			mine, *next = true, message
			_, err = tx.Put(p, doc, store.AnyVersion)
		}
		return err
	})
	return doc, mine, err
}

func responseAt(user, id string) nestor.Path {
	return nestor.Path("users/"+user).Child("openai-responses", id)
}

func turnAt(user, id string) nestor.Path { return nestor.Path("users/"+user).Child("openai-turns", id) }

func chatAt(user, id string) nestor.Path { return nestor.Path("users/"+user).Child("orch-chats", id) }

func runAt(user, id string) nestor.Path { return nestor.Path("users/"+user).Child("runs", id) }

// responsePrefix begins the ids of responses.
const responsePrefix = "resp_"

// readResponse finds a response of the caller by the id that they were told.
func readResponse(req *httpapi.Request, id, param string) (r OpenAIResponse, err error) {
	missing := nestor.Errorf(nestor.CodeNotFound, "there is no response %.200q", id).With("field", param)
	bare, ok := strings.CutPrefix(id, responsePrefix)
	if !ok || nestor.CheckID(bare) != nil {
		return r, missing
	}
	d, err := req.Get(responseAt(req.UserID(), bare))
	if nestor.CodeOf(err) == nestor.CodeNotFound || nestor.CodeOf(err) == nestor.CodeForbidden {
		return r, missing
	}
	if err != nil {
		return r, err
	}
	return nestor.As[OpenAIResponse](d)
}

// save writes a document of the door.
func save(req *httpapi.Request, p nestor.Path, body any) error {
	return req.Act(p, func(tx store.Tx) error {
		_, err := tx.Put(p, body, store.AnyVersion)
		return err
	})
}
