package openai

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/recovery"
)

// happened is something that happened in one of the runs of an answer.
type happened struct {
	// of is the index of the run.
	of int
	runs.Positioned
	// rests is the run, if there is nothing more to come of it.
	rests *nestor.Run
	err   error
}

// outcome is how an answer ended.
type outcome struct {
	status nestor.RunStatus
	usage  *nestor.Usage
}

// follow tells an answer until its run rests: it has ended, or waits for somebody.
func (d *Door) follow(ctx context.Context, chat nestor.Path, place Place, a *answer) (outcome, error) {
	f := &following{door: d, chat: chat, answer: a, place: place, stands: place.stands()}
	err := f.leaveOut(ctx)
	f.rested = make([]*nestor.Run, len(f.stands))
	if err == nil {
		err = f.run(ctx)
	}
	if err == nil {
		err = f.finish(ctx)
	}
	return f.outcome, err
}

// following is one answer being followed.
type following struct {
	door   *Door
	chat   nestor.Path
	answer *answer
	place  Place
	// stands are the run and those that may go on with it, and rested are those of them
	// that have nothing more to tell, as they were then.
	stands  []Stand
	rested  []*nestor.Run
	outcome outcome
}

func (f *following) at(i int) nestor.Path { return runAt(f.chat.UserID(), f.stands[i].Run) }

// leaveOut has runs that ended with another one not be followed, if the answer is over:
// they tell what the other one told later, too, and nothing else.
func (f *following) leaveOut(ctx context.Context) error {
	if !f.place.over() {
		return nil
	}
	var own []Stand
	for i, s := range f.stands {
		result, err := f.door.runs().Result(ctx, f.at(i), 0)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(f.stands, func(s Stand) bool { return s.Run == result.Run.JoinedTo }) {
			own = append(own, s)
		}
	}
	f.stands = own
	return nil
}

// run follows all runs until they rest.
func (f *following) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	events := make(chan happened)
	var readers sync.WaitGroup
	defer readers.Wait()
	defer stop()
	for i := range f.stands {
		readers.Go(func() {
			err := recovery.Call(func() error { f.read(ctx, i, events); return nil })
			if err == nil {
				return
			}
			select {
			case events <- happened{of: i, err: err}:
			case <-ctx.Done():
			}
		})
	}
	beat := time.NewTicker(f.door.beat)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-beat.C:
			if err := f.answer.to.beats(); err != nil {
				return err
			}
		case e := <-events:
			if err := f.take(ctx, &e); err != nil {
				return err
			}
			if done, err := f.done(ctx); done || err != nil {
				return err
			}
		}
	}
}

// read passes on what happens in one run.
func (f *following) read(ctx context.Context, i int, to chan<- happened) {
	pass := func(e happened) bool {
		select {
		case to <- e:
			return true
		case <-ctx.Done():
			return false
		}
	}
	for e, err := range f.door.runs().Follow(ctx, f.at(i), f.stands[i].From) {
		if nestor.CodeOf(err) == nestor.CodeTooOld {
			break // what is written tells it
		}
		if !pass(happened{of: i, Positioned: e, err: err}) || err != nil {
			return
		}
	}
	for {
		result, err := f.door.runs().Result(ctx, f.at(i), mostWait)
		if err != nil || result.Run.Status != nestor.RunRunning {
			pass(happened{of: i, rests: &result.Run, err: err})
			return
		}
	}
}

// take adds what happened, and notes whether the run rests.
func (f *following) take(ctx context.Context, e *happened) error {
	switch {
	case e.err != nil:
		return e.err
	case f.rested[e.of] != nil:
		// Somebody went on: that is another answer.
	case e.rests != nil:
		f.rested[e.of] = e.rests
	case e.Type == runs.RunEnded && e.Run == nil:
		return nestor.Errorf(nestor.CodeNotFound, "somebody deleted what was being answered")
	case e.Type == runs.RunEnded:
		f.rested[e.of] = e.Run
	case e.Type == runs.RunWaits:
		waits, err := f.waits(ctx, e)
		if waits {
			f.rested[e.of] = e.Run
		}
		return err
	default:
		return f.answer.take(&e.Event)
	}
	return nil
}

// waits reports whether the answer ends here because its run waits. The log may tell of
// a time when it waited and has gone on since.
func (f *following) waits(ctx context.Context, e *happened) (bool, error) {
	for _, call := range f.place.Given {
		if !f.answer.ended[nestor.Path(string(f.chat)+"/"+call)] {
			return false, nil // not all results were given yet
		}
	}
	if until := f.stands[e.of].Until; len(f.answer.pending) > 0 || until != nil && e.Run.Resumes >= *until {
		return true, nil
	}
	if f.answer.stays && len(f.answer.approvals) > 0 {
		return false, nil
	}
	now, err := f.door.runs().Result(ctx, f.at(e.of), 0)
	return now.Run.Status == nestor.RunWaiting && now.Run.Resumes == e.Run.Resumes, err
}

// done reports whether all runs rest. One that waited before counts only once
// somebody has set it going again.
func (f *following) done(ctx context.Context) (bool, error) {
	if f.rested[0] == nil {
		return false, nil
	}
	for i := 1; i < len(f.stands); i++ {
		if f.rested[i] != nil {
			continue
		}
		now, err := f.door.runs().Result(ctx, f.at(i), 0)
		if err != nil {
			return false, err
		}
		if now.Run.Status != nestor.RunWaiting || now.Run.Resumes != f.stands[i].Resumes {
			return false, nil // it goes on, and will tell when it rests
		}
	}
	return true, nil
}

// finish adds what is written and was not told, and sums up.
func (f *following) finish(ctx context.Context) error {
	for i, run := range f.rested {
		if run == nil {
			continue // nobody set it going again
		}
		result, err := f.door.runs().Result(ctx, f.at(i), 0)
		if err != nil {
			return err
		}
		from := run.CreatedSeq
		if text := f.stands[i].From; text != "" {
			if from, err = strconv.ParseInt(text, 10, 64); err != nil {
				return err
			}
		}
		for _, m := range result.Messages {
			if m.CreatedSeq <= from || m.CreatedSeq > run.Seq {
				continue // of another answer
			}
			if err := f.answer.write(&m, f.chat.Child("messages", m.ID)); err != nil {
				return err
			}
		}
		f.outcome.usage = f.outcome.usage.Add(minus(run.Usage, f.stands[i].Used))
		f.outcome.status = worst(f.outcome.status, run.Status)
		if n := len(run.Errors); n > 0 && run.Status == nestor.RunFailed {
			f.answer.failure = run.Errors[n-1]
		}
	}
	if f.outcome.status != nestor.RunFailed {
		f.answer.failure = ""
	}
	return f.answer.close()
}

// worst is the status that counts of two runs that answer together.
func worst(a, b nestor.RunStatus) nestor.RunStatus {
	for _, s := range []nestor.RunStatus{nestor.RunFailed, nestor.RunCancelled, nestor.RunWaiting} {
		if a == s || b == s {
			return s
		}
	}
	return b
}

// minus is what was used since.
func minus(now, before *nestor.Usage) *nestor.Usage {
	if now == nil || before == nil {
		return now
	}
	return &nestor.Usage{
		InputTokens: now.InputTokens - before.InputTokens, CachedInputTokens: now.CachedInputTokens - before.CachedInputTokens,
		OutputTokens: now.OutputTokens - before.OutputTokens, ReasoningTokens: now.ReasoningTokens - before.ReasoningTokens, Estimated: now.Estimated,
	}
}
