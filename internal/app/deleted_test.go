package app_test

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver

	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	nestord "github.com/nestorhq/nestor/server"
)

// tables are the rows of all tables of a server's database, as text.
func tables(t *testing.T, cfg nestord.Config) map[string][]string {
	t.Helper()
	driver, source, names := "sqlite", filepath.Join(cfg.Data, "nestor.db"), "SELECT name FROM sqlite_master WHERE type = 'table'"
	if cfg.DB != "" {
		driver, source, names = "pgx", cfg.DB, "SELECT quote_ident(table_name) FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'"
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	all := map[string][]string{}
	for _, row := range query(t, db, names) {
		name := row[0].(string)
		all[name] = nil
		for _, values := range query(t, db, `SELECT * FROM `+name) {
			text := ""
			for _, v := range values {
				if b, ok := v.([]byte); ok {
					v = string(b)
				}
				text += fmt.Sprintf("%v | ", v)
			}
			all[name] = append(all[name], text)
		}
	}
	if len(all) < 20 {
		t.Fatalf("there are the tables %q", slices.Sorted(maps.Keys(all)))
	}
	return all
}

func query(t *testing.T, db *sql.DB, text string) (all [][]any) {
	t.Helper()
	rows, err := db.QueryContext(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		all = append(all, values)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// kept says what tables keep of a deleted document for a while: that of the deletes its path,
// and the log, which nobody can read back to before the delete, what was replaced, too.
var kept = map[string]string{"tombstones": "paths", "changes": "all"}

func TestNothingOfADeletedUserIsLeftInAnyTableOrFile(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg nestord.Config) {
		cfg.Model, cfg.Files = demo.New(demo.Options{Instant: true}), "dir:"+t.TempDir()
		p := servertest.Enter(t, cfg)
		const user, word = "zeldaq", "wombatq"
		settle(p.SignIn("olga"), "olga", "stays")
		settle(p.SignIn(user), user, word)
		p.Settled()
		before := tables(t, cfg)
		p.Wants(204, "DELETE", "users/"+user, "")
		p.Settled()
		after := tables(t, cfg)
		for name, rows := range after {
			had, has, said := holding(before[name], user), holding(rows, user), holding(rows, word)
			if len(said) > 0 && kept[name] != "all" || len(has) > 0 && kept[name] == "" {
				t.Errorf("%s has %d rows of the user, and says what they said in %q", name, len(has), said)
			}
			// Each table that has something of another user must have had something of this one.
			if len(had) == 0 && len(holding(before[name], "olga")) > 0 {
				t.Errorf("%s had nothing of the user: give them something", name)
			}
			if len(holding(rows, "olga")) < len(holding(before[name], "olga")) {
				t.Errorf("%s has less of another user than before", name)
			}
		}
		folder, _ := strings.CutPrefix(cfg.Files, "dir:")
		for _, at := range []string{folder, cfg.Data} {
			err := filepath.WalkDir(at, func(name string, entry fs.DirEntry, err error) error {
				if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), "nestor.db") {
					return err
				}
				text, err := os.ReadFile(name)
				if strings.Contains(name+string(text), user) || strings.Contains(name+string(text), word) {
					t.Errorf("the file %s is there: %.300q", name, text)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}

		// Who gets the id later is told nothing of who had it, however far back they ask.
		again := p.SignIn(user)
		again.Wants(201, "POST", "chats", `{"id":"chat-`+user+`","title":"the next one"}`)
		again.Settled()
		for _, path := range []string{"stream?from=1", "stream?from=1&path=users/" + user + "/**", "chats/chat-" + user + "/events?from=1"} {
			hears(again, path, "the next one", word)
		}
		for _, path := range []string{"chats", "runs", "search?q=" + word, "replication/chats/pull", "usage/report?groupBy=chat", "tasks", "files", "models", "secrets", "keys"} {
			if got := again.Wants(200, "GET", path, ""); strings.Contains(got, word) {
				t.Errorf("%s tells %.300s", path, got)
			}
		}
	})
}

// A chat that has the id of one that is gone tells those who share it nothing of that.
func TestAChatTellsNothingOfTheOneThatHadItsID(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg nestord.Config) {
		cfg.Model = demo.New(demo.Options{Instant: true})
		p := servertest.Enter(t, cfg)
		olga, mia := p.SignIn("olga"), p.SignIn("mia")
		var team, project struct{ ID string }
		olga.Into(&team, 201, "POST", "accounts", `{"name":"Team"}`)
		olga.Into(&project, 201, "POST", "accounts/"+team.ID+"/projects", `{"name":"Work"}`)
		olga.Wants(202, "PUT", "accounts/"+team.ID+"/members/mia", `{"role":"viewer"}`)
		mia.Wants(204, "POST", "invitations/"+team.ID+"/accept", "")
		olga.Wants(201, "POST", "chats", `{"id":"c1","title":"wombat"}`)
		olga.Wants(200, "POST", "chats/c1/messages?wait=1", `{"content":"Compute 6*7 for the wombat"}`)
		olga.Settled()
		olga.Wants(204, "DELETE", "chats/c1", "")
		olga.Wants(201, "POST", "chats", `{"id":"c1","title":"Shared","projectId":"`+project.ID+`"}`)
		olga.Wants(200, "POST", "chats/c1/messages?wait=1", `{"content":"This is for the team"}`)
		p.Settled()
		for _, path := range []string{"chats/c1/events?user=olga&from=1", "stream?from=1&path=users/olga/orch-chats/c1/**"} {
			hears(mia, path, "This is for the team", "wombat")
		}
	})
}

// hears follows a stream until it tells of a text, and fails if it told of another before.
func hears(p *servertest.Person, path, last, never string) {
	p.Helper()
	res := p.Open(p.Request("GET", path, ""))
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		p.Fatalf("%s: %s", path, res.Status)
	}
	for lines := bufio.NewReader(res.Body); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			p.Fatalf("%s ended before it told of %q: %v", path, last, err)
		}
		if strings.Contains(line, never) {
			p.Fatalf("%s tells %.300s", path, line)
		}
		if strings.Contains(line, last) {
			return
		}
	}
}

// holding are those of some rows that have a text in them.
func holding(rows []string, text string) (list []string) {
	for _, row := range rows {
		if strings.Contains(row, text) {
			list = append(list, row)
		}
	}
	return list
}
