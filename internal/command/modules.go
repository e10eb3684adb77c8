package command

import (
	"context"

	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/app"
	"github.com/nestorhq/nestor/internal/module"
)

// ofModules are the commands of modules. They talk to a running server, or to one
// inside the program.
func ofModules(modules module.List) (all []command) {
	for _, m := range modules {
		for _, c := range m.Describe().Commands {
			all = append(all, command{
				name: c.Name, args: c.Args, summary: c.Summary, detail: c.Detail,
				flags: func(f *flags) { f.database(); f.server(); f.elsewhere() },
				run: func(ctx context.Context, f *flags) error {
					return app.WithClient(ctx, f.cfg, f.talk.URL, func(api *client.Client) error { return c.Run(ctx, api, f.args, f.Output()) })
				},
			})
		}
	}
	return all
}
