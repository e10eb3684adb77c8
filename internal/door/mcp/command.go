package mcp

import (
	"context"

	"github.com/nestorhq/nestor/internal/module"
)

// command is the door over stdio, for clients that start their servers.
var command = module.Command{
	Name: "mcp", Summary: "Serve the Model Context Protocol over standard input and output",
	Detail: "It is for programs that start their MCP servers. It passes everything on to /mcp of the server at --url,\n" +
		"or of one inside the program. A session of a server that was started again is begun anew.",
	Run: func(ctx context.Context, c *module.Call) error { return newBridge(c.Client, c.Out).run(ctx, c.In) },
}
