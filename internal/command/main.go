// Package command is the command line of the program nestor, and of programs that
// add domains of their own to it.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"golang.org/x/term"

	"github.com/nestorhq/nestor/internal/app"
)

// program is the commands there are, and what they all start from.
type program struct {
	base     app.Config
	commands []command
}

// Main does what the arguments of the process say and returns its exit status.
// The base has what no flag sets: models and modules of the program around it.
func Main(base app.Config) int {
	if os.Getenv("GOGC") == "" {
		collectLess()
	}
	// A limit on the size of files makes a write fail, as a full disk does. It
	// must not end the process.
	signal.Ignore(syscall.SIGXFSZ)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if base.Stdout == nil {
		base.Stdout = standardOutput()
	}
	p := &program{base, append(builtIn(), ofModules(app.Commands(base))...)}
	err := p.run(ctx, os.Args[1:])
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	fmt.Fprintln(os.Stderr, "nestor:", app.Plain(err.Error()))
	return 1
}

// standardOutput is that of the process. On a terminal nothing that is printed does
// anything but show; a file or another program gets every byte.
func standardOutput() io.Writer {
	if term.IsTerminal(int(os.Stdout.Fd())) {
		return app.Screen(os.Stdout)
	}
	return os.Stdout
}

func asksForHelp(arg string) bool { return arg == "help" || arg == "-h" || arg == "--help" }

// run does what the arguments say.
func (p *program) run(ctx context.Context, args []string) error {
	if len(args) == 0 || asksForHelp(args[0]) {
		p.usage(os.Stdout)
		return nil
	}
	if args[0] == "--version" || args[0] == "-version" {
		args = []string{"version"}
	}
	if c, n, ok := find(p.commands, args); ok {
		return p.execute(ctx, c, args[n:])
	}
	if some := p.startingWith(args[0]); len(some.commands) > 0 {
		if slices.ContainsFunc(args[1:], asksForHelp) {
			some.list(os.Stdout)
			return nil
		}
		some.list(os.Stderr)
		return fmt.Errorf("%q is only the first word of a command", args[0])
	}
	p.usage(os.Stderr)
	return fmt.Errorf("there is no command %q", args[0])
}
