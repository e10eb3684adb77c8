package server

import (
	"flag"

	"github.com/nestorhq/nestor/internal/app"
	"github.com/nestorhq/nestor/internal/command"
	"github.com/nestorhq/nestor/internal/module"
)

// Main is the program nestor, with what the configuration adds to it: roles,
// tools, handlers, models and modules with commands of their own. It reads the arguments
// and the environment of the process, which set all the rest of the configuration,
// and returns the exit status.
//
//	func main() { os.Exit(server.Main(server.Config{Modules: []server.Module{library}})) }
func Main(cfg Config) int {
	c := cfg.app()
	return command.Main(app.Config{Models: c.Models, Roles: c.Roles, Modules: c.Modules})
}

// Command is something that the program does when it is called with its name. It
// talks to a server as any client does: to one that runs elsewhere, or inside the
// program.
type Command struct {
	// Name is one word or two.
	Name string
	// Args is what follows, for the usage, and Detail is more help.
	Args, Summary, Detail string
	// Run does it.
	Run Run
	// Flags is for a command with flags of its own, instead of Run: it adds them and
	// returns what runs when they have been read.
	Flags func(*flag.FlagSet) Run
}

// Run is what a command does; Call is one call of it.
type (
	Run  = module.Run
	Call = module.Call
)

func (c Command) describe() module.Command { return module.Command(c) }
