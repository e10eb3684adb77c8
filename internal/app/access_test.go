package app_test

import (
	"cmp"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/app"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
)

func TestALocalServerPrintsALinkThatLogsIn(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		cfg.Addr = "127.0.0.1:0"
		s := startAt(t, cfg)
		link := regexp.MustCompile(`http://127\.0\.0\.1:\d+/\?token=\S+`).FindString(s.out.String())
		if !strings.HasPrefix(link, s.url) {
			t.Fatalf("printed %s", s.out)
		}
		req, err := http.NewRequestWithContext(t.Context(), "GET", link, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := client.Transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != 302 {
			t.Fatalf("the link: %d", res.StatusCode)
		}
		var cookies []string
		for _, c := range res.Cookies() {
			cookies = append(cookies, c.Name+"="+c.Value)
		}
		as := []string{"Authorization", "", "Cookie", strings.Join(cookies, "; "), "Origin", s.url}
		s.want(200, "GET", "/api/v1/me", "", `{"id":"local","name":"local","admin":true,"kind":"session"}`, as...)
		s.want(201, "POST", "/api/v1/chats", `{}`, "", as...)
		s.want(401, "GET", "/api/v1/me", "", "unauthenticated", "Authorization", "Bearer "+token) // there is none
		s.want(200, "GET", "/", "", "<html", "Authorization", "")
	})
}

func TestTheTokenOfTheEnvironmentIsNotPrinted(t *testing.T) {
	s := start(t, app.Config{Data: t.TempDir()})
	if strings.Contains(s.out.String(), token) {
		t.Errorf("printed %s", s.out)
	}
}

func TestAnOpenAddressIsServedToUsersWhoCanLogIn(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		cfg.Stdout, cfg.Stderr = &output{}, &output{}
		const password = "a password for the tests"
		if err := app.AddUser(t.Context(), cfg, app.NewUser{ID: "ada"}, password); err != nil {
			t.Fatal(err)
		}
		cfg.Addr, cfg.Hosts = "0.0.0.0:0", []string{"nestor.example"}
		s := startAt(t, cfg)
		if strings.Contains(s.out.String(), "?token=") {
			t.Errorf("it offers everybody a link: %s", s.out)
		}
		s.url = "http://127.0.0.1" + s.url[strings.LastIndex(s.url, ":"):]
		s.want(200, "POST", "/api/v1/login", `{"login":"ada","password":"`+password+`"}`, `"id":"ada"`,
			"Authorization", "", "Origin", "https://nestor.example")
		s.want(403, "POST", "/api/v1/login", `{"login":"ada","password":"`+password+`"}`, "forbidden",
			"Authorization", "", "Origin", "https://evil.example")
	})
}

// Behind a proxy that is trusted the cards of agents name the address that the client
// reached, and behind no other.
func TestCardsNameThePublicAddress(t *testing.T) {
	for trusted, base := range map[string]string{"127.0.0.1": "https://agents.example", "192.0.2.1": ""} {
		s := startAt(t, app.Config{Data: t.TempDir(), Addr: "127.0.0.1:0", TrustedProxies: []string{trusted}, Token: "a-token-of-thirty-two-characters"})
		for path, card := range map[string]string{
			"/.well-known/agent-card.json": "/a2a/orchestrator", "/a2a/agent:general/.well-known/agent-card.json": "/a2a/agent:general",
		} {
			want := cmp.Or(base, s.url) + card
			s.want(200, "GET", path, "", `"url":"`+want+`"`, "Authorization", "", "X-Forwarded-Host", "agents.example", "X-Forwarded-Proto", "https")
		}
	}
}

func TestRulesOfOnesOwn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rules.json")
	text := `{"rules":[{"id":"notes","path":"users/{u}/notes/{n}","operations":["read","create"],"condition":"request.auth.kind == 'local'"}]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, app.Config{Data: t.TempDir(), Rules: file})
	s.want(201, "PUT", "/api/v1/docs/users/u1/notes/n1", `{}`, "")
	s.want(403, "PUT", "/api/v1/docs/users/u1/notes/n1", `{"a":1}`, "forbidden")
	s.want(404, "PUT", "/api/v1/docs/users/u1/diary/d1", `{}`, "not_found")
}

func TestALongTokenIsAcceptedBeyondLoopbackAndAShortOneOnItWithAWarning(t *testing.T) {
	const long = "a-token-of-thirty-two-characters"
	s := startAt(t, app.Config{Data: t.TempDir(), Addr: "0.0.0.0:0", Token: long})
	s.url = "http://127.0.0.1" + s.url[strings.LastIndex(s.url, ":"):]
	s.want(200, "GET", "/api/v1/me", "", "local", "Authorization", "Bearer "+long)
	if strings.Contains(s.out.String(), "level=WARN") || strings.Contains(s.out.String(), long) {
		t.Errorf("printed %s", s.out)
	}
	s = startAt(t, app.Config{Data: t.TempDir(), Addr: "127.0.0.1:0", Token: "short"})
	s.want(200, "GET", "/api/v1/me", "", "local", "Authorization", "Bearer short")
	if !strings.Contains(s.out.String(), "NESTOR_TOKEN is short") {
		t.Errorf("printed %s", s.out)
	}
}

func TestALinkIsForTheServerThatRuns(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		out := &output{}
		cfg.Stdout, cfg.Stderr = out, &output{}
		if err := app.Link(t.Context(), cfg, ""); nestor.CodeOf(err) != nestor.CodeNotFound || !strings.Contains(err.Error(), "nestor serve") {
			t.Errorf("without a server: %v", err)
		}
		// What a killed server left behind leads nowhere: nobody holds it.
		stale := filepath.Join(cfg.Data, "serving-1-9.json")
		if err := os.WriteFile(stale, []byte(`{"url":"http://127.0.0.1:9"}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := app.Link(t.Context(), cfg, ""); nestor.CodeOf(err) != nestor.CodeNotFound {
			t.Errorf("after a crash: %v", err)
		}
		s := start(t, cfg)
		files, err := filepath.Glob(filepath.Join(cfg.Data, "serving-*.json"))
		if err != nil || len(files) != 1 {
			t.Fatalf("there are %v, %v", files, err)
		}
		if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the file is %v, %v", info, err)
		}
		if err := app.Link(t.Context(), cfg, ""); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(out.String(), s.url+"/?token=nst_u_") {
			t.Errorf("printed %s", out)
		}
		other := cfg
		if other.DB == "" {
			other.DB = "postgres://127.0.0.1:9/none"
		} else {
			other.DB = ""
		}
		if err := app.Link(t.Context(), other, ""); nestor.CodeOf(err) != nestor.CodeInvalid || !strings.Contains(err.Error(), "NESTOR_DB") {
			t.Errorf("with another database: %v", err)
		}
		if err := app.Link(t.Context(), cfg, "nestor.example"); nestor.CodeOf(err) != nestor.CodeInvalid {
			t.Errorf("an address that is none: %v", err)
		}
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
		if err := app.Link(t.Context(), cfg, ""); nestor.CodeOf(err) != nestor.CodeNotFound {
			t.Errorf("after it stopped: %v", err)
		}
	})
}

// A database that takes no writes answers reads as before.
func TestAServerWhoseDatabaseTakesNoWritesIsNotReady(t *testing.T) {
	url := pgtest.URL(t)
	s := start(t, app.Config{Data: t.TempDir(), DB: url})
	s.want(200, "GET", "/readyz", "", "ready")
	db, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	for _, sql := range []string{
		`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`,
		`CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON probe EXECUTE FUNCTION full_disk()`,
	} {
		if _, err := db.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	s.until(503, "/readyz")
	if !strings.Contains(s.out.String(), "the disk of the database is full") {
		t.Errorf("logged %s", s.out)
	}
	s.want(200, "GET", "/healthz", "", "ok")
	if _, err := db.Exec(t.Context(), `DROP TRIGGER full_disk ON probe`); err != nil {
		t.Fatal(err)
	}
	s.until(200, "/readyz")
}

// until asks again and again until the answer has a status.
func (s *server) until(status int, path string) {
	s.Helper()
	for {
		if got, _ := s.call("GET", path, ""); got == status {
			return
		}
		if err := s.Context().Err(); err != nil {
			s.Fatal(err)
		}
	}
}

// printedRules are the built-in rules as the program prints them.
func printedRules(t *testing.T) string {
	t.Helper()
	var out output
	if err := app.PrintRules(app.Config{Stdout: &out, Stderr: &out}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A rules file that is the printed rules changes nothing.
func TestThePrintedRulesAreThoseOfAServer(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		cfg.Rules = filepath.Join(t.TempDir(), "rules.json")
		if err := os.WriteFile(cfg.Rules, []byte(printedRules(t)), 0o600); err != nil {
			t.Fatal(err)
		}
		s := start(t, cfg)
		s.want(201, "POST", "/api/v1/chats", `{"title":"mine"}`, "")
		s.want(200, "GET", "/api/v1/chats", "", "mine")
		s.want(201, "POST", "/api/v1/accounts", `{"name":"Team"}`, "Team")
		s.want(200, "GET", "/api/v1/accounts", "", "Team")
	})
}

// A folder or a database that is named by mistake is not filled with an empty one, in which
// a link signs nobody in and lists are empty.
func TestCommandsMakeNoDatabaseByMistake(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		running := start(t, app.Config{Data: t.TempDir()})
		cfg.Data = filepath.Join(t.TempDir(), "nestor-data")
		if cfg.DB != "" {
			cfg.DB = pgtest.URL(t) // nothing is there
		}
		out := &output{}
		cfg.Stdout, cfg.Stderr = out, out
		for name, command := range map[string]func() error{
			"link --url":  func() error { return app.Link(t.Context(), cfg, running.url) },
			"link":        func() error { return app.Link(t.Context(), cfg, "") },
			"users ls":    func() error { return app.ListUsers(t.Context(), cfg) },
			"users rm":    func() error { return app.RemoveUser(t.Context(), cfg, "ada") },
			"keys ls":     func() error { return app.ListKeys(t.Context(), cfg, "local") },
			"keys revoke": func() error { return app.RevokeKey(t.Context(), cfg, "local", "k1") },
			"jobs ls":     func() error { return app.ListJobs(t.Context(), cfg, app.JobFilter{}) },
			"jobs retry":  func() error { return app.RetryJob(t.Context(), cfg, "j1") },
			"export":      func() error { return app.Export(t.Context(), cfg, "local", out) },
		} {
			err := command()
			if nestor.CodeOf(err) != nestor.CodeNotFound || !strings.Contains(err.Error(), "--data") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := app.CallTool(t.Context(), cfg, "calculator", `{"expression":"6*7"}`); err != nil || !strings.Contains(out.String(), "42") {
			t.Errorf("a tool that needs no documents: %v %s", err, out)
		}
		if cfg.DB == "" {
			if _, err := os.Stat(cfg.Data); !os.IsNotExist(err) {
				t.Errorf("the folder is there: %v", err)
			}
		}
		if strings.Contains(out.String(), "?token=") {
			t.Errorf("it printed %s", out)
		}
		// What can come before the first server says that it begins anew.
		if err := app.CreateKey(t.Context(), cfg, app.NewKey{Name: "ci", User: "local", Scopes: "write"}); err != nil || !strings.Contains(out.String(), "There was no database") {
			t.Errorf("a first key: %v %s", err, out)
		}
		if err := app.ListKeys(t.Context(), cfg, "local"); err != nil {
			t.Error(err)
		}
	})
}
