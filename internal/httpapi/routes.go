package httpapi

// routes is the API.
func (s *server) routes() map[string]route {
	const (
		chat  = "/api/v1/chats/{chat}"
		task  = chat + "/tasks/{task}"
		agent = chat + "/sub-agents/{agent}"
	)
	return map[string]route{
		"POST /api/v1/chats":                            {documents, s.postChat},
		"GET /api/v1/chats":                             {documents, s.listChats},
		"GET " + chat:                                   {documents, s.getChat},
		"PATCH " + chat:                                 {documents, s.patchChat},
		"DELETE " + chat:                                {documents, s.deleteChat},
		"POST " + chat + "/messages":                    {documents, s.postMessage},
		"GET " + chat + "/messages":                     {documents, s.listBelow("messages")},
		"POST " + chat + "/tasks":                       {documents, s.postTask},
		"GET " + chat + "/tasks":                        {documents, s.listBelow("tasks")},
		"GET " + chat + "/sub-agents":                   {documents, s.listBelow("sub-agents")},
		"GET " + agent + "/messages":                    {documents, s.listBelow("messages")},
		"GET " + agent + "/tool-calls":                  {documents, s.listBelow("tool-calls")},
		"GET " + chat + "/events":                       {documents, s.streaming(s.chatEvents)},
		"GET /api/v1/stream":                            {documents, s.streaming(s.events)},
		"POST " + chat + "/stop":                        {documents, s.stopChat},
		"POST " + task + "/cancel":                      {documents, s.controlTask(Agents.Cancel)},
		"POST " + task + "/pause":                       {documents, s.controlTask(Agents.Pause)},
		"POST " + task + "/resume":                      {documents, s.controlTask(Agents.Resume)},
		"POST " + task + "/retry":                       {documents, s.controlTask(Agents.Retry)},
		"POST " + task + "/messages":                    {documents, s.steerTask},
		"POST " + agent + "/tool-calls/{call}/decision": {documents, s.decide},

		"GET /api/v1/docs/{path...}":    {documents, s.getDocument},
		"PUT /api/v1/docs/{path...}":    {documents, s.putDocument},
		"PATCH /api/v1/docs/{path...}":  {documents, s.patchDocument},
		"DELETE /api/v1/docs/{path...}": {documents, s.deleteDocument},
		"POST /api/v1/query":            {documents, s.query},
		"GET /api/v1/schemas":           {somebody, s.schemas},
		"GET /api/v1/openapi.json":      {nothing, s.getOpenAPI},

		"GET /api/v1/triggers":           {administrator, s.listTriggers},
		"PATCH /api/v1/triggers/{id}":    {administrator, s.switchTrigger},
		"GET /api/v1/jobs":               {administrator, s.listJobs},
		"POST /api/v1/jobs/{id}/retry":   {administrator, s.retryJob},
		"GET /api/v1/models":             {documents, s.listModels},
		"PUT /api/v1/models/{id}":        {documents, s.putModel},
		"DELETE /api/v1/models/{id}":     {documents, s.deleteModel},
		"POST /api/v1/models/{id}/test":  {documents, s.testModel},
		"GET /api/v1/models/{id}/models": {documents, s.offeredModels},
		"GET /api/v1/tools":              {whole, s.listTools},
		"POST /api/v1/tools/{name}/call": {administrator, s.callTool},

		"POST /api/v1/login":           {nothing, s.login},
		"POST /api/v1/refresh":         {nothing, s.refresh},
		"POST /api/v1/logout":          {nothing, s.logout},
		"GET /api/v1/me":               {somebody, s.getMe},
		"PUT /api/v1/me/password":      {documents, s.putPassword},
		"GET /api/v1/sessions":         {documents, s.listSessions},
		"DELETE /api/v1/sessions/{id}": {documents, s.deleteSession},
		"GET /api/v1/keys":             {documents, s.listKeys},
		"POST /api/v1/keys":            {documents, s.postKey},
		"DELETE /api/v1/keys/{id}":     {documents, s.deleteKey},
		"GET /api/v1/users":            {administrator, s.listUsers},
		"POST /api/v1/users":           {administrator, s.postUser},
		"PATCH /api/v1/users/{id}":     {administrator, s.patchUser},
		"DELETE /api/v1/users/{id}":    {administrator, s.deleteUser},
		"GET /api/v1/usage":            {documents, s.getUsage},

		"GET /api/v1/accounts":                                 {documents, s.listAccounts},
		"POST /api/v1/accounts":                                {documents, s.postAccount},
		"GET /api/v1/accounts/{account}":                       {documents, s.getAccount},
		"PUT /api/v1/accounts/{account}/members/{user}":        {documents, s.putMember},
		"DELETE /api/v1/accounts/{account}/members/{user}":     {documents, s.deleteMember},
		"GET /api/v1/accounts/{account}/invitations":           {documents, s.listInvitations},
		"DELETE /api/v1/accounts/{account}/invitations/{user}": {documents, s.deleteInvitation},
		"GET /api/v1/invitations":                              {whole, s.listOwnInvitations},
		"POST /api/v1/invitations/{account}/accept":            {documents, s.acceptInvitation},
		"DELETE /api/v1/invitations/{account}":                 {documents, s.declineInvitation},
		"GET /api/v1/accounts/{account}/projects":              {documents, s.listProjects},
		"POST /api/v1/accounts/{account}/projects":             {documents, s.postProject},
		"PATCH /api/v1/accounts/{account}":                     {documents, s.patchAccount},
		"PATCH /api/v1/projects/{project}":                     {documents, s.patchProject},
		"DELETE /api/v1/projects/{project}":                    {documents, s.deleteProject},
		"GET /api/v1/projects/{project}/chats":                 {documents, s.listProjectChats},

		"GET " + replicationPath + "/{flat}/pull":   {documents, s.replicate},
		"POST " + replicationPath + "/{flat}/push":  {documents, s.replicate},
		"GET " + replicationPath + "/{flat}/stream": {documents, s.streaming(s.replicate)},
		"GET " + replicationPath + "/stream":        {documents, s.streaming(s.replicate)},
		"GET " + replicationPath + "/schemas":       {somebody, s.replicate},

		"/api/": {somebody, s.noRoute},
	}
}
