package httpapi_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// noUsers are what a request can say for the user whom it is about and that is
// not one id, as it stands in an address. The first ones begin with a user whose
// documents the caller may act on, and end with one whom they may not.
var noUsers = []string{
	"otto/x/amy", "otto%2Fx%2Famy", "otto%2fx%2famy", "olga/notes/amy", "amy/notes/olga", "amy%2Fnotes%2Folga", "otto%252Fx%252Famy",
	"/amy", "amy/", "..", ".", "../amy", "otto/../amy", "", "%C3%B6lga", "%EF%BC%8F", "amy%00", "amy%0A", "*", "**", "%20amy",
	strings.Repeat("a", 65), "olga&user=amy", "otto&user=amy",
}

// state is everything that the world holds, secrets included, by path and version.
func (w *world) state() string {
	w.Helper()
	var all []string
	for _, root := range []nestor.Path{
		"users/olga", "users/amy", "users/otto", "users/vic", "users/mia", "users/gone", "users/spare", "users/new", "users/made-up", "accounts/team", "accounts/made-up",
		"secrets/access", "secrets/olga",
	} {
		err := w.store.Tree(w.Context(), root, func(d *nestor.Document) error {
			all = append(all, fmt.Sprintf("%s %d", d.Path, d.Version))
			return nil
		})
		if err != nil {
			w.Fatal(err)
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// attackers are callers who have a right to some acts, and try others. Each has
// been seen already: that a key was used is written down once.
func (w *world) attackers() []caller {
	w.Helper()
	isOne := func(c caller) bool {
		return slices.Contains([]string{"another user", "the owner", "an admin", "a key that may write"}, c.name)
	}
	list := append(slices.DeleteFunc(slices.Clone(w.callers), func(c caller) bool { return !isOne(c) }),
		caller{"a user's admin key", "otto", w.apiKey("otto", access.ScopeAdmin), nil},
		caller{"a key for all of a user", "otto", w.apiKey("otto", access.ScopeAdmin, "users/otto/**"), nil},
		caller{"a webhook of a user", "otto", w.grant("otto", "users/otto"), nil},
		caller{"an admin's key", "amy", w.apiKey("amy", access.ScopeAdmin), []string{inAccount, ofKeys, ofUsers}},
		caller{"who runs the server", "local", "Bearer " + token, canaries[:len(canaries)-1]},
	)
	for _, c := range list {
		w.want(200, "GET", "/me", "", "", "Authorization", c.bearer)
	}
	return list
}

// inTurn are the first of the attackers, a plain user, and two others: all have
// their turn at every route, and everything that is tried is tried by several.
func inTurn(all []caller, turn int) []caller {
	others := all[1:]
	return []caller{all[0], others[turn%len(others)], others[(turn+len(others)/2)%len(others)]}
}

func TestARequestIsAboutOneUserWhateverItSays(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		attackers, before, routes := w.attackers(), w.state(), map[string]bool{}
		for _, r := range requests {
			if !strings.Contains(r.path, "user=olga") {
				continue
			}
			routes[r.pattern] = true
			for i, bad := range noUsers {
				attack := r
				attack.path = strings.Replace(r.path, "user=olga", "user="+bad, 1)
				for _, c := range inTurn(attackers, i) {
					if status := w.try(attack, c); status != "400" {
						t.Errorf("%s %s as %s: %s, want 400", r.pattern, attack.path, c.name, status)
					}
				}
			}
		}
		if len(routes) < 20 {
			t.Errorf("only %d routes take a user", len(routes))
		}
		if after := w.state(); after != before {
			t.Errorf("it changed something:\n%s", difference(before, after))
		}
		if asked := w.agents.asked(); len(asked) > 0 {
			t.Errorf("agents were asked for %v", asked)
		}
	})
}

// What stands in an address at the place of an id is one.
func TestAnIDInAnAddressIsOneID(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		attackers, before, tried := w.attackers(), w.state(), 0
		for _, r := range requests {
			_, pattern, _ := strings.Cut(r.pattern, " ")
			named := strings.Split(strings.TrimPrefix(pattern, "/api/v1"), "/")
			path, query, _ := strings.Cut(r.path, "?")
			segments := strings.Split(path, "/")
			for i, name := range named {
				if !strings.HasPrefix(name, "{") || strings.HasSuffix(name, "...}") {
					continue
				}
				for turn, bad := range []string{
					segments[i] + "%2Fx%2F" + segments[i], "otto%2Fx%2Famy", "team%2Fx%2Fteam", "olga%2Fnotes%2Fn1", "..%2F..%2Famy", "%C3%B6", "a%00", "a*", strings.Repeat("a", 65),
				} {
					tried++
					attack := r
					attack.path = strings.Join(slices.Concat(segments[:i], []string{bad}, segments[i+1:]), "/") + "?" + query
					for _, c := range inTurn(attackers, turn) {
						status := w.try(attack, c)
						if status != "400" && !(status == "403" && strings.Contains(r.people, "403 403 403 403")) {
							t.Errorf("%s %s as %s: %s, want 400", r.pattern, attack.path, c.name, status)
						}
					}
				}
			}
		}
		if tried < 200 {
			t.Errorf("only %d addresses were tried", tried)
		}
		if after := w.state(); after != before {
			t.Errorf("it changed something:\n%s", difference(before, after))
		}
		if asked := w.agents.asked(); len(asked) > 0 {
			t.Errorf("agents were asked for %v", asked)
		}
	})
}

// difference are the lines that only one of two texts has.
func difference(a, b string) string {
	var out []string
	for _, line := range strings.Split(a, "\n") {
		if !slices.Contains(strings.Split(b, "\n"), line) {
			out = append(out, "- "+line)
		}
	}
	for _, line := range strings.Split(b, "\n") {
		if !slices.Contains(strings.Split(a, "\n"), line) {
			out = append(out, "+ "+line)
		}
	}
	return strings.Join(out, "\n")
}

func TestNobodyBecomesAnAdministratorByNamingOne(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		for _, c := range []caller{
			{"a session", "otto", w.session("otto"), nil},
			{"a key", "otto", w.apiKey("otto", access.ScopeWrite), nil},
			{"an admin key", "otto", w.apiKey("otto", access.ScopeAdmin), nil},
			{"a key for all of a user", "otto", w.apiKey("otto", access.ScopeWrite, "users/otto/**"), nil},
			{"a webhook", "otto", w.grant("otto", "users/otto"), nil},
		} {
			as := []string{"Authorization", c.bearer}
			for _, named := range []string{"otto/x/amy", "otto%2Fx%2Famy"} {
				status, text := w.call("POST", "/keys?user="+named, `{"name":"k","scopes":["admin"]}`, as...)
				if status != 400 || strings.Contains(text, "nst_k_") {
					t.Errorf("%s makes a key of %s: %d %s", c.name, named, status, text)
				}
				for _, path := range []string{"/keys/spare?user=otto/x/olga", "/sessions/spare?user=otto/x/olga"} {
					if status, text := w.call("DELETE", path, "", as...); status != 400 {
						t.Errorf("%s revokes %s: %d %s", c.name, path, status, text)
					}
				}
			}
		}
		w.want(400, "PATCH", "/users/amy%2Fnotes%2Folga", `{"password":"taken over by now"}`, "invalid", "Authorization", w.session("amy"))
		if _, err := w.gate.Login(t.Context(), "olga", "taken over by now", access.Client{}); nestor.CodeOf(err) != nestor.CodeUnauthenticated {
			t.Errorf("the password was changed: %v", err)
		}
		w.want(200, "GET", "/docs/users/olga/keys/spare", "", "")
		w.want(200, "GET", "/docs/users/olga/sessions/spare", "", "")
		if list, err := w.gate.APIKeys(t.Context(), named("amy")); err != nil || len(list) != 0 {
			t.Errorf("amy has the keys %v, %v", list, err)
		}
	})
}

// made is an id that the server made.
var made = regexp.MustCompile(`\b[0-9a-v]{20}\b`)

// A refusal does not tell whether what is somebody else's is there.
func TestARefusalIsTheSameWhetherItIsThereOrNot(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		// Each name, and one of the same length that nobody has.
		twins := []string{
			"olga", "olgx", "team", "teax", "/c1", "/c8", `"c1`, `"c8`, "=c1", "=c8", "/n1", "/n8", "/m1", "/m8", `"m1"`, `"m8"`, " m1", " m8", "t1", "t8", "a1", "a8", "k1", "k8",
			"spare", "sparx", "gone", "gonx",
		}
		elsewhere, compared := []string{}, 0
		for i := 0; i < len(twins); i += 2 {
			elsewhere = append(elsewhere, twins[i+1], twins[i])
		}
		for _, r := range requests {
			for i, c := range w.callers {
				there, back := strings.NewReplacer(twins...), strings.NewReplacer(elsewhere...)
				if c.user == "olga" {
					there, back = strings.NewReplacer(twins[2:]...), strings.NewReplacer(elsewhere[2:]...)
				}
				twin := row{pattern: r.pattern, path: there.Replace(r.path), body: there.Replace(r.body)}
				if twin.path == r.path && twin.body == r.body {
					continue
				}
				stranger := c.name == "another user" || c.name == "a webhook of another path"
				if want := strings.Fields(r.people)[i]; want != "404" && !(stranger && want == "403") {
					continue
				}
				if c.name == "an admin" && !strings.Contains(r.path, "orch-chats") && !strings.Contains(r.path, "/chats") {
					continue // administrators see who there is, and nothing else
				}
				status, text := w.answer(r, c)
				statusOfTwin, textOfTwin := w.answer(twin, c)
				if status != statusOfTwin || made.ReplaceAllString(text, "ID") != made.ReplaceAllString(back.Replace(textOfTwin), "ID") {
					t.Errorf("%s %s as %s:\n%d %s, and of what is not there\n%d %s", r.pattern, r.path, c.name, status, text, statusOfTwin, textOfTwin)
				}
				compared++
			}
		}
		if compared < 80 {
			t.Errorf("only %d answers were compared", compared)
		}
	})
}

// answer is that to a request, as far as it is not a stream.
func (w *world) answer(r row, c caller) (int, string) {
	w.Helper()
	method, _, _ := strings.Cut(r.pattern, " ")
	if !strings.Contains(r.pattern, " ") {
		method = http.MethodGet
	}
	return w.call(method, r.path, r.body, "Authorization", c.bearer)
}
