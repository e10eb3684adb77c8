package app

import (
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/door/agui"
	"github.com/nestorhq/nestor/internal/door/aisdk"
	"github.com/nestorhq/nestor/internal/door/mcp"
	"github.com/nestorhq/nestor/internal/door/openai"
	"github.com/nestorhq/nestor/internal/module"
)

// doors are the protocols of others in front of runs. A new one is a line here.
func doors(made *parts) module.List {
	begun := func() *runs.Runs { return made.runs }
	return module.List{
		openai.Module(openai.Options{Runs: begun}),
		agui.Module(agui.Options{Runs: begun}),
		aisdk.Module(aisdk.Options{Runs: begun}),
		mcp.Module(mcp.Options{Runs: begun}),
	}
}
