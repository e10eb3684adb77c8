package httpapi

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

		"/api/": noRoute,
	}
}
