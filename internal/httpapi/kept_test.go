package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// keptOf are documents of the world that the server keeps: of each pattern one
// that is there, and one that is not.
var keptOf = map[nestor.Glob][]nestor.Path{
	"users/*":                   {"users/olga", "users/made-up"},
	"users/*/keys/**":           {"users/olga/keys/spare", "users/olga/keys/made-up", "users/olga/keys/spare/parts/made-up"},
	"users/*/sessions/**":       {"users/olga/sessions/spare", "users/olga/sessions/made-up"},
	"users/*/memberships/**":    {"users/olga/memberships/team", "users/olga/memberships/made-up"},
	"users/*/usage/**":          {"users/olga/usage/2026-01-01", "users/olga/usage/2026-01-02"},
	"users/*/ledgers/**":        {"users/olga/ledgers/l1", "users/olga/ledgers/made-up"},
	"users/*/audit/**":          {"users/olga/audit/a1", "users/olga/audit/made-up"},
	"users/*/invitations/**":    {"users/olga/invitations/i1", "users/olga/invitations/made-up"},
	"accounts/*/invitations/**": {"accounts/team/invitations/new", "accounts/team/invitations/made-up"},
	"accounts/*":                {"accounts/team", "accounts/made-up"},
	"accounts/*/projects/**":    {"accounts/team/projects/team.p", "accounts/team/projects/team.made-up"},
	"accounts/*/ledgers/**":     {"accounts/team/ledgers/l1", "accounts/team/ledgers/made-up"},
	"accounts/*/departures/**":  {"accounts/team/departures/d1", "accounts/team/departures/made-up"},
}

// ofOlgas are all who could have a right to what is olga's.
func (w *world) ofOlgas() []caller {
	w.Helper()
	list := []caller{
		{"a session", "olga", w.session("olga"), nil},
		{"a key that may write", "olga", w.apiKey("olga", access.ScopeWrite), nil},
		{"an admin key", "olga", w.apiKey("olga", access.ScopeAdmin), nil},
		{"a key for everything", "olga", w.apiKey("olga", access.ScopeAdmin, "users/**", "accounts/**"), nil},
		{"a webhook", "olga", w.grant("olga", "users/olga"), nil},
		{"a webhook of the account", "olga", w.grant("olga", "accounts/team"), nil},
		{"a member", "mia", w.session("mia"), nil},
		{"an admin", "amy", w.session("amy"), nil},
		{"an admin's key", "amy", w.apiKey("amy", access.ScopeAdmin), nil},
		{"who runs the server", "local", "Bearer " + token, nil},
	}
	for _, c := range list { // that a key was used is written down once
		w.want(200, "GET", "/me", "", "", "Authorization", c.bearer)
	}
	return list
}

func TestNobodyWritesWhatTheServerKeepsAboutPeople(t *testing.T) {
	t.Parallel()
	for _, g := range access.Kept() {
		if len(keptOf[g]) < 2 {
			t.Errorf("nothing is tried of %s", g)
		}
	}
	if len(keptOf) != len(access.Kept()) {
		t.Errorf("the server keeps %v", access.Kept())
	}
	carefree, err := rules.New(rules.Options{Members: account.Members{}, Key: key(), Name: "rules.json", File: []byte(
		`{"rules":[{"id":"all","path":"**","operations":["read","create","update","delete","act"],"condition":"true"}]}`)})
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*httpapi.Options){
		"by the built-in rules": func(*httpapi.Options) {}, "by rules that open everything": func(o *httpapi.Options) { o.Rules = carefree },
	} {
		t.Run(name, func(t *testing.T) {
			engines.Each(t, func(t *testing.T, open engines.Database) {
				w := newWorld(t, open, change)
				callers, before, tried := w.ofOlgas(), w.state(), 0
				for _, paths := range keptOf {
					for _, p := range paths {
						for _, c := range callers {
							tried++
							w.tryToWrite(c, p)
						}
					}
				}
				if after := w.state(); after != before {
					t.Errorf("it was written:\n%s", difference(before, after))
				}
				if tried < 150 {
					t.Errorf("only %d were tried", tried)
				}
			})
		})
	}
}

// tryToWrite tries to create, change and delete a document by every transport,
// none of which may say that it did.
func (w *world) tryToWrite(c caller, p nestor.Path) {
	w.Helper()
	as := []string{"Authorization", c.bearer}
	const body = `{"admin":true,"spentTokens":-1000000,"reserved":{},"role":"owner","scopes":["admin"],"members":{"otto":"owner"},"name":"mine"}`
	_, now := w.call("GET", "/docs/"+string(p), "")
	for _, method := range []string{"PUT", "PATCH", "DELETE"} {
		if status, text := w.call(method, "/docs/"+string(p), body, as...); status != 403 && status != 404 {
			w.Errorf("%s %s as %s: %d %s", method, p, c.name, status, text)
		}
	}
	for _, o := range []string{`"create","body":` + body, `"put","body":` + body, `"patch","body":` + body, `"delete"`} {
		operation := fmt.Sprintf(`{"operations":[{"path":%q,"op":%s}]}`, p, o)
		// A create of what the caller can see says that it is there.
		if status, text := w.call("POST", "/batch", operation, as...); status != 403 && status != 404 && status != 409 {
			w.Errorf("a batch with %s as %s: %d %s", operation, c.name, status, text)
		}
	}
	fields := strings.TrimPrefix(body, "{")
	if strings.Contains(now, `"error"`) {
		now = "null"
	}
	for _, row := range []string{
		fmt.Sprintf(`{"newDocumentState":{"id":%q,%s}`, p.ID(), fields),
		fmt.Sprintf(`{"newDocumentState":{"id":%q,%s,"assumedMasterState":%s}`, p.ID(), fields, now),
		fmt.Sprintf(`{"newDocumentState":{"id":%q,"_deleted":true},"assumedMasterState":%s}`, p.ID(), now),
	} {
		if !json.Valid([]byte(row)) {
			w.Fatalf("this is no push: %s", row)
		}
		path := "/replication/documents/push?collection=" + url.QueryEscape(p.Collection())
		if status, text := w.call("POST", path, "["+row+"]", as...); status == 200 && text == "[]" && !strings.Contains(row, "_deleted") {
			w.Errorf("a push of %s as %s was accepted: %s", p, c.name, row)
		}
	}
}
