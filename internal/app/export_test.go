package app_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/app"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
)

func TestWhatIsExportedCanBeImportedElsewhereAndTriggersNothing(t *testing.T) {
	// From one engine to the other, and back.
	sqlite := app.Config{Data: t.TempDir(), Stdout: t.Output()}
	postgres := app.Config{Data: t.TempDir(), DB: pgtest.URL(t), Stdout: t.Output()}
	talk(t, sqlite, app.ChatOptions{Message: "Compute 6*7"})
	renamed := strings.NewReplacer("users/local", "users/bob", `"userId":"local"`, `"userId":"bob"`)
	var first, second, jobs bytes.Buffer
	if err := app.Export(t.Context(), sqlite, "local", &first); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time finds everything there
		if err := app.Import(t.Context(), postgres, "bob", bytes.NewReader(first.Bytes())); err != nil {
			t.Fatal(err)
		}
	}
	if err := app.Export(t.Context(), postgres, "bob", &second); err != nil {
		t.Fatal(err)
	}
	if got, want := second.String(), renamed.Replace(first.String()); got != want {
		t.Errorf("exported again\n%s\nwant\n%s", got, want)
	}
	if n := strings.Count(first.String(), "\n"); n < 10 || !strings.Contains(first.String(), `"content":"Compute 6*7"`) {
		t.Errorf("%d documents were exported:\n%s", n, first.String())
	}
	postgres.Stdout = &jobs
	if err := app.ListJobs(t.Context(), postgres, app.JobFilter{}); err != nil || jobs.String() != "No jobs.\n" {
		t.Errorf("jobs: %s %v", jobs.String(), err)
	}
}

func TestAnImportSaysWhatIsWrong(t *testing.T) {
	cfg := app.Config{Data: t.TempDir(), Stdout: t.Output()}
	for name, test := range map[string]struct{ line, want string }{
		"text":                   {"hello", "document 1 cannot be read"},
		"nobody's document":      {`{"path":"accounts/a","data":{}}`, "accounts/a is not a user's"},
		"a body that is wrong":   {`{"path":"users/u/orch-chats/c","data":{"title":5}}`, "title"},
		"a child of nobody":      {`{"path":"users/u/orch-chats/c/messages/m","data":{"role":"user","content":"x"}}`, "it would lie below does not exist"},
		"a path that makes none": {`{"path":"users/u/orch-chats","data":{}}`, "names a collection"},
	} {
		t.Run(name, func(t *testing.T) {
			err := app.Import(t.Context(), cfg, "u", strings.NewReader(test.line))
			if nestor.CodeOf(err) == nestor.CodeInternal || err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestUsersAndKeysAreMadeFromTheCommandLine(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		var out bytes.Buffer
		cfg.Stdout = &out
		if err := app.AddUser(t.Context(), cfg, app.NewUser{ID: "ann", Admin: true}, "correct horse battery"); err != nil {
			t.Fatal(err)
		}
		if err := app.CreateKey(t.Context(), cfg, app.NewKey{User: "ann", Name: "ci", Scopes: "read"}); err != nil {
			t.Fatal(err)
		}
		printed := strings.Split(out.String(), "\n")
		key := printed[1]
		s := start(t, cfg)
		status, body := s.call("GET", "/api/v1/chats", "", "Authorization", "Bearer "+key)
		if status != 200 {
			t.Fatalf("the key gets %d %s", status, body)
		}
		out.Reset()
		if err := app.ListKeys(t.Context(), cfg, "ann"); err != nil || strings.Contains(out.String(), key) {
			t.Fatalf("%v %s", err, out.String())
		}
		id := strings.Fields(strings.Split(out.String(), "\n")[1])[0]
		if err := app.RevokeKey(t.Context(), cfg, "ann", id); err != nil {
			t.Fatal(err)
		}
		for status == 200 { // until the server notices, which takes up to a second
			status, _ = s.call("GET", "/api/v1/chats", "", "Authorization", "Bearer "+key)
		}
		if status != 401 {
			t.Errorf("a revoked key gets %d", status)
		}
	})
}
