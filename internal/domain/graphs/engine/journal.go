package engine

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/store"
)

// Journal is what the runs of one turn note, so that a later run of the turn, in whatever
// process, goes on where an earlier one stopped. It is used by one goroutine.
type Journal struct {
	engine *Engine
	turn   *turn
}

// maxJournal bounds what is noted in one turn, in bytes.
const maxJournal = 512 << 10

// errOverrun is why a run stops whose turn another run goes on with.
var errOverrun = nestor.Errorf(nestor.CodeLeaseLost, "another run goes on with this turn")

// Find decodes what was noted under a name. Begun reports whether somebody began what the
// name stands for and has not noted what came of it.
func (j *Journal) Find(name string, into any) (found, begun bool, err error) {
	entries := j.turn.resolution.Journal
	i := slices.IndexFunc(entries, func(e record.JournalEntry) bool { return e.Name == name })
	if i < 0 {
		return false, false, nil
	}
	if entries[i].Value == nil {
		return false, true, nil
	}
	return true, false, json.Unmarshal(entries[i].Value, into)
}

// Begin notes that something is begun whose outcome is noted later.
func (j *Journal) Begin(ctx context.Context, name string) error {
	return j.write(ctx, record.JournalEntry{Name: name})
}

// Note notes a value, and pays for what was used to come by it.
func (j *Journal) Note(ctx context.Context, name string, value any) error {
	text, err := json.Marshal(value)
	if err == nil {
		text, err = storable(text)
	}
	if err != nil {
		return err
	}
	return j.write(ctx, record.JournalEntry{Name: name, Value: text})
}

func (j *Journal) write(ctx context.Context, entry record.JournalEntry) error {
	before := j.turn.resolution.Journal
	after := append(slices.DeleteFunc(slices.Clone(before), func(e record.JournalEntry) bool { return e.Name == entry.Name }), entry)
	size := 0
	for _, e := range after {
		size += len(e.Value)
	}
	if size > maxJournal {
		return nestor.Errorf(nestor.CodeTooLarge, "what the node did has more than %d bytes", maxJournal)
	}
	// What happened is noted although the turn is interrupted: a tool has run.
	err := j.engine.asker.PayNow(context.WithoutCancel(ctx), j.turn.bill, func(tx store.Tx) error {
		r, err := store.Find[record.Resolution](tx, j.turn.path)
		switch {
		case err != nil:
			return err
		case r == nil || r.Status != record.ResolutionRunning:
			return errEnded
		case !slices.EqualFunc(r.Journal, before, func(a, b record.JournalEntry) bool { return a.Name == b.Name && (a.Value == nil) == (b.Value == nil) }):
			return errOverrun
		}
		r.Journal = after
		_, err = tx.Put(j.turn.path, r, store.AnyVersion)
		return err
	})
	if err == nil {
		j.turn.resolution.Journal = after
	}
	return err
}
