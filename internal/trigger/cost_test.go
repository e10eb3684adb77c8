package trigger_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
)

const bigText, bigList, bigMap = 60_000, 10_000, 3_000

func bigBody(t *testing.T) string {
	numbers, members := make([]int, bigList), map[string]any{}
	for i := range numbers {
		numbers[i] = i
		if i < bigMap {
			members[fmt.Sprintf("key-%d", i)] = i
		}
	}
	body, err := json.Marshal(map[string]any{
		"numbers": numbers, "members": members, "inner": map[string]any{"members": members}, "text": strings.Repeat("a", bigText),
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// Without the limit each of these takes from minutes to years.
func TestAConditionCannotHoldAWriterUp(t *testing.T) {
	body := bigBody(t)
	for name, condition := range map[string]string{
		"loops in loops":                  "event.document.numbers.all(x, event.document.numbers.all(y, event.document.numbers.all(z, x + y + z >= 0)))",
		"comparing texts in a loop":       "event.document.numbers.all(x, event.document.text == event.before.text)",
		"comparing maps in a loop":        "event.document.numbers.all(x, event.document.members == event.before.members)",
		"comparing nested maps in a loop": "event.document.numbers.all(x, event.document.inner == event.before.inner)",
		"ordering texts in a loop":        "event.document.numbers.all(x, event.document.text < event.before.text || true)",
		"searching a list in a loop":      "event.document.numbers.all(x, -1 in event.document.numbers || true)",
		"searching a text in a loop":      "event.document.numbers.all(x, !event.document.text.contains('ab'))",
		"measuring a text in a loop":      "event.document.numbers.all(x, size(event.document.text) > 0)",
		"joining texts in a loop":         "event.document.numbers.all(x, size(event.document.text + string(x)) > 0)",
		"joining lists in a loop":         "event.document.numbers.all(x, event.document.numbers + event.document.numbers != [x])",
		"converting texts in a loop":      "event.document.numbers.all(x, size(string(bytes(event.document.text))) > 0)",
		"matching texts in a loop":        "event.document.numbers.all(x, !event.document.text.matches('(a|b){1,9}c'))",
		"going through a map in a loop":   "event.document.numbers.all(x, event.document.members.all(k, true))",
		"a very long sum":                 "size(event.document.text" + strings.Repeat(" + event.document.text", 200) + ") > 0",
	} {
		t.Run(name, func(t *testing.T) {
			set := newSet(t, nestor.Trigger{ID: "t", Collection: "notes", Action: "POST /webhook/x", Condition: condition})
			const want = "its condition cannot be evaluated: operation cancelled: actual cost limit exceeded"
			if v := set.Explain(event("notes/n1", body, body))[0]; v.Fires || v.Reason != want {
				t.Errorf("fires %t: %s", v.Fires, v.Reason)
			}
		})
	}
}

func TestAConditionMayLookAtAllOfALargeDocument(t *testing.T) {
	e := event("notes/n1", "", bigBody(t))
	for name, condition := range map[string]string{
		"every element of a list":   fmt.Sprintf("event.document.numbers.filter(x, x >= 0).size() == %d", bigList),
		"every member of a map":     "event.document.members.all(k, event.document.members[k] >= 0)",
		"every character of a text": "event.document.text.matches('^a*$') && !event.document.text.contains('b')",
		"the size of everything":    fmt.Sprintf("size(event.document.members) == %d && size(event.document.text) == %d", bigMap, bigText),
	} {
		t.Run(name, func(t *testing.T) {
			set := newSet(t, nestor.Trigger{ID: "t", Collection: "notes", Action: "POST /webhook/x", Condition: condition})
			if v := set.Explain(e)[0]; !v.Fires {
				t.Error(v.Reason)
			}
		})
	}
}
