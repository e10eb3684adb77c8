package analyst

import (
	"encoding/json"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/tool"
)

// The tools, by name.
const (
	semanticSearch      = "semantic-search"
	documentContext     = "get-document-context"
	detectDependencies  = "detect-dependencies"
	queryTaskGraph      = "query-task-graph"
	clusterBySimilarity = "cluster-by-similarity"
	// submitPlan ends the loop. It is no tool for others.
	submitPlan = "submit_plan"
)

// toolNames are those of all tools.
var toolNames = []string{semanticSearch, documentContext, detectDependencies, queryTaskGraph, clusterBySimilarity}

// outputLimit is more than the largest output, a chunk of a document with its
// tasks, in the longest characters.
const outputLimit = 512 << 10

func (a *Analyst) makeTools() []*tool.Tool {
	spec := func(name, description, parameters string, effect tool.Effect, timeout time.Duration) tool.Spec {
		return tool.Spec{
			Name: name, Description: description, Parameters: json.RawMessage(parameters),
			Effect: effect, Timeout: timeout, OutputLimit: outputLimit, Source: "prioritisation",
		}
	}
	return []*tool.Tool{
		define(a, spec(semanticSearch,
			"Finds the user's tasks that are most similar to a text, best first. If none is as similar as the threshold, it looks again with 0.5 and with 0.4; threshold_used says which it was.",
			`{"type":"object","additionalProperties":false,"required":["query"],"properties":{
				"query":{"type":"string","minLength":1,"maxLength":500,"description":"what the tasks are about"},
				"limit":{"type":"integer","minimum":1,"maximum":100,"default":20,"description":"how many tasks at most"},
				"threshold":{"type":"number","minimum":0,"maximum":1,"default":0.7,"description":"how similar they have to be"}}}`,
			tool.Pure, time.Minute), a.search),
		define(a, spec(documentContext,
			"Returns the documents that tasks were found in, with their text and all their tasks. Long texts come in chunks of 50,000 characters that overlap by 200; ask for the next one with chunk.",
			`{"type":"object","additionalProperties":false,"required":["task_ids"],"properties":{
				"task_ids":{"type":"array","minItems":1,"maxItems":50,"items":{"type":"string","minLength":1,"maxLength":200},"description":"ids of tasks"},
				"chunk":{"type":"integer","minimum":1,"default":1,"description":"which chunk of each text"}}}`,
			tool.Pure, 30*time.Second), a.documents),
		define(a, spec(detectDependencies,
			"Finds out which of these tasks depend on which others, and stores it. source_task_id depends on target_task_id, which comes first. What a person has said about two tasks stays as it is.",
			`{"type":"object","additionalProperties":false,"required":["task_ids"],"properties":{
				"task_ids":{"type":"array","minItems":2,"maxItems":50,"items":{"type":"string","minLength":1,"maxLength":200},"description":"ids of tasks"},
				"use_document_context":{"type":"boolean","default":true,"description":"whether to read the documents, too"}}}`,
			tool.Idempotent, 2*time.Minute), a.detect),
		define(a, spec(queryTaskGraph,
			"Returns the stored relationships of tasks, with statistics. source_task_id depends on target_task_id, which comes first.",
			`{"type":"object","additionalProperties":false,"properties":{
				"task_id":{"type":"string","minLength":1,"maxLength":200,"description":"id of one task"},
				"task_ids":{"type":"array","minItems":1,"maxItems":100,"items":{"type":"string","minLength":1,"maxLength":200},"description":"ids of several tasks"},
				"type":{"type":"string","enum":["prerequisite","blocks","related","all"],"default":"all","description":"which relationships"}}}`,
			tool.Pure, 30*time.Second), a.graph),
		define(a, spec(clusterBySimilarity,
			"Groups tasks that are about similar things, the largest group first, and names those that belong to none.",
			`{"type":"object","additionalProperties":false,"required":["task_ids"],"properties":{
				"task_ids":{"type":"array","minItems":2,"maxItems":100,"items":{"type":"string","minLength":1,"maxLength":200},"description":"ids of tasks"},
				"threshold":{"type":"number","minimum":0,"maximum":1,"default":0.75,"description":"how similar the tasks of a group are on average"}}}`,
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
func (a *Analyst) offer(last bool) (offered []llm.Tool) {
	if !last {
		for _, t := range a.tools {
			offered = append(offered, llm.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters})
		}
	}
	return append(offered, llm.Tool{Name: submitPlan, Description: submitDescription, Parameters: submitParameters})
}
