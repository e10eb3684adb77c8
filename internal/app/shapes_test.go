package app

import (
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/replication"
)

var update = flag.Bool("update", false, "record the shapes of collections that have changed")

// A client that keeps a copy migrates it when the version of the schema rises, and cannot
// open it when the schema changes without.
func TestEveryShapeOfACollectionIsRecorded(t *testing.T) {
	const file = "../replication/shapes.txt"
	kinds, err := described(Config{}).Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	shapes := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, _, _ := strings.Cut(line, " ")
		shapes[name] = strings.TrimSpace(line)
	}
	for _, c := range kinds.All() {
		recorded := shapes[c.Name]
		if c.Unfollowed || strings.HasSuffix(recorded, " "+replication.Shape(c)) {
			continue
		}
		shapes[c.Name] = strings.TrimSpace(max(recorded, c.Name) + " " + replication.Shape(c))
		if !*update {
			t.Errorf("what clients keep of %s has changed: run go test ./internal/app -run Shape -update, which adds to %s", c.Name, file)
		}
	}
	if !*update {
		return
	}
	lines := slices.Collect(maps.Values(shapes))
	slices.Sort(lines)
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}
