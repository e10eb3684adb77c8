package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// part is one comparison.
type part struct {
	name string
	run  func(b *bench, ctx context.Context, e *engine) error
}

var parts = []part{
	{"serial", (*bench).serial},
	{"run", (*bench).fixed},
	{"many", (*bench).many},
	{"long", (*bench).long},
	{"wait", (*bench).waiting},
	{"hosted", (*bench).hosted},
	{"size", (*bench).size},
	{"nodes", (*bench).nodes},
	{"takeover", (*bench).takeOvers},
	{"start", (*bench).starts},
}

// usualSteps is how many steps a role allows its agents by default.
const usualSteps = 25

// serial is the time per step of an agent that has the machine for itself.
func (b *bench) serial(ctx context.Context, e *engine) error {
	const agents = 5 // one after the other
	floor, nestor, err := b.alternate(ctx, e, "serial", b.rounds+2, func(c *contestant) ([]float64, error) {
		total := time.Duration(0)
		for range agents {
			out, err := c.run(ctx, 1, usualSteps, instant)
			if err != nil {
				return nil, err
			}
			total += out.Elapsed
		}
		return []float64{milliseconds(total) / (agents * usualSteps)}, nil
	})
	if err != nil {
		return err
	}
	b.report(e, result{
		what: "one agent, time per step", unit: "ms", floor: floor[0], nestor: nestor[0],
		ratio: nestor[0] / floor[0], goal: 1.8,
	})
	return nil
}

// fixed is what a run costs beside its steps. The floor commits the instructions, the
// steps and the answer. Nestor also makes a chat, a task and an agent, and tells the
// chat of the result in the words of one more model call.
//
// What a step costs is told by runs that have more of them. The final answer is one.
func (b *bench) fixed(ctx context.Context, e *engine) error {
	const inTurn, atOnce, more = 40, 200, 10 // agents, agents, steps
	floor, nestor, err := b.alternate(ctx, e, "run", b.rounds, func(c *contestant) ([]float64, error) {
		var short, long, fromChat, waited time.Duration
		for range inTurn {
			one, err := c.run(ctx, 1, 1, instant)
			if err != nil {
				return nil, err
			}
			many, err := c.run(ctx, 1, 1+more, instant)
			if err != nil {
				return nil, err
			}
			short, long, fromChat = short+one.Elapsed, long+many.Elapsed, fromChat+max(one.Elapsed, one.FromChat)
			waited += one.Waited
		}
		step := milliseconds(long-short) / (inTurn * more)
		beside := max(0, milliseconds(fromChat)/inTurn-2*step)
		before, err := b.processors(ctx, e, c)
		if err != nil {
			return nil, err
		}
		if _, err := c.run(ctx, atOnce, 1, instant); err != nil {
			return nil, err
		}
		after, err := b.processors(ctx, e, c)
		return []float64{milliseconds(short) / inTurn, milliseconds(after.program-before.program) / atOnce, beside, milliseconds(waited) / inTurn}, err
	})
	if err != nil {
		return err
	}
	b.report(e, result{
		what: "a run of one step, from task to end", unit: "ms", floor: floor[0], nestor: nestor[0],
		ratio: nestor[0] / floor[0],
	})
	b.report(e, result{
		what: "a run beside its steps, from chat to end", unit: "ms", floor: floor[2], nestor: nestor[2],
		ratio: nestor[2], goal: e.fixed,
	})
	b.report(e, result{
		what: "a run of one step, from request to answer", unit: "ms", floor: floor[3], nestor: nestor[3],
		ratio: nestor[3] / floor[3],
	})
	b.report(e, result{
		what: "a run of one step, processor time", unit: "ms", floor: floor[1], nestor: nestor[1],
		ratio: nestor[1] / floor[1],
	})
	return nil
}

// many is how many steps agents make that work at the same time.
func (b *bench) many(ctx context.Context, e *engine) error {
	steps := float64(b.agents * usualSteps)
	floor, nestor, err := b.alternate(ctx, e, "many", b.rounds, func(c *contestant) ([]float64, error) {
		before, err := b.processors(ctx, e, c)
		if err != nil {
			return nil, err
		}
		seen, err := b.watchLocks(ctx, e)
		if err != nil {
			return nil, err
		}
		out, err := c.run(ctx, b.agents, usualSteps, instant)
		waits, lost := seen()
		if err = errors.Join(err, lost); err != nil {
			return nil, err
		}
		if b.locks {
			waits.print()
		}
		after, err := b.processors(ctx, e, c)
		return []float64{
			steps / out.Elapsed.Seconds(),
			milliseconds(after.program-before.program) / steps,
			milliseconds(after.database-before.database) / steps,
			waits.share(),
		}, err
	})
	if err != nil {
		return err
	}
	b.report(e, result{
		what: fmt.Sprintf("%d agents, steps per second", b.agents), floor: floor[0], nestor: nestor[0],
		ratio: nestor[0] / floor[0], goal: e.many, atLeast: true,
	})
	b.report(e, result{
		what: fmt.Sprintf("%d agents, processor time per step", b.agents), unit: "ms", floor: floor[1], nestor: nestor[1],
		ratio: nestor[1] / floor[1],
	})
	if e.url == "" {
		return nil
	}
	b.report(e, result{
		what: fmt.Sprintf("%d agents, of the database per step", b.agents), unit: "ms", floor: floor[2], nestor: nestor[2],
		ratio: nestor[2] / floor[2],
	})
	if !b.locks {
		return nil
	}
	b.report(e, result{
		what: fmt.Sprintf("%d agents, connections that wait for locks", b.agents), floor: floor[3], nestor: nestor[3], ratio: nestor[3],
	})
	return nil
}

// processorTime is what a contestant and its database have used. SQLite is a part of
// the program.
type processorTime struct{ program, database time.Duration }

func (b *bench) processors(ctx context.Context, e *engine, c *contestant) (t processorTime, err error) {
	if t.program, err = spentBy(c.Process); err != nil || e.url == "" {
		return t, err
	}
	t.database, err = databaseTime(ctx, e.url)
	return t, err
}

// long is how the time per step grows with the conversation.
func (b *bench) long(ctx context.Context, e *engine) error {
	const window = 20 // steps
	if b.steps < 2*window+1 {
		return fmt.Errorf("-steps is at least %d", 2*window+1)
	}
	floor, nestor, err := b.alternate(ctx, e, "long", b.rounds, func(c *contestant) ([]float64, error) {
		out, err := c.run(ctx, 1, b.steps, instant)
		if err != nil {
			return nil, err
		}
		ends := out.Ends[0]
		if len(ends) != b.steps {
			return nil, fmt.Errorf("%s made %d steps, not %d", c.name, len(ends), b.steps)
		}
		return []float64{
			milliseconds(ends[window]-ends[0]) / window,
			milliseconds(ends[b.steps-1]-ends[b.steps-1-window]) / window,
		}, nil
	})
	if err != nil {
		return err
	}
	b.report(e, result{
		what: fmt.Sprintf("one agent, time of the first %d steps, each", window), unit: "ms",
		floor: floor[0], nestor: nestor[0], ratio: nestor[0] / floor[0],
	})
	b.report(e, result{
		what: fmt.Sprintf("one agent, time per step at step %d", b.steps), unit: "ms", floor: floor[1], nestor: nestor[1],
		ratio: nestor[1] / floor[1], goal: 1.5,
	})
	return nil
}

// waiting is how well agents do that mostly wait, and what memory they take. Each
// round has processes of its own: the peak is over their life. There are fewer
// rounds than elsewhere, because they are long and what is waited for is exact.
func (b *bench) waiting(ctx context.Context, e *engine) error {
	const steps, wait = 4, time.Second
	const ideal = (steps + 1) * wait // and the final answer
	var floors, nestors [][]float64
	for range max(1, b.rounds-2) {
		floor, nestor, err := b.alternate(ctx, e, "wait", 1, func(c *contestant) ([]float64, error) {
			before, err := spentBy(c.Process)
			if err != nil {
				return nil, err
			}
			out, err := c.run(ctx, b.waiters, steps, manner{wait: wait})
			if err != nil {
				return nil, err
			}
			after, err := spentBy(c.Process)
			if err != nil {
				return nil, err
			}
			peak, err := c.Peak()
			return []float64{out.Elapsed.Seconds(), milliseconds(after-before) / float64(b.waiters), float64(peak) / (1 << 20)}, err
		})
		if err != nil {
			return err
		}
		floors, nestors = append(floors, floor), append(nestors, nestor)
	}
	floor, nestor := medians(floors), medians(nestors)
	b.report(e, result{
		what: fmt.Sprintf("%d waiting agents, time (ideal %v)", b.waiters, ideal), unit: "s", floor: floor[0], nestor: nestor[0],
		ratio: nestor[0] / floor[0], goal: e.waiting,
	})
	b.report(e, result{
		what: fmt.Sprintf("%d waiting agents, processor time each", b.waiters), unit: "ms", floor: floor[1], nestor: nestor[1],
		ratio: nestor[1] / floor[1],
	})
	b.report(e, result{
		what: fmt.Sprintf("%d waiting agents, peak memory", b.waiters), unit: "MB", floor: floor[2], nestor: nestor[2],
		ratio: nestor[2] / floor[2], goal: 1.5,
	})
	return nil
}

// hosted is what agents cost that talk to a model as fast as those that people
// rent. Then the time of a step is the model's, and what a server adds to it is
// processor time: it decides how many agents a machine can run.
func (b *bench) hosted(ctx context.Context, e *engine) error {
	const steps = 10
	for _, agents := range []int{1, b.agents, b.crowd} {
		floor, nestor, err := b.alternate(ctx, e, fmt.Sprintf("hosted-%d", agents), max(1, b.rounds-2), func(c *contestant) ([]float64, error) {
			before, err := spentBy(c.Process)
			if err != nil {
				return nil, err
			}
			out, err := c.run(ctx, agents, steps, hosted)
			if err != nil {
				return nil, err
			}
			after, err := spentBy(c.Process)
			made := float64(agents * steps)
			return []float64{out.Elapsed.Seconds() / steps, made / out.Elapsed.Seconds(), milliseconds(after-before) / made}, err
		})
		if err != nil {
			return err
		}
		b.report(e, result{
			what: fmt.Sprintf("hosted, agents: %d, time per step", agents), unit: "s", floor: floor[0], nestor: nestor[0],
			ratio: nestor[0] / floor[0],
		})
		if agents == 1 {
			continue // too little processor time to be told
		}
		b.report(e, result{
			what: fmt.Sprintf("hosted, agents: %d, steps per second", agents), floor: floor[1], nestor: nestor[1],
			ratio: nestor[1] / floor[1],
		})
		b.report(e, result{
			what: fmt.Sprintf("hosted, agents: %d, processor per step", agents), unit: "ms", floor: floor[2], nestor: nestor[2],
			ratio: nestor[2] / floor[2],
		})
	}
	return nil
}

// size is what is on disk when agents have ended, and the processes, too, for each byte of
// messages: of the floor's JSON, and of what Nestor's API gives. Nestor's tables have a part
// of that in columns; beside what is left as JSON in them the number is larger. A new
// database has tables and indexes that take a page or two each: that is told apart.
func (b *bench) size(ctx context.Context, e *engine) error {
	empty, err := b.emptySize(ctx, e)
	if err != nil {
		return err
	}
	p, err := b.open(ctx, e, "size")
	if err != nil {
		return err
	}
	for _, c := range []*contestant{p.floor, p.nestor} {
		for range 10 {
			if _, err := c.run(ctx, b.agents, usualSteps, verbose); err != nil {
				return errors.Join(err, p.close())
			}
		}
	}
	told, err := client{p.nestor.URL}.messageBytes(ctx)
	if err := errors.Join(err, p.close()); err != nil {
		return err
	}
	disk, bodies, err := e.size(ctx, p.nestor.place, p.nestor.messages)
	if err != nil {
		return err
	}
	floorDisk, floorBodies, err := e.size(ctx, p.floor.place, p.floor.messages)
	if err != nil {
		return err
	}
	floor := floorDisk / floorBodies
	b.report(e, result{what: "bytes on disk per byte of messages", floor: floor, nestor: disk / told, ratio: disk / told, goal: 2})
	disk -= empty
	b.report(e, result{what: fmt.Sprintf("the same without a new database's %.1f MB", empty/1e6), floor: floor, nestor: disk / told, ratio: disk / told})
	b.report(e, result{what: "and per byte of JSON in their tables", floor: floor, nestor: disk / bodies, ratio: disk / bodies})
	return nil
}

// emptySize is how many bytes a database of Nestor takes in which nobody did anything.
func (b *bench) emptySize(ctx context.Context, e *engine) (float64, error) {
	c, err := b.startNestor(ctx, e, "empty")
	if err != nil {
		return 0, err
	}
	err = errors.Join(call(ctx, http.MethodGet, c.URL+"/api/v1/jobs?limit=1", nil, nil), c.Stop())
	httpClient.CloseIdleConnections()
	if err != nil {
		return 0, err
	}
	disk, _, err := e.size(ctx, c.place, c.messages)
	return disk, err
}

// alternate lets floor and program take turns, so that both meet the same
// machine, and returns the medians of what job measures.
func (b *bench) alternate(ctx context.Context, e *engine, part string, rounds int, job func(*contestant) ([]float64, error),
) (floor, nestor []float64, err error) {
	p, err := b.open(ctx, e, part)
	if err != nil {
		return nil, nil, err
	}
	measured := map[*contestant][][]float64{}
	for range rounds {
		for _, c := range []*contestant{p.floor, p.nestor} {
			values, err := job(c)
			if err != nil {
				return nil, nil, errors.Join(err, p.close())
			}
			measured[c] = append(measured[c], values)
		}
	}
	return medians(measured[p.floor]), medians(measured[p.nestor]), p.close()
}

// medians are those of every column.
func medians(rounds [][]float64) []float64 {
	columns := make([]float64, len(rounds[0]))
	for i := range columns {
		var column []float64
		for _, values := range rounds {
			column = append(column, values[i])
		}
		slices.Sort(column)
		columns[i] = column[len(column)/2]
	}
	return columns
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
