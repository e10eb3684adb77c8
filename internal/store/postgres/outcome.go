package postgres

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// A connection that breaks during COMMIT leaves it open whether the transaction
// took effect. What tells is a random token that the transaction itself leaves
// behind, in one of two ways, each at no round trip of its own:
//
//   - A transaction with entries in the log puts the token into the first of
//     them, and has held the advisory lock of the token since it took its
//     positions, which is a round trip before the COMMIT. A question
//     takes that lock first. Once it has it, the transaction has ended, for a
//     lock goes with its transaction, after the commit has become visible. So
//     the token is in the log now or never will be.
//   - A transaction with jobs only puts the token into the table commits. It may
//     not even have arrived at the server when somebody asks, so no lock would
//     do. A question inserts the same token, as abandoned. If the transaction
//     is under way, the unique key makes the question wait for its end; if it
//     has committed, its row is found; if not, the row of the question stays
//     and the transaction can never commit.
//
// A crash of the server ends all transactions and keeps what was committed, so
// both hold across crashes. Neither depends on ids of transactions or positions
// in the log: the server gives out again those that it lost in a crash.
//
// A transaction without a token wrote nothing, or what may be written twice.

// newToken is never 0.
func newToken() int64 { return rand.Int64N(1<<63-1) + 1 }

// signed makes the transaction's token.
func (t *tx) signed() int64 {
	if t.token == 0 {
		t.token = newToken()
	}
	return t.token
}

// sign leaves the token of a transaction that has no entry in the log.
func (t *tx) sign() step {
	return step{text: "INSERT INTO commits (token) VALUES ($1)", args: []any{t.signed()}}
}

// inDoubt reports whether the transaction may have taken effect although its
// end failed with err: the COMMIT was sent and the server did not refuse.
func (t *tx) inDoubt(err error) bool { return t.ended && t.token != 0 && !refused(err) }

// outcome finds out whether a transaction in doubt took effect. An error means
// that it cannot be told in time, or that the store is closed. It goes on asking when
// the caller has gone: a call that was cancelled may have been written.
func (s *Store) outcome(ctx context.Context, t *tx) (committed bool, err error) {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), s.askFor,
		nestor.Errorf(nestor.CodeUnavailable, "the database did not come back"))
	defer cancel()
	return s.askUntil(ctx, t)
}

// outcomeLater goes on asking for the outcome of a transaction whose caller was
// told that it is unknown. If it took effect, the observers hear of it: what
// it changed, and the jobs that it claimed for this process.
func (s *Store) outcomeLater(t *tx) {
	if s.life.Err() != nil {
		return
	}
	t.claims = append(t.claims, t.told...) // the caller was told of none
	s.late.Go(func() {
		ctx, cancel := context.WithTimeout(s.life, tokensKept/4)
		defer cancel()
		if committed, err := s.askUntil(ctx, t); err == nil && committed {
			s.report(t)
		}
	})
}

// tokensKept is how long the table commits keeps a token. Nobody asks for as
// long as that.
const tokensKept = time.Hour

// askUntil asks until there is an answer or ctx ends.
func (s *Store) askUntil(ctx context.Context, t *tx) (bool, error) {
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		once, cancel := context.WithTimeout(ctx, patience)
		committed, err := s.ask(once, t)
		cancel()
		if err == nil {
			return committed, nil
		}
		select {
		case <-ctx.Done():
			return false, err
		case <-s.life.Done():
			return false, err
		case <-time.After(pause):
		}
	}
}

// ask asks once. If the transaction took effect, it also finds out which jobs
// that claimed for this process: the running ones whose rows were written last
// by the transaction that wrote the token.
func (s *Store) ask(ctx context.Context, t *tx) (committed bool, err error) {
	batch := &pgx.Batch{}
	batch.Queue("BEGIN READ WRITE") // refused by a server that may lag behind
	evidence := "FROM commits WHERE token = $1 AND NOT abandoned AND $2 = 0"
	if t.entry != 0 {
		batch.Queue("SELECT pg_advisory_xact_lock($1)", t.token)
		evidence = "FROM changes WHERE token = $1 AND seq = $2"
	} else {
		batch.Queue("INSERT INTO commits (token, abandoned) VALUES ($1, true) ON CONFLICT DO NOTHING", t.token)
	}
	batch.Queue("SELECT EXISTS (SELECT "+evidence+")", t.token, t.entry).QueryRow(func(row pgx.Row) error { return row.Scan(&committed) })
	var claimed []nestor.Job
	if n := s.node.Load(); n != nil {
		batch.Queue("SELECT "+store.JobColumns+" FROM jobs WHERE key = ANY ($3) AND state = 'running' AND owner = $4 AND xmin = (SELECT xmin "+evidence+")",
			t.token, t.entry, t.claims, n.Node).Query(func(rows pgx.Rows) error {
			return s.tables.eachJob(rows, func(j nestor.Job) { claimed = append(claimed, j) })
		})
	}
	batch.Queue("COMMIT")
	if err := s.pool.SendBatch(ctx, batch).Close(); err != nil {
		return false, err
	}
	t.commit.Claimed, t.commit.Waiting = claimed, true
	return committed, nil
}
