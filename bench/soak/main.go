// Command soak keeps several nodes busy on one PostgreSQL while it kills, freezes
// and drains them, restarts the database, cuts connections, and has the model and
// the tools fail. Then it lets everything come to its end and checks from the
// outside what docs/guarantees.md promises: see check.go.
//
//	go run ./bench/soak --for 30m
//
// It prints a report and ends with 1 if a promise was broken. The choice of acts
// follows from --seed; when they meet the work does not.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// config is what a soak is made of.
type config struct {
	Duration time.Duration // of load and faults
	Settle   time.Duration // how long the rest may take
	Seed     uint64
	Nodes    int
	People   int
	Pace     time.Duration // between two things that a person does
	Lease    time.Duration
	Nestor   string // a program that is built already
	Bus      string // what carries live text: "postgres" or "nats"
	Limit    int    // jobs of one user that run at once, 0 for any number
	Folder   string // of logs
}

func (c *config) flags(f *flag.FlagSet) {
	f.DurationVar(&c.Duration, "for", 2*time.Minute, "how long there are load and faults")
	f.DurationVar(&c.Settle, "settle", 5*time.Minute, "how long the work that is left may take then")
	f.Uint64Var(&c.Seed, "seed", 0, "repeats the acts of an earlier soak; 0 takes a random one")
	f.IntVar(&c.Nodes, "nodes", 3, "servers on the database")
	f.IntVar(&c.People, "people", 4, "users who are busy at once")
	f.DurationVar(&c.Pace, "pace", 400*time.Millisecond, "mean time between two things that a person does")
	f.DurationVar(&c.Lease, "lease", 3*time.Second, "the nodes' --lease")
	f.StringVar(&c.Nestor, "nestor", "", "the program to run; without it it is built")
	f.StringVar(&c.Bus, "bus", "", "what carries live text between nodes: postgres, or nats, which is stopped now and then; without it the seed decides")
	f.IntVar(&c.Limit, "limit", -1, "the nodes' --user-concurrency, 0 for none; without it the seed decides about 6 or none")
	f.StringVar(&c.Folder, "logs", "", "folder for the logs of nodes and acts; without it a temporary one")
}

func main() {
	var c config
	c.flags(flag.CommandLine)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	r, err := run(ctx, c)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(2)
	}
	fmt.Print(r)
	if len(r.violations) > 0 {
		os.Exit(1)
	}
}

// withDefaults chooses what was left open.
func (c config) withDefaults() (config, error) {
	for c.Seed == 0 {
		c.Seed = rand.Uint64()
	}
	if c.Bus == "" {
		c.Bus = []string{"postgres", "nats"}[c.Seed%2]
	}
	if c.Limit < 0 {
		c.Limit = []int{0, 6}[c.Seed/2%2]
	}
	var err error
	if c.Folder == "" {
		c.Folder, err = os.MkdirTemp("", "nestor-soak-")
	} else {
		err = os.MkdirAll(c.Folder, 0o777)
	}
	return c, err
}
