package trigger_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/trigger"
)

func TestTheExamplesInTheDocumentationWork(t *testing.T) {
	text, err := os.ReadFile("../../docs/triggers.md")
	if err != nil {
		t.Fatal(err)
	}
	anySecret := func(string) string { return secret }
	files := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(text, -1)
	for _, file := range files {
		triggers, err := trigger.Load("docs/triggers.md", file[1], anySecret, builtIn)
		if err != nil {
			t.Error(err)
		}
		newSet(t, triggers...)
	}
	conditions := regexp.MustCompile("(?s)```\n(event.*?)\n```").FindSubmatch(text)
	if len(files) != 2 || conditions == nil {
		t.Fatalf("found %d files and the conditions %q", len(files), conditions)
	}
	for line := range strings.SplitSeq(string(conditions[1]), "\n") {
		_, err := trigger.Load("docs/triggers.md", []byte(`{"extend": true, "triggers": [{"id": "on-new-task", "condition": "`+line+`"}]}`), nil, builtIn)
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// The table of the built-in triggers says what the file says.
func TestTheBuiltInTriggersAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/triggers.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range builtIn.Defaults() {
		action, err := trigger.ParseAction(tr.Action)
		if err != nil {
			t.Fatal(err)
		}
		coalesced := ""
		if tr.Coalesce {
			coalesced = ", coalesced"
		}
		row := regexp.MustCompile("(?m)^\\| `" + tr.ID + "` \\| .* \\| `" + action.Handler + "` \\| `" + regexp.QuoteMeta(tr.Key) + "`" + coalesced + " \\|$")
		if !row.Match(text) {
			t.Errorf("there is no row like %s", row)
		}
	}
}
