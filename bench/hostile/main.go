// Command hostile has one user attack the built server in every way that took it once,
// while another one sends small requests, and prints what that does: how much memory
// and disk the server takes, how long the other one waits, and with what the
// attacker is answered.
//
// The server has 512 MB: GOMEMLIMIT is 400 MiB, and the memory that it takes in truth
// is read from /proc. Each attack is bounded in count and time, reaches a server of its
// own on the loopback only, and the whole takes two minutes at most.
//
//	go run ./bench/hostile            # all
//	go run ./bench/hostile -only disk # some
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nestorhq/nestor/internal/launch"
)

func main() {
	only := flag.String("only", "", "attacks whose name has this text; all if empty")
	each := flag.Duration("each", 8*time.Second, "how long an attack lasts at most")
	flag.Parse()
	if err := run(*only, *each); err != nil {
		log.Fatal(err)
	}
}

// most is how long all attacks together may take.
const most = 2 * time.Minute

func run(only string, each time.Duration) error {
	dir, err := os.MkdirTemp("", "nestor-bench-hostile")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program, err := launch.Program()
	if err != nil {
		return err
	}
	model, stop, err := stalled()
	if err != nil {
		return err
	}
	defer func() { _ = stop() }()
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	fmt.Printf("%-32s %9s %9s %9s %9s %9s  %s\n", "attack", "peak RSS", "data", "others", "p99", "worst", "the attacker was answered")
	for _, a := range attacks {
		if !strings.Contains(a.name, only) {
			continue
		}
		if err := measure(ctx, program, filepath.Join(dir, "data"), model, a, each); err != nil {
			fmt.Printf("%-32s %v\n", a.name, err)
		}
		if ctx.Err() != nil {
			return fmt.Errorf("stopped after %v", most)
		}
	}
	return nil
}

// measure prints the line of an attack on a server of its own.
func measure(ctx context.Context, program, data, model string, a attack, each time.Duration) error {
	ctx, cancelAll := context.WithTimeout(ctx, 3*each) // also what is prepared
	defer cancelAll()
	s, err := start(ctx, program, data, model)
	if err != nil {
		return err
	}
	defer s.stop()
	hostile, err := s.user(ctx, "hostile")
	if err != nil {
		return err
	}
	other, err := s.user(ctx, "other")
	if err != nil {
		return err
	}
	if a.prepare != nil {
		if err := a.prepare(ctx, hostile); err != nil {
			return err
		}
	}
	w := s.watch(ctx, other)
	during, cancel := context.WithTimeout(ctx, each)
	hostile.answers.by = nil // those of what was prepared do not count
	failed := a.run(during, hostile)
	cancel()
	seen, err := w.end()
	fmt.Printf("%-32s %6d MB %6d MB %9d %9s %9s  %s\n", a.name, seen.rss>>20, seen.data>>20, len(seen.took), seen.at(0.99), seen.at(1), hostile.answers.String())
	if during.Err() != nil {
		failed = nil // it was cut off
	}
	return errors.Join(err, failed)
}
