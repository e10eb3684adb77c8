package crashtest

import (
	"context"
	"errors"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// play is what a person and the system do together, whichever processes come and
// go meanwhile: [conversation] or [errand].
type play struct {
	// last is the message in the chat that ends it. It is the last document to be
	// written.
	last string
	// act does what the person does next, when no job is left.
	act func(ctx context.Context, m *member, now situation) error
}

var errStuck = errors.New("nothing is left to do, and it is not over")

// situation is how things stand.
type situation struct {
	opened     bool
	said       map[string]bool // in the chat
	letter     nestor.ToolCall // to the restaurant; zero before
	letterPath nestor.Path
}

func (m *member) look(ctx context.Context) (now situation, err error) {
	err = m.store.View(ctx, func(r store.Reader) error {
		now = situation{said: map[string]bool{}}
		if _, err := r.Get(chatPath); errors.Is(err, nestor.ErrNotFound) {
			return nil
		} else if err != nil {
			return err
		}
		now.opened = true
		messages, err := r.Query(store.Query{Flat: store.Messages.Name, Limit: store.MaxLimit})
		if err != nil {
			return err
		}
		for _, d := range messages.Items {
			m, err := nestor.As[nestor.Message](d)
			if err != nil {
				return err
			}
			now.said[m.Content] = true
		}
		letters, err := r.Query(store.Query{
			Flat: store.SubAgentToolCalls.Name, Where: store.Where("toolName", store.Eq, writeLetter),
		})
		for _, d := range letters.Items {
			now.letterPath = d.Path
			if err := d.Decode(&now.letter); err != nil {
				return err
			}
		}
		return err
	})
	return now, err
}

// goOn has the person act for as long as no job is left. They say about a letter
// of unknown effect that it is done. It reports whether the play is over.
func (p play) goOn(ctx context.Context, m *member) (over bool, err error) {
	for {
		left, err := m.store.Jobs(ctx, store.JobFilter{Limit: 1})
		if err != nil || len(left) > 0 {
			return false, err
		}
		now, err := m.look(ctx)
		if err != nil || now.said[p.last] {
			return err == nil, err
		}
		if now.letter.Status == nestor.ToolCallUnknown {
			err = m.agents.Decide(ctx, now.letterPath, nestor.Decision{Action: nestor.MarkDone, By: person, Reason: letterAnswer})
		} else {
			err = p.act(ctx, m, now)
		}
		if err != nil {
			return false, err
		}
	}
}

// perform plays the person and all of the system, to the end.
func (p play) perform(ctx context.Context, m *member) error {
	return m.run(ctx, func(ctx context.Context) error {
		return m.workUntil(ctx, m.worker, func(ctx context.Context) (bool, error) { return p.goOn(ctx, m) })
	})
}

// program performs the play and reads how it ended. What it finds is a letter under way.
func (p play) program(ctx context.Context, l *life) ([]string, error) {
	m, err := join(ctx, l, memberOptions{})
	if err != nil {
		return nil, err
	}
	now, err := m.look(ctx)
	if err != nil {
		return nil, err
	}
	if now.letter.Status == nestor.ToolCallRunning {
		l.found = 1
	}
	if err := p.toTheEnd(ctx, m); err != nil {
		return nil, err
	}
	l.decided, err = l.ending.undecide()
	return l.ending.lines(), err
}

// toTheEnd performs the play and reads how it ended.
func (p play) toTheEnd(ctx context.Context, m *member) (err error) {
	if err = p.perform(ctx, m); err == nil {
		m.ending, err = readEnding(ctx, m.store, p.last)
	}
	return err
}
