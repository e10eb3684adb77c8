package turn

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/recovery"
)

// Leg is a run that a client is told of.
type Leg struct {
	Run nestor.Path
	// After are ids of what the client deals with now: it was told all that happened
	// until the run waited for them. None is for a client that is told everything.
	After []string
	// Resumed is, for a run that a message set going again, how often it had been
	// resumed when it waited; nil otherwise.
	Resumed *int
}

// End is where a leg ended: the run has, or waits for somebody.
type End struct {
	Run nestor.Run
	// Open is what the run waits for.
	Open []Wait
}

// Told is given what happens, in order. Again: the client was told this before. Nil is
// for nothing: the client has to hear something now and then.
type Told func(e *runs.Event, again bool) error

// beat is how long a client hears nothing at most, so that nobody takes the connection
// for dead.
const beat = 15 * time.Second

// Follow tells what happens in one run after the other, until one waits or did not
// succeed. A message that was said may have set others going again, as the answer to
// what they asked: these come last.
func (t *Thread) Follow(ctx context.Context, all *runs.Runs, legs []Leg, told Told) (end *End, err error) {
	for n := 0; n < len(legs); n++ {
		end, err = t.follow(ctx, all, legs[n], told)
		if err != nil || end != nil && end.Run.Status != nestor.RunSuccess {
			return end, err
		}
		if n < len(legs)-1 || t.waited == nil {
			continue
		}
		resumed, err := t.resumed()
		if err != nil {
			return end, err
		}
		legs = append(legs, resumed...)
	}
	return end, nil
}

// follow tells what happens in the run of a leg until it ends or waits. It returns no end
// if a run that comes last goes on with this one.
func (t *Thread) follow(ctx context.Context, all *runs.Runs, leg Leg, told Told) (*End, error) {
	f := follower{thread: t, again: len(leg.After) > 0 || leg.Resumed != nil, leg: leg}
	seen := false
	for e, err := range quietly(ctx, all, leg.Run) {
		switch {
		case errors.Is(err, nestor.ErrTooOld) && !seen:
			return t.outcome(ctx, all, leg, told)
		case err != nil:
			return nil, err
		case e == nil:
			if err := told(nil, f.again); err != nil {
				return nil, err
			}
			continue
		}
		seen = true
		if over, err := t.handsOver(e); over || err != nil {
			return nil, err
		}
		end, err := f.next(e, told)
		if end != nil || err != nil {
			return end, err
		}
	}
	if err := context.Cause(ctx); err != nil {
		return nil, nestor.Errorf(nestor.CodeUnavailable, "the stream was ended before the run was over: %w; send the same request again", err)
	}
	return nil, nestor.Errorf(nestor.CodeInternal, "the events of the run %s have no end", leg.Run)
}

// handsOver reports whether an event is of a run that waited when something was said, and
// goes on with that. This one tells of it only from when it knows that, somewhere in the middle:
// the other one's leg tells all of it.
func (t *Thread) handsOver(e *runs.Event) (bool, error) {
	i := slices.IndexFunc(t.waited, func(was nestor.Run) bool { return e.RunID == was.ID || e.Run != nil && e.Run.JoinedTo == was.ID })
	if i < 0 {
		return false, nil
	}
	now, err := t.run(t.waited[i].ID)
	return now.Resumes > t.waited[i].Resumes, err
}

type follower struct {
	thread *Thread
	again  bool
	leg    Leg
	waits  waits
	// held is what is being said now, if it was told before what happened until the
	// run waited: nothing was being said when it did.
	held []*runs.Event
}

// next passes an event on and reports whether it is the last one.
func (f *follower) next(e *runs.Event, told Told) (*End, error) {
	f.waits.note(e)
	switch e.Type {
	case runs.Text, runs.Reasoning, runs.Restarted:
		if f.again {
			f.held = append(f.held, e)
			return nil, nil
		}
	case runs.RunEnded:
		f.again = false // whoever came here was not told of the end
	}
	if err := f.release(told); err != nil {
		return nil, err
	}
	if err := told(e, f.again); err != nil {
		return nil, err
	}
	switch {
	case e.Type == runs.RunEnded:
		end := &End{Run: nestor.Run{Status: nestor.RunStatus(e.Status)}}
		if e.Run != nil {
			end.Run = *e.Run
		} else if e.Error != "" {
			end.Run.Errors = []string{e.Error}
		}
		return end, nil
	case e.Type != runs.RunWaits:
		return nil, nil
	case f.again:
		f.again = f.before(e.Run)
		return nil, f.release(told)
	}
	return f.waiting(e)
}

// release passes on what was held, once the client is told what happens.
func (f *follower) release(told Told) error {
	if f.again {
		return nil
	}
	for _, e := range f.held {
		if err := told(e, false); err != nil {
			return err
		}
	}
	f.held = nil
	return nil
}

// before reports whether the run, which waits, did so before what the client was told of
// last.
func (f *follower) before(run *nestor.Run) bool {
	if f.leg.Resumed != nil {
		return run.Resumes < *f.leg.Resumed
	}
	return slices.ContainsFunc(f.leg.After, func(id string) bool { return !slices.Contains(f.waits, id) })
}

// waiting looks what is open when the run waits. Nothing is if this is an old wait,
// which somebody dealt with.
func (f *follower) waiting(e *runs.Event) (*End, error) {
	end := &End{Run: *e.Run}
	for _, id := range f.waits {
		w, err := f.thread.Find(id)
		if errors.Is(err, nestor.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if w.Open {
			end.Open = append(end.Open, w)
		}
	}
	d, err := f.thread.req.Get(e.Path)
	if err != nil {
		return nil, err
	}
	now, err := nestor.As[nestor.Run](d)
	if err != nil || now.Status != nestor.RunWaiting || now.Resumes != e.Run.Resumes {
		return nil, err // it goes on
	}
	return end, nil
}

// outcome tells what came of a run that the log does not reach back to.
func (t *Thread) outcome(ctx context.Context, all *runs.Runs, leg Leg, told Told) (*End, error) {
	result, err := all.Result(ctx, leg.Run, 0)
	if err != nil {
		return nil, err
	}
	for i := range result.Messages {
		m := &result.Messages[i]
		e := runs.Event{Type: runs.Said, RunID: m.RunID, Path: t.Chat.Child("messages", m.ID), TaskID: m.TaskID, AgentID: m.SubAgentID, Text: m.Content, Message: m}
		if err := told(&e, false); err != nil {
			return nil, err
		}
	}
	e := runs.Event{Type: runs.RunEnded, RunID: result.Run.ID, Path: leg.Run, Status: string(result.Run.Status), Run: &result.Run}
	return &End{Run: result.Run}, told(&e, false)
}

// quietly yields the events of a run, and nil when there was none for a while.
func quietly(ctx context.Context, all *runs.Runs, run nestor.Path) func(func(*runs.Event, error) bool) {
	type next struct {
		event *runs.Event
		err   error
	}
	return func(yield func(*runs.Event, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		events := make(chan next)
		go func() {
			defer close(events)
			pass := func(n next) bool {
				select {
				case events <- n:
					return true
				case <-ctx.Done():
					return false
				}
			}
			failure := recovery.Call(func() error {
				for e, err := range all.Follow(ctx, run, "") {
					if !pass(next{&e.Event, err}) {
						break
					}
				}
				return nil
			})
			if failure != nil {
				pass(next{nil, failure})
			}
		}()
		defer func() {
			stop()
			for range events { // until the goroutine has ended
			}
		}()
		tick := time.NewTicker(beat)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if !yield(nil, nil) {
					return
				}
			case e, more := <-events:
				if !more || !yield(e.event, e.err) {
					return
				}
				tick.Reset(beat)
			}
		}
	}
}
