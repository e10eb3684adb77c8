package export

import (
	"context"
	"flag"
	"io"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/module"
)

var commands = []module.Command{{
	Name: "chats export", Args: "CHAT", Summary: "Write a chat as Markdown or JSON",
	Detail: "The file goes to the standard output: nestor chats export --format json c1 > c1.json",
	Flags: func(f *flag.FlagSet) module.Run {
		format := f.String("format", "md", "md for Markdown, or json")
		agents := f.Bool("all", false, "with what agents and tools did") // --agents is a file of roles
		return func(ctx context.Context, c *module.Call) error { return printChat(ctx, c, *format, *agents) }
	},
}}

func printChat(ctx context.Context, c *module.Call, format string, agents bool) error {
	if len(c.Args) != 1 {
		return nestor.Errorf(nestor.CodeInvalid, "say the id of a chat")
	}
	file, err := c.Client.ExportChat(ctx, c.Args[0], format, agents)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(c.Out, file)
	return err
}
