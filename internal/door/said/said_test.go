package said_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/door/said"
)

const (
	here  = nestor.Path("users/u/orch-chats/c/messages/m")
	below = nestor.Path("users/u/orch-chats/c/sub-agents/a/messages/m")
)

func text(offset int, s string) runs.Event {
	return runs.Event{Type: runs.Text, Path: here, Offset: offset, Text: s}
}

func thought(offset int, s string) runs.Event {
	return runs.Event{Type: runs.Reasoning, Path: here, Offset: offset, Text: s}
}

func whole(kind nestor.MessageType, s, reasoning string) runs.Event {
	m := nestor.Message{Type: kind, Content: s}
	if reasoning != "" {
		blocks, _ := json.Marshal([]map[string]string{{"text": reasoning, "signature": "x"}})
		m.Metadata = &nestor.MessageMetadata{Reasoning: blocks}
	}
	return runs.Event{Type: runs.Said, Path: here, Text: s, Message: &m}
}

func agent(s string) runs.Event {
	return runs.Event{Type: runs.Text, Path: below, AgentID: "a", Text: s}
}

func TestEachPieceIsToldOnce(t *testing.T) {
	restarted := runs.Event{Type: runs.Restarted, Path: here}
	for name, c := range map[string]struct {
		events []runs.Event
		want   []string
	}{
		"a message that was streamed":           {[]runs.Event{text(0, "Grü"), text(3, "ße"), whole("text", "Grüße", "")}, []string{"text Grü", "text ße", "done"}},
		"a message that nobody streamed":        {[]runs.Event{whole("text", "Hi", "hm")}, []string{"reasoning hm", "text Hi", "done"}},
		"an empty type is a text":               {[]runs.Event{whole("", "Hi", "")}, []string{"text Hi", "done"}},
		"pieces that overlap":                   {[]runs.Event{text(0, "äöü"), text(1, "öüß"), text(0, "ä"), whole("text", "äöüß", "")}, []string{"text äöü", "text ß", "done"}},
		"the end of a message was not streamed": {[]runs.Event{text(0, "äb"), whole("text", "äbc", "")}, []string{"text äb", "text c", "done"}},
		"a gap is filled by the message":        {[]runs.Event{text(0, "a"), text(5, "f"), whole("text", "abcdef", "")}, []string{"text a", "text bcdef", "done"}},
		"space at the end was cut off":          {[]runs.Event{text(0, "a \n"), whole("text", "a", "")}, []string{"text a \n", "done"}},
		"another message than was streamed":     {[]runs.Event{text(0, "<call/>"), whole("text", "I look", "")}, []string{"text <call/>", "void", "text I look", "done"}},
		"a retry":                               {[]runs.Event{text(0, "ab"), restarted, text(0, "ac"), whole("text", "ac", "")}, []string{"text ab", "void", "text ac", "done"}},
		"a restart of nothing":                  {[]runs.Event{restarted, text(0, "a")}, []string{"text a"}},
		"what comes late":                       {[]runs.Event{whole("text", "ab", ""), text(0, "ab"), restarted, whole("text", "ab", "")}, []string{"text ab", "done"}},
		"reasoning before the text":             {[]runs.Event{thought(0, "h"), whole("text", "a", "hm")}, []string{"reasoning h", "reasoning m", "text a", "done"}},
		"reasoning that nobody keeps":           {[]runs.Event{thought(0, "hm"), text(0, "a"), whole("text", "a", "")}, []string{"reasoning hm", "text a", "done"}},
		"reasoning is not told after the text":  {[]runs.Event{text(0, "a"), whole("text", "ab", "hm")}, []string{"text a", "text b", "done"}},
		"other reasoning than was streamed":     {[]runs.Event{thought(0, "x"), whole("text", "a", "hm")}, []string{"reasoning x", "void", "reasoning hm", "text a", "done"}},
		"a failure":                             {[]runs.Event{text(0, "a"), whole("error", "busy", "")}, []string{"text a", "void", "failure busy"}},
		"what is for people who look on":        {[]runs.Event{text(0, "a"), whole("status", "stopped", "")}, []string{"text a", "void"}},
		"what is never written":                 {[]runs.Event{text(0, "a"), {Type: runs.RunEnded}}, []string{"text a", "void"}},
		"an agent below says one thing after the other": {
			[]runs.Event{agent("I compute"), {Type: runs.ToolBegan, AgentID: "b"}, text(0, "x"), {Type: runs.ToolBegan, AgentID: "a"}, agent("late")},
			[]string{"text I compute by a", "text x", "text  it. by a", "done by a"},
		},
		"an agent below that waits": {[]runs.Event{agent("Where?"), {Type: runs.RunWaits}}, []string{"text Where? by a", "done by a"}},
	} {
		t.Run(name, func(t *testing.T) {
			teller := said.Teller{Whole: func(nestor.Path) string { return "I compute it." }}
			var got []string
			for _, e := range c.events {
				for _, p := range teller.Tell(&e) {
					s := [...]string{said.Text: "text", said.Reasoning: "reasoning", said.Void: "void", said.Done: "done", said.Failure: "failure"}[p.Kind]
					if p.Text != "" {
						s += " " + p.Text
					}
					if p.AgentID != "" {
						s += " by " + p.AgentID
					}
					if (p.Kind == said.Done && p.AgentID == "" || p.Kind == said.Failure) && p.Message == nil {
						t.Errorf("%s has no message", s)
					}
					got = append(got, s)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Error(fmt.Sprintf("told was %q,", got), fmt.Sprintf("want %q", c.want))
			}
		})
	}
}
