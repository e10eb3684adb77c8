package graphs

import (
	"net/http"
	"reflect"

	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/usersecret"
)

// Why a graph is refused, for programs.
const reasonBadGraph = "BAD_GRAPH"

func routes() []module.Route[*Graphs] {
	type route = httpapi.Route
	const graphs, executions = "/api/v1/records/agent_graphs", "/api/v1/records/agent_graph_executions"
	const drawn = `"nodes":[{"id":"start","nodeId":"on-start","position":{"x":0,"y":0}},{"id":"out","nodeId":"output","position":{"x":200,"y":0},"parameters":{"name":"answer"}}],` +
		`"edges":[{"sourceNodeId":"start","sourcePortId":"signal","targetNodeId":"out","targetPortId":"run"},{"sourceNodeId":"start","sourcePortId":"text","targetNodeId":"out","targetPortId":"value"}],"maxResolutions":100`
	bad := []httpapi.Failure{{Status: http.StatusBadRequest, Reason: reasonBadGraph, When: "Something is wrong with the graph: details.problems has all of it."}}
	var narrowed []httpapi.Parameter
	for _, p := range [][2]string{
		{"agentGraphId", "Only executions of this graph."},
		{"status", "Only executions with this status."},
		{"rerunOf", "Only executions that run this one again."},
		{"parentExecutionId", "Only executions that nodes of this one wait for."},
		{"from", "Only executions that began at this time or later, in Unix milliseconds."},
		{"to", "Only executions that began before this time, in Unix milliseconds."},
	} {
		parameter := httpapi.TextParameter(p[0], p[1], "")
		parameter.Example = nil
		narrowed = append(narrowed, parameter)
	}
	saved := httpapi.TextParameter("id", "The id under which the graph is saved, to be told whether it executes itself.", "")
	saved.Example = nil
	return []module.Route[*Graphs]{
		{Do: (*Graphs).listSecrets, Route: route{
			Pattern: "GET /api/v1/secrets", ID: "listSecrets", Summary: "The names of the caller's secrets",
			Description: "No call gives a value back.",
			Answer:      usersecret.Named{}, Lists: true,
		}},
		{Do: (*Graphs).putSecret, Route: route{
			Pattern: "PUT /api/v1/secrets/{name}", ID: "putSecret", Summary: "Give a secret its value, which graphs use as {{secret:NAME}} and nobody reads again",
			Description: "It is sealed with the server's key and filled in when a request is sent. A name that is taken gets the new value.",
			Body:        secretValue{}, Example: `{"value":"sk-example"}`, Answer: usersecret.Named{},
		}},
		{Do: (*Graphs).deleteSecret, Route: route{
			Pattern: "DELETE /api/v1/secrets/{name}", ID: "deleteSecret", Summary: "Delete a secret",
			Description: "A node that names it fails from then on.",
		}},
		{Do: (*Graphs).nodeTypes, Route: route{
			Pattern: "GET /api/v1/node_types", ID: "listNodeTypes", Summary: "What nodes a graph can have",
			Description: "Each has its inputs and outputs with their types, and a JSON Schema of its parameters.",
			Answer:      graph.Type{}, Lists: true,
		}},
		{Do: (*Graphs).listTemplates, Route: route{
			Pattern: "GET /api/v1/graph_templates", ID: "listGraphTemplates", Summary: "Graphs to begin with; each can be saved and run as it is",
			Description: "They run with the demo model, too, so each can be tried before there is a key.",
			Answer:      Template{}, Lists: true,
		}},
		{Do: (*Graphs).validate, Route: route{
			Pattern: "POST " + graphs + "/validate", ID: "validateAgentGraph", Summary: "Find all that is wrong with a graph",
			Description: "Errors keep a graph from being saved, warnings do not. Each names the node or the edge, and has a code.",
			Body:        graphInput{}, Example: `{` + drawn + `}`, Answer: graph.Report{},
			Query: []openapi.Parameter{saved},
		}},
		{Do: (*Graphs).postGraph, Route: route{
			Pattern: "POST " + graphs, ID: "createAgentGraph", Summary: "Save a new graph",
			Description: "A graph with errors is refused, and details.problems has all of them. A node without a position lies at the origin.",
			Creates:     true, Body: graphFields{},
			Example: `{"id":"g1","name":"Echo","description":"Gives back what it is given",` + drawn + `}`, Answer: AgentGraph{}, Fails: bad,
		}},
		{Do: (*Graphs).listGraphs, Route: route{
			Pattern: "GET " + graphs, ID: "listAgentGraphs", Summary: "The caller's graphs, newest first",
			Description: "Warnings are told with a single graph only.",
			Answer:      AgentGraph{}, Lists: true, Query: httpapi.Paging(),
		}},
		{Do: (*Graphs).postGraphs, Route: route{
			Pattern: "POST " + graphs + "/batch", ID: "createManyAgentGraphs", Summary: "Save several new graphs, all or none",
			Description: "At most 100 are saved. If one of them is wrong, details.index says which.",
			Creates:     true, Body: graphBatch{},
			Example: `{"records":[{"id":"g2","name":"Echo",` + drawn + `}]}`, Answer: AgentGraph{}, Lists: true, Fails: bad,
		}},
		{Do: (*Graphs).countGraphs, Route: route{
			Pattern: "GET " + graphs + "/count", ID: "countAgentGraphs", Summary: "How many graphs the caller has",
			Description: "Templates are not counted.",
			Answer:      httpapi.RecordCount{},
		}},
		{Do: (*Graphs).streamGraphs, Route: route{
			Pattern: "GET " + graphs + "/stream", ID: "followAgentGraphs", Summary: "What becomes of the caller's graphs, as it happens",
			Description: "It tells what happens from now on. To miss nothing, open it first and list then.",
			Events:      map[string]any{"created": AgentGraph{}, "updated": AgentGraph{}, "deleted": httpapi.DeletedRecord{}},
		}},
		{Do: (*Graphs).cloneGraph, Route: route{
			Pattern: "POST " + graphs + "/{graph}/clone", ID: "cloneAgentGraph", Summary: "Make a copy of a graph",
			Description: "It has an id of its own, or that of the body. Executions are not copied.",
			Body:        httpapi.CloneRequest{}, Example: `{"id":"copy"}`, Answer: AgentGraph{}, Creates: true, More: openapi.Operation{BodyOptional: true},
		}},
		{Do: (*Graphs).getGraph, Route: route{
			Pattern: "GET " + graphs + "/{graph}", ID: "getAgentGraph", Summary: "A graph",
			Description: "It has the warnings that a check of it gives.",
			Answer:      AgentGraph{},
		}},
		{Do: (*Graphs).patchGraph, Route: route{
			Pattern: "PATCH " + graphs + "/{graph}", ID: "updateAgentGraph", Summary: "Change a graph; nodes and edges are replaced as a whole",
			Description: "What is left out stays. Nodes and edges that are the same as before keep their times.",
			Body:        graphChange{},
			Example:     `{"name":"Echo","description":"Gives back what it is given",` + drawn + `}`, Answer: AgentGraph{}, Fails: bad, More: openapi.Operation{IfMatch: true},
		}},
		{Do: (*Graphs).deleteGraph, Route: route{
			Pattern: "DELETE " + graphs + "/{graph}", ID: "deleteAgentGraph", Summary: "Delete a graph; its executions stay",
			Description: "Executions that run go on: each has the graph as it was when it began.",
			More:        openapi.Operation{IfMatch: true},
		}},

		{Do: (*Graphs).execute, Route: route{
			Pattern: "POST " + graphs + "/{graph}/executions", ID: "executeAgentGraph", Summary: "Begin an execution of a graph",
			Description: "The answer comes before the nodes have run. Later changes of the graph are not seen by the execution.",
			Status:      http.StatusAccepted,
			Body:        executionRequest{}, Example: `{"input":{"text":"Hello"}}`, Answer: Execution{}, Fails: bad,
		}},
		{Do: (*Graphs).listExecutions, Route: route{
			Pattern: "GET " + executions, ID: "listAgentGraphExecutions", Summary: "The caller's executions, newest first, without their graphs and values",
			Description: "Executions are kept for 30 days.",
			Answer:      ExecutionSummary{}, Lists: true, Query: append(httpapi.Paging(), narrowed...),
		}},
		{Do: (*Graphs).countExecutions, Route: route{
			Pattern: "GET " + executions + "/count", ID: "countAgentGraphExecutions", Summary: "How many executions the caller has",
			Description: "What narrows the list narrows the count.",
			Answer:      httpapi.RecordCount{}, Query: narrowed,
		}},
		{Do: (*Graphs).streamExecutions, Route: route{
			Pattern: "GET " + executions + "/stream", ID: "followAgentGraphExecutions", Summary: "What becomes of the caller's executions, as it happens",
			Description: "It tells what happens from now on. To miss nothing, open it first and list then.",
			Events:      map[string]any{"created": ExecutionSummary{}, "updated": ExecutionSummary{}, "deleted": httpapi.DeletedRecord{}},
		}},
		{Do: (*Graphs).getExecution, Route: route{
			Pattern: "GET " + executions + "/{execution}", ID: "getAgentGraphExecution", Summary: "An execution with its graph, input and output",
			Description: "An execution that failed says in error which node failed, and why.",
			Answer:      Execution{},
		}},
		{Do: (*Graphs).listResolutions, Route: route{
			Pattern: "GET " + executions + "/{execution}/resolutions", ID: "listAgentGraphResolutions", Summary: "What each node was given and gave, turn by turn",
			Description: "A resolution is one turn of a node, with its inputs, its outputs, its times and the attempts that failed.",
			Answer:      Resolution{}, Lists: true, Query: httpapi.Paging(),
		}},
		{Do: (*Graphs).executionEvents, Route: route{
			Pattern: "GET " + executions + "/{execution}/events", ID: "followAgentGraphExecution", Summary: "What an execution does, as it does it",
			Description: "It begins with what happened until now. The last event is the end of the execution.",
			Events: map[string]any{
				"execution_began": ExecutionSummary{}, "execution_paused": ExecutionSummary{}, "execution_resumed": ExecutionSummary{},
				"execution_completed": Execution{}, "execution_failed": Execution{}, "execution_cancelled": Execution{}, "execution_deleted": ExecutionSummary{},
				"node_began": Resolution{}, "node_delegated": Resolution{}, "node_retried": Resolution{}, "node_completed": Resolution{}, "node_failed": Resolution{}, "node_cancelled": Resolution{},
			},
		}},
		{Do: (*Graphs).cancelExecution, Route: route{
			Pattern: "POST " + executions + "/{execution}/cancel", ID: "cancelAgentGraphExecution", Summary: "Stop an execution and the nodes that run",
			Description: "Executions and agents below it are stopped, too.",
			Answer:      Execution{},
		}},
		{Do: (*Graphs).pauseExecution, Route: route{
			Pattern: "POST " + executions + "/{execution}/pause", ID: "pauseAgentGraphExecution", Summary: "Give no node a turn, and let agents rest, until the execution is resumed",
			Description: "A node that runs goes on to the end of its turn.",
			Answer:      Execution{},
		}},
		{Do: (*Graphs).resumeExecution, Route: route{
			Pattern: "POST " + executions + "/{execution}/resume", ID: "resumeAgentGraphExecution", Summary: "Let a paused execution go on",
			Description: "Nodes that wait get their turns, and agents go on after the step at which they rested.",
			Answer:      Execution{},
		}},
		{Do: (*Graphs).rerun, Route: route{
			Pattern: "POST " + executions + "/{execution}/rerun", ID: "rerunAgentGraphExecution", Summary: "Run an execution again from a node on, with the recorded values of the rest",
			Description: "The node defaults to the one that failed. The graph is the recorded one, or the current one if it fits what was recorded.",
			Status:      http.StatusAccepted,
			Body:        rerunRequest{}, Example: `{"from":"out","graph":"recorded"}`, Answer: Execution{}, More: openapi.Operation{BodyOptional: true},
			Fails: append(bad, httpapi.Failure{Status: http.StatusBadRequest, Reason: reasonDoesNotFit, When: "The graph does not fit what was recorded: details.problems names the nodes."}),
		}},
		{Do: (*Graphs).compare, Route: route{
			Pattern: "GET " + executions + "/{execution}/compare", ID: "compareAgentGraphExecutions", Summary: "How an execution differs from another one, node by node",
			Description: "For each node it has the turns in both, with status and times, and the inputs and outputs that differ.",
			Query:       []httpapi.Parameter{httpapi.RequiredParameter("to", "The other execution.", "x1")}, Answer: Comparison{},
		}},
		{Do: (*Graphs).deleteExecution, Route: route{
			Pattern: "DELETE " + executions + "/{execution}", ID: "deleteAgentGraphExecution", Summary: "Delete an execution with all that it left, and stop it if it runs",
			Description: "Executions below it go, too.",
		}},
	}
}

// schemas gives the types names that tell, beside those of other domains, what they
// are of.
func schemas() openapi.Schemas {
	return openapi.Schemas{Types: map[string]reflect.Type{
		"GraphNode":             reflect.TypeFor[graph.Node](),
		"GraphNodeInput":        reflect.TypeFor[nodeInput](),
		"GraphEdge":             reflect.TypeFor[graph.Edge](),
		"DrawnGraph":            reflect.TypeFor[graph.Graph](),
		"GraphTemplate":         reflect.TypeFor[Template](),
		"NodeType":              reflect.TypeFor[graph.Type](),
		"NodePort":              reflect.TypeFor[graph.Port](),
		"GraphProblem":          reflect.TypeFor[graph.Problem](),
		"GraphReport":           reflect.TypeFor[graph.Report](),
		"NodeFailure":           reflect.TypeFor[record.Failure](),
		"NodeTry":               reflect.TypeFor[record.Try](),
		"NodeResolution":        reflect.TypeFor[Resolution](),
		"GraphExecution":        reflect.TypeFor[Execution](),
		"GraphExecutionSummary": reflect.TypeFor[ExecutionSummary](),
		"GraphExecutionRequest": reflect.TypeFor[executionRequest](),
		"NamedSecret":           reflect.TypeFor[usersecret.Named](),
		"SecretValue":           reflect.TypeFor[secretValue](),
		"GraphRerunRequest":     reflect.TypeFor[rerunRequest](),
		"GraphComparison":       reflect.TypeFor[Comparison](),
		"ShownAgentGraph":       reflect.TypeFor[AgentGraph](),
		"AgentGraphBatch":       reflect.TypeFor[graphBatch](),
		"AgentGraphFields":      reflect.TypeFor[graphFields](),
		"AgentGraphChange":      reflect.TypeFor[graphChange](),
	}}
}
