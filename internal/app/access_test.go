package app_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/app"
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
