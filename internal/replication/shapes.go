package replication

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"strings"
	"sync"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// The version of an RxDB schema must rise with every change of it: a client with a copy
// of other fields under the same number cannot open its database. So nobody counts.
// The fingerprints of all schemas that a collection has had are recorded, in shapes.txt
// for the collections of this tree and in [store.Collection.Shapes] for those of
// programs, and the number is how many there were before. A change that is not recorded
// fails a test here, and there the start of the program.

// shapesText has a line for each collection: its name, and its shapes from the first on.
//
//go:embed shapes.txt
var shapesText string

var recorded = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(shapesText) {
		words := strings.Fields(line)
		all[words[0]] = words[1:]
	}
	return all
})

// shapes are those that a collection has had. Clients get no schema of a collection
// without any.
func shapes(c *store.Collection) []string {
	if c.Shapes != nil {
		return c.Shapes
	}
	return recorded()[c.Name]
}

// version is the number of a shape: one that is not the last comes after it.
func version(shapes []string, shape string) int {
	if isLast(shapes, shape) {
		return len(shapes) - 1
	}
	return len(shapes)
}

func isLast(shapes []string, shape string) bool {
	return len(shapes) > 0 && shapes[len(shapes)-1] == shape
}

// CheckShapes refuses collections of a program that have changed since their Shapes were
// written down.
func CheckShapes(kinds *store.Catalogue) error {
	for _, c := range kinds.All() {
		if c.Shapes != nil && !isLast(c.Shapes, Shape(c)) {
			return nestor.Errorf(nestor.CodeInvalid, "the RxDB schema of the collection %s has changed: its Shapes have to end with %q (docs/sync.md)", c.Name, Shape(c))
		}
	}
	return nil
}

func fingerprint(schema []byte) string {
	sum := sha256.Sum256(schema)
	return hex.EncodeToString(sum[:6])
}
