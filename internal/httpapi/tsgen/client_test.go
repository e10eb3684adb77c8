package tsgen_test

import (
	"testing"

	"github.com/nestorhq/nestor/internal/nodetest"
	"github.com/nestorhq/nestor/internal/proctest"
)

// The tests of the TypeScript client talk to the real program.
func TestTheTypeScriptClientWorks(t *testing.T) {
	nodetest.Install(t, client)
	nodetest.Run(t, client, []string{"NESTOR_BINARY=" + proctest.Nestor(t)}, "npm", "test")
}
