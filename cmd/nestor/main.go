// Nestor is a durable runtime for nested AI agents. Run `nestor help`.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if os.Getenv("GOGC") == "" {
		collectLess()
	}
	// A limit on the size of files makes a write fail, as a full disk does. It
	// must not end the process.
	signal.Ignore(syscall.SIGXFSZ)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:])
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return
	}
	fmt.Fprintln(os.Stderr, "nestor:", err)
	stop()
	os.Exit(1)
}

// run does what the arguments say.
func run(ctx context.Context, args []string) error {
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		usage(os.Stdout)
		return nil
	}
	if args[0] == "--version" || args[0] == "-version" {
		args = []string{"version"}
	}
	if c, n, ok := find(commands, args); ok {
		return c.execute(ctx, args[n:])
	}
	usage(os.Stderr)
	return fmt.Errorf("there is no command %q", args[0])
}
