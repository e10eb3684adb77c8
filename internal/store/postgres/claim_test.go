package postgres

import (
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
			s.plan(t, walkTenants, "", store.MaxWalk),
			s.plan(t, claimJobs, "n", now, []string{"users/a", "users/b"}, []int{2, 1}, newToken()),
		} {
			if strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "jobs_idle") || !strings.Contains(plan, "jobs_turn") ||
				strings.Contains(plan, "Rows Removed by Filter: 1") {
				t.Errorf("jobs are claimed by\n%s", plan)
			}
		}
	}
}
