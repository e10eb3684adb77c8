package command

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/nestorhq/nestor/internal/app"
)

// chat talks in the terminal. Ctrl-C is for what the agents do, so it does not
// end the program as it does elsewhere.
func chat(ctx context.Context, f *flags) error {
	ctx, cancel := signal.NotifyContext(context.WithoutCancel(ctx), syscall.SIGTERM)
	defer cancel()
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	stop := make(chan struct{})
	go func() {
		for range interrupts {
			stop <- struct{}{}
		}
	}()
	o := f.talk
	o.Message, o.In, o.Interrupt = strings.Join(f.Args(), " "), os.Stdin, stop
	if out := int(os.Stdout.Fd()); term.IsTerminal(out) {
		o.Live = true
		o.Width, _, _ = term.GetSize(out) // unknown: lines are not cut
	}
	return app.Chat(ctx, f.cfg, o)
}
