package remote

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/condense"
	"github.com/nestorhq/nestor/internal/agent/controltool"
	"github.com/nestorhq/nestor/internal/agent/role"
	"github.com/nestorhq/nestor/internal/llm"
)

// Step is what the loop knows of the step that an agent is to make.
type Step struct {
	// Agent is the agent's path, and Role its role.
	Agent nestor.Path
	Role  string
	// Turns are what was said, and Newest is the newest message among them.
	Turns  []condense.Turn
	Newest string
}

// Model is the remote agent as a model that is asked once, about one step.
func (a *Agents) Model(s Step) llm.Model {
	return &model{agents: a, remote: a.roles.Roles[s.Role].A2A, Step: s}
}

type model struct {
	Step
	agents *Agents
	remote *role.Remote
}

// Name implements [llm.Model].
func (m *model) Name() string { return "a2a:" + m.Role }

// Cost implements [llm.Priced]: what a remote agent uses is paid elsewhere.
func (*model) Cost(llm.Usage) (llm.Money, bool) { return 0, true }

// Generate implements [llm.Model]. The request has the turns of the step, with files as
// text.
func (m *model) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		x := &exchange{model: m, said: req.Messages, show: func(text string) bool { return yield(llm.Text{Text: text}, nil) }}
		if err := x.run(ctx); err != nil {
			if !x.left {
				yield(nil, err)
			}
			return
		}
		for _, e := range x.conclusion() {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// exchange is one step: what is sent, and what comes of it.
type exchange struct {
	*model
	said []llm.Message
	peer *peer
	note nestor.RemoteTask
	heard
	// until is when this attempt stops following the remote task, streams included.
	until time.Time
	// accepted is closed when the remote agent has said that it got the message.
	accepted chan struct{}
	// show shows what is said as it comes, and reports whether somebody is there to see.
	show  func(text string) bool
	shown strings.Builder
	// astray: what was shown is not how the answer begins. Left: nobody listens.
	astray, left bool
}

var errLeft = errors.New("nobody listens any more")

// run sends what is to be sent and follows the remote task until it rests.
func (x *exchange) run(ctx context.Context) error {
	var err error
	if x.peer, err = x.agents.meet(ctx, x.remote); err != nil {
		return err
	}
	x.mask = x.peer.mask
	if err := x.prepare(ctx); err != nil {
		return err
	}
	x.until = time.Now().Add(x.agents.pace.atOnce)
	resumed := x.note.Accepted
	if !resumed {
		if err := x.send(ctx); err != nil && (!x.note.Accepted || nestor.CodeOf(err) == nestor.CodeTooLarge) {
			return err
		}
	}
	if err := x.follow(ctx, resumed); err != nil {
		return err
	}
	if err := x.failure(); err != nil {
		return err // what is kept says that it is worked on, until the agent has failed
	}
	return x.keep(ctx, func(n *nestor.RemoteTask) { n.State = string(x.state) })
}

// send sends the message. A remote agent that streams tells in the same answer what
// happens; another one is asked later.
func (x *exchange) send(ctx context.Context) error {
	message := &a2a.Message{
		ID: x.note.MessageID, Role: a2a.MessageRoleUser, ContextID: x.note.ContextID, TaskID: a2a.TaskID(x.note.TaskID),
		Parts: a2a.ContentParts{a2a.TextPart{Text: x.unsent()}},
	}
	sending, stop := x.patiently(ctx)
	defer stop()
	if x.peer.streams {
		sending, stop := context.WithDeadlineCause(sending, x.until, errSlow)
		defer stop()
		return x.hear(ctx, x.peer.stream(sending, "message/stream", a2a.MessageSendParams{Message: message}))
	}
	e, err := x.peer.call(sending, "message/send", a2a.MessageSendParams{Message: message, Config: &a2a.MessageSendConfig{Blocking: new(false)}})
	if err != nil {
		return err
	}
	return x.event(ctx, e)
}

// grace is how long a message that is being sent may still be confirmed after somebody
// interrupted the step. What is confirmed can be cancelled.
const grace = 5 * time.Second

// patiently is a context that outlives ctx by grace, until the message is accepted.
func (x *exchange) patiently(ctx context.Context) (context.Context, func()) {
	sending, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		wait := time.NewTimer(grace)
		defer wait.Stop()
		select {
		case <-x.accepted:
		case <-wait.C:
		case <-sending.Done():
		}
		cancel(context.Cause(ctx))
	})
	return sending, func() { stop(); cancel(nil) }
}

// hear takes in the events of a stream, until the remote task has ended. What a remote
// agent says after that does not count.
func (x *exchange) hear(ctx context.Context, events iter.Seq2[a2a.Event, error]) error {
	for e, err := range events {
		if err != nil {
			return err
		}
		if err := x.event(ctx, e); err != nil || x.state.Terminal() {
			return err
		}
	}
	return nil
}

// event takes in one event, keeps what must outlive a crash, and shows what is new.
func (x *exchange) event(ctx context.Context, e a2a.Event) error {
	x.take(e)
	if err := x.tooMuch(); err != nil {
		return err
	}
	info := e.TaskInfo()
	if len(info.TaskID) > maxID || len(info.ContextID) > maxID {
		return nestor.Errorf(nestor.CodeTooLarge, "the remote agent names its task with more than %d bytes", maxID)
	}
	if strings.ContainsRune(string(info.TaskID)+info.ContextID, 0) {
		return nestor.Errorf(nestor.CodeInvalid, "the remote agent names its task in a way that cannot be kept")
	}
	if !x.note.Accepted {
		if err := x.keep(context.WithoutCancel(ctx), func(n *nestor.RemoteTask) {
			n.Accepted, n.State = true, string(a2a.TaskStateWorking)
			if info.TaskID != "" {
				n.TaskID = string(info.TaskID)
			}
			if info.ContextID != "" {
				n.ContextID = info.ContextID
			}
		}); err != nil {
			return err
		}
		close(x.accepted)
	}
	rest := x.more
	if !x.appended {
		var begins bool
		if rest, begins = strings.CutPrefix(x.text(), x.shown.String()); !begins {
			x.astray = true
		}
	}
	if rest != "" && !x.astray {
		x.shown.WriteString(rest)
		if !x.show(rest) {
			x.left = true
			return errLeft
		}
	}
	return nil
}

// follow asks about the remote task until it rests: at once, or after a while.
func (x *exchange) follow(ctx context.Context, atOnce bool) error {
	wait, failed := x.agents.pace.least, 0
	for ; !x.rests(); atOnce = false {
		if x.note.TaskID == "" {
			return nestor.Errorf(nestor.CodeInvalid, "the remote agent neither answers nor makes a task")
		}
		if time.Now().After(x.until) {
			return putOff{}
		}
		if !atOnce {
			if err := sleep(ctx, wait); err != nil {
				return err
			}
		}
		err := x.ask(ctx)
		switch {
		case err == nil:
			failed, wait = 0, min(wait*2, x.agents.pace.most)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case x.left || errors.Is(err, errNoTask) || nestor.CodeOf(err) == nestor.CodeForbidden || nestor.CodeOf(err) == nestor.CodeTooLarge:
			return err
		default:
			if failed++; failed >= x.agents.pace.failures {
				return err
			}
			wait = min(wait*2, x.agents.pace.most)
		}
	}
	return nil
}

// putOff has others take their turn while a remote task takes long.
type putOff struct{}

func (putOff) Error() string { return "the remote agent is still at work" }

// Unwrap says that no attempt was made in vain.
func (putOff) Unwrap() error { return nestor.PutOff{} }

// ask asks once how the remote task stands, and follows it if it is worked on and the
// remote agent streams.
func (x *exchange) ask(ctx context.Context) error {
	e, err := x.peer.call(ctx, "tasks/get", a2a.TaskQueryParams{ID: a2a.TaskID(x.note.TaskID)})
	if err != nil {
		return err
	}
	if err := x.event(ctx, e); err != nil || x.rests() || !x.peer.streams {
		return err
	}
	ctx, stop := context.WithDeadlineCause(ctx, x.until, errSlow)
	defer stop()
	return x.hear(ctx, x.peer.stream(ctx, "tasks/resubscribe", a2a.TaskIDParams{ID: a2a.TaskID(x.note.TaskID)}))
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// conclusion is what the loop makes of the answer: text, a question, or a call that gives
// the text if another one was shown.
func (x *exchange) conclusion() []llm.Event {
	tool, field, said := "", "", x.text()
	switch {
	case x.state == a2a.TaskStateInputRequired:
		tool, field, said = controltool.AskUser, "question", x.status
		if said == "" {
			said = "What else do you need to say?"
		}
	case said == "" && x.status != "":
		said = x.status
	case said == "":
		said = "The remote agent is done, and said nothing."
	}
	if tool == "" && !x.astray && strings.HasPrefix(said, x.shown.String()) {
		var rest []llm.Event
		if more := said[x.shown.Len():]; more != "" {
			rest = append(rest, llm.Text{Text: more})
		}
		return append(rest, llm.Finish{Reason: llm.ReasonStop})
	}
	if tool == "" {
		tool, field = controltool.FinalAnswer, "answer"
	}
	arguments, err := json.Marshal(map[string]string{field: said})
	if err != nil {
		panic(err) // a text can be written
	}
	return []llm.Event{
		llm.ToolCall{ID: nestor.DeriveID("a2a", x.note.MessageID, tool), Name: tool, Arguments: string(arguments)}, llm.Finish{Reason: llm.ReasonToolCalls},
	}
}
