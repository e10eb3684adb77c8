package main

import (
	"context"
	"fmt"
	"slices"
	"syscall"
	"time"
)

// act is something that goes wrong in a data centre.
type act struct {
	name   string
	weight int
	do     func(s *soak, n *node, length float64) error // length is between 0 and 1
}

var acts = []act{
	{"kill -9 of a node", 5, func(_ *soak, n *node, _ float64) error {
		n.signal(syscall.SIGKILL)
		return nil
	}},
	{"a node frozen for longer than its lease", 3, func(s *soak, n *node, length float64) error {
		n.freeze(s.Lease + time.Duration((0.3+length)*float64(s.Lease)))
		return nil
	}},
	{"a node frozen for less than its lease", 2, func(s *soak, n *node, length float64) error {
		n.freeze(time.Duration((0.1 + 0.8*length) * float64(s.Lease)))
		return nil
	}},
	{"a node drained", 3, func(_ *soak, n *node, _ float64) error {
		n.signal(syscall.SIGTERM)
		return nil
	}},
	{"PostgreSQL restarted, fast", 2, func(s *soak, _ *node, _ float64) error { return s.database.Restart() }},
	{"PostgreSQL restarted, immediate", 2, func(s *soak, _ *node, _ float64) error { return s.database.Crash() }},
	{"a process of PostgreSQL killed", 1, func(s *soak, _ *node, _ float64) error { return s.database.Kill() }},
	{"all connections terminated", 3, func(s *soak, _ *node, _ float64) error { return s.database.Terminate() }},
}

// natsActs go wrong, too, where NATS carries live text.
var natsActs = []act{
	{"NATS stopped, and started again", 4, func(s *soak, _ *node, length float64) error {
		s.nats.away(time.Duration((0.2+5*length)*float64(time.Second)), func(err error) { s.journal.note("NATS is back: %v", err) })
		return nil
	}},
}

// chaos does one act after the other until ctx ends, then makes sure that all
// nodes run.
func (s *soak) chaos(ctx context.Context) error {
	random := s.random(1)
	acts, total := acts, 0
	if s.nats != nil {
		acts = slices.Concat(acts, natsActs)
	}
	for _, a := range acts {
		total += a.weight
	}
	for {
		pause := time.Second + time.Duration(random.Int64N(int64(4*time.Second)))
		n, length, drawn := s.nodes[random.IntN(len(s.nodes))], random.Float64(), random.IntN(total)
		select {
		case <-ctx.Done():
			return s.recover(context.WithoutCancel(ctx))
		case <-time.After(pause):
		}
		for _, a := range acts {
			if drawn -= a.weight; drawn >= 0 {
				continue
			}
			s.journal.note("%s (%s)", a.name, n.name)
			s.acts[a.name]++
			if err := a.do(s, n, length); err != nil {
				return fmt.Errorf("%s: %w", a.name, err)
			}
			break
		}
	}
}

// recover waits until all nodes go on and answer.
func (s *soak) recover(ctx context.Context) error {
	if s.nats != nil {
		if err := s.nats.start(); err != nil {
			return err
		}
	}
	for _, n := range s.nodes {
		for n.isFrozen() {
			time.Sleep(50 * time.Millisecond)
		}
		if err := n.ready(ctx); err != nil {
			return err
		}
	}
	return nil
}
