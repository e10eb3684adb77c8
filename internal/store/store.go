package store

import (
	"context"
	"time"

	"github.com/nestorhq/nestor"
)

// Store is one database, opened. It is the sum of the roles below; consumers
// ask for the role they need.
type Store interface {
	Documents
	Log
	Sync
	Queue
	Chunks
	// Tree calls fn with every document at or below p, all as they are at one
	// moment: what lies above others first, otherwise in the order of creation.
	Tree(ctx context.Context, p nestor.Path, fn func(*nestor.Document) error) error
	// Observe registers fn to be called after every commit of this process, in
	// its turn. It runs on the committing path and must not block. Register
	// before use.
	Observe(turn Turn, fn func(Commit))
	// Sweep deletes one small batch of what retention says is over and
	// reports how many rows went. Zero means there is nothing left to do now.
	Sweep(ctx context.Context) (int, error)
	// Ping reports why the database takes no writes, for example because its
	// disk is full. It finds out by writing a row of its own, durably.
	Ping(ctx context.Context) error
	Close() error
}

// Documents reads and writes documents.
type Documents interface {
	// Catalogue tells the kinds of documents.
	Catalogue() *Catalogue
	// Update runs fn in a transaction and commits what it wrote if it returns
	// nil. On failure nothing was written and the error carries a code. Only
	// [nestor.CodeUnavailable] can also mean that the database went away during
	// the commit and it cannot be told whether that took effect.
	//
	// A document that fn read and then writes is unchanged in between. fn may
	// run more than once (PostgreSQL resolves conflicts that way), so it must
	// do nothing but use the Tx, and it must be quick: on SQLite it runs while
	// others wait.
	Update(ctx context.Context, fn func(Tx) error) error
	// View runs fn on a snapshot: every read sees the same moment. fn may run
	// more than once, too.
	View(ctx context.Context, fn func(Reader) error) error
}

// Reader reads documents.
type Reader interface {
	// Get returns the document at p or an error of [nestor.CodeNotFound].
	Get(p nestor.Path) (*nestor.Document, error)
	// Query returns one page of documents.
	Query(q Query) (Page, error)
}

// Tx reads and writes documents inside [Documents.Update].
//
// The body of a write is a Go value or JSON text of an object. Reserved fields
// in it are ignored. The document returned is complete (Seq, Version) once
// Update has returned.
type Tx interface {
	Reader
	// Create writes a new document. If one exists already, Create, or at the latest
	// Update, fails with [nestor.CodeExists].
	Create(p nestor.Path, body any) (*nestor.Document, error)
	// Put writes the whole document, new or not. A version other than
	// AnyVersion must be the one the document has now, or the call fails with
	// [nestor.CodeConflict].
	Put(p nestor.Path, body any, version int64) (*nestor.Document, error)
	// Patch changes an existing document by a JSON merge patch (RFC 7396):
	// null removes a field.
	Patch(p nestor.Path, patch any, version int64) (*nestor.Document, error)
	// Delete removes the document and everything below it. Each leaves a
	// tombstone and a change.
	Delete(p nestor.Path, version int64) error
	// Below returns every document below p, which Delete would delete along with
	// it, deepest first.
	Below(p nestor.Path) ([]*nestor.Document, error)
	// Deleted reports whether a document was at p that has been deleted, as
	// long as its tombstone is kept.
	Deleted(p nestor.Path) (bool, error)
}

// AnyVersion says that a write does not depend on the version it replaces.
const AnyVersion int64 = 0

// Commit tells an observer what a transaction did.
type Commit struct {
	// Changes in the order of the log. On SQLite successive commits are
	// reported in log order too; on PostgreSQL they may overtake each other.
	Changes []nestor.Change
	// Claimed are the jobs this process owns now and must run.
	Claimed []nestor.Job
	// Waiting is true when a job was left for whoever has room.
	Waiting bool
	// Look is true when this process should look for jobs, since it has room: one was left
	// that needs a place, or a place became free that somebody waits for ([Limits]).
	Look bool
	// Left are the tenants of new jobs that have to wait, one for each job.
	Left []string
	// Done are the jobs that were done with what caused them; see [Lease].
	Done []DoneJob
}

// DoneJob is a job that was claimed and done before anybody heard of it.
type DoneJob struct {
	nestor.Job
	Took time.Duration
}

// Log is the change log.
type Log interface {
	// Changes returns up to limit changes after seq, in order, and none after
	// the one with which their documents exceed [PageBytes]. Every change that
	// commits is seen by a reader that follows seq, however transactions
	// interleave. Changes of what nobody follows ([Collection.Unfollowed]) come
	// without documents, and so do those that are not wanted, but for what a deletion
	// deleted. Without wanted all are; it always says the same of one path.
	// When the log no longer reaches back to after the error is
	// [nestor.CodeTooOld].
	Changes(ctx context.Context, after int64, limit int, wanted func(nestor.Path) bool) ([]nestor.Change, error)
	// LastSeq is the newest position a reader can have reached: nothing at or
	// before it will appear later.
	LastSeq(ctx context.Context) (int64, error)
	// Wake returns a channel that receives when another process may have
	// written. Each call makes one of its own: ask once and keep it. It is nil
	// where no other process can tell.
	Wake() <-chan struct{}
}

// PageBytes bounds what one reading of the log holds, so that the memory of a
// reader does not depend on how large documents are.
const PageBytes = 64 << 10

// Size is how many bytes the documents of a change have.
func Size(c *nestor.Change) int {
	n := 0
	if c.Before != nil {
		n += len(c.Before.Data)
	}
	if c.After != nil {
		n += len(c.After.Data)
	}
	return n
}

// Queue keeps the jobs. Jobs are queued by writes; see [Planner].
type Queue interface {
	// Join makes this process a node that runs jobs under lease.
	Join(ctx context.Context, lease Lease) error
	// Renew extends the lease. An error of [nestor.CodeLeaseLost] means other
	// nodes have taken the jobs over: stop them and Join again. One of
	// [nestor.CodeInvalid] means that the database has been migrated to what
	// this program must not write to: stop for good. Other errors
	// say nothing about the jobs that run; new ones are not claimed until the
	// store is well again.
	Renew(ctx context.Context) error
	// Leave gives up the lease; jobs still running become ready for others.
	// The attempt that was interrupted does not count, but is told: the error of
	// such a job begins with [Interrupted].
	Leave(ctx context.Context) error
	// TakeOver makes the jobs of nodes that are gone ready again. Jobs that would
	// wait for longer than [MaxPause] become due.
	TakeOver(ctx context.Context) (int, error)
	// Missed tells when TakeOver is to be called because another node is missed: now,
	// so that it is noted since when, or when that node will have been missed for
	// its grace. It is zero if none is missed. It is cheap and writes nothing, so it can
	// be asked often.
	Missed(ctx context.Context) (time.Time, error)
	// Claim takes up to limit jobs that are ready and due, of the tenants in turn
	// ([Turns]), and of one tenant the oldest first.
	Claim(ctx context.Context, limit int) (Claimed, error)
	// Left returns a channel that receives when another process may have left jobs
	// to others. Each call makes one of its own. It is nil where there is no other.
	Left() <-chan struct{}
	// Complete runs fn and removes the job in one transaction. When the job is
	// no longer ours nothing is written and the error is CodeLeaseLost. fn may
	// be nil.
	Complete(ctx context.Context, job *nestor.Job, fn func(Tx) error) error
	// Retry puts the job back until at, keeping its place in its key's order.
	Retry(ctx context.Context, job *nestor.Job, at time.Time, cause string) error
	// PutOff does the same for a job that could not begin: the attempt does not
	// count.
	PutOff(ctx context.Context, job *nestor.Job, at time.Time, cause string) error
	// Bury runs fn and moves the job to the dead letters, as Complete would.
	Bury(ctx context.Context, job *nestor.Job, cause string, fn func(Tx) error) error
	// Busy reports whether jobs of a run are left. Dead letters do not count.
	Busy(ctx context.Context, run nestor.Path) (bool, error)
	// Jobs lists jobs, oldest first.
	Jobs(ctx context.Context, f JobFilter) ([]nestor.Job, error)
	// Revive queues a dead letter again, at the end of its key's order. Its earlier
	// attempts stay.
	Revive(ctx context.Context, id string) error
	// Discard deletes a dead letter.
	Discard(ctx context.Context, id string) error
	// CountJobs counts the jobs of each state.
	CountJobs(ctx context.Context) (map[nestor.JobState]int, error)
	// CountWaiting counts the jobs of a tenant, "" for all, that are ready or
	// blocked. Of either it counts no more than most. No job of a commit beyond the
	// position seq is counted; one of a commit up to there may be missing.
	CountWaiting(ctx context.Context, tenant string, most int) (jobs int, seq int64, err error)
	// Weigh is how many bytes of disk the documents and files of a user take, users/{id},
	// or those in the chats of an account, accounts/{id}; see [Catalogue.Weight]. It
	// reads each row, and no long body.
	Weigh(ctx context.Context, of nestor.Path) (int64, error)
	// AtLimit tells who has as many jobs running as may: see [Limits].
	AtLimit(ctx context.Context) ([]AtLimit, error)
	// OldestReady is since when the oldest ready job has been due or when it will
	// be; zero if there is none.
	OldestReady(ctx context.Context) (time.Time, error)
}

// Chunks keeps bytes that are no documents, in pieces under a key. No transaction
// holds them together: whoever writes them says in a document when they are
// complete, and never writes to a key again.
type Chunks interface {
	// PutChunk stores the nth piece, durably.
	PutChunk(ctx context.Context, key ChunkKey, n int, data []byte) error
	// Chunk returns the nth piece, nil if there is none.
	Chunk(ctx context.Context, key ChunkKey, n int) ([]byte, error)
	// DropChunks removes all pieces of a key, if there are any.
	DropChunks(ctx context.Context, key ChunkKey) error
	// ChunkKeys lists up to limit keys after one, the zero value for the first, in
	// order, whose first piece was stored before a time.
	ChunkKeys(ctx context.Context, before time.Time, after ChunkKey, limit int) ([]ChunkKey, error)
}

// ChunkKey names bytes of a user.
type ChunkKey struct{ UserID, ID string }

// MaxPause is longer than any job waits for its next attempt. A job that is to wait
// longer was put back by a clock that ran ahead and has been corrected since.
const MaxPause = 2 * time.Hour

// Lease is a node's claim on the jobs it runs.
type Lease struct {
	// Node names this run of this process; never reuse one.
	Node string
	// TTL after the last Renew the node counts as gone.
	TTL time.Duration
	// Grace is how long other nodes may miss a node, whose process has ended or
	// whose connection was cut, before it counts as gone.
	Grace time.Duration
	// Accept is asked, while committing, whether the node has room for one
	// more job of a tenant. It must not block.
	Accept func(tenant string) bool
	// Weight says how many jobs of a tenant the node claims in its turn. It must
	// not block. Defaults to one job a turn.
	Weight func(tenant string) int
	// Limits are how many jobs run at once. All nodes have to have the same.
	Limits Limits
	// Prompt returns what a job writes that does nothing else, nil for any other. An
	// engine may have it written together with what caused the job, which saves a
	// commit. If that fails the job is run like any other. It must not block. May be
	// nil.
	Prompt func(job *nestor.Job) func(Tx) error
}

// Interrupted is the error of a job whose node was taken for gone, followed by
// the node's name.
const Interrupted = "the process ended, or lost touch with the database, during the attempt of node "

// Claimed is the outcome of [Queue.Claim].
type Claimed struct {
	Jobs []nestor.Job
	// Next is when the next job becomes due; zero if none is scheduled. A tenant
	// that has no room does not count.
	Next time.Time
	// More is true when jobs that are due may be left.
	More bool
}

// JobFilter narrows [Queue.Jobs].
type JobFilter struct {
	// State, "" for all but the dead.
	State   nestor.JobState
	Trigger string
	// Tenant is whose, such as users/ann, "" for all.
	Tenant string
	// Run, if set, is the run that they are part of.
	Run nestor.Path
	// After leaves out the jobs up to this number; see [nestor.Job].
	After int64
	// Limit defaults to 100.
	Limit int
}

// Planner says which jobs a change causes. It runs inside the writing
// transaction and must be quick and free of side effects.
type Planner interface {
	Plan(e *Event) []nestor.Job
}

// Event is a change with its bodies decoded on demand.
type Event struct {
	nestor.Change
	after, before map[string]any
	row           []byte      // the body of After as its table keeps it, unless it borrows
	absent        bool        // see Write.Absent
	run           nestor.Path // that the document is part of, "" if it does not tell
}

// NewEvent wraps a change for a planner.
func NewEvent(c nestor.Change) *Event { return &Event{Change: c} }

// AfterBody is the decoded body of After, nil for a delete.
func (e *Event) AfterBody() map[string]any { return decodeOnce(&e.after, e.After) }

// BeforeBody is the decoded body of Before, nil for a create.
func (e *Event) BeforeBody() map[string]any { return decodeOnce(&e.before, e.Before) }

func decodeOnce(m *map[string]any, d *nestor.Document) map[string]any {
	if *m == nil && d != nil {
		// What is stored was decoded before it was written.
		*m, _ = decodeObject(d.Data)
	}
	return *m
}
