package analyst

import (
	"encoding/json"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/tool"
)

// WaveChat begins the ids of chats in which agents work on a wave of a plan. By it a reaction
// tells their tasks from all others without reading anything.
const WaveChat = "wave-"

// The tools, by name.
const (
	semanticSearch = "semantic-search"
	// DocumentContext returns the document of a task, by the id of the task.
	DocumentContext     = "get-document-context"
	detectDependencies  = "detect-dependencies"
	queryTaskGraph      = "query-task-graph"
	clusterBySimilarity = "cluster-by-similarity"
	// submitPlan ends the loop. It is no tool for others.
	submitPlan = "submit_plan"
)

// toolNames are those of all tools.
var toolNames = []string{semanticSearch, DocumentContext, detectDependencies, queryTaskGraph, clusterBySimilarity}

// outputLimit is more than the largest output, a chunk of a document with its
// tasks, in the longest characters.
const outputLimit = 512 << 10

func (a *Analyst) makeTools() []*tool.Tool {
	spec := func(name, description, parameters string, effect tool.Effect, timeout time.Duration) tool.Spec {
		return tool.Spec{
			Name: name, Description: description, Parameters: json.RawMessage(parameters),
			Effect: effect, Timeout: timeout, OutputLimit: outputLimit, Source: "prioritisation", Chats: WaveChat,
		}
	}
	return []*tool.Tool{
		define(a, spec(semanticSearch,
			"Finds the user's tasks that are most similar to a text, best first.",
			`{"type":"object","additionalProperties":false,"required":["query"],"properties":{
				"query":{"type":"string","minLength":1,"maxLength":500},
				"limit":{"type":"integer","minimum":1,"maximum":100,"default":20},
				"threshold":{"type":"number","minimum":0,"maximum":1,"default":0.7,"description":"lowered if nothing is so similar"}}}`,
			tool.Pure, time.Minute), a.search),
		define(a, spec(DocumentContext,
			"Returns the texts of the documents in which tasks were found, with all their tasks.",
			`{"type":"object","additionalProperties":false,"required":["task_ids"],"properties":{
				"task_ids":{"type":"array","minItems":1,"maxItems":50,"items":{"type":"string"}},
				"chunk":{"type":"integer","minimum":1,"default":1,"description":"of a long text"}}}`,
			tool.Pure, 30*time.Second), a.documents),
		define(a, spec(detectDependencies,
			"Finds out which of these tasks must come before which others, and stores it.",
			`{"type":"object","additionalProperties":false,"required":["task_ids"],"properties":{
				"task_ids":{"type":"array","minItems":2,"maxItems":50,"items":{"type":"string"}},
				"use_document_context":{"type":"boolean","default":true}}}`,
			tool.Idempotent, 2*time.Minute), a.detect),
		define(a, spec(queryTaskGraph,
			"Returns what is stored about which tasks must come before which.",
			`{"type":"object","additionalProperties":false,"properties":{
				"task_id":{"type":"string"},
				"task_ids":{"type":"array","minItems":1,"maxItems":100,"items":{"type":"string"}},
				"type":{"type":"string","enum":["prerequisite","blocks","related","all"],"default":"all"}}}`,
			tool.Pure, 30*time.Second), a.graph),
		define(a, spec(clusterBySimilarity,
			"Groups tasks that are about similar things.",
			`{"type":"object","additionalProperties":false,"required":["task_ids"],"properties":{
				"task_ids":{"type":"array","minItems":2,"maxItems":100,"items":{"type":"string"}},
				"threshold":{"type":"number","minimum":0,"maximum":1,"default":0.75}}}`,
			tool.Pure, time.Minute), a.cluster),
	}
}

func (a *Analyst) tool(name string) (*tool.Tool, error) {
	for _, t := range a.tools {
		if t.Name == name {
			return t, nil
		}
	}
	return nil, nestor.Errorf(nestor.CodeNotFound, "there is no tool %q", excerpt(name, 64))
}

// offer are the tools of a step. In the last one only the plan is left to be given.
func (a *Analyst) offer(last bool) []llm.Tool {
	if last {
		return a.offered[len(a.offered)-1:]
	}
	return a.offered
}

// offered are the tools as a model is shown them, the plan last. Bounds are not among that: an
// input that is beyond one is answered by an error which tells it.
func offered(tools []*tool.Tool) (all []llm.Tool) {
	for _, t := range tools {
		all = append(all, llm.Tool{Name: t.Name, Description: t.Description, Parameters: withoutBounds(t.Parameters)})
	}
	return append(all, llm.Tool{Name: submitPlan, Description: submitDescription, Parameters: withoutBounds(submitParameters)})
}

func withoutBounds(schema json.RawMessage) json.RawMessage {
	return rewritten(schema, func(_ string, v any) any {
		if m, ok := v.(map[string]any); ok {
			for _, bound := range []string{"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "default"} {
				delete(m, bound)
			}
			if m["additionalProperties"] == false {
				delete(m, "additionalProperties")
			}
		}
		return v
	})
}
