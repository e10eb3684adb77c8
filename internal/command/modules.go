package command

import (
	"context"
	"flag"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/app"
	"github.com/nestorhq/nestor/internal/module"
)

// ofModules are the commands of modules. They talk to a running server, or to one
// inside the program.
func ofModules(commands []module.Command) (all []command) {
	for _, c := range commands {
		all = append(all, command{
			name: c.Name, args: c.Args, summary: c.Summary, detail: c.Detail,
			flags: func(f *flags) {
				f.database()
				f.server()
				f.elsewhere()
				f.runs = c.Run
				if c.Flags != nil {
					f.runs = c.Flags(&f.own)
				}
				f.own.VisitAll(func(own *flag.Flag) { f.Var(own.Value, own.Name, own.Usage) })
			},
			run: runOfModule,
		})
	}
	return all
}

func runOfModule(ctx context.Context, f *flags) error {
	return app.WithClient(ctx, f.cfg, f.talk.URL, func(api *client.Client) error {
		return f.runs(ctx, &module.Call{Client: api, Args: f.args, In: os.Stdin, Out: standardOutput(), Progress: progress()})
	})
}

// progress is the terminal of the standard error output, so that it shows how things
// go even if the result goes to a file.
func progress() io.Writer {
	if term.IsTerminal(int(os.Stderr.Fd())) {
		return os.Stderr
	}
	return io.Discard
}
