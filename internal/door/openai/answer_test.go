package openai

import (
	"bufio"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/sse"
)

const chat = nestor.Path("users/u1/orch-chats/c1")

func at(id string) nestor.Path { return chat.Child("messages", id) }

func text(id, text string, offset int) runs.Event {
	return runs.Event{Type: runs.Text, Path: at(id), Text: text, Offset: offset}
}

func restart(id string) runs.Event { return runs.Event{Type: runs.Restarted, Path: at(id)} }

func written(id, text string) runs.Event {
	return runs.Event{Type: runs.Said, Path: at(id), Message: &nestor.Message{Role: nestor.RoleAssistant, Type: nestor.MessageText, Content: text}}
}

var tellings = map[string]struct {
	events []runs.Event
	want   string // of a completion
}{
	"pieces and the whole":        {[]runs.Event{text("a", "He", 0), text("a", "llo", 2), written("a", "Hello")}, "Hello"},
	"the whole only":              {[]runs.Event{written("a", "Hello")}, "Hello"},
	"what came twice":             {[]runs.Event{text("a", "Hel", 0), text("a", "ello", 1), written("a", "Hello"), written("a", "Hello")}, "Hello"},
	"a late piece":                {[]runs.Event{written("a", "Hello"), text("a", "He", 0)}, "Hello"},
	"characters of several bytes": {[]runs.Event{text("a", "Grü", 0), text("a", "ße", 3), written("a", "Grüße")}, "Grüße"},
	"a text without its end":      {[]runs.Event{text("a", "Hel", 0)}, "Hel"},
	"two messages":                {[]runs.Event{written("a", "One."), text("b", "Two", 0), written("b", "Two.")}, "One.\n\nTwo."},
	"two at once":                 {[]runs.Event{text("a", "On", 0), text("b", "Tw", 0), text("a", "e.", 2), written("b", "Two."), written("a", "One.")}, "One.\n\nTwo."},
	"anew and the same":           {[]runs.Event{text("a", "Hel", 0), restart("a"), text("a", "He", 0), text("a", "llo", 2), written("a", "Hello")}, "Hello"},
	"anew and another":            {[]runs.Event{text("a", "Hel", 0), restart("a"), text("a", "Good", 0), text("a", "bye", 4), written("a", "Goodbye")}, "Hel\n\nGoodbye"},
	"given up for another":        {[]runs.Event{text("a", "Hel", 0), restart("a"), written("b", "Two.")}, "Hel\n\nTwo."},
	"never begun":                 {[]runs.Event{text("a", "", 0), restart("a"), written("b", "Two.")}, "Two."},
	"what agents below say":       {[]runs.Event{{Type: runs.Text, Path: chat + "/sub-agents/s/messages/m", Text: "x"}, written("a", "Hello")}, "Hello"},
	"what only space differs in":  {[]runs.Event{text("a", "Hello ", 0), written("a", "Hello")}, "Hello "},
}

func TestWhatIsToldOfAnAnswer(t *testing.T) {
	for name, c := range tellings {
		t.Run(name, func(t *testing.T) {
			told := &completion{}
			a := newAnswer(chat, told)
			for _, e := range c.events {
				if err := a.take(&e); err != nil {
					t.Fatal(err)
				}
			}
			if err := a.close(); err != nil {
				t.Fatal(err)
			}
			if got := told.text.String(); got != c.want {
				t.Errorf("told was %q, want %q", got, c.want)
			}
		})
	}
}

// numbered is an event of a response as a client reads it.
type numbered struct {
	Type     string `json:"type"`
	Number   int    `json:"sequence_number"`
	Delta    string `json:"delta"`
	Text     string `json:"text"`
	Response struct {
		Output []outputItem `json:"output"`
	} `json:"response"`
}

// retell tells a response from events, those after a number.
func retell(t testing.TB, events []runs.Event, after int) (all []numbered) {
	w := httptest.NewRecorder()
	told := newTold(&OpenAIResponse{ChatID: "c1", UserID: "u1"}, 0)
	told.out, told.numbers.after = sse.New(w, time.Minute), after
	a := newAnswer(chat, told)
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	check(told.begins())
	for _, e := range events {
		check(a.take(&e))
	}
	check(a.close())
	check(told.calls(a))
	told.finish(outcome{status: nestor.RunSuccess}, a)
	check(told.ends())
	for lines := bufio.NewScanner(w.Body); lines.Scan(); {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			var e numbered
			check(json.Unmarshal([]byte(data), &e))
			all = append(all, e)
		}
	}
	return all
}

// However a text is cut into pieces, a client that comes back after any event gets exactly
// what it lacks, with the same numbers.
func TestAResponseIsResumedAnywhere(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringMatching(`[a-zü€ ]{1,12}`), 1, 3).Draw(r, "texts")
		cut := func(label string) (events []runs.Event) {
			for i, whole := range texts {
				id := string(rune('a' + i))
				for said := []rune(whole); len(said) > 0; {
					n := rapid.IntRange(1, len(said)).Draw(r, label)
					events = append(events, text(id, string(said[:n]), len([]rune(whole))-len(said)))
					said = said[n:]
				}
				events = append(events, written(id, whole))
			}
			events = append(events, runs.Event{Type: runs.ClientCall, Path: chat + "/sub-agents/s/tool-calls/t", AgentID: "s", CallID: "t", Tool: "f"})
			return events
		}
		first := retell(t, cut("first"), -1)
		seen := rapid.IntRange(0, len(first)-1).Draw(r, "seen")
		rest := retell(t, cut("second"), first[seen].Number)
		said, number := "", -1
		for _, e := range append(first[:seen+1:seen+1], rest...) {
			if e.Number <= number {
				r.Fatalf("%s has the number %d after %d", e.Type, e.Number, number)
			}
			number = e.Number
			if e.Type == "response.output_text.delta" {
				said += e.Delta
			}
		}
		if want := strings.Join(texts, ""); said != want {
			r.Fatalf("told was %q, want %q", said, want)
		}
		if last := first[len(first)-1]; number != last.Number || len(last.Response.Output) != len(texts)+1 {
			r.Fatalf("the end is %d, was %+v", number, last)
		}
	})
}

// What a model says instead of what it began with is told with the end of the text.
func TestAResponseThatTurnsOutOtherwise(t *testing.T) {
	for name, c := range tellings {
		all := retell(t, c.events, -1)
		last := all[len(all)-1]
		if last.Type != "response.completed" {
			t.Errorf("%s: the last event is %s", name, last.Type)
		}
		for _, item := range last.Response.Output {
			for _, e := range c.events {
				if e.Type == runs.Said && item.ID == "msg_"+e.Path.ID() && (*item.Content)[0].Text != e.Message.Content {
					t.Errorf("%s: %+v was written as %q", name, item, e.Message.Content)
				}
			}
		}
		number := -1
		for _, e := range all {
			if e.Number <= number {
				t.Errorf("%s: %s has the number %d after %d", name, e.Type, e.Number, number)
			}
			number = e.Number
		}
	}
}
