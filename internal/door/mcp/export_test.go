package mcp

import sdk "github.com/modelcontextprotocol/go-sdk/mcp"

// Instead has the door offer another server than Nestor's own.
func Instead(server func() *sdk.Server) Options { return Options{instead: server} }

// MaxSessions is how many sessions a user has at most.
const MaxSessions = maxSessions
