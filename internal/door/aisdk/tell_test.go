package aisdk

import (
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/door/turn"
	"github.com/nestorhq/nestor/internal/sse"
)

// A client that is told to forget a step forgets what agents did beside the message, too:
// that is told again, and the message alone is not.
func TestWhatIsTakenBackLeavesTheRestOfTheStep(t *testing.T) {
	const chat = nestor.Path("users/u/orch-chats/c")
	said := func(text string) *runs.Event {
		return &runs.Event{Type: runs.Text, Path: chat.Child("messages", "m"), Text: text}
	}
	told := func(kind runs.EventType, text string) *runs.Event {
		at := chat.Child("sub-agents", "a").Child("tool-calls", "k")
		return &runs.Event{Type: kind, Path: at, AgentID: "a", CallID: "k", Tool: "look", Args: json.RawMessage(`{}`), Text: text}
	}
	client := httptest.NewRecorder()
	missing := func(nestor.Path) (*nestor.Document, error) { return nil, nestor.ErrNotFound }
	teller := newTeller(turn.Leg{}, &turn.Thread{Chat: chat}, missing, sse.New(client, time.Second))
	whole := nestor.Message{Type: nestor.MessageText, Content: "Right."}
	for _, e := range []*runs.Event{
		said("Wro"), told(runs.ToolBegan, ""), later(said("ng"), 3),
		{Type: runs.Restarted, Path: chat.Child("messages", "m")},
		said("Right"), told(runs.ToolEnded, "seen"),
		{Type: runs.Said, Path: chat.Child("messages", "m"), Text: "Right.", Message: &whole},
	} {
		if err := teller.tell(e, false); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for line := range strings.Lines(client.Body.String()) {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var c chunk
		if err := json.Unmarshal([]byte(data), &c); err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.TrimSpace(c.Type+" "+c.Delta))
	}
	want := []string{
		"start-step", "text-start", "text-delta Wro", "tool-input-available", "text-delta ng",
		"reset-step", "tool-input-available",
		"text-start", "text-delta Right", "tool-output-available", "text-delta .", "text-end",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the client was told\n%q, want\n%q", got, want)
	}
}

// later is a piece of text further on.
func later(e *runs.Event, offset int) *runs.Event {
	e.Offset = offset
	return e
}
