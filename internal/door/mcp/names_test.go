package mcp

import (
	"regexp"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
)

func TestParticipantsHaveNamesThatAllClientsTake(t *testing.T) {
	takes := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	seen := map[string]string{}
	for id, want := range map[string]string{
		"orchestrator": "ask", "agent:researcher": "ask_researcher", "graph:g1": "graph_g1", "model:default": "model_default",
		"graph:a.b": "", "graph:a_b": "graph_a_b", "graph:a b": "", "agent:größer": "",
		"graph:" + strings.Repeat("x", 64) + "1": "", "graph:" + strings.Repeat("x", 64) + "2": "",
	} {
		got := toolOf(nestor.Participant{ID: id})
		if want != "" && got != want || !takes.MatchString(got) {
			t.Errorf("%s is the tool %q, want %q", id, got, want)
		}
		if seen[got] != "" {
			t.Errorf("%s and %s are both the tool %s", id, seen[got], got)
		}
		seen[got] = id
	}
}
