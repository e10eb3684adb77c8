package mcp

import (
	"encoding/json"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/store"
)

// textPause is how often a client is told of text at most while it is being said.
const textPause = 100 * time.Millisecond

// beat is after how long a client is told of a run in which nothing happens that it goes
// on: so that neither the client nor something in between gives the call up.
var beat = 15 * time.Second

// eventMeta is where a notification of progress has the event as data.
const eventMeta = "nestor/event"

// goesOn is the event that tells that nothing happens.
const goesOn runs.EventType = "goes_on"

// progress is what a client has been told of a run.
type progress struct {
	run, thread string

	mu sync.Mutex
	n  float64
	// text was said since the client was told of text, at the message path, and is told
	// when the timer fires at the latest.
	text  string
	path  nestor.Path
	last  time.Time
	timer *time.Timer
	// beats fires when nothing was told for long.
	beats *time.Timer
	ended bool
	// streamed is, by message, what the client was told of it as it was said.
	streamed map[nestor.Path]string
}

// event is the data of a notification.
type event struct {
	Type   runs.EventType  `json:"type"`
	RunID  string          `json:"runId"`
	Thread string          `json:"thread,omitempty"`
	Path   nestor.Path     `json:"path,omitempty"`
	Role   string          `json:"role,omitempty"`
	Tool   string          `json:"tool,omitempty"`
	Args   json.RawMessage `json:"arguments,omitempty"`
	Status string          `json:"status,omitempty"`
	Text   string          `json:"text,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// began tells the client first of all which run it is.
func (c *call) began(at nestor.Path) {
	p := &c.told
	p.run, p.streamed = at.ID(), map[nestor.Path]string{}
	if d, err := c.req.Get(at); err == nil {
		if run, err := nestor.As[nestor.Run](d); err == nil {
			p.thread = run.ChatID
		}
	}
	e := event{Type: runs.RunBegan, RunID: p.run, Thread: p.thread}
	if c.token == nil {
		// It reaches clients that have asked for a log.
		//lint:ignore SA1019 the versions that we speak have logs
		_ = c.client.Log(c.ctx, &sdk.LoggingMessageParams{Level: "info", Logger: "nestor", Data: e})
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.beats = time.AfterFunc(beat, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.send(c, "goes on", event{Type: goesOn, RunID: p.run, Thread: p.thread})
	})
	p.send(c, "run "+p.run+" began", e)
}

// end tells what was held back, and nothing more: the result comes next.
func (p *progress) end(c *call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flush(c)
	p.ended = true
	for _, timer := range []*time.Timer{p.beats, p.timer} {
		if timer != nil {
			timer.Stop()
		}
	}
}

// send notifies the client. One that is gone is noticed elsewhere.
func (p *progress) send(c *call, message string, e event) {
	if c.token == nil || p.ended {
		return
	}
	p.n++
	p.beats.Reset(beat)
	_ = c.client.NotifyProgress(c.ctx, &sdk.ProgressNotificationParams{
		Meta: sdk.Meta{eventMeta: e}, ProgressToken: c.token, Progress: p.n, Message: message,
	})
}

// flush tells the text that was held back.
func (p *progress) flush(c *call) {
	if p.text == "" {
		return
	}
	text := p.text
	p.text, p.last = "", time.Now()
	p.send(c, text, event{Type: runs.Text, RunID: p.run, Thread: p.thread, Path: p.path, Text: text})
}

// hold has text told soon.
func (p *progress) hold(c *call) {
	wait := textPause - time.Since(p.last)
	switch {
	case wait <= 0:
		p.flush(c)
	case p.timer == nil:
		p.timer = time.AfterFunc(wait, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.timer = nil
			p.flush(c)
		})
	}
}

// said tells a piece of a message.
func (p *progress) said(c *call, at nestor.Path, text string) {
	if at != p.path {
		p.flush(c)
	}
	p.path, p.streamed[at] = at, p.streamed[at]+text
	p.text += text
	p.hold(c)
}

// event tells an event. Text is told piece by piece, and only that of the chat: what
// agents below say is theirs.
func (p *progress) event(c *call, e *runs.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e.Type {
	case runs.Text:
		if store.Messages.Has(e.Path) {
			p.said(c, e.Path, e.Text)
		}
		return
	case runs.Restarted:
		if e.Path == p.path {
			p.text = ""
		}
		delete(p.streamed, e.Path)
	case runs.Said:
		// The end of what was said may come with the message alone.
		if told := p.streamed[e.Path]; told != "" && strings.HasPrefix(e.Text, told) {
			p.said(c, e.Path, e.Text[len(told):])
			p.flush(c)
			return
		}
	}
	p.flush(c)
	message := messageOf(e)
	if message == "" {
		return
	}
	data := event{Type: e.Type, RunID: p.run, Thread: p.thread, Path: e.Path, Role: e.Role, Tool: e.Tool, Args: e.Args, Status: e.Status, Error: e.Error}
	if e.Type == runs.Said || e.Type == runs.Question {
		data.Text = e.Text
	}
	p.send(c, message, data)
}

// maxLine bounds what a line of progress says.
const maxLine = 300

// messageOf is an event in words, "" for one that is not told.
func messageOf(e *runs.Event) string {
	switch e.Type {
	case runs.Restarted:
		return "begins again"
	case runs.Said:
		if e.Message.Type != "" && e.Message.Type != nestor.MessageText && e.Message.Type != nestor.MessageError {
			return "" // calls and their results are told as such
		}
		return line(e.Text)
	case runs.AgentBegan:
		return e.Role + " began"
	case runs.AgentEnded:
		return e.Role + " ended: " + e.Status
	case runs.ToolBegan:
		return e.Tool + " began"
	case runs.ToolEnded:
		return e.Tool + " ended: " + e.Status
	case runs.Question:
		return e.Role + " asks: " + line(e.Text)
	case runs.Approval:
		return e.Tool + " waits for a decision"
	case runs.ClientCall:
		return e.Tool + " waits for its result"
	case runs.RunWaits:
		return "the run waits"
	}
	return "" // of the end the result tells
}

// line is a text in one line that is not too long.
func line(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > maxLine {
		return string(runes[:maxLine]) + "…"
	}
	return text
}
