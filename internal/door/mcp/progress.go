package mcp

import (
	"encoding/json"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/store"
)

// textPause is how often a client is told of text at most while it is being said.
const textPause = 100 * time.Millisecond

// eventMeta is where a notification of progress has the event as data.
const eventMeta = "nestor/event"

// progress is what a client has been told of a run.
type progress struct {
	run, thread string
	n           float64
	// text was said since the client was told of text, at the message path.
	text string
	path nestor.Path
	last time.Time
	// streamed are the messages of which the client was told as they were said.
	streamed map[nestor.Path]bool
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
	c.told.run, c.told.streamed = at.ID(), map[nestor.Path]bool{}
	if d, err := c.req.Get(at); err == nil {
		if run, err := nestor.As[nestor.Run](d); err == nil {
			c.told.thread = run.ChatID
		}
	}
	e := event{Type: runs.RunBegan, RunID: c.told.run, Thread: c.told.thread}
	if c.token == nil {
		// It reaches clients that have asked for a log.
		_ = c.client.Log(c.ctx, &sdk.LoggingMessageParams{Level: "info", Logger: "nestor", Data: e})
		return
	}
	c.told.send(c, "run "+c.told.run+" began", e)
}

// send notifies the client. One that is gone is noticed elsewhere.
func (p *progress) send(c *call, message string, e event) {
	if c.token == nil {
		return
	}
	p.n++
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

// event tells an event. Text is told piece by piece, and only that of the chat: what
// agents below say is theirs.
func (p *progress) event(c *call, e *runs.Event) {
	if e.Type == runs.Text {
		if !store.Messages.Has(e.Path) {
			return
		}
		if e.Path != p.path {
			p.flush(c)
		}
		p.path, p.streamed[e.Path] = e.Path, true
		if p.text += e.Text; time.Since(p.last) >= textPause {
			p.flush(c)
		}
		return
	}
	if e.Type == runs.Restarted && e.Path == p.path {
		p.text = ""
	}
	p.flush(c)
	message := messageOf(e, p.streamed[e.Path])
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
func messageOf(e *runs.Event, streamed bool) string {
	switch e.Type {
	case runs.Restarted:
		return "begins again"
	case runs.Said:
		if streamed || e.Message.Type != "" && e.Message.Type != nestor.MessageText && e.Message.Type != nestor.MessageError {
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
	case runs.RunEnded:
		return "the run ended: " + e.Status
	}
	return ""
}

// line is a text in one line that is not too long.
func line(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > maxLine {
		return string(runes[:maxLine]) + "…"
	}
	return text
}
