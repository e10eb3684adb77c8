package rules_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// household is what the tables below are about: ada shares the chat team in the
// account acme with olga (owner), mia (member) and vic (viewer), and has a chat
// mine in her personal account. root is an admin and in no account.
var household = map[nestor.Path]string{
	"accounts/acme":                                       `{"members":{"ada":"member","olga":"owner","mia":"member","vic":"viewer"}}`,
	"accounts/acme/projects/acme.p":                       `{"name":"p"}`,
	"accounts/home":                                       `{"personal":true,"members":{"ada":"owner"}}`,
	"users/ada":                                           `{"name":"ada","admin":false,"disabled":false}`,
	"users/ada/keys/k":                                    `{"name":"k"}`,
	"users/ada/sessions/s":                                `{"agent":"a"}`,
	"users/ada/usage/d":                                   `{"tokens":1}`,
	"users/ada/notes/n":                                   `{"text":"x"}`,
	"users/ada/memberships/acme":                          `{"role":"member"}`,
	"users/ada/memberships/home":                          `{"role":"owner"}`,
	"users/olga/memberships/acme":                         `{"role":"owner"}`,
	"users/mia/memberships/acme":                          `{"role":"member"}`,
	"users/vic/memberships/acme":                          `{"role":"viewer"}`,
	"users/ada/orch-chats/team":                           `{"title":"t","accountId":"acme","projectId":"acme.p"}`,
	"users/ada/orch-chats/mine":                           `{"title":"m","accountId":"home","projectId":"home.default"}`,
	"users/ada/orch-chats/team/messages/m":                `{"role":"user","content":"hi"}`,
	"users/ada/orch-chats/mine/messages/m":                `{"role":"user","content":"hi"}`,
	"users/ada/orch-chats/team/tasks/t":                   `{"type":"agent","name":"agent:general","instruction":"i","status":"running"}`,
	"users/ada/orch-chats/team/sub-agents/a":              `{"taskId":"t","role":"general","status":"active","iterationCount":1}`,
	"users/ada/orch-chats/team/sub-agents/a/messages/m":   `{"role":"user","content":"hi"}`,
	"users/ada/orch-chats/team/sub-agents/a/tool-calls/c": `{"toolName":"x","status":"pending"}`,
	"things/t":              `{"x":1}`,
	"secrets/ada":           `{"x":1}`,
	"secrets/access/keys/k": `{"x":1}`,
}

// visitors are the columns of the matrix.
var visitors = []struct {
	name   string
	caller access.Caller
}{
	{"nobody", anonymous},
	{"zoe", session("zoe")},
	{"vic", session("vic")},
	{"mia", session("mia")},
	{"olga", session("olga")},
	{"ada", session("ada")},
	{"root", admin(session("root"))},
	{"local", local},
	{"ada+w", key("ada", "write")},
	{"ada+r", key("ada", "read")},
	{"ada+n", key("ada", "write", "users/ada/notes/**")},
	{"ada+a", key("ada", "admin")},
	{"mia+w", key("mia", "write")},
	{"root+a", admin(key("root", "admin"))},
	{"hook", webhook("ada", "users/ada/orch-chats/team")},
	{"hook2", webhook("ada", "users/ada/notes/n")},
	{"hookx", ended(webhook("ada", "users/ada/orch-chats/team"))},
	{"adax", ended(session("ada"))},
}

// matrix has a line per document and a column per visitor, in that order. A word
// says what becomes of read, create, update, delete and act: y may, f is
// forbidden, - is not there for the visitor.
const matrix = `
users/ada                                            ----- ----- ----- ----- ----- yfffy yfffy yfffy yffff yffff ----- yfffy ----- yfffy ----- ----- ----- -----
users/ada/keys/k                                     ----- ----- ----- ----- ----- yfffy yfffy yfffy yffff yffff ----- yfffy ----- yfffy ----- ----- ----- -----
users/ada/sessions/s                                 ----- ----- ----- ----- ----- yfffy yfffy yfffy yffff yffff ----- yfffy ----- yfffy ----- ----- ----- -----
users/ada/memberships/acme                           ----- ----- ----- ----- ----- yffff yffff yfffy yffff yffff ----- yffff ----- yffff ----- ----- ----- -----
users/ada/usage/d                                    ----- ----- ----- ----- ----- yfffy ----- yfffy yfffy yffff ----- yfffy ----- ----- ----- ----- ----- -----
users/ada/notes/n                                    ----- ----- ----- ----- ----- yfffy ----- yyyyy yyyyy yffff yyyyy yyyyy ----- ----- ----- yyyyf ----- -----
users/ada/orch-chats/team                            ----- ----- yffff yfffy yfyyy yyyyy ----- yyyyy yyyyy yffff ----- yyyyy yfffy ----- yyyyy ----- ----- -----
users/ada/orch-chats/mine                            ----- ----- ----- ----- ----- yyyyy ----- yyyyy yyyyy yffff ----- yyyyy ----- ----- ----- ----- ----- -----
users/ada/orch-chats/team/messages/m                 ----- ----- yffff yyffy yyffy yyffy ----- yyyyy yyyyy yffff ----- yyyyy yyffy ----- yyyyy ----- ----- -----
users/ada/orch-chats/mine/messages/m                 ----- ----- ----- ----- ----- yyffy ----- yyyyy yyyyy yffff ----- yyyyy ----- ----- ----- ----- ----- -----
users/ada/orch-chats/team/tasks/t                    ----- ----- yffff yfffy yfffy yfffy ----- yyyyy yyyyy yffff ----- yyyyy yfffy ----- yyyyy ----- ----- -----
users/ada/orch-chats/team/sub-agents/a               ----- ----- yffff yfffy yfffy yfffy ----- yyyyy yyyyy yffff ----- yyyyy yfffy ----- yyyyy ----- ----- -----
users/ada/orch-chats/team/sub-agents/a/messages/m    ----- ----- yffff yfffy yfffy yfffy ----- yyyyy yyyyy yffff ----- yyyyy yfffy ----- yyyyy ----- ----- -----
users/ada/orch-chats/team/sub-agents/a/tool-calls/c  ----- ----- yffff yfffy yfffy yfffy ----- yyyyy yyyyy yffff ----- yyyyy yfffy ----- yyyyy ----- ----- -----
accounts/acme                                        ----- ----- yffff yffff yfffy yffff yffff yfffy yffff yffff ----- yffff yffff yffff ----- ----- ----- -----
accounts/acme/projects/acme.p                        ----- ----- yffff yfffy yfffy yfffy ----- yfffy yfffy yffff ----- yfffy yfffy ----- ----- ----- ----- -----
things/t                                             ----- ----- ----- ----- ----- ----- ----- yyyyy ----- ----- ----- ----- ----- ----- ----- ----- ----- -----
secrets/ada                                          ----- ----- ----- ----- ----- ----- ----- ----- ----- ----- ----- ----- ----- ----- ----- ----- ----- -----
`

// written is what a document becomes when it is created or updated.
func written(p nestor.Path, before string) string {
	switch store.DefaultCatalogue.Of(p) {
	case store.Chats:
		return strings.Replace(before, `"title":"`, `"title":"new `, 1)
	case store.Messages:
		return before
	}
	return strings.Replace(before, "{", `{"more":1,`, 1)
}

func TestWhoMayDoWhatByDefault(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, store.Options{})
		save(t, s, household)
		e, _ := newEngine(t, "")
		err := s.View(t.Context(), func(r store.Reader) error {
			for line := range strings.Lines(strings.TrimSpace(matrix)) {
				words := strings.Fields(line)
				p := nestor.Path(words[0])
				for i, want := range words[1:] {
					if got := outcomes(e.On(r, visitors[i].caller), p, household[p]); got != want {
						t.Errorf("%s on %s: %s, want %s", visitors[i].name, p, got, want)
					}
				}
				if len(words) != 1+len(visitors) {
					t.Errorf("%s has %d words for %d visitors", p, len(words)-1, len(visitors))
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func outcomes(j *rules.Judge, p nestor.Path, body string) string {
	before := &nestor.Document{Path: p, Data: json.RawMessage(body)}
	after := &nestor.Document{Path: p, Data: json.RawMessage(written(p, body))}
	letters := map[nestor.Code]string{"": "y", nestor.CodeForbidden: "f", nestor.CodeNotFound: "-"}
	out := ""
	for _, err := range []error{
		j.May(rules.Read, p, before, nil),
		j.May(rules.Create, p, nil, after),
		j.May(rules.Update, p, before, after),
		j.May(rules.Delete, p, before, nil),
		j.May(rules.Act, p, before, nil),
	} {
		letter, ok := letters[nestor.CodeOf(err)]
		if !ok {
			letter = "[" + err.Error() + "]"
		}
		out += letter
	}
	return out
}

func TestWhatMayBeWritten(t *testing.T) {
	e, _ := newEngine(t, "")
	const (
		newChat = "users/ada/orch-chats/new"
		team    = "users/ada/orch-chats/team"
		message = "users/ada/orch-chats/team/messages/new"
	)
	adaKey, hook := key("ada", "write"), webhook("ada", "users/ada")
	for name, c := range map[string]struct {
		caller access.Caller
		path   nestor.Path
		before string
		after  string
		want   nestor.Code
	}{
		"a browser starts a chat":                    {session("ada"), newChat, "", `{"title":"t","modelConnectionId":"m","budget":{"tokens":5}}`, ""},
		"a browser starts a chat where it may write": {session("ada"), newChat, "", `{"accountId":"acme","projectId":"acme.p"}`, ""},
		"a viewer starts a chat in an account":       {session("vic"), "users/vic/orch-chats/c", "", `{"accountId":"acme"}`, nestor.CodeForbidden},
		"a stranger starts a chat in an account":     {session("zoe"), "users/zoe/orch-chats/c", "", `{"accountId":"acme"}`, nestor.CodeForbidden},
		"a key starts a chat in a foreign account":   {key("zoe", "write"), "users/zoe/orch-chats/c", "", `{"accountId":"acme"}`, nestor.CodeForbidden},
		"an account that is no text":                 {adaKey, newChat, "", `{"accountId":7}`, nestor.CodeForbidden},
		"a browser says what was used":               {session("ada"), newChat, "", `{"costMicros":0}`, nestor.CodeForbidden},
		"a key says what was used":                   {adaKey, newChat, "", `{"costMicros":0}`, ""},
		"a browser starts another's chat":            {session("mia"), newChat, "", `{}`, nestor.CodeNotFound},

		"a browser changes the title":                   {session("ada"), team, household[team], `{"title":"n","accountId":"acme","projectId":"acme.p"}`, ""},
		"a browser removes the title":                   {session("ada"), team, household[team], `{"accountId":"acme","projectId":"acme.p"}`, ""},
		"a browser changes nothing":                     {session("ada"), team, household[team], household[team], ""},
		"a browser moves a chat to another project":     {session("ada"), team, household[team], `{"title":"t","accountId":"acme","projectId":"acme.q"}`, ""},
		"a browser moves a chat to a foreign project":   {session("ada"), team, household[team], `{"title":"t","accountId":"acme","projectId":"other.q"}`, nestor.CodeForbidden},
		"a key moves a chat to a foreign project":       {adaKey, team, household[team], `{"title":"t","accountId":"acme","projectId":"acme2.q"}`, nestor.CodeForbidden},
		"a key moves a chat to a project of no account": {adaKey, team, household[team], `{"title":"t","projectId":"acme.p"}`, nestor.CodeForbidden},
		"who left the account changes the project":      {session("zoe"), "users/zoe/orch-chats/c", `{"accountId":"acme","projectId":"acme.p"}`, `{"accountId":"acme","projectId":"acme.q"}`, nestor.CodeForbidden},
		"who left the account changes the title":        {session("zoe"), "users/zoe/orch-chats/c", `{"accountId":"acme","projectId":"acme.p"}`, `{"accountId":"acme","projectId":"acme.p","title":"x"}`, ""},
		"a browser starts a chat in a foreign project":  {session("ada"), newChat, "", `{"accountId":"acme","projectId":"other.p"}`, nestor.CodeForbidden},
		"a key starts a chat in a foreign project":      {adaKey, newChat, "", `{"projectId":"other.p"}`, nestor.CodeForbidden},
		"a browser moves a chat to another account":     {session("ada"), team, household[team], `{"title":"t","accountId":"home","projectId":"acme.p"}`, nestor.CodeForbidden},
		"a browser takes a chat out of its account":     {session("ada"), team, household[team], `{"title":"t","projectId":"acme.p"}`, nestor.CodeForbidden},
		"an account's owner takes a chat over":          {key("olga", "write"), team, household[team], `{"title":"t","accountId":"olgas","projectId":"acme.p"}`, nestor.CodeForbidden},
		"a key moves its chat where it may write":       {adaKey, team, household[team], `{"title":"t","accountId":"home"}`, ""},
		"a key moves its chat to a foreign account":     {adaKey, team, household[team], `{"title":"t","accountId":"others"}`, nestor.CodeForbidden},
		"a key takes its chat out of its account":       {adaKey, team, household[team], `{"title":"t"}`, ""},
		"a grant moves a chat to a foreign account":     {hook, team, household[team], `{"title":"t","accountId":"others"}`, nestor.CodeForbidden},
		"a grant writes what handlers do":               {hook, team, household[team], `{"title":"t","accountId":"acme","costMicros":3}`, ""},
		"a grant makes its user an admin":               {hook, "users/ada", household["users/ada"], `{"admin":true}`, nestor.CodeForbidden},
		"a key makes its user an admin":                 {adaKey, "users/ada", household["users/ada"], `{"admin":true}`, nestor.CodeForbidden},
		"an admin key makes its user a lasting one":     {key("ada", "admin"), "users/ada", household["users/ada"], `{"admin":true}`, nestor.CodeForbidden},
		"a key joins an account":                        {adaKey, "users/ada/memberships/others", "", `{"role":"owner"}`, nestor.CodeForbidden},
		"an account's owner writes its document":        {key("olga", "write"), "accounts/acme", household["accounts/acme"], `{"members":{}}`, nestor.CodeForbidden},
		"a key says it may do more":                     {adaKey, "users/ada/keys/k", household["users/ada/keys/k"], `{"scopes":["admin"]}`, nestor.CodeForbidden},
		"a key writes a collection of its user's own":   {adaKey, "users/ada/recipes/soup/steps/1", "", `{"a":1}`, ""},
		"a browser writes such a collection":            {session("ada"), "users/ada/recipes/soup", "", `{"a":1}`, nestor.CodeForbidden},
		"somebody writes below a user who is not them":  {key("mia", "write"), "users/ada/recipes/soup", "", `{"a":1}`, nestor.CodeNotFound},

		"a browser says something":                     {session("mia"), message, "", `{"role":"user","type":"text","content":"hi","isLlmMessage":true}`, ""},
		"a browser says something without a type":      {session("mia"), message, "", `{"role":"user","content":"hi"}`, ""},
		"a browser speaks as the assistant":            {session("ada"), message, "", `{"role":"assistant","content":"hi"}`, nestor.CodeForbidden},
		"a browser reports an error":                   {session("ada"), message, "", `{"role":"user","type":"error","content":"hi"}`, nestor.CodeForbidden},
		"a browser says what a model call cost":        {session("ada"), message, "", `{"role":"user","content":"hi","metadata":{"costMicros":-5}}`, nestor.CodeForbidden},
		"a browser says something without a role":      {session("ada"), message, "", `{"content":"hi"}`, nestor.CodeForbidden},
		"a viewer says something":                      {session("vic"), message, "", `{"role":"user","content":"hi"}`, nestor.CodeForbidden},
		"a member's key says something":                {key("mia", "write"), message, "", `{"role":"user","content":"hi"}`, ""},
		"a member's key speaks as the assistant":       {key("mia", "write"), message, "", `{"role":"assistant","content":"hi"}`, nestor.CodeForbidden},
		"a key speaks as the assistant in its chat":    {adaKey, message, "", `{"role":"assistant","content":"hi"}`, ""},
		"a message in a chat that does not exist":      {session("mia"), "users/ada/orch-chats/none/messages/m", "", `{"role":"user","content":"hi"}`, nestor.CodeNotFound},
		"a member makes a task without the server":     {session("mia"), "users/ada/orch-chats/team/tasks/t2", "", household["users/ada/orch-chats/team/tasks/t"], nestor.CodeForbidden},
		"a message of an agent is written by a person": {session("ada"), "users/ada/orch-chats/team/sub-agents/a/messages/n", "", `{"role":"user","content":"hi"}`, nestor.CodeForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			op, before, after := rules.Create, (*nestor.Document)(nil), &nestor.Document{Path: c.path, Data: json.RawMessage(c.after)}
			if c.before != "" {
				op, before = rules.Update, &nestor.Document{Path: c.path, Data: json.RawMessage(c.before)}
			}
			err := e.On(inMemory(household), c.caller).May(op, c.path, before, after)
			if nestor.CodeOf(err) != c.want {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
