package httpapi

import (
	"net/http"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/budget"
)

// peopleOperations describe the routes about who uses the server: sessions,
// keys, users, accounts and their projects.
func peopleOperations() map[string]operation {
	ok := func(s *jsonschema.Schema) answers { return answers{http.StatusOK: s} }
	created := func(name string) answers { return answers{http.StatusCreated: refTo(name)} }
	done := answers{http.StatusNoContent: nil}
	const account, project = "/api/v1/accounts/{account}", "/api/v1/projects/{project}"
	return map[string]operation{
		"POST /api/v1/login": {
			id: "login", summary: "Begin a session in a browser; its cookies come with the answer", open: true, body: refTo("Credentials"),
			answers: ok(refTo("Login")), example: `{"login":"ada","password":"a long enough password"}`,
		},
		"POST /api/v1/refresh": {
			id: "refresh", summary: "Go on with the session of the refresh cookie", open: true, answers: ok(refTo("Login")),
		},
		"POST /api/v1/logout": {
			id: "logout", summary: "End the session of the cookies", open: true, answers: done,
		},
		"GET /api/v1/me": {
			id: "getMe", summary: "Who the caller is", answers: ok(refTo("Me")),
		},
		"PUT /api/v1/me/password": {
			id: "putPassword", summary: "Change the caller's own password; all their other sessions end", body: refTo("NewPassword"),
			answers: answers{http.StatusOK: refTo("Login"), http.StatusNoContent: nil},
			example: `{"current":"a long enough password","password":"another long password"}`,
		},
		"GET /api/v1/sessions": {
			id: "listSessions", summary: "The sessions of a user", query: append(pagingOf(), userParameter), answers: ok(pageOf("Session")),
		},
		"DELETE /api/v1/sessions/{id}": {
			id: "deleteSession", summary: "End a session", query: []parameter{userParameter}, answers: done,
		},
		"GET /api/v1/keys": {
			id: "listKeys", summary: "The API keys of a user", query: append(pagingOf(), userParameter), answers: ok(pageOf("APIKey")),
		},
		"POST /api/v1/keys": {
			id: "createKey", summary: "Make an API key, which only this answer shows", query: []parameter{userParameter},
			body: refTo("NewKey"), answers: created("MadeKey"), example: `{"name":"ci","scopes":["read"],"expiresAt":4102444800000}`,
		},
		"DELETE /api/v1/keys/{id}": {
			id: "deleteKey", summary: "Revoke an API key", query: []parameter{userParameter}, answers: done,
		},
		"GET /api/v1/users": {
			id: "listUsers", summary: "All users, for an administrator", query: pagingOf(), answers: ok(pageOf("User")),
		},
		"POST /api/v1/users": {
			id: "createUser", summary: "Add a user, as an administrator", body: refTo("NewUser"), answers: created("User"),
			example: `{"id":"grace","name":"Grace","email":"grace@example.org","admin":false,"password":"a long enough password"}`,
		},
		"PATCH /api/v1/users/{id}": {
			id: "patchUser", names: "grace", summary: "Change a user, as an administrator", body: refTo("UserChange"), answers: ok(refTo("User")),
			example: `{"disabled":false,"admin":true,"password":"another long password"}`,
		},
		"DELETE /api/v1/users/{id}": {
			id: "deleteUser", names: "grace", summary: "Delete a user with all their data, as an administrator", answers: done,
		},
		"GET /api/v1/usage": {
			id: "listUsage", summary: "What a user used, by day", answers: ok(refTo("UsageList")),
			query: []parameter{
				{name: "from", description: "The first day, such as 2026-11-01. Defaults to 29 days ago.", schema: textSchema(), example: "2026-11-01"},
				{name: "to", description: "The last day. Defaults to today.", schema: textSchema(), example: "2026-11-30"},
				userParameter,
			},
		},

		"GET /api/v1/accounts": {
			id: "listAccounts", summary: "The accounts that the caller has a part in", answers: ok(listOf("Account")),
		},
		"POST /api/v1/accounts": {
			id: "createAccount", summary: "Make an account that can have members", body: refTo("NewName"), answers: created("Account"),
			example: `{"name":"Research"}`,
		},
		"GET " + account: {
			id: "getAccount", summary: "An account", ifNoneMatch: true, answers: ok(refTo("Account")),
		},
		"PUT " + account + "/members/{user}": {
			id: "putMember", summary: "Give a member of an account another role, or invite a user who is none", body: refTo("NewRole"),
			answers: answers{http.StatusOK: refTo("Account"), http.StatusAccepted: refTo("Account")}, example: `{"role":"member"}`,
		},
		"DELETE " + account + "/members/{user}": {
			id: "deleteMember", summary: "Take a user's role in an account", answers: done,
		},
		"GET " + account + "/invitations": {
			id: "listAccountInvitations", summary: "The invitations to an account that wait for an answer", answers: ok(listOf("Invitation")),
		},
		"DELETE " + account + "/invitations/{user}": {
			id: "deleteInvitation", summary: "Withdraw an invitation", answers: done,
		},
		"GET /api/v1/invitations": {
			id: "listInvitations", summary: "The accounts that the caller is invited to", answers: ok(listOf("Invitation")),
		},
		"POST /api/v1/invitations/{account}/accept": {
			id: "acceptInvitation", names: "acc2", summary: "Take part in an account", answers: done,
		},
		"DELETE /api/v1/invitations/{account}": {
			id: "declineInvitation", names: "acc3", summary: "Do not take part in an account", answers: done,
		},
		"GET " + account + "/projects": {
			id: "listProjects", summary: "The projects of an account", answers: ok(listOf("Project")),
		},
		"POST " + account + "/projects": {
			id: "createProject", summary: "Add a project to an account", body: refTo("NewName"), answers: created("Project"),
			example: `{"name":"Compilers"}`,
		},
		"PATCH " + project: {
			id: "patchProject", summary: "Rename a project, or set its budget", body: refTo("Changes"), answers: ok(refTo("Project")),
			example: `{"name":"Linkers","budget":{"perMonth":{"tokens":5000000}}}`,
		},
		"PATCH " + account: {
			id: "patchAccount", summary: "Rename an account, or set its budget", body: refTo("Changes"), answers: ok(refTo("Account")),
			example: `{"budget":{"perDay":{"costMicros":5000000}}}`,
		},
		"DELETE " + project: {
			id: "deleteProject", summary: "Delete a project; its chats stay", answers: done,
		},
		"GET " + project + "/chats": {
			id: "listProjectChats", summary: "The chats in a project, whoever's they are", query: pagingOf(), answers: ok(pageOf("Chat")),
		},
	}
}

// personTypes are what these routes take and give.
var personTypes = map[string]reflect.Type{
	"Credentials": reflect.TypeFor[credentials](),
	"Login":       reflect.TypeFor[begun](),
	"Me":          reflect.TypeFor[me](),
	"NewPassword": reflect.TypeFor[newPassword](),
	"NewKey":      reflect.TypeFor[newKey](),
	"MadeKey":     reflect.TypeFor[madeKey](),
	"NewUser":     reflect.TypeFor[newUser](),
	"UserChange":  reflect.TypeFor[userChange](),
	"NewName":     reflect.TypeFor[newName](),
	"NewRole":     reflect.TypeFor[newRole](),
	"UsageDay":    reflect.TypeFor[budget.Day](),
	"UsageList":   reflect.TypeFor[usageList](),
	"Changes":     reflect.TypeFor[changes](),
}

// personDocuments are those of them that are documents.
var personDocuments = map[string]reflect.Type{
	"Session": reflect.TypeFor[access.Session](),
	"APIKey":  reflect.TypeFor[access.APIKey](),
	"User":    reflect.TypeFor[access.User](),
	"Account": reflect.TypeFor[account.Account](),
	"Project": reflect.TypeFor[account.Project](),

	"Invitation": reflect.TypeFor[account.Invitation](),
}

var userParameter = parameter{
	name: "user", description: "Whose they are. Defaults to the caller; others are for administrators.", schema: textSchema(),
}
