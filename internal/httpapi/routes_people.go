package httpapi

import (
	"net/http"
	"reflect"

	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/budget"
)

// peopleArea is about who uses the server: users, how they show who they are,
// and what they used.
func peopleArea() area {
	return area{routes: peopleRoutes(), types: map[string]reflect.Type{
		"Credentials": reflect.TypeFor[credentials](),
		"Login":       reflect.TypeFor[begun](),
		"Me":          reflect.TypeFor[me](),
		"NewPassword": reflect.TypeFor[newPassword](),
		"NewKey":      reflect.TypeFor[newKey](),
		"MadeKey":     reflect.TypeFor[madeKey](),
		"NewUser":     reflect.TypeFor[newUser](),
		"UserChange":  reflect.TypeFor[userChange](),
		"UsageDay":    reflect.TypeFor[budget.Day](),
		"UsageList":   reflect.TypeFor[usageList](),
	}, documents: map[string]reflect.Type{
		"Session": reflect.TypeFor[access.Session](),
		"APIKey":  reflect.TypeFor[access.APIKey](),
		"User":    reflect.TypeFor[access.User](),
	}}
}

func peopleRoutes() []route {
	return []route{
		{"POST /api/v1/login", nothing, (*server).login, operation{
			id: "login", summary: "Begin a session in a browser; its cookies come with the answer", body: refTo("Credentials"),
			answers: gives(refTo("Login")), fails: []int{http.StatusUnauthorized, http.StatusTooManyRequests},
			example: `{"login":"ada","password":"a long enough password"}`,
		}},
		{"POST /api/v1/refresh", nothing, (*server).refresh, operation{
			id: "refresh", summary: "Go on with the session of the refresh cookie", fails: []int{http.StatusUnauthorized}, answers: gives(refTo("Login")),
		}},
		{"POST /api/v1/logout", nothing, (*server).logout, operation{
			id: "logout", summary: "End the session of the cookies", answers: givesNothing(),
		}},
		{"GET /api/v1/me", somebody, (*server).getMe, operation{
			id: "getMe", summary: "Who the caller is", answers: gives(refTo("Me")),
		}},
		{"PUT /api/v1/me/password", documents, (*server).putPassword, operation{
			id: "putPassword", summary: "Change the caller's own password; all their other sessions end", body: refTo("NewPassword"),
			answers: answers{http.StatusOK: refTo("Login"), http.StatusNoContent: nil},
			example: `{"current":"a long enough password","password":"another long password"}`,
		}},
		{"GET /api/v1/sessions", documents, (*server).listSessions, operation{
			id: "listSessions", summary: "The sessions of a user", query: append(pagingOf(), userParameter), answers: gives(pageOf("Session")),
		}},
		{"DELETE /api/v1/sessions/{id}", documents, (*server).deleteSession, operation{
			id: "deleteSession", summary: "End a session", query: []parameter{userParameter}, answers: givesNothing(),
		}},
		{"GET /api/v1/keys", documents, (*server).listKeys, operation{
			id: "listKeys", summary: "The API keys of a user", query: append(pagingOf(), userParameter), answers: gives(pageOf("APIKey")),
		}},
		{"POST /api/v1/keys", documents, (*server).postKey, operation{
			id: "createKey", summary: "Make an API key, which only this answer shows", query: []parameter{userParameter},
			body: refTo("NewKey"), answers: creates("MadeKey"), example: `{"name":"ci","scopes":["read"],"expiresAt":4102444800000}`,
		}},
		{"DELETE /api/v1/keys/{id}", documents, (*server).deleteKey, operation{
			id: "deleteKey", summary: "Revoke an API key", query: []parameter{userParameter}, answers: givesNothing(),
		}},
		{"GET /api/v1/users", administrator, (*server).listUsers, operation{
			id: "listUsers", summary: "All users, for an administrator", query: pagingOf(), answers: gives(pageOf("User")),
		}},
		{"POST /api/v1/users", administrator, (*server).postUser, operation{
			id: "createUser", summary: "Add a user, as an administrator", body: refTo("NewUser"), answers: creates("User"),
			example: `{"id":"grace","name":"Grace","email":"grace@example.org","admin":false,"password":"a long enough password"}`,
		}},
		{"PATCH /api/v1/users/{id}", administrator, (*server).patchUser, operation{
			id: "patchUser", names: "grace", summary: "Change a user, as an administrator", body: refTo("UserChange"), answers: gives(refTo("User")),
			example: `{"disabled":false,"admin":true,"password":"another long password"}`,
		}},
		{"DELETE /api/v1/users/{id}", administrator, (*server).deleteUser, operation{
			id: "deleteUser", names: "grace", summary: "Delete a user with all their data, as an administrator", answers: givesNothing(),
		}},
		{"GET /api/v1/usage", documents, (*server).getUsage, operation{
			id: "listUsage", summary: "What a user used, by day", answers: gives(refTo("UsageList")),
			query: []parameter{
				{name: "from", description: "The first day, such as 2026-11-01. Defaults to 29 days ago.", schema: textSchema(), example: "2026-11-01"},
				{name: "to", description: "The last day. Defaults to today.", schema: textSchema(), example: "2026-11-30"},
				userParameter,
			},
		}},
	}
}
