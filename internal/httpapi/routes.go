package httpapi

// open are the routes for who has not shown yet who they are.
var open = map[string]bool{
	"POST /api/v1/login": true, "POST /api/v1/refresh": true, "POST /api/v1/logout": true, "GET /api/v1/openapi.json": true,
}

// routes is the API.
func (s *server) routes() map[string]handler {
	const (
		chat  = "/api/v1/chats/{chat}"
		task  = chat + "/tasks/{task}"
		agent = chat + "/sub-agents/{agent}"
	)
	return map[string]handler{
		"POST /api/v1/chats":                            s.postChat,
		"GET /api/v1/chats":                             s.listChats,
		"GET " + chat:                                   s.getChat,
		"PATCH " + chat:                                 s.patchChat,
		"DELETE " + chat:                                s.deleteChat,
		"POST " + chat + "/messages":                    s.postMessage,
		"GET " + chat + "/messages":                     s.listBelow("messages"),
		"POST " + chat + "/tasks":                       s.postTask,
		"GET " + chat + "/tasks":                        s.listBelow("tasks"),
		"GET " + chat + "/sub-agents":                   s.listBelow("sub-agents"),
		"GET " + agent + "/messages":                    s.listBelow("messages"),
		"GET " + agent + "/tool-calls":                  s.listBelow("tool-calls"),
		"GET " + chat + "/events":                       s.chatEvents,
		"GET /api/v1/stream":                            s.events,
		"POST " + chat + "/stop":                        s.stopChat,
		"POST " + task + "/cancel":                      s.controlTask(Agents.Cancel),
		"POST " + task + "/pause":                       s.controlTask(Agents.Pause),
		"POST " + task + "/resume":                      s.controlTask(Agents.Resume),
		"POST " + task + "/retry":                       s.controlTask(Agents.Retry),
		"POST " + task + "/messages":                    s.steerTask,
		"POST " + agent + "/tool-calls/{call}/decision": s.decide,

		"GET /api/v1/docs/{path...}":    s.getDocument,
		"PUT /api/v1/docs/{path...}":    s.putDocument,
		"PATCH /api/v1/docs/{path...}":  s.patchDocument,
		"DELETE /api/v1/docs/{path...}": s.deleteDocument,
		"POST /api/v1/query":            s.query,
		"GET /api/v1/schemas":           s.schemas,
		"GET /api/v1/openapi.json":      s.getOpenAPI,

		"GET /api/v1/triggers":           s.listTriggers,
		"PATCH /api/v1/triggers/{id}":    s.switchTrigger,
		"GET /api/v1/jobs":               s.listJobs,
		"POST /api/v1/jobs/{id}/retry":   s.retryJob,
		"GET /api/v1/models":             s.listModels,
		"PUT /api/v1/models/{id}":        s.putModel,
		"DELETE /api/v1/models/{id}":     s.deleteModel,
		"POST /api/v1/models/{id}/test":  s.testModel,
		"GET /api/v1/tools":              s.listTools,
		"POST /api/v1/tools/{name}/call": s.callTool,

		"POST /api/v1/login":           s.login,
		"POST /api/v1/refresh":         s.refresh,
		"POST /api/v1/logout":          s.logout,
		"GET /api/v1/me":               s.getMe,
		"PUT /api/v1/me/password":      s.putPassword,
		"GET /api/v1/sessions":         s.listSessions,
		"DELETE /api/v1/sessions/{id}": s.deleteSession,
		"GET /api/v1/keys":             s.listKeys,
		"POST /api/v1/keys":            s.postKey,
		"DELETE /api/v1/keys/{id}":     s.deleteKey,
		"GET /api/v1/users":            s.listUsers,
		"POST /api/v1/users":           s.postUser,
		"PATCH /api/v1/users/{id}":     s.patchUser,
		"DELETE /api/v1/users/{id}":    s.deleteUser,
		"GET /api/v1/usage":            s.getUsage,

		"GET /api/v1/accounts":                             s.listAccounts,
		"POST /api/v1/accounts":                            s.postAccount,
		"GET /api/v1/accounts/{account}":                   s.getAccount,
		"PUT /api/v1/accounts/{account}/members/{user}":    s.putMember,
		"DELETE /api/v1/accounts/{account}/members/{user}": s.deleteMember,
		"GET /api/v1/accounts/{account}/projects":          s.listProjects,
		"POST /api/v1/accounts/{account}/projects":         s.postProject,
		"PATCH /api/v1/projects/{project}":                 s.patchProject,
		"DELETE /api/v1/projects/{project}":                s.deleteProject,
		"GET /api/v1/projects/{project}/chats":             s.listProjectChats,

		"GET " + replicationPath + "/{flat}/pull":   s.replicate,
		"POST " + replicationPath + "/{flat}/push":  s.replicate,
		"GET " + replicationPath + "/{flat}/stream": s.replicate,
		"GET " + replicationPath + "/stream":        s.replicate,
		"GET " + replicationPath + "/schemas":       s.replicate,

		"/api/": s.noRoute,
	}
}
