package pgtest_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

func TestASchemaIsAsNewForTheNextTest(t *testing.T) {
	made := 0
	schemas := pgtest.Schemas{Fill: func(url string) error {
		made++
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			return err
		}
		defer conn.Close(t.Context())
		_, err = conn.Exec(t.Context(), `CREATE TABLE owners (id bigserial PRIMARY KEY, data bytea);
			CREATE TABLE things (owner bigint REFERENCES owners, name text); INSERT INTO owners (data) VALUES ('it''s \\000')`)
		return err
	}}
	for _, c := range []struct{ name, does string }{
		{"new", "INSERT INTO owners (data) VALUES ('x'); INSERT INTO things VALUES (1, 'y')"},
		{"written", "UPDATE owners SET data = ''"},
		{"updated", "DELETE FROM owners"},
		{"emptied, with another table", "CREATE TABLE more (id int)"},
		{"after that", "BEGIN; INSERT INTO things VALUES (1, 'z')"},
		{"while somebody was about to write", "SELECT 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, err := pgx.Connect(t.Context(), schemas.URL(t))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { go conn.Close(context.Background()) }) // late
			var there string
			err = conn.QueryRow(t.Context(), `SELECT format('%s, %s, next %s, %s things, %s tables', (SELECT string_agg(o.id || ' ' || encode(data, 'escape'), ', ') FROM owners AS o),
				(SELECT count(*) FROM owners), nextval('owners_id_seq'), (SELECT count(*) FROM things),
				(SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'))`).Scan(&there)
			if want := `1 it's \\000, 1, next 2, 0 things, 2 tables`; err != nil || there != want {
				t.Errorf("there is %s, %v; want %s", there, err, want)
			}
			if _, err := conn.Exec(t.Context(), c.does); err != nil {
				t.Fatal(err)
			}
		})
	}
	if made != 2 {
		t.Errorf("%d schemas were made, want 2", made)
	}
}
