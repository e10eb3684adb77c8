package turn

import (
	"slices"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs"
)

// A client that deals with what a run waited for is told what happened since, and what is
// being said now even if that is told before the past, as when a node is behind.
func TestAClientThatGoesOnIsToldWhatIsNew(t *testing.T) {
	waits := func(resumes int) *runs.Event {
		return &runs.Event{Type: runs.RunWaits, Run: &nestor.Run{Status: nestor.RunWaiting, Resumes: resumes}}
	}
	asked := func(id string) *runs.Event { return &runs.Event{Type: runs.Question, AgentID: "a", CallID: id} }
	ended := &runs.Event{Type: runs.RunEnded, Status: string(nestor.RunSuccess)}
	text := &runs.Event{Type: runs.Text, Text: "now"}
	one := 1
	for name, c := range map[string]struct {
		leg    Leg
		events []*runs.Event
		want   []string
	}{
		"after the last of two questions": {
			Leg{After: []string{"a.q1", "a.q2"}},
			[]*runs.Event{text, asked("q1"), waits(0), asked("q2"), waits(1), {Type: runs.ToolBegan}, ended},
			[]string{"again question", "again run_waits", "again question", "again run_waits", "text", "tool_began", "run_ended"},
		},
		"after it was resumed": {
			Leg{Resumed: &one},
			[]*runs.Event{waits(0), {Type: runs.ToolBegan}, waits(1), text, ended},
			[]string{"again run_waits", "again tool_began", "again run_waits", "text", "run_ended"},
		},
		"what was never waited for": {
			Leg{After: []string{"a.none"}},
			[]*runs.Event{text, {Type: runs.ToolBegan}, ended},
			[]string{"again tool_began", "text", "run_ended"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := follower{again: true, leg: c.leg}
			var got []string
			told := func(e *runs.Event, again bool) error {
				s := string(e.Type)
				if again {
					s = "again " + s
				}
				got = append(got, s)
				return nil
			}
			for _, e := range c.events {
				end, err := f.next(e, told)
				if err != nil || (end != nil) != (e == ended) {
					t.Fatalf("%s: %v, %v", e.Type, end, err)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("told was %q, want %q", got, c.want)
			}
		})
	}
}
