package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/nestorhq/nestor"
)

// lines are where the transactions of this node wait that are about to write the same
// document: each reads it when those before it have ended. Without them all would
// read the same version, one would commit and the others would have been run for
// nothing, to be run again with locks, which makes proposals of others fail in turn.
//
// A line is a courtesy: what is committed is right without it. So nobody stands in
// it for long, and who holds a place stands in no line for a document with a
// smaller path: then there is no circle of transactions that wait for each other.
type lines struct {
	mu   sync.Mutex
	last map[nestor.Path]*place
}

// place is one in a line. It is free for the next when left is closed.
type place struct {
	path nestor.Path
	left chan struct{}
}

// places are those that a transaction holds, by path, through all attempts at it.
type places struct {
	lines *lines
	held  []*place
}

// longestLine bounds how long a transaction waits for those before it.
const longestLine = 15 * time.Second

// lineUp waits until the transactions before this one that write the document have ended.
func (p *places) lineUp(ctx context.Context, path nestor.Path) {
	if n := len(p.held); n > 0 && path <= p.held[n-1].path {
		return
	}
	mine := &place{path: path, left: make(chan struct{})}
	p.held = append(p.held, mine)
	before := p.lines.add(mine)
	if before == nil {
		return
	}
	enough := time.NewTimer(longestLine)
	defer enough.Stop()
	select {
	case <-before.left:
	case <-enough.C:
	case <-ctx.Done():
	}
}

// leave gives the places up.
func (p *places) leave() {
	for _, mine := range p.held {
		p.lines.remove(mine)
	}
	p.held = nil
}

// add puts somebody at the end of a line and returns who is before, nil if nobody is.
func (l *lines) add(mine *place) (before *place) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last == nil {
		l.last = map[nestor.Path]*place{}
	}
	before, l.last[mine.path] = l.last[mine.path], mine
	return before
}

func (l *lines) remove(mine *place) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(mine.left)
	if l.last[mine.path] == mine {
		delete(l.last, mine.path)
	}
}
