package metrics

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/domain/metrics/record"
	"github.com/nestorhq/nestor/internal/domain/metrics/rollup"
	"github.com/nestorhq/nestor/internal/store"
)

const (
	// flushPause is how long points of the runtime wait to be written together. A crash
	// loses at most those of this time.
	flushPause = time.Second
	// maxHeld is how many series are held back while the database is away, and
	// maxCommits how many commits wait to be looked at.
	maxHeld    = 20_000
	maxCommits = 50_000
	// manyCommits is how many commits are looked at before it is time to write: each holds
	// on to its documents.
	manyCommits = 256
	// flushOwners is how many owners are written in one transaction.
	flushOwners = 50
)

// Recorder holds points of the runtime and of handlers until they are written. Adding
// one never waits for the database. It is ready for use before the server is put
// together.
type Recorder struct {
	off     bool
	dropped atomic.Int64
	now     func() time.Time

	mu      sync.Mutex
	sets    map[record.Owner]*rollup.Set
	commits [][]nestor.Change
	held    int           // series in sets and batches
	many    chan struct{} // has one when many commits wait to be looked at

	// writing is held by whoever looks at commits, or writes. Batches are what could not be written yet.
	writing sync.Mutex
	batches []*batch
	known   memory
}

// batch is the points of one owner on their way to the database. It has an id so that
// they are written once, also if it is not known what became of an attempt.
type batch struct {
	owner record.Owner
	id    string
	set   *rollup.Set
	tried bool
}

// NewRecorder makes a recorder. If it is off, it takes nothing.
func NewRecorder(off bool) *Recorder {
	return &Recorder{off: off, now: time.Now, sets: map[record.Owner]*rollup.Set{}, many: make(chan struct{}, 1)}
}

// Record implements [module.Metrics].
func (r *Recorder) Record(userID, name string, dimensions map[string]string, value float64) {
	if r.off {
		return
	}
	now := r.now()
	p, err := rollup.NewPoint(name, dimensions, value, 0, now)
	if err != nil || nestor.CheckID(userID) != nil {
		r.dropped.Add(1)
		return
	}
	r.add(record.OfUser(userID), p)
}

// Job is told how an attempt at a job ended.
func (r *Recorder) Job(j *nestor.Job, outcome string, took time.Duration) {
	if !r.off {
		r.runtime(j.Change.Path.UserID(), "job.duration_ms", float64(took.Microseconds())/1000, nestor.Millis(r.now()), dimensions{"trigger": j.Trigger, "outcome": outcome})
	}
}

// ModelFailed is told of a model call that ended with an error.
func (r *Recorder) ModelFailed(userID, model string, took time.Duration) {
	if !r.off {
		r.runtime(userID, "model.duration_ms", float64(took.Milliseconds()), nestor.Millis(r.now()), dimensions{"model": model, "outcome": "error"})
	}
}

// runtime adds a point of the runtime, to the metrics of a user and to those of the
// server, where users are told apart and chats are not.
func (r *Recorder) runtime(userID, name string, value float64, at int64, of dimensions) {
	of.clean()
	p := rollup.Point{Name: rollup.Runtime + name, Dimensions: of, Value: value, At: at}
	if userID != "" {
		r.add(record.OfUser(userID), p)
		of["user"] = userID
	}
	delete(of, "chat")
	r.add(record.Server, p)
}

func (r *Recorder) add(owner record.Owner, p rollup.Point) {
	r.mu.Lock()
	defer r.mu.Unlock()
	set := r.sets[owner]
	if set == nil {
		set = &rollup.Set{}
	}
	if r.held >= maxHeld {
		r.dropped.Add(1)
		return
	}
	before := set.Size()
	set.Add(p)
	r.held += set.Size() - before
	r.sets[owner] = set
}

// committed notes what a commit tells, to be looked at later.
func (r *Recorder) committed(c store.Commit) {
	if r.off {
		return
	}
	var some []nestor.Change
	for i := range c.Changes {
		if tells(&c.Changes[i]) {
			some = append(some, c.Changes[i])
		}
	}
	if some == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.commits) >= maxCommits {
		r.dropped.Add(1)
		return
	}
	r.commits = append(r.commits, some)
	if len(r.commits) == manyCommits {
		select {
		case r.many <- struct{}{}:
		default:
		}
	}
}

// look makes points of what was committed until now.
func (r *Recorder) look() {
	r.writing.Lock()
	defer r.writing.Unlock()
	r.readCommits()
}

func (r *Recorder) readCommits() {
	r.mu.Lock()
	commits := r.commits
	r.commits = nil
	r.mu.Unlock()
	for _, c := range commits {
		r.read(c)
	}
}

// Flush writes what was recorded until now. What cannot be written is kept for the next
// time.
func (r *Recorder) Flush(ctx context.Context, docs store.Documents) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	r.readCommits()
	r.mu.Lock()
	for owner, set := range r.sets {
		r.batches = append(r.batches, &batch{owner: owner, id: nestor.NewID(), set: set})
	}
	clear(r.sets)
	r.mu.Unlock()
	var failed error
	var left []*batch
	for some := range slices.Chunk(r.batches, flushOwners) {
		if err := r.write(ctx, docs, some); err != nil {
			failed = errors.Join(failed, err)
			left = append(left, some...)
		}
	}
	r.batches = left
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held = 0
	for _, b := range left {
		r.held += b.set.Size()
	}
	for _, set := range r.sets {
		r.held += set.Size()
	}
	return failed
}

// write writes batches in one transaction. One whose owner has too many names is
// dropped.
func (r *Recorder) write(ctx context.Context, docs store.Documents, some []*batch) error {
	refused := 0
	err := docs.Update(ctx, func(tx store.Tx) error {
		refused = 0
		for _, b := range some {
			gone, err := isGone(tx, b.owner)
			if err != nil {
				return err
			}
			if gone {
				continue
			}
			switch err := b.write(tx); {
			case nestor.CodeOf(err) == nestor.CodeInvalid:
				refused += b.set.Size()
			case err != nil:
				return err
			}
		}
		return nil
	})
	if err != nil {
		for _, b := range some {
			b.tried = true
		}
		return err
	}
	r.dropped.Add(int64(refused))
	return nil
}

// isGone reports whether an owner is a user who was deleted: nothing is left behind that was
// recorded for them meanwhile.
func isGone(r store.Reader, o record.Owner) (bool, error) {
	if o == record.Server || o == record.OfUser(access.Local) {
		return false, nil
	}
	user, err := store.FindDocument(r, nestor.Path(o))
	return user == nil, err
}

func (b *batch) write(tx store.Tx) error {
	if b.tried {
		return rollup.WriteAgain(tx, b.owner, b.id, b.set)
	}
	return rollup.WriteAs(tx, b.owner, b.id, b.set)
}
