package crashtest

import (
	"database/sql"
	"errors"
	"strconv"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// checkWrites compares documents, log and what was acknowledged. It returns
// how often each writer wrote.
func checkWrites(t *testing.T, db engines.Place, acknowledged [writers]int) (written [writers]int) {
	t.Helper()
	if db.Engine == "sqlite" {
		checkIntegrity(t, db.Address)
	}
	s, err := db.Open(t.Context(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	documents := map[nestor.Path]*nestor.Document{}
	for w, least := range acknowledged {
		n := checkWriter(t, s, writerPath(w), documents)
		written[w] = n
		if n < least || n > least+1 {
			t.Errorf("writer %d: %d writes are there, %d were acknowledged and one more was under way", w, n, least)
		}
	}
	checkLog(t, s, documents)
	return written
}

// checkWriter checks that a writer's documents agree, adds them to documents
// and returns how often it wrote.
func checkWriter(t *testing.T, s store.Store, p nestor.Path, documents map[nestor.Path]*nestor.Document) int {
	t.Helper()
	var count number
	err := s.View(t.Context(), func(r store.Reader) error {
		d, err := r.Get(p)
		if errors.Is(err, nestor.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		documents[p] = d
		if count, err = nestor.As[number](d); err != nil {
			return err
		}
		if d.Version != int64(count.N) {
			t.Errorf("%s counts %d at version %d", p, count.N, d.Version)
		}
		for q := (store.Query{Collection: string(p) + "/items"}); ; {
			page, err := r.Query(q)
			if err != nil {
				return err
			}
			for _, d := range page.Items {
				documents[d.Path] = d
			}
			if q.Cursor = page.Next; q.Cursor == "" {
				break
			}
		}
		for n := 1; n <= count.N; n++ {
			if documents[p.Child("items", strconv.Itoa(n))] == nil {
				t.Errorf("item %d of %s is missing", n, p)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return count.N
}

// checkLog replays the log: it must give exactly the documents.
func checkLog(t *testing.T, s store.Store, documents map[nestor.Path]*nestor.Document) {
	t.Helper()
	newest := int64(0)
	for _, d := range documents {
		newest = max(newest, d.Seq)
	}
	replayed := map[nestor.Path]*nestor.Document{}
	for after := int64(0); after < newest; {
		changes, err := s.Changes(t.Context(), after, 500, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range changes {
			after = c.Seq
			version := int64(0)
			if d := replayed[c.Path]; d != nil {
				version = d.Version
			}
			if c.Version != version+1 || (c.Type == nestor.Create) != (version == 0) {
				t.Errorf("%s of %s gives version %d after %d", c.Type, c.Path, c.Version, version)
			}
			replayed[c.Path] = c.After
		}
	}
	if len(replayed) != len(documents) {
		t.Errorf("the log has %d documents, the store %d", len(replayed), len(documents))
	}
	for p, d := range documents {
		if got := replayed[p]; got == nil || describe(got) != describe(d) {
			t.Errorf("%s is %v by the log", describe(d), got)
		}
	}
}

func checkIntegrity(t *testing.T, file string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var verdict string
	if err := db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("integrity check: %s, %v", verdict, err)
	}
}
