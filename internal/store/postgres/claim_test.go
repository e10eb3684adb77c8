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

// readsFew fails if a statement reads more than a few rows of a table or entries of its
// indexes, also within functions that it calls. It runs in tx, after prepare.
func readsFew(t *testing.T, tx pgx.Tx, table, text string, args ...any) {
	t.Helper()
	const few = 40 // a claim of three jobs reads 28 at most, whatever the plan
	read := func() (n int) {
		// The numbers of this transaction alone, which nobody else changes.
		err := tx.QueryRow(t.Context(), `SELECT pg_stat_get_xact_tuples_returned(c.oid) +
			(SELECT sum(pg_stat_get_xact_tuples_returned(i.indexrelid))::bigint FROM pg_index AS i WHERE i.indrelid = c.oid)
			FROM pg_class AS c WHERE c.oid = $1::regclass`, table).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := read()
	rows, err := tx.Query(t.Context(), "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) "+text, args...)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	if n := read() - before; n > few {
		t.Errorf("it reads %d entries of %s, want at most %d:\n%s", n, table, few, strings.Join(lines, "\n"))
	} else {
		t.Logf("it reads %d entries of %s", n, table)
	}
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
		tenants, counts := []string{"users/a", "users/b"}, []int{2, 1}
		for name, statement := range map[string]step{
			"who waits":                        {text: walkTenants, args: []any{"", store.MaxWalk, store.NoBound}},
			"who waits, with limits":           {text: walkLimited, args: []any{"", store.MaxWalk, 3}},
			"the claim":                        {text: claimJobs, args: []any{"n", now, tenants, counts, newToken()}},
			"the claim, with limits of users":  {text: claimPlaces, args: []any{"n", now, tenants, counts, newToken(), 3, 0, false}},
			"the claim, with limits of either": {text: claimPlaces, args: []any{"n", now, tenants, counts, newToken(), 3, 3, true}},
		} {
			t.Run(fmt.Sprintf("%s, analysed %t", name, analyse), func(t *testing.T) {
				tx, err := s.pool.Begin(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				defer tx.Rollback(t.Context())
				readsFew(t, tx, "jobs", statement.text, statement.args...)
			})
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
		table, text string
		args        func(string) string
	}{
		"jobs": {"jobs", insertJobs, job}, "jobs that may wait already": {"jobs", coalesceJobs, job},
		"jobs that look whether a run is over": {"jobs", checkJobs, func(id string) string {
			return strings.TrimSuffix(job(id), ")") + fmt.Sprintf(", '{%s}', '{%[1]s}')", id)
		}},
		"the log":           {"changes", insertChanges, change},
		"what was replaced": {"changes", replacedAll, func(seq string) string { return "('{" + seq + "}')" }},
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
			readsFew(t, tx, c.table, "EXECUTE kept "+c.args("2"), pgx.QueryExecModeSimpleProtocol)
			if _, err := tx.Exec(t.Context(), "DEALLOCATE kept"); err != nil {
				t.Fatal(err)
			}
		})
	}
}
