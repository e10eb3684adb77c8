package demo

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/llm"
)

func TestDependenciesAreFoundByRules(t *testing.T) {
	for _, test := range []struct {
		name, tasks, document, want string // want is "source>target confidence", in order
	}{
		{"after", "Paint the wall\nHang the lamp after we paint the wall", "", "2>1 0.9"},
		{"before", "Paint the wall before hanging the lamp\nHang the lamp hanging", "", "2>1 0.9"},
		{"once", "Sign the lease\nOnce the lease is signed, move in", "", "2>1 0.9"},
		{"depends on", "Sign the lease\nMoving depends on the lease", "", "2>1 0.9"},
		{"then", "Buy flour\nThen bake bread", "", "2>1 0.8"},
		{"a numbered list", "Buy flour\nBake bread\nInvite Bob", "1. Buy flour\n2. Bake bread (2h)\n\nSomething else\n1. Invite Bob", "2>1 0.75"},
		{"verbs", "Announce the shop\nTest the shop\nBuild the shop\nDesign the shop\nWater plants", "", "1>2 0.7, 2>3 0.7, 3>4 0.7"},
		{"numbers", "Read chapter 1\nRead chapter 2\nPhone Ann after chapter 2", "", "3>2 0.9"},
		{"nothing", "Buy flour\nWater plants", "", ""},
		{"the surer of two", "Build the shop after we test the shop\nTest the shop", "", "1>2 0.9"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := "# Tasks\n"
			for i, task := range strings.Split(test.tasks, "\n") {
				text += fmt.Sprintf("- %d | %s | 1h | Notes\n", i+1, task)
			}
			sc := read(&llm.Request{
				Tools:    []llm.Tool{{Name: reportDependencies}},
				Messages: []llm.Message{user(text + "\n# Document: Notes\n" + test.document)},
			})
			said := sc.choose().reply(sc)
			var got []string
			for _, d := range said.calls[0].args["dependencies"].([]any) {
				l := d.(map[string]any)
				got = append(got, fmt.Sprintf("%s>%s %v", l["source_task_id"], l["target_task_id"], l["confidence"]))
			}
			if strings.Join(got, ", ") != test.want {
				t.Errorf("found are %q, not %q", got, test.want)
			}
		})
	}
}
