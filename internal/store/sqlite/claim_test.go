package sqlite

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/store"
)

// plan explains a statement.
func (s *Store) plan(t *testing.T, text string, args ...any) (plan string) {
	t.Helper()
	err := s.writer.exclusive(t.Context(), func(tx *tx) error {
		return tx.conn.each("EXPLAIN QUERY PLAN "+text, args, func(r row) error {
			var ids [3]int64
			var step string
			err := r.Scan(&ids[0], &ids[1], &ids[2], &step)
			plan += step + "\n"
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func TestAClaimGoesByTheIndexOfTurns(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "nestor.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	walk := s.plan(t, walkTenants, "", store.MaxWalk, store.NoBound)
	if n := strings.Count(walk, "jobs USING "); n != 4 || strings.Count(walk, "jobs USING COVERING INDEX jobs_turn (state=?") != n {
		t.Errorf("tenants are found by\n%s", walk)
	}
	if walk := s.plan(t, walkLimited, "", store.MaxWalk, 3); !strings.Contains(walk, "COVERING INDEX jobs_place (place=?)") {
		t.Errorf("what runs is counted by\n%s", walk)
	}
	claim := s.plan(t, claimJobs, "n", "users/a", 1, 1)
	if !strings.Contains(claim, "INDEX jobs_turn (state=? AND <expr>=? AND run_at<?)") || strings.Contains(claim, "SCAN") || strings.Contains(claim, "TEMP B-TREE") {
		t.Errorf("jobs are claimed by\n%s", claim)
	}
}
