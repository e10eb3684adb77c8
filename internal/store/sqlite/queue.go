package sqlite

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// node is this process as a runner of jobs.
type node struct {
	store.Lease
	lock  *lock
	turns store.Turns // of the tenants whose jobs it claims; the writer's

	ownLimits atomic.Bool // some accounts have limits of their own
	bounded   atomic.Bool // the last claim met somebody at their limit

	lately store.Lately // stays empty: there are no others to meet
}

// accepts reports whether a job about the document at p may be claimed for this
// process right now.
func (n *node) accepts(p nestor.Path) bool { return n != nil && n.Accept(p.Tenant()) }

// limited reports whether there are limits, so that a job needs a place to run.
func (n *node) limited() bool { return n.Limits.Tenant > 0 || n.limitsAccounts() }

func (n *node) limitsAccounts() bool { return n.Limits.Account > 0 || n.ownLimits.Load() }

// Join implements [store.Queue]. The lock file makes this process the only
// one that runs jobs of the database, so whatever another one was running when
// it ended can be taken over at once.
func (s *Store) Join(ctx context.Context, lease store.Lease) error {
	old := s.node.Load()
	n := &node{Lease: lease}
	if old != nil {
		n.lock = old.lock
	} else {
		var err error
		if n.lock, err = acquire(s.path + ".lock"); err != nil {
			return err
		}
	}
	s.node.Store(n)
	return s.learnLimits(ctx, n)
}

// Renew implements [store.Queue]: the lock file is the lease, and it lasts as
// long as the process.
func (s *Store) Renew(ctx context.Context) error {
	n := s.node.Load()
	if n == nil {
		return nestor.Errorf(nestor.CodeLeaseLost, "this process has not joined")
	}
	return s.learnLimits(ctx, n)
}

func (s *Store) learnLimits(ctx context.Context, n *node) error {
	return s.read(ctx, func(d *direct) error {
		var limits bool
		err := d.row("SELECT EXISTS (SELECT 1 FROM documents WHERE collection = ?)", store.AccountLimits).Scan(&limits)
		n.ownLimits.Store(limits)
		return err
	})
}

// Leave implements [store.Queue].
func (s *Store) Leave(ctx context.Context) error {
	n := s.node.Swap(nil)
	if n == nil {
		return nil
	}
	err := s.writer.exclusive(ctx, func(t *tx) error {
		return t.conn.exec("UPDATE jobs SET state = 'ready', owner = NULL, error = ?1 || owner, attempt = attempt - 1, attempts = "+interruptedAttempt+
			" WHERE state = 'running' AND owner = ?3", store.Interrupted, nestor.Millis(time.Now()), n.Node)
	})
	return errors.Join(err, n.lock.Close())
}

// TakeOver implements [store.Queue]: no other process can be running jobs, so
// every owner but this one is gone.
func (s *Store) TakeOver(ctx context.Context) (int, error) {
	n := s.node.Load()
	if n == nil {
		return 0, nil
	}
	var taken int64
	err := s.writer.exclusive(ctx, func(t *tx) (err error) {
		now := time.Now()
		taken, err = t.conn.affected("UPDATE jobs SET state = 'ready', owner = NULL, error = ?1 || owner, run_at = min(run_at, ?2), attempts = "+interruptedAttempt+
			" WHERE state = 'running' AND owner <> ?3",
			store.Interrupted, nestor.Millis(now), n.Node)
		if err != nil {
			return err
		}
		return t.conn.exec("UPDATE jobs SET run_at = ? WHERE state = 'ready' AND run_at > ?",
			nestor.Millis(now), nestor.Millis(now.Add(store.MaxPause)))
	})
	return int(taken), err
}

// Missed implements [store.Queue]: there is no other node.
func (s *Store) Missed(context.Context) (time.Time, error) { return time.Time{}, nil }

// enqueue stores a job: running for this process if its key is free and there is
// room, ready if there is none, blocked behind the key's other jobs. The key is
// free when it has no head, as the index tells that forbids a second one, and no
// job waits for it, as one may when this transaction ended the head.
func (t *tx) enqueue(j *nestor.Job) error {
	n := t.store.node.Load()
	if e := t.ends; e != nil && !e.over && e.job.Key == j.Key && e.job.Run == j.Run {
		relayed, err := t.relay(j, n)
		if err != nil {
			return err
		}
		if relayed {
			t.heads = append(t.heads, j.Key)
			t.note(j)
			return nil
		}
	}
	var owner any
	j.State, j.Owner, j.Attempt, j.Place = nestor.JobReady, "", 0, nil
	if ok, place := t.takes(n, j.Change.Path); ok {
		j.State, j.Owner, j.Attempt, j.Place, owner = nestor.JobRunning, n.Node, 1, place, n.Node
	}
	first, err := t.insert(j, owner, headJob)
	switch {
	case err != nil:
		return err
	case first == 0:
		t.place.Back(j.Place)
		return t.block(j)
	}
	t.heads = append(t.heads, j.Key)
	if j.State == nestor.JobReady {
		t.commit.Left = append(t.commit.Left, j.Change.Path.Tenant())
	}
	t.note(j)
	return nil
}

// takes reports whether this process has room for a job about the document at p, and, where
// there are limits, which place the job has.
func (t *tx) takes(n *node, p nestor.Path) (bool, *nestor.Place) {
	if !n.accepts(p) {
		return false, nil
	}
	if !n.limited() {
		return true, nil
	}
	t.hands(n)
	place := t.place.To(p)
	return place != nil, place
}

// hands has the place of the job that the transaction ends, if it ends one, handed over.
func (t *tx) hands(n *node) {
	t.place.Accounts = n.limitsAccounts()
	if t.ends != nil {
		t.place.Ends = t.ends.job
	}
}

// check queues the jobs that look whether runs are over, each if no other job of its
// run is left. There is one writer, so nobody ends one meanwhile.
func (t *tx) check() error {
	ending := ""
	if t.ends != nil {
		ending = t.ends.job.ID
	}
	for _, j := range t.session.Checks() {
		var busy bool
		err := t.conn.row("SELECT EXISTS (SELECT 1 FROM jobs WHERE run = ? AND state <> 'dead' AND id <> ?)", string(j.Change.Path), ending).Scan(&busy)
		if err == nil && !busy {
			err = t.enqueue(&j)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// block stores a job behind others, unless one of them will do the same.
func (t *tx) block(j *nestor.Job) error {
	j.State, j.Owner, j.Attempt, j.Place = nestor.JobBlocked, "", 0, nil
	if j.Coalesce {
		var waiting bool
		err := t.conn.row(`SELECT EXISTS (SELECT 1 FROM jobs WHERE key = ?1 AND state = 'blocked' AND trigger_id = ?2 AND run IS ?3)
			OR EXISTS (SELECT 1 FROM jobs WHERE key = ?1 AND (state = 'ready' OR state = 'running') AND state = 'ready' AND trigger_id = ?2 AND run IS ?3)`,
			j.Key, j.Trigger, runOf(j)).Scan(&waiting)
		if err != nil || waiting {
			return err
		}
	}
	_, err := t.insert(j, nil, insertJob)
	t.blocked = true
	t.commit.Left = append(t.commit.Left, j.Change.Path.Tenant())
	return err
}

func (t *tx) insert(j *nestor.Job, owner any, text string) (int64, error) {
	c := &j.Change
	j.RunAt, j.CreatedAt = c.At, c.At
	return t.conn.affected(text, j.ID, j.Key, string(j.State), j.Trigger, string(c.Type), string(c.Path), c.Version, c.Seq, c.At,
		t.documents(j), j.Attempt, owner, runOf(j), tenantOf(j.Place), accountOf(j.Place))
}

func tenantOf(p *nestor.Place) any {
	if p == nil {
		return nil
	}
	return p.Tenant
}

func accountOf(p *nestor.Place) any {
	if p == nil {
		return nil
	}
	return p.Account
}

func runOf(j *nestor.Job) any {
	if run := store.JobRun(j); run != nil {
		return *run
	}
	return nil
}

func (t *tx) documents(j *nestor.Job) any {
	if text := t.conn.tables.JobDocuments(j); text != nil {
		return *text
	}
	return nil
}

const (
	insertJob = `INSERT INTO jobs (id, key, state, trigger_id, event, path, version, seq, at, documents, attempt, run_at, owner, run, place, account)
		SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?9, ?12, ?13, ?14, ?15`
	headJob = insertJob + ` WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE key = ?2 AND state = 'blocked')
		ON CONFLICT (key) WHERE state = 'ready' OR state = 'running' DO NOTHING`
)

// note tells the observers of a job that changed state.
func (t *tx) note(j *nestor.Job) {
	switch j.State {
	case nestor.JobRunning:
		t.commit.Claimed = append(t.commit.Claimed, *j)
	case nestor.JobReady:
		t.commit.Waiting = true
	}
}

// Retry implements [store.Queue].
func (s *Store) Retry(ctx context.Context, job *nestor.Job, at time.Time, cause string) error {
	return s.putBack(ctx, job, at, "error = ?, attempts = "+keptAttempt, store.Storable(cause), store.Attempt(job, cause))
}

// PutOff implements [store.Queue].
func (s *Store) PutOff(ctx context.Context, job *nestor.Job, at time.Time, cause string) error {
	return s.putBack(ctx, job, at, "error = ?, attempt = attempt - 1", store.Storable(cause))
}

// putBack makes a job wait until at, and sets what else there is to say of it.
func (s *Store) putBack(ctx context.Context, job *nestor.Job, at time.Time, set string, values ...any) error {
	return s.writer.exclusive(ctx, func(t *tx) error {
		args := append(append([]any{nestor.Millis(at)}, values...), mine(job)...)
		n, err := t.conn.affected("UPDATE jobs SET state = 'ready', owner = NULL, run_at = ?, "+set+" WHERE "+ours, args...)
		if err == nil && n == 0 {
			err = store.LeaseLost(job)
		}
		t.commit.Waiting = true
		return err
	})
}

// Revive implements [store.Queue].
func (s *Store) Revive(ctx context.Context, id string) error {
	return s.writer.exclusive(ctx, func(t *tx) error {
		n, err := t.conn.affected(`UPDATE jobs SET attempt = 0, run_at = ?2, error = NULL,
			n = (SELECT max(n) + 1 FROM jobs),
			state = CASE WHEN EXISTS (SELECT 1 FROM jobs other WHERE other.key = jobs.key AND (other.state = 'ready' OR other.state = 'running'))
				THEN 'blocked' ELSE 'ready' END
			WHERE id = ?1 AND state = 'dead'`, id, nestor.Millis(time.Now()))
		if err == nil && n == 0 {
			err = nestor.Errorf(nestor.CodeNotFound, "there is no dead job %s", id)
		}
		t.blocked = true // maybe
		t.commit.Waiting = true
		return err
	})
}

// Discard implements [store.Queue].
func (s *Store) Discard(ctx context.Context, id string) error {
	return s.writer.exclusive(ctx, func(t *tx) error {
		n, err := t.conn.affected("DELETE FROM jobs WHERE id = ? AND state = 'dead'", id)
		if err == nil && n == 0 {
			err = nestor.Errorf(nestor.CodeNotFound, "there is no dead job %s", id)
		}
		return err
	})
}

// Busy implements [store.Queue].
func (s *Store) Busy(ctx context.Context, run nestor.Path) (busy bool, err error) {
	err = s.read(ctx, func(d *direct) error {
		return d.row("SELECT EXISTS (SELECT 1 FROM jobs WHERE run = ? AND state <> 'dead')", string(run)).Scan(&busy)
	})
	return busy, err
}

// Jobs implements [store.Queue].
func (s *Store) Jobs(ctx context.Context, f store.JobFilter) ([]nestor.Job, error) {
	if f.Limit == 0 {
		f.Limit = 100
	}
	jobs := []nestor.Job{}
	err := s.read(ctx, func(d *direct) error {
		of, args := "", []any{string(f.State), f.Trigger, f.Limit, f.Tenant, f.After}
		if f.Run != "" { // apart, so that the index of runs is used
			of, args = " AND run = ?6", append(args, string(f.Run))
		}
		return d.each("SELECT "+store.ListedColumns+` FROM jobs
			WHERE (state = ?1 OR ?1 = '' AND state <> 'dead') AND (?2 = '' OR trigger_id = ?2) AND (?4 = '' OR `+tenant+` = ?4) AND n > ?5`+of+` ORDER BY n LIMIT ?3`,
			args,
			func(r row) error {
				j, err := d.tables.ScanListedJob(r.Scan)
				jobs = append(jobs, j)
				return err
			})
	})
	return jobs, err
}

// CountJobs implements [store.Queue].
func (s *Store) CountJobs(ctx context.Context) (map[nestor.JobState]int, error) {
	counts := map[nestor.JobState]int{}
	err := s.read(ctx, func(d *direct) error {
		return d.each("SELECT state, count(*) FROM jobs GROUP BY state", nil, func(r row) error {
			var state string
			var n int
			err := r.Scan(&state, &n)
			counts[nestor.JobState(state)] = n
			return err
		})
	})
	return counts, err
}

// CountWaiting implements [store.Queue].
func (s *Store) CountWaiting(ctx context.Context, of string, most int) (n int, seq int64, err error) {
	text, args := countWaiting, []any{most, of}
	if of == "" {
		text, args = countAllWaiting, args[:1]
	}
	err = s.read(ctx, func(d *direct) error { return d.row(text, args...).Scan(&n, &seq) })
	return n, seq, err
}

const (
	countAllWaiting = `SELECT (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE state = 'ready' LIMIT ?1))
		+ (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE state = 'blocked' LIMIT ?1))` + newestSeen
	countWaiting = `SELECT (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE state = 'ready' AND ` + tenant + ` = ?2 LIMIT ?1))
		+ (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE state = 'blocked' AND ` + tenant + ` = ?2 LIMIT ?1))` + newestSeen
	newestSeen = ", COALESCE((SELECT max(seq) FROM changes), 0)" // of the same snapshot
)

// Weigh implements [store.Queue].
func (s *Store) Weigh(ctx context.Context, of nestor.Path) (n int64, err error) {
	w := store.Weighing{
		Size: "octet_length(body)",
		Mark: func(n string) string { return "?" + n }, Number: func(text string) string { return "coalesce(" + text + ", 0)" },
	}
	err = s.read(ctx, func(d *direct) error {
		n, err = s.Catalogue().Weigh(of, w, func(text string, args ...any) (n int64, err error) {
			err = d.row(text, args...).Scan(&n)
			return n, err
		})
		return err
	})
	return n, err
}

// OldestReady implements [store.Queue].
func (s *Store) OldestReady(ctx context.Context) (time.Time, error) {
	var at *int64
	err := s.read(ctx, func(d *direct) error { return d.row("SELECT min(run_at) FROM jobs WHERE state = 'ready'").Scan(&at) })
	if err != nil || at == nil {
		return time.Time{}, err
	}
	return time.UnixMilli(*at), nil
}
