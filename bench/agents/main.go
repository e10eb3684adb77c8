// Agents measures Nestor's agents against a bare server that runs the same loop
// and commits its messages only (floor.go), with a model that answers at once or,
// where the result says so, as fast as a hosted one (model.go). Model, floor and
// Nestor are processes of their own; floor and Nestor take turns in one run on one
// machine: what counts is the ratio.
//
//	go run ./bench/agents
//	PG_FSYNC=on scripts/with-postgres go run ./bench/agents
//	go run ./bench/agents -engine sqlite -part serial,long -profile /tmp/profiles
//
// A step is one model call and one tool call. An agent gives its final answer
// after its last step, in one more model call. Times are those of the server,
// from when agents are asked for to when the last one has ended.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/nestorhq/nestor/internal/launch"
)

// The model's name is one with a window that 200 steps fit into.
const (
	modelName     = "gemini-instant"
	roleName      = "bench"
	maxIterations = 1000
)

// instructions are as long as those of Nestor's own roles.
const instructions = `You are an agent that carries out one task, given by the instruction in the first message, and reports the result.

- Use tools instead of guessing. Calls that do not depend on each other belong into the same reply; they run at the same time.
- A failed call tells you why: correct it, try another way, or go on without it and say so.
- If something that only the user can know is missing, ask with ask_user: one question, short, with what you need it for.
- When you are done, give the result with final_answer: complete, in Markdown, for a reader who saw none of your steps.
- A new message may come while you work. It takes precedence over earlier instructions.`

// bench is one run of this program.
type bench struct {
	rounds, agents, crowd, waiters, steps int
	runner, locks                         bool
	budget                                int64
	profiles                              string
	dir                                   string
	self, nestor                          string // programs
	model                                 *launch.Process
	results                               []string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run is the comparison or, as a process that it starts, one of its servers.
func run(ctx context.Context, args []string) error {
	if len(args) > 0 {
		switch args[0] {
		case "model":
			return serve(ctx, newModel())
		case "floor":
			return serveFloor(ctx, args[1], args[2])
		case "nestor":
			return serveNestor(ctx, args[1], args[2], args[3], args[4])
		}
	}
	return compare(ctx)
}

func compare(ctx context.Context) (err error) {
	b := &bench{}
	flag.IntVar(&b.rounds, "rounds", 3, "turns of floor and Nestor per measurement, of which the median counts")
	flag.IntVar(&b.agents, "agents", 64, "agents at once")
	flag.IntVar(&b.crowd, "crowd", 512, "agents at once that talk to a hosted model")
	flag.IntVar(&b.waiters, "waiters", 2000, "agents that wait for a slow model at once")
	flag.IntVar(&b.steps, "steps", 200, "steps of a long conversation")
	flag.BoolVar(&b.runner, "runner", false, "leave calls to the tool runner, as those of tools that take their time are")
	flag.BoolVar(&b.locks, "locks", false, "list the statements that wait for locks, where many agents work; looking costs the server time")
	flag.Int64Var(&b.budget, "budget", 0, "tokens that the user may use, far more than they do; 0 sets no bound")
	flag.StringVar(&b.nestor, "program", "", "a Nestor that was built before, to compare two of them; without it this source is built")
	flag.StringVar(&b.profiles, "profile", "", "folder for profiles of Nestor, which then runs inside of this program")
	engine := flag.String("engine", "", "sqlite or postgres; without it both, if NESTOR_TEST_POSTGRES names a server")
	only := flag.String("part", "", "serial, run, many, long, wait, hosted, size, nodes, takeover, start, or several with commas; without it all")
	flag.Parse()
	if b.dir, err = os.MkdirTemp("", "nestor-bench"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if err := b.prepare(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.model.Stop()) }()
	if err := b.modelAlone(ctx); err != nil {
		return err
	}
	for _, e := range engines(b.dir) {
		if *engine != "" && e.name != *engine {
			continue
		}
		fmt.Printf("\n%s\n", e.name)
		for _, p := range parts {
			if *only != "" && !slices.Contains(strings.Split(*only, ","), p.name) {
				continue
			}
			if err := p.run(b, ctx, e); err != nil {
				return fmt.Errorf("%s, %s: %w", e.name, p.name, err)
			}
		}
	}
	b.summary()
	return nil
}

// prepare builds Nestor, writes its roles and starts the model.
func (b *bench) prepare(ctx context.Context) (err error) {
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	roles, err := json.Marshal(map[string]any{"roles": map[string]any{roleName: map[string]any{
		"description": "is measured", "instructions": instructions, "maxIterations": maxIterations,
		"sequential": b.runner, // then even a calculation is a job of its own
	}}})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(b.dir, "agents.json"), roles, 0o600); err != nil {
		return err
	}
	if b.profiles == "" && b.nestor == "" {
		if b.nestor, err = launch.Program(); err != nil {
			return fmt.Errorf("building Nestor: %w", err)
		}
	}
	b.model, err = start(ctx, nil, b.self, "model")
	return err
}
