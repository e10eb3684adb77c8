package postgres

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
)

// plan explains a statement, run in a transaction that is undone.
func (s *Store) plan(t *testing.T, text string, args ...any) string {
	t.Helper()
	tx, err := s.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context())
	rows, err := tx.Query(t.Context(), "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) "+text, args...)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

func TestAClaimReadsNoMoreThanItTakesOfAHundredThousandJobs(t *testing.T) {
	s, err := Open(t.Context(), pgtest.URL(t), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for user, jobs := range map[string]int{"a": 100_000, "b": 1} {
		if _, err := s.pool.Exec(t.Context(), `INSERT INTO jobs (id, key, state, trigger_id, event, path, version, seq, at, attempt, run_at)
			SELECT $1 || i, $1 || i, 'ready', 't', 'create', 'users/' || $1 || '/notes/' || i, 1, 1, 1, 0, i FROM generate_series(1, $2) i`, user, jobs); err != nil {
			t.Fatal(err)
		}
	}
	for _, analyse := range []bool{false, true} { // whatever the server knows of the table
		if analyse {
			if _, err := s.pool.Exec(t.Context(), "ANALYZE jobs"); err != nil {
				t.Fatal(err)
			}
		}
		now := nestor.Millis(time.Now())
		for _, plan := range []string{
			s.plan(t, walkTenants, "", store.MaxWalk, store.NoBound),
			s.plan(t, walkLimited, "", store.MaxWalk, 3),
			s.plan(t, claimJobs, "n", now, []string{"users/a", "users/b"}, []int{2, 1}, newToken()),
		} {
			if strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "jobs_idle") || !strings.Contains(plan, "jobs_turn") ||
				strings.Contains(plan, "Rows Removed by Filter: 1") {
				t.Errorf("jobs are claimed by\n%s", plan)
			}
		}
	}
}

// A server keeps the plan that it made while a table was small.
func TestStatementsReadNoMoreThanTheyNeedWhateverTheirPlanWasMadeFor(t *testing.T) {
	s, err := Open(t.Context(), pgtest.URL(t), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const fill = `INSERT INTO jobs (id, key, state, trigger_id, event, path, version, seq, at, attempt, run_at, owner)
			SELECT 'x' || i, 'x' || i, 'running', 't', 'create', 'users/a/notes/' || i, 1, 1, 1, 1, 1, 'o' FROM generate_series(1, 5000) i;
		INSERT INTO tombstones (path, collection, version, seq, deleted_at) SELECT 'users/a/notes/' || i, 'documents', 1, 1, 1 FROM generate_series(1, 5000) i;
		INSERT INTO changes (seq, at, version, type, path, replaces, replaced) SELECT 100 + i, 1, 2, 2, 'x', i, 'x' FROM generate_series(1, 5000) i`
	job := func(id string) string {
		return fmt.Sprintf("('{%s}', '{%[1]s}', '{t}', '{create}', '{users/a/notes/n}', '{1}', '{1}', '{1}', '{null}', '{o}', '{1}', '{null}', '{null}', '{null}')", id)
	}
	change := func(seq string) string {
		return fmt.Sprintf("('{%s}', '{1}', '{1}', '{null}', '{1}', '{a}', '{null}', '{users/b/notes/n}', %[1]s, 1)", seq)
	}
	for name, c := range map[string]struct {
		text string
		args func(string) string
	}{
		"jobs": {insertJobs, job}, "jobs that may wait already": {coalesceJobs, job},
		"jobs that look whether a run is over": {checkJobs, func(id string) string {
			return strings.TrimSuffix(job(id), ")") + fmt.Sprintf(", '{%s}', '{%[1]s}')", id)
		}},
		"the log":           {insertChanges, change},
		"what was replaced": {replacedAll, func(seq string) string { return "('{" + seq + "}')" }},
	} {
		t.Run(name, func(t *testing.T) {
			tx, err := s.pool.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer tx.Rollback(t.Context())
			for _, each := range []string{settings, "PREPARE kept AS " + c.text, "EXECUTE kept " + c.args("1"), fill} {
				if _, err := tx.Conn().PgConn().Exec(t.Context(), each).ReadAll(); err != nil {
					t.Fatalf("%s: %v", each, err)
				}
			}
			rows, err := tx.Query(t.Context(), "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) EXECUTE kept "+c.args("2"), pgx.QueryExecModeSimpleProtocol)
			if err != nil {
				t.Fatal(err)
			}
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				t.Fatal(err)
			}
			if plan := strings.Join(lines, "\n"); strings.Contains(plan, "rows=500") || strings.Contains(plan, "Removed by Filter: 500") {
				t.Errorf("it reads all:\n%s", plan)
			}
			if _, err := tx.Exec(t.Context(), "DEALLOCATE kept"); err != nil {
				t.Fatal(err)
			}
		})
	}
}
