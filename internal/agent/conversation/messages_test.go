package conversation

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/condense"
	"github.com/nestorhq/nestor/internal/llm"
	"pgregory.net/rapid"
)

// life is an agent that lives at random: people speak to it whenever they like,
// results arrive in any order, and now and then its past is summarised.
type life struct {
	*rapid.T
	said  Messages
	open  []nestor.ToolRequest // calls without a result
	shown []condense.Turn      // what the model saw last, and what it said to that
}

func (l *life) add(m nestor.SubAgentMessage) string {
	m.ID, m.Seq = fmt.Sprint("m", len(l.said)), int64(len(l.said))
	l.said = append(l.said, NewUtterance(m))
	return m.ID
}

func (l *life) hears() {
	l.add(nestor.SubAgentMessage{Role: nestor.RoleUser, Content: fmt.Sprint("told ", len(l.said))})
}

// chatter is people who may or may not say something.
func (l *life) chatter(when string) {
	for range rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(l.T, when) {
		l.hears()
	}
}

// step is what the loop does: it looks, asks the model and stores the reply.
func (l *life) step() {
	if l.said.Waits() != (len(l.open) > 0) {
		l.Fatalf("waits is %v with the calls %v open", l.said.Waits(), l.open)
	}
	if len(l.open) > 0 {
		return
	}
	turns, newest := l.said.Turns()
	if newest == "" {
		return
	}
	l.check(turns)
	l.chatter("while the model speaks")
	reply := nestor.SubAgentMessage{Role: nestor.RoleAssistant, Content: fmt.Sprint("said ", len(l.said)), RepliesTo: newest}
	for i := range rapid.IntRange(0, 3).Draw(l.T, "calls") {
		reply.ToolCalls = append(reply.ToolCalls, nestor.ToolRequest{
			ID: fmt.Sprintf("c%d.%d", len(l.said), i), Type: "function", Function: nestor.FunctionCall{Name: "echo"},
		})
	}
	l.add(reply)
	l.open = slices.Clone(reply.ToolCalls)
	l.shown = append(slices.Clone(turns), l.said[len(l.said)-1].turn)
}

// check: the model sees what it saw before and said to that, then what is new:
// the results of its calls in their order, and what it was told.
func (l *life) check(turns []condense.Turn) {
	if n := len(l.shown); n > len(turns) || n > 0 && !reflect.DeepEqual(turns[:n], l.shown) {
		l.Fatalf("it was shown\n%s\nand then\n%s", words(l.shown), words(turns))
	}
	news := turns[len(l.shown):]
	if n := len(l.shown); n > 0 {
		for _, call := range l.shown[n-1].Message.Parts {
			if call, ok := call.(llm.ToolCall); ok {
				if len(news) == 0 || news[0].Message.Parts[0].(llm.ToolResult).CallID != call.ID {
					l.Fatalf("the result of %s does not follow:\n%s", call.ID, words(turns))
				}
				news = news[1:]
			}
		}
	}
	for _, t := range news {
		if t.Message.Role != llm.RoleUser {
			l.Fatalf("%s is neither a result nor what somebody said:\n%s", t.ID, words(turns))
		}
	}
}

// answer gives one of the open calls its result.
func (l *life) answer() {
	if len(l.open) == 0 {
		return
	}
	i := rapid.IntRange(0, len(l.open)-1).Draw(l.T, "which")
	l.add(nestor.SubAgentMessage{Role: nestor.RoleTool, ToolCallID: l.open[i].ID, Content: "result of " + l.open[i].ID})
	l.open = slices.Delete(l.open, i, i+1)
}

// summarise replaces the beginning of what was shown, between steps.
func (l *life) summarise() {
	if len(l.open) > 0 || len(l.shown) < 2 {
		return
	}
	end := rapid.IntRange(1, len(l.shown)-1).Draw(l.T, "through")
	if l.shown[end-1].Summary || l.shown[end].Message.Role == llm.RoleTool {
		return // a summary never takes a call and leaves its results
	}
	id := l.add(nestor.SubAgentMessage{
		Role: nestor.RoleSystem, Type: nestor.MessageSummary, Content: "in short", RepliesTo: l.shown[end-1].ID,
	})
	l.shown = append([]condense.Turn{condense.SummaryTurn(id, "in short")}, l.shown[end:]...)
}

func TestWhatAModelSawStaysAsItWasAndWhatIsNewFollows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &life{T: t}
		l.add(nestor.SubAgentMessage{Role: nestor.RoleSystem, Content: "You work."})
		l.hears()
		t.Repeat(map[string]func(*rapid.T){
			"step":   func(*rapid.T) { l.step() },
			"answer": func(*rapid.T) { l.answer() },
			"hear":   func(*rapid.T) { l.hears() },
			"fail": func(*rapid.T) {
				l.add(nestor.SubAgentMessage{Role: nestor.RoleSystem, Type: nestor.MessageError, Content: "failed"})
			},
			"summarise": func(*rapid.T) { l.summarise() },
		})
		for len(l.open) > 0 {
			l.answer()
		}
		l.step()
		if system := l.said.System(); system != "You work." {
			t.Fatalf("the instructions are %q", system)
		}
	})
}

func words(turns []condense.Turn) (text string) {
	for _, t := range turns {
		text += fmt.Sprintf("%s %s %v\n", t.ID, t.Message.Role, t.Message.Parts)
	}
	return text
}

func TestAResultThatIsOlderThanItsCallStillAnswersIt(t *testing.T) {
	// Clocks of two nodes differ, and logs are not read in the order of time.
	said := Messages{
		NewUtterance(nestor.SubAgentMessage{Meta: nestor.Meta{ID: "u"}, Role: nestor.RoleUser, Content: "Work."}),
		NewUtterance(nestor.SubAgentMessage{Meta: nestor.Meta{ID: "t"}, Role: nestor.RoleTool, ToolCallID: "c", Content: "1"}),
		NewUtterance(nestor.SubAgentMessage{
			Meta: nestor.Meta{ID: "a"}, Role: nestor.RoleAssistant, RepliesTo: "u",
			ToolCalls: []nestor.ToolRequest{{ID: "c", Function: nestor.FunctionCall{Name: "count"}}},
		}),
	}
	if said.Waits() {
		t.Error("it waits for a call that is answered")
	}
	turns, newest := said.Turns()
	var ids []string
	for _, turn := range turns {
		ids = append(ids, turn.ID)
	}
	if want := []string{"u", "a", "t"}; !slices.Equal(ids, want) || newest != "t" {
		t.Errorf("the model sees %v up to %q, want %v", ids, newest, want)
	}
	if name := turns[2].Message.Parts[0].(llm.ToolResult).Name; name != "count" {
		t.Errorf("the result is one of %q, which its message does not say", name)
	}
}

func TestASummaryWithoutAnEndCoversWhatIsOlder(t *testing.T) {
	message := func(id string, role nestor.Role, change func(*nestor.SubAgentMessage)) *Utterance {
		m := nestor.SubAgentMessage{Meta: nestor.Meta{ID: id}, Role: role, Content: id}
		if change != nil {
			change(&m)
		}
		return NewUtterance(m)
	}
	calls := func(m *nestor.SubAgentMessage) {
		m.ToolCalls = []nestor.ToolRequest{{ID: "c" + m.ID, Function: nestor.FunctionCall{Name: "echo"}}}
	}
	answers := func(to string) func(*nestor.SubAgentMessage) {
		return func(m *nestor.SubAgentMessage) { m.ToolCallID = "c" + to }
	}
	summary := message("s", nestor.RoleSystem, func(m *nestor.SubAgentMessage) { m.Type = nestor.MessageSummary })
	u1, a1, t1 := message("u1", nestor.RoleUser, nil), message("a1", nestor.RoleAssistant, calls), message("t1", nestor.RoleTool, answers("a1"))
	a2, t2, u2 := message("a2", nestor.RoleAssistant, calls), message("t2", nestor.RoleTool, answers("a2")), message("u2", nestor.RoleUser, nil)
	for _, tt := range []struct {
		name string
		said Messages
		want []string
	}{
		{"whole steps", Messages{u1, a1, t1, a2, t2, summary, u2}, []string{"s", "u2"}},
		{"a call without its result stays", Messages{u1, a1, t1, a2, summary, t2}, []string{"s", "a2", "t2"}},
		{"what nobody answered stays", Messages{u1, a1, t1, u2, summary}, []string{"s", "u2"}},
		{"nothing is older", Messages{summary, u1}, []string{"s", "u1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			turns, _ := tt.said.Turns()
			var ids []string
			for _, turn := range turns {
				ids = append(ids, turn.ID)
			}
			if !slices.Equal(ids, tt.want) {
				t.Errorf("the model sees %v, want %v", ids, tt.want)
			}
		})
	}
}

func TestAResultSaysWhetherTheCallFailedAndOneThatDoesNotGoesByItsPrefix(t *testing.T) {
	for _, tt := range []struct {
		name, stored string
		isError      *bool
		content      string
		failed       bool
	}{
		{"failed", "no such page", new(true), "no such page", true},
		{"succeeded with a text like a failure", "Error: is a film", new(false), "Error: is a film", false},
		{"failed with a text that has the prefix", "Error: E7", new(true), "Error: E7", true},
		{"not said, as older versions wrote failures", "Error: no such page", nil, "no such page", true},
		{"not said", "42", nil, "42", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := NewUtterance(nestor.SubAgentMessage{Role: nestor.RoleTool, ToolCallID: "c", Content: tt.stored, IsError: tt.isError})
			for _, turn := range []condense.Turn{u.turn, u.answering(nestor.ToolRequest{ID: "c", ProviderID: "p"})} {
				if r := turn.Message.Parts[0].(llm.ToolResult); r.Content != tt.content || r.IsError != tt.failed {
					t.Errorf("the model is shown %+v", r)
				}
			}
		})
	}
}

func TestArgumentsSurviveStorage(t *testing.T) {
	tests := []struct{ name, sent, stored, text string }{
		{"an object", `{"a": 1}`, `{"a": 1}`, `{"a": 1}`},
		{"nothing", " ", `{}`, `{}`},
		{"no JSON", `{"a":`, `"{\"a\":"`, `{"a":`},
		{"a list", `[1]`, `[1]`, `[1]`},
		{"an object that was encoded twice", `"{\"a\": 1}"`, `"{\"a\": 1}"`, `{"a": 1}`},
		{"a character that cannot be stored", `{"a": "\u0000"}`, `"{\"a\": \"\\u0000\"}"`, `{"a": "\u0000"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stored := Arguments(llm.ToolCall{Arguments: tt.sent})
			if string(stored) != tt.stored || ArgumentText(stored) != tt.text {
				t.Errorf("stored as %s, read as %s", stored, ArgumentText(stored))
			}
		})
	}
}
