package rules_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store"
)

// Random worlds: a few people, who share some accounts, and documents of every
// kind.

var (
	people     = []string{"ada", "bob", "cleo", "dan"}
	accountIDs = []string{"acme", "beta", "core"}
	roles      = []string{"", "", "viewer", "member", "owner", "guest"}
)

func world(r *rapid.T) map[nestor.Path]string {
	docs := map[nestor.Path]string{"things/t": `{"title":"a"}`}
	for _, id := range accountIDs {
		members := map[string]string{}
		for _, p := range people {
			if role := rapid.SampledFrom(roles).Draw(r, p+" in "+id); role != "" {
				members[p] = role
				docs[nestor.Path("users/"+p).Child("memberships", id)] = `{}`
			}
		}
		docs[nestor.Path("accounts/"+id)] = text(map[string]any{"members": members})
		docs[nestor.Path("accounts/"+id).Child("projects", "p")] = `{}`
	}
	for _, p := range people {
		user := nestor.Path("users/" + p)
		docs[user] = `{"title":"a"}`
		docs[user.Child("notes", "n")] = text(map[string]any{"title": rapid.SampledFrom([]string{"a", "b"}).Draw(r, "note")})
		docs[user.Child("keys", "k")] = `{}`
		for i := range rapid.IntRange(0, 3).Draw(r, "chats of "+p) {
			chat := user.Child("orch-chats", fmt.Sprintf("c%d", i))
			body := map[string]any{"title": rapid.SampledFrom([]string{"a", "b"}).Draw(r, "title")}
			if id := rapid.SampledFrom(append(accountIDs, "", "none")).Draw(r, "account"); id != "" {
				body["accountId"] = id
			}
			docs[chat] = text(body)
			for m := range rapid.IntRange(0, 2).Draw(r, "messages") {
				docs[chat.Child("messages", fmt.Sprintf("m%d", m))] = `{"role":"user","content":"a"}`
			}
			docs[chat.Child("tasks", "t")] = household["users/ada/orch-chats/team/tasks/t"]
			docs[chat.Child("sub-agents", "a")] = household["users/ada/orch-chats/team/sub-agents/a"]
			docs[chat.Child("sub-agents", "a").Child("messages", "m")] = `{"role":"user","content":"a"}`
		}
	}
	return docs
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// clean removes a world again, from the top.
func clean(t testing.TB, s store.Documents, docs map[nestor.Path]string) {
	t.Helper()
	err := s.Update(t.Context(), func(tx store.Tx) error {
		for p := range docs {
			if strings.Count(string(p), "/") == 1 {
				if err := tx.Delete(p, store.AnyVersion); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func visitor(r *rapid.T) access.Caller {
	user := rapid.SampledFrom(append(people, "eve")).Draw(r, "caller")
	switch rapid.SampledFrom([]string{"session", "admin", "key", "glob", "local", "hook", "anonymous"}).Draw(r, "kind") {
	case "admin":
		return admin(session(user))
	case "key":
		return key(user, rapid.SampledFrom([]string{"read", "write", "admin"}).Draw(r, "scope"))
	case "glob":
		return key(user, "read", rapid.SampledFrom([]string{"users/*/orch-chats/c1/**", "users/ada/**", "accounts/*"}).Draw(r, "glob"))
	case "local":
		return local
	case "hook":
		return webhook(user, rapid.SampledFrom([]nestor.Path{"users/ada/orch-chats/c0", "users/bob", "things/t"}).Draw(r, "grant"))
	case "anonymous":
		return anonymous
	}
	return session(user)
}

// rulesFile makes up rules: patterns with conditions of all forms that narrowing
// knows, and of some that it does not.
func rulesFile(r *rapid.T) string {
	patterns := map[string][]string{
		"users/{u}":                              {"u"},
		"users/{u}/orch-chats/{c}":               {"u", "c"},
		"users/{u}/orch-chats/{c}/**":            {"u", "c"},
		"users/{u}/orch-chats/{c}/messages/{m}":  {"u", "c", "m"},
		"users/{u}/{x}/**":                       {"u", "x"},
		"users/ada/**":                           nil,
		"accounts/{a}":                           {"a"},
		"accounts/{a}/**":                        {"a"},
		"{any}/**":                               {"any"},
		"**":                                     nil,
		"users/{u}/orch-chats/c1":                {"u"},
		"users/bob/orch-chats/{c}/{kind}/{id}":   {"c", "kind", "id"},
		"users/{u}/orch-chats/{c}/tasks/{t}":     {"u", "c", "t"},
		"users/{u}/orch-chats/c0/sub-agents/{a}": {"u", "a"},
	}
	list := []map[string]any{}
	for i := range rapid.IntRange(1, 4).Draw(r, "rules") {
		p := rapid.SampledFrom(slices.Sorted(maps.Keys(patterns))).Draw(r, "path")
		list = append(list, map[string]any{
			"id": fmt.Sprint("r", i), "path": p, "operations": []string{"read"}, "condition": expression(r, patterns[p], 2),
		})
	}
	return text(map[string]any{"rules": list})
}

func expression(r *rapid.T, params []string, depth int) string {
	if depth > 0 {
		switch rapid.IntRange(0, 3).Draw(r, "form") {
		case 0:
			return "(" + expression(r, params, depth-1) + " && " + expression(r, params, depth-1) + ")"
		case 1:
			return "(" + expression(r, params, depth-1) + " || " + expression(r, params, depth-1) + ")"
		case 2:
			return "!(" + expression(r, params, depth-1) + ")"
		}
	}
	leaves := []string{
		"true", "false", "request.auth.admin", "request.auth.kind in ['key', 'local']", "'write' in request.auth.scopes",
		"request.auth.uid == 'ada'", "request.auth.scopes.exists(s, s == 'read')", "request.op == 'read'", "request.now > timestamp('2020-01-01T00:00:00Z')",
		"chat.role == 'viewer'", "chat.role != ''", "chat.role != 'viewer'", "chat.role == ''", "chat.role in ['owner', 'guest']", "chat.role in ['member', '']", "chat.role in []",
		"'owner' == chat.role", "chat.role.startsWith('o')", "chat.accountId == 'acme'", "request.auth.role(chat.accountId) == 'member'",
		"request.auth.role('acme') in ['owner', 'member']", "resource.before.title == 'a'", "has(resource.before.title)", "resource.id == 'c1'",
		"resource.path.contains('/c0')", "resource.after == null", "size(resource.changed) > 0",
	}
	for _, p := range params {
		leaves = append(leaves,
			"request.auth.uid == resource.params."+p, "resource.params."+p+" == request.auth.uid", "request.auth.uid != resource.params."+p,
			"request.auth.role(resource.params."+p+") != ''", "request.auth.role(resource.params."+p+") in ['viewer', 'owner']",
			"request.auth.role(resource.params."+p+") == ''", "request.auth.role(resource.params."+p+") != 'viewer'", "resource.params."+p+" in ['ada', 'acme', 'c1']")
	}
	return rapid.SampledFrom(leaves).Draw(r, "leaf")
}
