package tsgen_test

import (
	"path/filepath"
	"testing"

	"github.com/nestorhq/nestor/internal/nodetest"
)

// The tests of the TypeScript client talk to the real program.
func TestTheTypeScriptClientWorks(t *testing.T) {
	nodetest.Install(t, client)
	nodetest.Run(t, client, []string{"NESTOR_BINARY=" + build(t)}, "npm", "test")
}

// build makes the program.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "nestor")
	nodetest.Run(t, root, nil, "go", "build", "-o", binary, "./cmd/nestor")
	return binary
}
