package httpapi

import (
	"net/http"
	"reflect"

	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
)

// peopleArea is about who uses the server: users, how they show who they are,
// and what they used.
func peopleArea() area {
	tag := Tag{Name: "People", Description: "Who uses the server: users, how they show who they are (sessions and API keys), and what they used."}
	return area{tag: tag, routes: peopleRoutes(), Schemas: openapi.Schemas{Types: map[string]reflect.Type{
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
		"UsageReport": reflect.TypeFor[budget.Report](),
	}, Documents: map[string]reflect.Type{
		"Session": reflect.TypeFor[access.Session](),
		"APIKey":  reflect.TypeFor[access.APIKey](),
		"User":    reflect.TypeFor[access.User](),
	}}}
}

func peopleRoutes() []route {
	return []route{
		{"POST /api/v1/login", nothing, (*server).login, openapi.Operation{
			ID: "login", Summary: "Begin a session in a browser; its cookies come with the answer",
			Description: "Scripts cannot read the cookies. A token in place of login and password is NESTOR_TOKEN, by which whoever runs the server signs in.",
			Body:        openapi.Ref("Credentials"),
			Answers:     openapi.Gives(openapi.Ref("Login")), Fails: []int{http.StatusUnauthorized, http.StatusTooManyRequests},
			Example: `{"login":"ada","password":"a long enough password"}`,
		}},
		{"POST /api/v1/refresh", nothing, (*server).refresh, openapi.Operation{
			ID: "refresh", Summary: "Go on with the session of the refresh cookie",
			Description: "The cookie is good once. For 20 seconds it is answered with the same cookies again; used after that it ends the session, since somebody has a copy.",
			Fails:       []int{http.StatusUnauthorized}, Answers: openapi.Gives(openapi.Ref("Login")),
		}},
		{"POST /api/v1/logout", nothing, (*server).logout, openapi.Operation{
			ID: "logout", Summary: "End the session of the cookies",
			Description: "Either cookie is enough, so it works after the first one has expired, too.",
			Answers:     openapi.GivesNothing(),
		}},
		{"GET /api/v1/me", somebody, (*server).getMe, openapi.Operation{
			ID: "getMe", Summary: "Who the caller is",
			Description: "The kind tells how the caller showed who they are, such as by a session or a key.",
			Answers:     openapi.Gives(openapi.Ref("Me")),
		}},
		{"PUT /api/v1/me/password", documents, (*server).putPassword, openapi.Operation{
			ID: "putPassword", Summary: "Change the caller's own password; all their other sessions end",
			Description: "A caller with a session gets new cookies (200), any other no content. API keys go on working.",
			Body:        openapi.Ref("NewPassword"),
			Answers:     openapi.Answers{http.StatusOK: openapi.Ref("Login"), http.StatusNoContent: nil},
			Example:     `{"current":"a long enough password","password":"another long password"}`,
		}},
		{"GET /api/v1/sessions", documents, (*server).listSessions, openapi.Operation{
			ID: "listSessions", Summary: "The sessions of a user",
			Description: "Each says when it was refreshed last and when it ends.",
			Query:       append(Paging(), UserParameter), Answers: openapi.Gives(openapi.Page("Session")),
		}},
		{"DELETE /api/v1/sessions/{id}", documents, (*server).deleteSession, openapi.Operation{
			ID: "deleteSession", Summary: "End a session",
			Description: "Its cookies stop working at once, on other nodes within a second.",
			Query:       []openapi.Parameter{UserParameter}, Answers: openapi.GivesNothing(),
		}},
		{"GET /api/v1/keys", documents, (*server).listKeys, openapi.Operation{
			ID: "listKeys", Summary: "The API keys of a user",
			Description: "A key itself is never shown again: a hint says how it ends.",
			Query:       append(Paging(), UserParameter), Answers: openapi.Gives(openapi.Page("APIKey")),
		}},
		{"POST /api/v1/keys", documents, (*server).postKey, openapi.Operation{
			ID: "createKey", Summary: "Make an API key, which only this answer shows",
			Description: "Scopes have one of read, write and admin, and patterns of paths if the key is for some documents only. Administrators make none for others.",
			Query:       []openapi.Parameter{UserParameter},
			Body:        openapi.Ref("NewKey"), Answers: openapi.Creates("MadeKey"), Example: `{"name":"ci","scopes":["read"],"expiresAt":4102444800000}`,
		}},
		{"DELETE /api/v1/keys/{id}", documents, (*server).deleteKey, openapi.Operation{
			ID: "deleteKey", Summary: "Revoke an API key",
			Description: "It stops working at once, on other nodes within a second. Tools of the runs that it began fail from then on.",
			Query:       []openapi.Parameter{UserParameter}, Answers: openapi.GivesNothing(),
		}},
		{"GET /api/v1/users", administrator, (*server).listUsers, openapi.Operation{
			ID: "listUsers", Summary: "All users, for an administrator",
			Description: "Users who are disabled are among them.",
			Query:       Paging(), Answers: openapi.Gives(openapi.Page("User")),
		}},
		{"POST /api/v1/users", administrator, (*server).postUser, openapi.Operation{
			ID: "createUser", Summary: "Add a user, as an administrator",
			Description: "Users log in by id, name or e-mail. A password has 12 to 256 characters.",
			Body:        openapi.Ref("NewUser"), Answers: openapi.Creates("User"),
			Example: `{"id":"grace","name":"Grace","email":"grace@example.org","admin":false,"password":"a long enough password"}`,
		}},
		{"PATCH /api/v1/users/{id}", administrator, (*server).patchUser, openapi.Operation{
			ID: "patchUser", Names: "grace", Summary: "Change a user, as an administrator",
			Description: "A new password ends the user's sessions, and who is disabled is out at once. One administrator always stays.",
			Body:        openapi.Ref("UserChange"), Answers: openapi.Gives(openapi.Ref("User")),
			Example: `{"disabled":false,"admin":true,"password":"another long password"}`,
		}},
		{"DELETE /api/v1/users/{id}", administrator, (*server).deleteUser, openapi.Operation{
			ID: "deleteUser", Names: "grace", Summary: "Delete a user with all their data, as an administrator",
			Description: "Agents are stopped, and chats, documents, keys and secrets of the user go. The only owner of an account with other members has to make one of them an owner first.",
			Answers:     openapi.GivesNothing(),
		}},
		{"GET /api/v1/usage", documents, paging((*server).getUsage), openapi.Operation{
			ID: "listUsage", Summary: "What a user used, by day",
			Description: "It also tells what is left of the user's budgets, those of their accounts and projects included, and how much room they take on the disk.",
			Answers:     openapi.Gives(openapi.Ref("UsageList")),
			Query:       append(append(spanParameters(), Paging()...), UserParameter),
		}},
		{"GET /api/v1/usage/report", documents, (*server).getUsageReport, openapi.Operation{
			ID: "reportUsage", Summary: "What a user used, by day, model, role and chat",
			Description: "What groupBy names is told apart, and the rows add up to the total. Days are those of UTC, the last 30 by default.",
			Answers:     openapi.Gives(openapi.Ref("UsageReport")),
			Query:       append(reportParameters("day, model, role, chat or user"), UserParameter),
		}},
		{"GET /api/v1/usage/server", administrator, (*server).getServerUsage, openapi.Operation{
			ID: "reportServerUsage", Summary: "What all users used, by day, model, role and user, for an administrator",
			Description: "What groupBy names is told apart, and the rows add up to the total. Chats are their users' own, so nothing is told by chat.",
			Answers:     openapi.Gives(openapi.Ref("UsageReport")),
			Query:       reportParameters("day, model, role or user"),
		}},
	}
}
