package httpapi_test

import (
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestNobodyReachesSecrets(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{})
	a.write("secrets/local/model-connections/x", `{"sealed":"canary"}`)
	for name, bearer := range map[string]string{
		"whoever runs the server":  "Bearer " + token,
		"a grant on the secret":    a.grant("local", "secrets/local/model-connections/x"),
		"a grant above the secret": a.grant("local", "secrets/local"),
		"a grant on the user":      a.grant("local", "users/local"),
		"a grant on nothing":       a.grant("", ""),
	} {
		t.Run(name, func(t *testing.T) {
			a := a.in(t)
			as := []string{"Authorization", bearer}
			for _, p := range []string{"secrets/local", "secrets/local/model-connections/x", "secrets/local/model-connections/x/more/y"} {
				for _, method := range []string{"GET", "PUT", "PATCH", "DELETE"} {
					a.want(404, method, "/docs/"+p, `{}`, `"code":"not_found"`, as...)
				}
			}
			for _, collection := range []string{"secrets", "secrets/local/model-connections", "secrets/local/model-connections/x/more"} {
				a.want(403, "POST", "/query", `{"collection":"`+collection+`"}`, `"code":"forbidden"`, as...)
				if status, text := a.call("GET", "/replication/documents/pull?collection="+collection, "", as...); status != 403 {
					t.Errorf("pulling %s: %d %s", collection, status, text)
				}
			}
		})
	}
}

func TestOnlyTheTopLevelCollectionIsSealed(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{})
	for _, p := range []string{"users/local/secrets/x", "secretsofmine/x", "things/secrets"} {
		a.want(201, "PUT", "/docs/"+p, `{}`, "")
		a.want(200, "GET", "/docs/"+p, "", "")
	}
	a.want(200, "POST", "/query", `{"collection":"users/local/secrets"}`, `"id":"x"`)
	a.want(200, "POST", "/query", `{"flat":"chats"}`, "")
}

func TestAGrantReachesCollectionsBelowItsPath(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{})
	a.write("users/u/notes/n/answers/a", `{}`, "users/u/notes/n2/answers/b", `{}`)
	as := []string{"Authorization", a.grant("u", "users/u/notes/n")}
	a.want(200, "POST", "/query", `{"collection":"users/u/notes/n/answers"}`, `"id":"a"`, as...)
	for _, q := range []string{
		`{"collection":"users/u/notes"}`, `{"collection":"users/u/notes/n2/answers"}`, `{"flat":"chats"}`, `{}`,
	} {
		a.want(403, "POST", "/query", q, `"code":"forbidden"`, as...)
	}
}

func TestWhoIsNobodyIsToldHowToBecomeSomebody(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{})
	res := a.request("GET", "/me", "", "Authorization", "Bearer nobody")
	if res.StatusCode != 401 || !strings.HasPrefix(res.Header.Get("WWW-Authenticate"), "Bearer") {
		t.Errorf("%d, %q", res.StatusCode, res.Header.Get("WWW-Authenticate"))
	}
	a.want(401, "GET", "/me", "", "Authorization: Bearer TOKEN", "Authorization", "")
	a.want(401, "GET", "/me", "", "Authorization: Bearer TOKEN", "Authorization", "Basic x")
	a.want(200, "GET", "/me", "", `{"id":"local","name":"local","admin":true,"kind":"local"}`)
}
