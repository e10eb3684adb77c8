package agent_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
)

// gates hold models, tools and jobs back for as long as a test wants: those whose
// description contains a text.
type gates struct {
	mu      sync.Mutex
	closed  map[string]chan struct{} // by text
	held    map[string]*hold         // by the job that waits
	left    map[string]int           // how many gave up waiting, by text
	gone    int                      // how many gave up waiting in all
	changed func()
}

// hold is one attempt at a job that waits. What an attempt that was interrupted began
// may notice it only after the next one waits.
type hold struct {
	text string // of the gate
	gate chan struct{}
}

// close holds back what passes from now on.
func (g *gates) close(text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed == nil {
		g.closed, g.held, g.left = map[string]chan struct{}{}, map[string]*hold{}, map[string]int{}
	}
	g.closed[text] = make(chan struct{})
}

// open lets go what was held back. It reports whether there was such a gate.
func (g *gates) open(text string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	gate, ok := g.closed[text]
	if ok {
		close(gate)
		delete(g.closed, text)
		maps.DeleteFunc(g.held, func(_ string, h *hold) bool { return h.text == text })
	}
	return ok
}

func (g *gates) openAll() {
	g.mu.Lock()
	texts := slices.Collect(maps.Keys(g.closed))
	g.mu.Unlock()
	for _, text := range texts {
		g.open(text)
	}
}

// allOpen reports whether nothing is held back.
func (g *gates) allOpen() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.closed) == 0
}

// pass waits while a gate for what is described is closed.
func (g *gates) pass(ctx context.Context, description string) error {
	_, err := g.wait(ctx, description)
	return err
}

// wait is pass, and reports whether there was anything to wait for.
func (g *gates) wait(ctx context.Context, description string) (waited bool, err error) {
	job := jobOf(ctx)
	for {
		h := g.arrive(description, job)
		if h == nil {
			return waited, nil
		}
		waited = true
		g.changed()
		select {
		case <-h.gate:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			g.leave(job, h)
			g.changed()
			return true, context.Cause(ctx)
		}
	}
}

func (g *gates) arrive(description, job string) *hold {
	g.mu.Lock()
	defer g.mu.Unlock()
	for text, gate := range g.closed {
		if strings.Contains(description, text) {
			h := &hold{text, gate}
			g.held[job] = h
			return h
		}
	}
	return nil
}

func (g *gates) leave(job string, h *hold) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed[h.text] == h.gate {
		g.left[h.text]++
		g.gone++
	}
	if g.held[job] == h {
		delete(g.held, job)
	}
}

// interrupted reports whether something that the gate held was interrupted
// since this was last asked.
func (g *gates) interrupted(text string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := g.left[text]
	g.left[text] = 0
	return n > 0
}

// holds reports whether a job waits at a gate.
func (g *gates) holds(job string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, held := g.held[job]
	return held
}

// count is how many wait, and how many gave up waiting so far.
func (g *gates) count() (waiting, gone int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.held), g.gone
}
