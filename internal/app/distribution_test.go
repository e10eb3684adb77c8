package app_test

import (
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor/internal/app"
	"github.com/nestorhq/nestor/internal/servertest"
)

// userColumn is what an engine that spreads tables over machines would spread them by.
const userColumn = "user_id"

// notByUser are the tables that cannot be spread by it as they are. docs/scale.md says of
// each what it would take.
var notByUser = map[string]struct {
	why string
	// from is an expression for the user of a row. A table that has none is of all users:
	// it is small and would be copied to every machine, or stay on one.
	from string
}{
	"documents":         {"the user stands in the text of collection, and a document may be of no user", "split_part(collection || '/' || id, '/', 2)"},
	"tombstones":        {"the user stands in the text of path", "split_part(path, '/', 2)"},
	"changes":           {why: "the log is one order over all users, which readers follow; whose an entry is stands in its packed path"},
	"jobs":              {"a key orders jobs of several users, if its trigger says so", "split_part(path, '/', 2)"},
	"commits":           {why: "a token is of a transaction, and asked for by nothing else"},
	"nodes":             {why: "a node runs the jobs of all users"},
	"log_start":         {why: "one row: where the log begins"},
	"probe":             {why: "one row, written to find out whether the database takes writes"},
	"migrations":        {why: "which steps the schema has taken"},
	"module_migrations": {why: "which steps the schemas of modules have taken"},
}

// A table that is spread by user needs the user in its primary key and in everything that
// is unique, and may refer to rows of the same user only. So Citus, Aurora Limitless and
// YugabyteDB ask for it; then a transaction of one user stays on one machine.
func TestEveryTableCarriesTheUserInItsKeys(t *testing.T) {
	db := withAllTables(t)
	tables := lines(t, db, "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace")
	if len(tables) < 30 {
		t.Fatalf("only %d tables are there: %v", len(tables), tables)
	}
	for _, name := range tables {
		against := againstTheUser(t, db, name)
		stated, listed := notByUser[name]
		switch {
		case !listed && len(against) > 0:
			t.Errorf("%s cannot be spread by user:\n  %s", name, strings.Join(against, "\n  "))
		case listed && len(against) == 0:
			t.Errorf("%s can be spread by user and is on the list of those that cannot, because %s", name, stated.why)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(notByUser)) {
		if !slices.Contains(tables, name) {
			t.Errorf("%s is on the list and is no table", name)
		}
	}
}

// The tables on the list that hold what is of users can get the column: each row says by
// itself whose it is.
func TestARowTellsWhoseItIs(t *testing.T) {
	cfg := app.Config{Data: t.TempDir(), DB: servertest.Postgres(t), Stdout: io.Discard, Stderr: io.Discard}
	s := start(t, cfg)
	s.want(201, "POST", "/api/v1/chats", `{"id":"c1"}`, "")
	s.want(201, "PUT", "/api/v1/docs/users/local/notes/n1", `{"text":"kept"}`, "")
	s.want(201, "PUT", "/api/v1/docs/users/local/notes/n2", `{"text":"deleted"}`, "")
	s.want(204, "DELETE", "/api/v1/docs/users/local/notes/n2", "", "")
	db := connect(t, cfg.DB)
	for _, name := range []string{"documents", "tombstones"} {
		of := lines(t, db, "SELECT DISTINCT "+notByUser[name].from+" FROM "+name)
		if !slices.Contains(of, "local") || slices.Contains(of, "") {
			t.Errorf("the rows of %s are of %q", name, of)
		}
	}
	// No row of jobs may be left by now. What a job is of is its document, as in the log.
	if _, err := db.Exec(t.Context(), "SELECT "+notByUser["jobs"].from+" FROM jobs"); err != nil {
		t.Error(err)
	}
}

// againstTheUser tells what of a table keeps it from being spread by user.
func againstTheUser(t *testing.T, db *pgx.Conn, name string) (against []string) {
	t.Helper()
	column := lines(t, db, `SELECT concat_ws(' ', format_type(atttypid, atttypmod), CASE WHEN NOT attnotnull THEN 'NULL' END,
		CASE WHEN attgenerated <> '' THEN 'GENERATED' END)
		FROM pg_attribute WHERE attrelid = $1::regclass AND attname = $2 AND NOT attisdropped`, name, userColumn)
	if !slices.Equal(column, []string{"text"}) {
		against = append(against, "its column "+userColumn+" is "+strings.Join(append(column, "to be text, not null, not generated"), ", "))
	}
	keys := lines(t, db, "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = $1::regclass AND contype = 'p'", name)
	if len(keys) == 0 {
		against = append(against, "it has no primary key")
	}
	for _, unique := range lines(t, db, `SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = $1::regclass AND indisunique
		AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = indrelid AND attnum = ANY (indkey) AND attname = $2)`, name, userColumn) {
		against = append(against, "without the user: "+unique)
	}
	// Those of a foreign key are paired by their place.
	for _, foreign := range lines(t, db, `SELECT pg_get_constraintdef(c.oid) FROM pg_constraint c WHERE conrelid = $1::regclass AND contype = 'f'
		AND NOT EXISTS (SELECT FROM unnest(conkey, confkey) AS k (mine, theirs)
			JOIN pg_attribute m ON m.attrelid = conrelid AND m.attnum = mine AND m.attname = $2
			JOIN pg_attribute o ON o.attrelid = confrelid AND o.attnum = theirs AND o.attname = $2)`, name, userColumn) {
		against = append(against, "refers beyond the user: "+foreign)
	}
	for _, other := range lines(t, db, "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = $1::regclass AND contype IN ('x', 't')", name) {
		against = append(against, "what others cannot have: "+other)
	}
	return append(against, lines(t, db, "SELECT 'a trigger: ' || tgname FROM pg_trigger WHERE tgrelid = $1::regclass AND NOT tgisinternal", name)...)
}

// withAllTables is a connection to a database that the program has just set up, with the
// tables of all modules.
func withAllTables(t *testing.T) *pgx.Conn {
	t.Helper()
	cfg := app.Config{Data: t.TempDir(), DB: servertest.Postgres(t), Stdout: io.Discard}
	if err := app.Migrate(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	return connect(t, cfg.DB)
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	db, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close(context.Background()) }) // the context of the test is over by then
	return db
}

// lines reads a query of one column.
func lines(t *testing.T, db *pgx.Conn, query string, args ...any) []string {
	t.Helper()
	rows, err := db.Query(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return all
}
