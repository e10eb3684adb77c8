package postgres

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
)

// The connection of a transaction is lost for its node while the server goes on
// with it, in every order of that and the question for the outcome.

type lostTransaction struct {
	*testing.T
	store   *Store
	session *pgx.Conn // where the server goes on
	tx      *tx
}

// lose makes a transaction with that token, before its last statements.
func lose(t *testing.T, entry int64) *lostTransaction {
	t.Helper()
	url := pgtest.URL(t)
	s, err := Open(t.Context(), url, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	l := &lostTransaction{T: t, store: s, session: conn, tx: &tx{store: s, token: newToken(), entry: entry}}
	l.must("BEGIN")
	if entry != 0 {
		l.must("SELECT pg_advisory_xact_lock($1)", l.tx.token)
	}
	return l
}

// write leaves the token.
func (l *lostTransaction) write() error {
	if l.tx.entry != 0 {
		return l.exec("INSERT INTO changes (seq, type, path, version, at, token) VALUES ($1, 1, 'a/b', 1, 1, $2)", l.tx.entry, l.tx.token)
	}
	return l.exec("INSERT INTO commits (token) VALUES ($1)", l.tx.token)
}

func (l *lostTransaction) exec(text string, args ...any) error {
	_, err := l.session.Exec(l.Context(), text, args...)
	return err
}

func (l *lostTransaction) must(text string, args ...any) {
	l.Helper()
	if err := l.exec(text, args...); err != nil {
		l.Fatal(err)
	}
}

// ask starts a question and returns when it waits for the transaction or is
// answered.
func (l *lostTransaction) ask() (answer chan bool) {
	l.Helper()
	answer = make(chan bool, 1)
	go func() {
		committed, err := l.store.ask(l.Context(), l.tx)
		if err != nil {
			l.Error(err)
		}
		answer <- committed
	}()
	for waiting := false; !waiting && len(answer) == 0; {
		err := l.store.pool.QueryRow(l.Context(), "SELECT $1 = ANY (SELECT unnest(pg_blocking_pids(pid)) FROM pg_stat_activity)", l.session.PgConn().PID()).Scan(&waiting)
		if err != nil {
			l.Fatal(err)
		}
	}
	return answer
}

func TestTheOutcomeOfALostCommitIsToldByWhatTheTransactionLeft(t *testing.T) {
	for name, entry := range map[string]int64{"with an entry in the log": 7, "with jobs only": 0} {
		t.Run(name, func(t *testing.T) {
			for end, want := range map[string]bool{"COMMIT": true, "ROLLBACK": false} {
				t.Run("which is under way and ends with "+end, func(t *testing.T) {
					l := lose(t, entry)
					if err := l.write(); err != nil {
						t.Fatal(err)
					}
					answer := l.ask()
					if len(answer) > 0 {
						t.Fatal("the question did not wait for the end of the transaction")
					}
					l.must(end)
					if got := <-answer; got != want {
						t.Errorf("it is told to have committed: %v", got)
					}
					for range 2 { // the answer may be lost, too
						if got := <-l.ask(); got != want {
							t.Errorf("asked again, it is told to have committed: %v", got)
						}
					}
				})
			}
		})
	}
}

// A caller that is told that it did not commit runs the function again. So it
// must not commit later, when what was sent has arrived.
func TestATransactionThatIsToldNotToHaveCommittedNeverDoes(t *testing.T) {
	l := lose(t, 0)
	if <-l.ask() {
		t.Error("a transaction that has not arrived yet is told to have committed")
	}
	var e *pgconn.PgError
	if err := l.write(); !errors.As(err, &e) || e.Code != "23505" {
		t.Errorf("it could still leave its token: %v", err)
	}
}

// A transaction that took positions in the log which were lost in a crash
// finds there what another wrote.
func TestAPositionThatAnotherTransactionGotLaterProvesNothing(t *testing.T) {
	l := lose(t, 7)
	l.must("ROLLBACK")
	l.must("INSERT INTO changes (seq, type, path, version, at, token) VALUES (7, 1, 'c/d', 1, 1, $1)", newToken())
	if <-l.ask() {
		t.Error("what another wrote is taken for its own")
	}
}

// When it cannot be told, the caller gets an error, and the function is not run
// again. If it took effect after all, the observers hear of it.
func TestAnUnknownOutcomeIsAnErrorAndNotRunAgain(t *testing.T) {
	for name, write := range map[string]func(*Store, context.Context, func(store.Tx) error) error{
		"together": (*Store).Update,
		"alone": func(s *Store, ctx context.Context, fn func(store.Tx) error) error {
			return s.transact(ctx, work{fn: fn}.run)
		},
	} {
		t.Run(name, func(t *testing.T) {
			direct, err := url.Parse(pgtest.URL(t))
			if err != nil {
				t.Fatal(err)
			}
			proxy := pgtest.NewProxy(t, direct.Host, time.Hour)
			direct.Host = proxy.Address()
			var reserved muting
			s, err := Open(t.Context(), direct.String(), store.Options{Rules: store.Rules{Planner: &reserved}})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			s.askFor = 100 * time.Millisecond
			runs := 0
			create := func(id string) error {
				return write(s, t.Context(), func(tx store.Tx) error {
					runs++
					_, err := tx.Create(nestor.Path("users/u1/notes/"+id), map[string]any{})
					return err
				})
			}
			// The connection gets to know the statements: later they take no questions.
			if err := create("n1"); err != nil {
				t.Fatal(err)
			}
			reported := make(chan store.Commit, 1)
			s.Observe(store.First, func(c store.Commit) { reported <- c })
			runs, reserved.then = 0, proxy.Mute
			if err := create("n2"); runs != 1 || nestor.CodeOf(err) != nestor.CodeUnavailable {
				t.Errorf("after %d runs the error is %v", runs, err)
			}
			proxy.Unmute()
			if c := <-reported; len(c.Changes) != 1 {
				t.Errorf("reported: %+v", c)
			}
		})
	}
}

// A store that is closed waits no longer for a database that is away.
func TestAClosedStoreDoesNotAskForOutcomes(t *testing.T) {
	direct, err := url.Parse(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	proxy := pgtest.NewProxy(t, direct.Host, time.Hour)
	direct.Host = proxy.Address()
	var reserved muting
	s, err := Open(t.Context(), direct.String(), store.Options{Rules: store.Rules{Planner: &reserved}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	muted := make(chan struct{})
	reserved.then = sync.OnceFunc(func() {
		proxy.Mute()
		close(muted)
	})
	written := make(chan error)
	go func() {
		written <- s.Update(t.Context(), func(tx store.Tx) error {
			_, err := tx.Create("users/u1/notes/n1", map[string]any{})
			return err
		})
	}()
	<-muted
	began := time.Now()
	s.Close()
	if err := <-written; nestor.CodeOf(err) != nestor.CodeUnavailable || time.Since(began) > patience/2 {
		t.Errorf("after %v the error is %v", time.Since(began), err)
	}
}

// A node runs what it claimed even if it heard too late that it had.
func TestJobsOfAClaimWhoseOutcomeIsKnownLateAreRun(t *testing.T) {
	direct, err := url.Parse(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	proxy := pgtest.NewProxy(t, direct.Host, time.Hour)
	direct.Host = proxy.Address()
	s, err := Open(t.Context(), direct.String(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Join(t.Context(), store.Lease{Node: "n1", TTL: time.Hour, Accept: func(string) bool { return false }}); err != nil {
		t.Fatal(err)
	}
	ready := func(id string) {
		t.Helper()
		if _, err := s.pool.Exec(t.Context(), `INSERT INTO jobs (id, key, state, trigger_id, event, path, version, seq, at, attempt, run_at)
			VALUES ($1, $1, 'ready', 't', 'create', 'users/a/notes/n', 1, 1, 1, 0, 1)`, id); err != nil {
			t.Fatal(err)
		}
	}
	ready("j1")
	if got, err := s.Claim(t.Context(), 1); err != nil || len(got.Jobs) != 1 { // the connection gets to know the statements
		t.Fatalf("claimed %+v, %v", got, err)
	}
	ready("j2")
	s.askFor = 100 * time.Millisecond
	reported := make(chan store.Commit, 1)
	s.Observe(store.First, func(c store.Commit) { reported <- c })
	err = s.transact(t.Context(), func(tx *tx) error {
		jobs, err := tx.claim(s.node.Load(), []store.Take{{Tenant: "users/a", Jobs: 1}}, time.Now())
		if len(jobs) != 1 || err != nil {
			t.Errorf("claimed %+v, %v", jobs, err)
		}
		proxy.Mute()
		return err
	})
	if nestor.CodeOf(err) != nestor.CodeUnavailable {
		t.Errorf("the error is %v", err)
	}
	proxy.Unmute()
	if c := <-reported; len(c.Claimed) != 1 || c.Claimed[0].ID != "j2" {
		t.Errorf("reported: %+v", c)
	}
}

// muting is asked for the jobs of a write when its place in the log is reserved.
type muting struct{ then func() }

func (m *muting) Plan(*store.Event) []nestor.Job {
	if m.then != nil {
		m.then()
	}
	return nil
}

// A caller that goes away during a commit is told the truth, too.
func TestACancelledCommitThatTookEffectIsASuccess(t *testing.T) {
	l := lose(t, 0)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	runs := 0
	err := l.store.transact(ctx, func(t *tx) error {
		runs++
		if _, err := t.session.Create("users/u1/notes/n1", map[string]any{}); err != nil {
			return err
		}
		if err := t.session.Flush(); err != nil {
			return err
		}
		t.writes = append(t.writes, step{text: "SELECT 1", then: func(pgx.Rows) error {
			cancel() // while the COMMIT is on its way
			return nil
		}})
		return nil
	})
	var found bool
	if err := l.store.pool.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM documents)").Scan(&found); err != nil {
		t.Fatal(err)
	}
	if runs != 1 || found != (err == nil) {
		t.Errorf("after %d runs the error is %v, and the document is there: %v", runs, err, found)
	}
}
