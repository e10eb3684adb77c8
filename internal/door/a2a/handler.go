package a2a

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"runtime/debug"
	"time"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2asrv"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/httpapi"
)

// handler answers one request.
type handler struct {
	door *Door
	r    *httpapi.Request
}

var _ a2asrv.RequestHandler = (*handler)(nil)

// How long a client that wants to wait is kept waiting, and how long it takes at most
// until what was cancelled has ended. Then the task is told as it stands.
const (
	longestSend   = 4 * time.Minute
	longestCancel = 10 * time.Second
)

var (
	errWaited  = errors.New("the client was kept waiting for long enough")
	errNoTask  = nestor.Errorf(nestor.CodeNotFound, "there is no such task")
	errNothing = nestor.Errorf(nestor.CodeInvalid, "message with its messageId is missing")
)

// run is the run that a task is, if the caller may read it.
func (h *handler) run(id a2a.TaskID) (nestor.Path, *nestor.Run, error) {
	p, err := nestor.ParsePath("users/" + h.r.UserID() + "/runs/" + string(id))
	if err != nil || p.ID() != string(id) {
		return "", nil, errNoTask
	}
	d, err := h.r.Get(p)
	if errors.Is(err, nestor.ErrNotFound) || errors.Is(err, nestor.ErrForbidden) {
		err = errNoTask
	}
	if err != nil {
		return "", nil, err
	}
	run, err := nestor.As[nestor.Run](d)
	if err == nil && run.ChatID == "" {
		err = errNoTask // an execution that nobody asked for in a chat
	}
	if err == nil {
		h.r.Tells(p)
		h.r.Tells(run.Of(nestor.Path("orch-chats/" + run.ChatID)))
	}
	return p, &run, err
}

// OnGetTask implements [a2asrv.RequestHandler].
func (h *handler) OnGetTask(ctx context.Context, q *a2a.TaskQueryParams) (*a2a.Task, error) {
	p, _, err := h.run(q.ID)
	if err != nil {
		return nil, h.door.told(err)
	}
	task, err := h.task(ctx, p, q.HistoryLength)
	return task, h.door.told(err)
}

// OnCancelTask implements [a2asrv.RequestHandler].
func (h *handler) OnCancelTask(ctx context.Context, id *a2a.TaskIDParams) (*a2a.Task, error) {
	p, run, err := h.run(id.ID)
	if err == nil && run.Status.Ended() {
		return nil, a2a.ErrTaskNotCancelable
	}
	if err == nil {
		err = h.r.MayAct(run.Of(run.Root))
	}
	if err == nil {
		err = h.door.Runs().Cancel(ctx, p, h.r.UserID())
	}
	if err == nil {
		err = h.until(ctx, p, longestCancel, "", func(e runs.Event) bool { return e.Type == runs.RunEnded })
	}
	if err != nil {
		return nil, h.door.told(err)
	}
	task, err := h.task(ctx, p, nil)
	return task, h.door.told(err)
}

// until waits for an event of a run, but no longer than for so long.
func (h *handler) until(ctx context.Context, run nestor.Path, long time.Duration, from string, found func(runs.Event) bool) error {
	waiting, stop := context.WithTimeoutCause(ctx, long, errWaited)
	defer stop()
	for e, err := range h.door.Runs().Follow(waiting, run, from) {
		if err != nil {
			if errors.Is(context.Cause(waiting), errWaited) || nestor.CodeOf(err) == nestor.CodeTooOld {
				return nil
			}
			return cmp.Or(context.Cause(ctx), err)
		}
		if found(e.Event) {
			return nil
		}
	}
	return context.Cause(ctx)
}

// OnSendMessage implements [a2asrv.RequestHandler].
func (h *handler) OnSendMessage(ctx context.Context, m *a2a.MessageSendParams) (a2a.SendMessageResult, error) {
	said, err := h.say(m)
	if err != nil {
		return nil, h.door.told(err)
	}
	var history *int
	if m.Config != nil {
		history = m.Config.HistoryLength
	}
	if m.Config == nil || m.Config.Blocking == nil || *m.Config.Blocking {
		err = h.until(ctx, said.run, longestSend, said.from, func(e runs.Event) bool { return h.rests(e) })
	}
	if err != nil {
		return nil, h.door.told(err)
	}
	task, err := h.task(ctx, said.run, history)
	return task, h.door.told(err)
}

// OnSendMessageStream implements [a2asrv.RequestHandler].
func (h *handler) OnSendMessageStream(ctx context.Context, m *a2a.MessageSendParams) iter.Seq2[a2a.Event, error] {
	return h.caught(func(yield func(a2a.Event, error) bool) {
		said, err := h.say(m)
		if err != nil {
			yield(nil, h.door.told(err))
			return
		}
		h.tell(ctx, said.run, said.from, yield)
	})
}

// OnResubscribeToTask implements [a2asrv.RequestHandler].
func (h *handler) OnResubscribeToTask(ctx context.Context, id *a2a.TaskIDParams) iter.Seq2[a2a.Event, error] {
	return h.caught(func(yield func(a2a.Event, error) bool) {
		p, _, err := h.run(id.ID)
		if err != nil {
			yield(nil, h.door.told(err))
			return
		}
		h.tell(ctx, p, "", yield)
	})
}

// caught keeps a panic from ending the process: the SDK reads the events of a stream in a
// goroutine of its own, where the server does not catch it.
func (h *handler) caught(events iter.Seq2[a2a.Event, error]) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		defer func() {
			if why := recover(); why != nil {
				h.door.log.Error("a stream of an A2A client panicked", "error", why, "stack", string(debug.Stack()))
			}
		}()
		events(yield)
	}
}

// OnGetExtendedAgentCard implements [a2asrv.RequestHandler].
func (h *handler) OnGetExtendedAgentCard(context.Context) (*a2a.AgentCard, error) {
	card, err := h.door.extendedCard(h.r)
	return card, h.door.told(err)
}
