package mcp

import (
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Instead has the door offer another server than Nestor's own.
func Instead(server func() *sdk.Server) Options { return Options{instead: server} }

// Beat sets after how long a client is told that a run goes on, and returns what sets it
// back.
func Beat(d time.Duration) (back func()) {
	was := beat
	beat = d
	return func() { beat = was }
}

// MaxSessions is how many sessions a user has at most.
const MaxSessions = maxSessions
