package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// call is one call of a tool.
type call struct {
	door *Door
	// req is the caller's request. Its context ends with the session, the caller's right to
	// ask, the server, or when the client cancels the call.
	req *httpapi.Request
	// ctx is that of the SDK, by which it knows where to send what is told meanwhile.
	ctx    context.Context
	client *sdk.ServerSession
	// token is the client's for progress, nil if it wants none.
	token any
	told  progress
	// handled is the position in the log of the latest state of waiting that was dealt with.
	handled int64
}

// asked are the arguments of a tool that is a participant.
type asked struct {
	Message        string `json:"message"`
	Thread         string `json:"thread"`
	IdempotencyKey string `json:"idempotencyKey"`
	Wait           *int   `json:"wait"`
}

// ask says something to a participant, and follows what comes of it.
func (c *call) ask(p nestor.Participant, args json.RawMessage) (*sdk.CallToolResult, error) {
	a, err := decode[asked](askArguments, args)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(a.Message) == "" {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the message is empty").With("field", "message")
	}
	chat, err := c.thread(p, &a)
	if err != nil {
		return nil, err
	}
	id := ""
	if a.IdempotencyKey != "" {
		id = nestor.DeriveID("mcp-message", string(chat), a.IdempotencyKey)
	}
	// A client that cancels meanwhile must find either nothing, or a run that can be cancelled.
	m, err := c.certain().Say(chat, id, a.Message)
	if err != nil {
		return nil, err
	}
	if m.RunID == "" {
		return nil, nestor.Errorf(nestor.CodeUnavailable, "this server has no runs to follow")
	}
	return c.follow(store.RunAt(chat, m.RunID), "", bounded(a.Wait))
}

// certain is the request for something that is done or not done, but not interrupted.
func (c *call) certain() *httpapi.Request {
	req := *c.req
	req.Request = c.req.WithContext(context.WithoutCancel(c.req.Context()))
	return &req
}

// thread is the chat in which something is said: one that is there, one that has been
// given this name by the same user, or a new one.
func (c *call) thread(p nestor.Participant, a *asked) (nestor.Path, error) {
	id := ""
	switch {
	case a.Thread != "":
		if nestor.CheckID(a.Thread) == nil {
			at := c.chats(a.Thread)
			d, err := c.req.Get(at)
			if err == nil {
				return at, sameParticipant(d, p)
			}
			if !errors.Is(err, nestor.ErrNotFound) {
				return "", err
			}
		}
		id = nestor.DeriveID("mcp-thread", a.Thread)
	case a.IdempotencyKey != "":
		id = nestor.DeriveID("mcp-thread", "", p.ID, a.IdempotencyKey)
	}
	if id != "" {
		d, err := c.req.Get(c.chats(id))
		if err == nil {
			return d.Path, sameParticipant(d, p)
		}
		if !errors.Is(err, nestor.ErrNotFound) {
			return "", err
		}
	}
	at, _, err := c.certain().NewChat(id, httpapi.ChatFields{Participant: p.ID})
	return at, err
}

// chats is where a chat of the caller lies.
func (c *call) chats(id string) nestor.Path {
	return nestor.Path("users/"+c.req.UserID()).Child("orch-chats", id)
}

// sameParticipant reports a chat in which somebody else answers.
func sameParticipant(d *nestor.Document, p nestor.Participant) error {
	chat, err := nestor.As[nestor.Chat](d)
	if err != nil {
		return err
	}
	is := chat.Participant
	if is == "" {
		is = nestor.KindOrchestrator
	}
	if is != p.ID {
		return nestor.Errorf(nestor.CodeInvalid, "in the thread %s answers %s, not %s: call %s, or begin another thread",
			d.Path.ID(), is, p.ID, toolOf(nestor.Participant{ID: is})).With("field", "thread")
	}
	return nil
}

// forever is a time to wait without a bound.
const forever = time.Duration(-1)

// bounded is how long a call waits that names so many seconds.
func bounded(seconds *int) time.Duration {
	if seconds == nil {
		return forever
	}
	return time.Duration(*seconds) * time.Second
}
