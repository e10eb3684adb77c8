package record_test

import (
	"testing"

	"github.com/nestorhq/nestor"

	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/store"
)

func TestTheCollectionsMakeACatalogue(t *testing.T) {
	c, err := store.NewCatalogue(record.Collections...)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []struct {
		want *store.Collection
		tail string
	}{
		{record.Outcomes, "outcomes/o"},
		{record.Embeddings, "processed-documents/d/task-embeddings/t"},
		{record.Traces, "agent-sessions/s/reasoning-traces/r"},
	} {
		if got := c.Of(record.Of("ann") + nestor.Path("/"+p.tail)); got != p.want {
			t.Errorf("%s is of %s", p.tail, got.Name)
		}
	}
}
