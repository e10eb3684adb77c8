package httpapi_test

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// world is an API with people in it. Olga shares the chat c1 with the account
// team; everything else of hers is hers alone.
type world struct {
	*api
	callers  []caller // in the order of the table of requests
	nobodies []caller // whose credentials do not work
	calls    int
}

// caller is somebody with a credential.
type caller struct {
	name, user, bearer string
	sees               []string // of the canaries
}

// Canaries are texts that only some may ever see.
const (
	inSharedChat = "canary-chat"
	inAccount    = "canary-account"
	ofOlga       = "canary-own"
	ofKeys       = "canary-key"
	ofUsers      = "canary-user"
	inNotes      = "canary-note"
	inSecrets    = "canary-secret"
)

var canaries = []string{inSharedChat, inAccount, ofOlga, ofKeys, ofUsers, inNotes, inSecrets}

func newWorld(t testing.TB, open engines.Database, change ...func(*httpapi.Options)) *world {
	t.Helper()
	w := &world{api: whole(t, open, append(change, func(o *httpapi.Options) { o.Place = account.Place })...)}
	connections := &http.Transport{} // that are used again: there are many requests
	t.Cleanup(connections.CloseIdleConnections)
	w.client = &http.Client{Transport: connections}
	w.user(access.NewUser{ID: "olga", Name: ofUsers})
	w.user(access.NewUser{ID: "amy", Admin: true})
	for _, id := range []string{"otto", "vic", "mia"} {
		w.user(access.NewUser{ID: id})
	}
	w.fill()
	shared := []string{inSharedChat, inAccount}
	all := []string{inSharedChat, inAccount, ofOlga, ofKeys, ofUsers, inNotes}
	w.callers = []caller{
		{"another user", "otto", w.session("otto"), nil},
		{"a viewer", "vic", w.session("vic"), shared},
		{"a member", "mia", w.session("mia"), shared},
		{"the owner", "olga", w.session("olga"), all},
		{"an admin", "amy", w.session("amy"), []string{inAccount, ofKeys, ofUsers}},
		{"a key that may read", "olga", w.apiKey("olga", access.ScopeRead), all},
		{"a key that may write", "olga", w.apiKey("olga", access.ScopeWrite), all},
		{"a webhook of another path", "olga", w.grant("olga", "users/olga/orch-chats/c2"), nil},
	}
	w.nobodies = []caller{
		{"nobody", "", "", nil},
		{"an expired session", "", w.expiredSession("olga"), nil},
		{"a revoked key", "", w.revokedKey("olga"), nil},
		{"an expired webhook", "", w.expiredGrant("olga"), nil},
		{"a made-up token", "", "Bearer " + strings.Repeat("x", 40), nil},
	}
	return w
}

// fill writes what the world holds, or puts it back.
func (w *world) fill() {
	w.Helper()
	const chat = "users/olga/orch-chats/c1"
	w.write(
		"accounts/team", `{"name":"`+inAccount+`","personal":false,"createdBy":"olga","members":{"olga":"owner","mia":"member","vic":"viewer","spare":"viewer"}}`,
		"accounts/team/projects/team.p", `{"accountId":"team","name":"`+inAccount+`","createdBy":"olga"}`,
		"accounts/team/projects/team.spare", `{"accountId":"team","name":"`+inAccount+`","createdBy":"olga"}`,
		"users/olga/memberships/team", `{"role":"owner"}`, "users/mia/memberships/team", `{"role":"member"}`,
		"users/vic/memberships/team", `{"role":"viewer"}`, "users/spare/memberships/team", `{"role":"viewer"}`,
		"accounts/team/invitations/guest", `{"accountId":"team","accountName":"`+inAccount+`","userId":"guest","role":"viewer","invitedBy":"olga","expiresAt":4102444800000}`,
		"users/guest/invitations/team", `{}`,
		chat, `{"title":"`+inSharedChat+`","accountId":"team","projectId":"team.p"}`,
		chat+"/messages/m1", `{"role":"user","type":"text","content":"`+inSharedChat+`"}`,
		chat+"/tasks/t1", `{"type":"agent","name":"agent:general","instruction":"`+inSharedChat+`","status":"running","subAgentId":"a1"}`,
		chat+"/sub-agents/a1", `{"taskId":"t1","role":"general","status":"active","iterationCount":1,"summary":"`+inSharedChat+`"}`,
		chat+"/sub-agents/a1/messages/x1", `{"role":"user","content":"`+inSharedChat+`"}`,
		chat+"/sub-agents/a1/tool-calls/k1", `{"toolName":"search","status":"awaiting_approval","result":"`+inSharedChat+`"}`,
		"users/olga/orch-chats/c2", `{"title":"of the webhook"}`,
		"users/olga/orch-chats/c3", `{"title":"`+ofOlga+`"}`,
		"users/olga/orch-chats/c3/messages/m3", `{"role":"user","content":"`+ofOlga+`"}`,
		"users/olga/notes/n1", `{"text":"`+inNotes+`"}`,
		"users/olga/notes/n1/comments/c1", `{"text":"`+ofOlga+`"}`,
		"users/olga/notes/n2", `{}`,
		"users/olga/ledgers/l1", `{"path":"`+ofOlga+`","spentTokens":5,"spentMicros":5,"reserved":{}}`,
		"accounts/team/ledgers/l1", `{"path":"`+inAccount+`","spentTokens":5,"spentMicros":5,"reserved":{}}`,
		"accounts/team/departures/d1", `{"userId":"olga","chatId":"c0"}`,
		"users/olga/usage/2026-01-01", `{"models":{"`+ofOlga+`":{"calls":1}}}`,
		"users/olga/model-connections/m1", `{"name":"`+ofOlga+`","accessFormat":"demo","modelId":"demo"}`,
		"users/amy/model-connections/m1", `{"name":"mine","accessFormat":"demo","modelId":"demo","data":{"instant":true}}`,
		"users/olga/keys/spare", `{"name":"`+ofKeys+`","scopes":["read"],"hint":"x"}`,
		"users/olga/sessions/spare", `{"agent":"`+ofKeys+`","refreshedAt":1,"expiresAt":1}`,
		"users/gone", `{"name":"`+ofUsers+`","admin":false,"disabled":false}`,
		"secrets/olga/other/s1", `{"sealed":"`+inSecrets+`"}`,
	)
}

// elsewhere is an address from which nobody has called before.
func (w *world) elsewhere() string {
	w.calls++
	return netip.AddrFrom4([4]byte{203, 0, byte(w.calls >> 8), byte(w.calls)}).String()
}

func (w *world) session(user string) string {
	w.Helper()
	t, err := w.gate.Login(w.Context(), user, password, access.Client{Address: "127.0.0.1"})
	if err != nil {
		w.Fatal(err)
	}
	return "Bearer " + t.Access
}

// expiredSession is one of which nobody made use for too long.
func (w *world) expiredSession(user string) string {
	w.Helper()
	past := access.New(access.Options{
		Store: w.store, Key: w.key, HashCost: access.HashCost{Memory: 64, Time: 1, Threads: 1},
		Now: func() time.Time { return time.Now().Add(-time.Hour) },
	})
	t, err := past.Login(w.Context(), user, password, access.Client{})
	if err != nil {
		w.Fatal(err)
	}
	return "Bearer " + t.Access
}

func (w *world) revokedKey(user string) string {
	w.Helper()
	k, key, err := w.gate.CreateAPIKey(w.Context(), onUser(user), access.APIKey{Name: "revoked", Scopes: []string{access.ScopeAdmin}})
	if err == nil {
		err = w.gate.RevokeAPIKey(w.Context(), onKey(user, k.ID))
	}
	if err != nil {
		w.Fatal(err)
	}
	return "Bearer " + key
}

func (w *world) expiredGrant(user string) string {
	return "Bearer " + w.key.MintToken(access.Grant{User: user, Path: "users/olga", Expires: time.Now().Add(-time.Second).Unix()})
}

// check fails if a text holds what a caller may not see.
func (w *world) check(c caller, what, text string) {
	w.Helper()
	for _, canary := range canaries {
		if strings.Contains(text, canary) && !slices.Contains(c.sees, canary) {
			w.Errorf("%s as %s shows %s: %.500s", what, c.name, canary, text)
		}
	}
}

// leave ends a user's part in the account.
func (w *world) leave(user string) {
	w.Helper()
	err := w.store.Update(w.Context(), func(tx store.Tx) error { return account.RemoveMember(tx, "olga", "team", user) })
	if err != nil {
		w.Fatal(err)
	}
}
