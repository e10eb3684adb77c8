package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/sse"
	"github.com/nestorhq/nestor/internal/store"
)

// Door is a call in a protocol of others, at a path outside of the API. Its callers
// are known, limited and judged as those of the API are; what they send and get is the
// protocol's.
type Door struct {
	// Pattern is a method and a path, such as POST /v1/responses, or a path alone.
	Pattern string
	// Needs is what it asks of its caller. Defaults to [Whole]: a run tells of many
	// documents, so a credential for some of them is not enough. The rules decide about
	// each document besides.
	Needs Need
	// Open: it is for callers who have not shown yet who they are.
	Open bool
	// Reads: it changes nothing, though its method may say so.
	Reads bool
	// MaxBody is how many bytes a request has at most. Defaults to the API's limit.
	MaxBody int64
	// Fail writes an error in the protocol's form. Nothing was written before.
	Fail func(http.ResponseWriter, *http.Request, Refused)
	// Serve answers a request. An error is for Fail: nothing may have been written. The
	// writer is [judged]: what it refuses to send is for Fail, too.
	Serve func(*Request, http.ResponseWriter) error
}

// Refused is a failure as a client may be told of it.
type Refused = web.Refused

// door is the handler of d.
func (s *server) door(d Door) http.Handler {
	fail := func(w http.ResponseWriter, r *http.Request, err error) { d.Fail(w, r, s.failures.Refuse(w, r, err)) }
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := r.Body
		r.Body = http.MaxBytesReader(w, body, cmp.Or(d.MaxBody, s.MaxBody))
		out := &judged{ResponseWriter: w, req: newRequest(r, s)}
		err := d.Serve(out.req, out)
		if out.began {
			return // the client learns why there is no more when it comes back
		}
		if err != nil || out.refused != nil {
			if ended := out.judge(); ended != nil {
				err = ended // whatever else went wrong because of it
			}
			drain(body, err)
			fail(w, r, err)
		}
	})
	if d.Open {
		return s.uncalled(h, fail)
	}
	to := route{needs: cmp.Or(d.Needs, whole)}
	to.Reads = d.Reads
	return s.admit(to, h, fail)
}

// checkDoors reports doors that lack something.
func checkDoors(doors []Door) error {
	for _, d := range doors {
		path := d.Pattern[strings.Index(d.Pattern, " ")+1:]
		if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "/api/") || d.Fail == nil || d.Serve == nil {
			return nestor.Errorf(nestor.CodeInternal, "the door %q lacks a path outside of /api/, or a handler", d.Pattern)
		}
	}
	return nil
}

// DecodeLoosely reads a body of a protocol of others into v: fields that nobody here
// knows are left alone.
func (r *Request) DecodeLoosely(v any) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, v); err != nil {
		return web.Unexpected(err, v)
	}
	return nil
}

// OpenStream begins an answer that is a stream of events, which counts among those of the
// caller. The context ends when the client is gone, the caller's right to ask has
// ended, or the server stops; see [Request.Watch]. Call done before the handler returns.
func (r *Request) OpenStream(w http.ResponseWriter) (ctx context.Context, out *sse.Writer, done func(), err error) {
	giveBack, err := r.server.streams.Take(r.UserID(), 1)
	if err != nil {
		return nil, nil, nil, err
	}
	ctx, stop := r.Watch()
	return ctx, sse.New(w, r.server.WriteTimeout), func() { stop(); giveBack() }, nil
}

// Hold counts a request that waits among the streams of the caller: as many of both may
// be open as of one. Call done when it does not wait any more.
func (r *Request) Hold() (done func(), err error) { return r.server.streams.Take(r.UserID(), 1) }

// Watch is the context of an answer that takes long. It ends with the request's, or soon
// after the caller's right to the answer has ended, with the reason as its cause. Call stop
// before the handler returns.
func (r *Request) Watch() (ctx context.Context, stop func()) {
	return r.server.events.Watch(r.Request, r.tells.readable)
}

// Outlive is the request for work that goes on when the request has been answered, until
// the context ends, the caller's right to ask has ended, or the server stops. Call stop
// when the work is done.
func (r *Request) Outlive(until context.Context) (later *Request, stop func()) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(r.Context()))
	unlink := context.AfterFunc(until, func() { cancel(context.Cause(until)) })
	watched, unwatch := r.server.events.Watch(r.WithContext(ctx), r.tells.readable)
	return r.with(r.WithContext(watched)), func() { unlink(); cancel(nil); unwatch() }
}

// BaseURL is where the caller reaches the server, without a slash at the end.
func (r *Request) BaseURL() string {
	return r.server.Gate.BaseURL(r.Request)
}

// Participants are those that the caller can talk to.
func (r *Request) Participants() ([]nestor.Participant, error) {
	return r.server.participants(r.Request)
}

// ChatFields are what a caller decides about a chat.
type ChatFields struct {
	Title, Participant, SystemPrompt string
	ClientTools                      []nestor.ClientTool
	Metadata                         json.RawMessage
}

// NewChat creates a chat of the caller, as POST /chats does. A chat with this id that
// has the same fields is returned as it is. Id is "" for a new one.
func (r *Request) NewChat(id string, fields ChatFields) (path nestor.Path, chat nestor.Chat, err error) {
	user, err := access.Named(r.UserID())
	if err != nil {
		return "", chat, err
	}
	res, err := r.server.newChat(r.Request, user, newChat{ID: id, chatFields: chatFields{
		Title: fields.Title, talk: talk{Participant: fields.Participant, SystemPrompt: fields.SystemPrompt, ClientTools: fields.ClientTools, Metadata: fields.Metadata},
	}})
	if err != nil {
		return "", chat, err
	}
	d := res.body.(*nestor.Document)
	chat, err = nestor.As[nestor.Chat](d)
	return d.Path, chat, err
}

// ChangeChat changes what a caller decides about a chat, as PATCH /chats/{chat} does.
// Fields are by their names in the API.
func (r *Request) ChangeChat(chat nestor.Path, fields map[string]any) error {
	patch := make(map[string]json.RawMessage, len(fields))
	for name, value := range fields {
		raw, err := json.Marshal(value)
		if err != nil {
			return err
		}
		patch[name] = raw
	}
	_, err := r.server.changeChat(r.Request, chat, patch, store.AnyVersion)
	return err
}

// SetClientTools changes the tools that the client runs for the agents of a chat. They
// count from the next message on.
func (r *Request) SetClientTools(chat nestor.Path, tools []nestor.ClientTool) error {
	if err := r.server.checkClientTools(tools); err != nil {
		return err
	}
	return r.Update(func(tx store.Tx) error {
		_, err := tx.Patch(chat, map[string]any{"clientTools": tools}, store.AnyVersion)
		return err
	})
}

// Decide takes the caller's decision about a tool call that waits for one.
func (r *Request) Decide(call nestor.Path, d nestor.Decision) error {
	agents, err := r.agentsOn(call)
	if err != nil {
		return err
	}
	if err := mayDecide(r.Request); err != nil {
		return err
	}
	d.By, d.At = r.UserID(), nestor.Millis(time.Now())
	return agents.Decide(r.Context(), call, d)
}

// Steer says something to the agent of a task: an answer, if it asked.
func (r *Request) Steer(task nestor.Path, content string) error {
	return r.SteerAs(task, nestor.NewID(), content)
}

// SteerAs does the same with an id for the message: to say it again changes nothing.
// Parts, if there are any, are all that it says.
func (r *Request) SteerAs(task nestor.Path, id, content string, parts ...nestor.Part) error {
	if err := contentOf(content, parts).check(); err != nil {
		return err
	}
	agents, err := r.agentsOn(task)
	if err != nil {
		return err
	}
	if err := r.server.mayName(r.Request, task.Parent(), parts); err != nil {
		return err
	}
	_, err = agents.SteerAs(r.Context(), task, speaker(r.Request), id, content, parts...)
	return err
}

// agentsOn returns the agents if the caller may act on the document at p, and have work done
// there.
func (r *Request) agentsOn(p nestor.Path) (Agents, error) {
	if err := r.MayAct(p); err != nil {
		return nil, err
	}
	if err := r.server.paysFor(r.Request, p); err != nil {
		return nil, err
	}
	if r.server.Agents == nil {
		return nil, nestor.Errorf(nestor.CodeUnavailable, "this server runs no agents")
	}
	return r.server.Agents, nil
}
