package graphs

import (
	"slices"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/httpapi"
)

// An import creates an execution that has ended before its nodes. A stream that told its
// end at once would end there.
func TestAnExecutionThatIsCreatedEndedIsToldAsAWhole(t *testing.T) {
	at := record.ExecutionAt("u1", "x")
	for status, whole := range map[string]bool{"completed": true, "failed": true, "cancelled": true, "running": false, "paused": false} {
		c := &nestor.Change{Type: nestor.Create, Path: at, After: &nestor.Document{Path: at, Version: 1, Data: []byte(`{"status":"` + status + `"}`)}}
		if got, err := createdEnded(c); err != nil || got != whole {
			t.Errorf("%s: told as a whole is %v, %v", status, got, err)
		}
		events, err := tell(c)
		if err != nil || slices.ContainsFunc(events, func(e httpapi.Event) bool { return e.Last }) {
			t.Errorf("%s: the stream ends with %+v, %v", status, events, err)
		}
		c.Type, c.Before = nestor.Update, c.After
		if got, err := createdEnded(c); err != nil || got {
			t.Errorf("%s: an update is told as a whole: %v", status, err)
		}
	}
}
