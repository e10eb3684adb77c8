package terminal

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
)

// Options say where a chat takes place.
type Options struct {
	Client *client.Client
	// ChatID of the chat to go on with. Defaults to a new one.
	ChatID string
	// Fork is the chat that a new one goes on from, as CHAT or CHAT@MESSAGE.
	Fork string
	// New is how a new chat begins.
	New client.NewChat
	// Message is said first. The chat then ends when all is answered, and the
	// input is only for what agents ask. Without a message the chat goes on until
	// the input ends.
	Message string
	In      io.Reader
	Out     io.Writer
	// Live says that Out is a terminal, Width how wide it is.
	Live  bool
	Width int
	// Interrupt receives when the person wants to stop what is under way. A
	// second time in a row ends the chat.
	Interrupt <-chan struct{}
}

// chat is one conversation on a terminal.
type chat struct {
	Options
	id     string
	state  *state
	view   *view
	lines  <-chan string // nil once the input has ended
	events chan client.Event
	failed chan error
	// streamed is the message that is being printed as it comes, and how much
	// of it is.
	streamed nestor.Path
	printed  int
	stopping bool
}

// Run holds a chat until it is over. A person who interrupts stops what is
// under way. A question that nobody is there to answer stays open.
func Run(ctx context.Context, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &chat{
		Options: o, state: newState(), view: &view{out: o.Out, live: o.Live, width: o.Width, now: time.Now},
		lines: readLines(ctx, o.In), events: make(chan client.Event), failed: make(chan error, 1),
	}
	from, err := c.open(ctx)
	if err != nil {
		return err
	}
	go c.follow(ctx, from)
	if o.Message != "" {
		if err := c.say(ctx, o.Message); err != nil {
			return err
		}
	}
	return c.loop(ctx)
}

// open finds or makes the chat and returns where its events begin.
func (c *chat) open(ctx context.Context) (string, error) {
	if c.Fork != "" {
		if c.ChatID != "" {
			return "", nestor.Errorf(nestor.CodeInvalid, "a chat is either gone on with or forked")
		}
		chat, message, _ := strings.Cut(c.Fork, "@")
		made, err := c.Client.Fork(ctx, chat, client.NewFork{At: message})
		if err != nil {
			return "", err
		}
		c.id = made.ID
		c.view.say(made.Title)
		return client.After(made.Seq), nil
	}
	if c.id = c.ChatID; c.id == "" {
		made, err := c.Client.CreateChat(ctx, c.New)
		if err != nil {
			return "", err
		}
		c.id = made.ID
		return client.After(made.Seq), nil
	}
	found, err := c.Client.Chat(ctx, c.id)
	if err != nil {
		return "", err
	}
	// After all that is there, rather than from now on: what is said while the
	// stream opens must not be missed.
	newest := found.Seq
	for m, err := range c.Client.Messages(ctx, c.id) {
		if err != nil {
			return "", err
		}
		newest = max(newest, m.Seq)
	}
	for t, err := range c.Client.Tasks(ctx, c.id) {
		if err != nil {
			return "", err
		}
		newest = max(newest, t.Seq)
		c.state.changed(t)
		delete(c.state.owed, "report "+t.ID)
	}
	c.view.say(found.Title)
	return client.After(newest), nil
}

func (c *chat) follow(ctx context.Context, from string) {
	all := *c.Client
	all.TellRuns = true
	for e, err := range all.Events(ctx, c.id, from) {
		if err != nil {
			c.failed <- err
			return
		}
		select {
		case c.events <- e:
		case <-ctx.Done():
			return
		}
	}
}

// loop prints what happens and passes on what the person types.
func (c *chat) loop(ctx context.Context) error {
	tick := time.NewTicker(120 * time.Millisecond)
	defer tick.Stop()
	for {
		if c.over() {
			return nil
		}
		lines := c.lines
		if !c.wantsInput() {
			lines = nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-c.failed:
			return err
		case e := <-c.events:
			if err := c.take(e); err != nil {
				return err
			}
		case line, ok := <-lines:
			if !ok {
				c.lines = nil
				continue
			}
			if err := c.typed(ctx, strings.TrimSpace(line)); err != nil {
				return err
			}
		case <-c.Interrupt:
			if c.stopping || c.state.idle() {
				return nil
			}
			c.stopping = true
			if err := c.Client.Stop(ctx, c.id); err != nil {
				return err
			}
		case <-tick.C:
			c.view.draw(c.state)
		}
	}
}

// over reports whether nothing more is to come: all is answered, and nobody is
// there to say more.
func (c *chat) over() bool {
	if c.lines == nil && (len(c.state.waiting) > 0 || c.state.idle()) {
		return true
	}
	return c.Message != "" && c.state.idle() && !c.asked()
}

// asked reports whether an agent waits for the person.
func (c *chat) asked() bool { return c.state.asking() != nil || len(c.state.waiting) > 0 }

// wantsInput reports whether to read a line now. A person may speak at any
// time; lines that are piped in are taken one by one, when the one before is
// answered.
func (c *chat) wantsInput() bool {
	return c.asked() || c.Message == "" && (c.Live || c.state.idle())
}

// typed passes on a line: a decision if one is asked for, else a message.
func (c *chat) typed(ctx context.Context, line string) error {
	c.stopping = false
	if len(c.state.waiting) > 0 {
		return c.decide(ctx, c.state.waiting[0], line)
	}
	if line == "" {
		return nil
	}
	return c.say(ctx, line)
}

// decide turns a line into a decision about a call.
func (c *chat) decide(ctx context.Context, call nestor.ToolCall, line string) error {
	d, ok := decision(call, line)
	if !ok {
		c.view.say(howToDecide(call))
		return nil
	}
	c.state.waiting = c.state.waiting[1:]
	err := c.Client.Decide(ctx, c.id, call.SubAgentID, call.ID, d)
	if errors.Is(err, nestor.ErrInvalid) { // somebody else was faster, or the arguments are wrong
		c.view.say(err.Error())
		return nil
	}
	return err
}

func decision(call nestor.ToolCall, line string) (nestor.Decision, bool) {
	word, rest, _ := strings.Cut(line, " ")
	d := nestor.Decision{Reason: strings.TrimSpace(rest)}
	if call.Status == nestor.ToolCallUnknown {
		d.Action = map[string]nestor.DecisionAction{"retry": nestor.RetryCall, "done": nestor.MarkDone, "skip": nestor.SkipCall}[word]
		return d, d.Action != ""
	}
	switch {
	case word == "yes" || word == "y":
		d.Action = nestor.Approve
	case word == "no" || word == "n":
		d.Action = nestor.Deny
	case strings.HasPrefix(line, "{") && json.Valid([]byte(line)):
		d = nestor.Decision{Action: nestor.Approve, Args: json.RawMessage(line)}
	}
	return d, d.Action != ""
}

func howToDecide(call nestor.ToolCall) string {
	if call.Status == nestor.ToolCallUnknown {
		return "Type retry, done or skip."
	}
	return "Type yes, no and a reason, or other arguments as JSON."
}
