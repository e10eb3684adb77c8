package demo

import "github.com/nestorhq/nestor/internal/llm"

// rule is one thing the demo model can do.
type rule struct {
	name  string
	when  func(*scene) bool
	reply func(*scene) reply
}

// reply is what a rule answers: text, calls or both.
type reply struct {
	text  string
	calls []call
}

type call struct {
	tool string
	args map[string]any
}

func say(text string) reply { return reply{text: text} }

func always(*scene) bool { return true }

// choose returns the first rule that applies. The last of each table always
// does.
func (sc *scene) choose() rule {
	rules := writerRules
	switch sc.part {
	case orchestrator:
		rules = orchestratorRules
	case agent:
		rules = agentRules
	case planner:
		rules = plannerRules
	case dependencyFinder:
		rules = finderRules
	}
	for _, r := range rules {
		if r.when(sc) {
			return r
		}
	}
	return rules[len(rules)-1]
}

// part is the part that the model plays in a request.
type part int

const (
	writer part = iota
	orchestrator
	agent
	planner
	dependencyFinder
)

// The tools whose meaning the rules know.
const (
	createAgent     = "create_agent"
	replyToAgent    = "reply_to_agent"
	reactivateAgent = "reactivate_agent"

	finalAnswer = "final_answer"
	askUser     = "ask_user"

	calculator      = "calculator"
	currentTime     = "current_time"
	webFetch        = "web_fetch"
	searchDocuments = "search_documents"
	readDocument    = "read_document"
	writeDocument   = "write_document"
	tavilySearch    = "tavily_search"

	semanticSearch  = "semantic-search"
	documentContext = "get-document-context"
	detectTasks     = "detect-dependencies"
	taskGraph       = "query-task-graph"
	clusterTasks    = "cluster-by-similarity"
	submitPlan      = "submit_plan"

	reportDependencies = "report_dependencies"
)

func partOf(tools map[string]llm.Tool) part {
	if _, ok := tools[submitPlan]; ok {
		return planner
	}
	if _, ok := tools[reportDependencies]; ok {
		return dependencyFinder
	}
	if _, ends := tools[finalAnswer]; ends {
		return agent // one that may create agents itself
	}
	for _, name := range []string{createAgent, replyToAgent, reactivateAgent} {
		if _, ok := tools[name]; ok {
			return orchestrator
		}
	}
	if len(tools) > 0 {
		return agent
	}
	return writer
}
