package priority

import (
	"errors"
	"testing"

	"github.com/nestorhq/nestor"
)

func TestTasksAreNamedByTheStartOfTheirIDs(t *testing.T) {
	names := newTaskNames([]string{"abcdefgh", "gone-long-ago"}, []PlannableTask{{ID: "abcdefgh", Text: "Call Anna"}, {ID: "abcdefxy", Text: "Buy milk"}, {ID: "abcdef", Text: "Rest"}})
	for id, want := range map[string]string{"abcdefgh": "abcdefg", "abcdefxy": "abcdefx", "abcdef": "abcdef", "gone-long-ago": "gone-lo"} {
		short := names.short(id)
		if found, err := names.find(short); short != want || found != id || err != nil {
			t.Errorf("%s is called %s, which finds %q, %v", id, short, found, err)
		}
	}
	if text := names.text("gone-long-ago"); text != "(no longer in your documents)" {
		t.Errorf("a task that is gone has the text %q", text)
	}
	if _, err := names.find("abc"); !errors.Is(err, nestor.ErrInvalid) {
		t.Errorf("the start of three ids: %v", err)
	}
	if _, err := names.find("x"); !errors.Is(err, nestor.ErrNotFound) {
		t.Errorf("the start of none: %v", err)
	}
}
