package agui_test

import (
	"testing"

	"github.com/nestorhq/nestor/internal/door/doortest"
)

// The program is killed in the middle of a stream. The client asks again, and has the
// whole message once.
func TestAStreamThatAKillCutIsToldAgain(t *testing.T) {
	doortest.KillInTheMiddle(t, "client.mjs", "killed")
}
