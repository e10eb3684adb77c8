package controltool

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/role"
	"github.com/nestorhq/nestor/internal/agent/wording"
	"github.com/nestorhq/nestor/internal/llm"
)

// The tools by which models control the runtime. They are not in any registry:
// their calls are carried out by the handlers.
const (
	CreateAgent     = "create_agent"
	ReplyToAgent    = "reply_to_agent"
	ReactivateAgent = "reactivate_agent"
	FinalAnswer     = "final_answer"
	AskUser         = "ask_user"
)

// Has reports whether an agent has a control tool of this name.
func Has(name string) bool {
	return name == CreateAgent || name == FinalAnswer || name == AskUser
}

// Names are those of all control tools.
func Names() []string {
	return []string{CreateAgent, ReplyToAgent, ReactivateAgent, FinalAnswer, AskUser}
}

// Understand checks a control call of an agent and returns the arguments.
// final_answer and ask_user become calls only if their arguments made no sense.
func Understand(name, arguments string, role role.Role, depth int) (map[string]string, error) {
	if name == FinalAnswer {
		if _, err := ReadAnswer(arguments); err != nil {
			return nil, err
		}
	}
	in, err := Decode(arguments, map[string][]string{CreateAgent: {"type", "instruction"}, AskUser: {"question"}}[name]...)
	switch {
	case err != nil:
		return nil, err
	case name == CreateAgent:
		return in, role.Allowed(in["type"], depth)
	}
	return nil, nestor.Errorf(nestor.CodeInvalid, "the arguments are ambiguous")
}

// ends are the tools by which an agent stops working: it concludes, or asks.
var ends = []llm.Tool{
	{
		Name:        FinalAnswer,
		Description: "Ends the task and delivers its result. Calls beside it are carried out first; if one fails, the answer is not delivered.",
		Parameters:  answerSchema,
	},
	{
		Name:        AskUser,
		Description: "Asks the user and waits for the answer. Only for what nobody but the user can know.",
		Parameters:  questionSchema(),
	},
}

// OfAgent are the control tools of an agent. The list must not be changed: most agents
// share one.
func OfAgent(roles *role.Roles, agent *nestor.SubAgent, role role.Role) []llm.Tool {
	if len(role.Agents) > 0 && agent.Depth < role.MaxDepth {
		return append(slices.Clip(ends), createAgent(roles, role.Agents))
	}
	return ends
}

// OfOrchestrator are the control tools of the orchestrator.
func OfOrchestrator(roles *role.Roles) []llm.Tool {
	return []llm.Tool{
		createAgent(roles, roles.Names()),
		{
			Name:        ReplyToAgent,
			Description: "Gives a waiting agent the answer to its question. Also tells a running agent something that it sees at its next step.",
			Parameters: object(property{"subAgentId", "The agent's id from the state block.", nil},
				property{"content", "The answer, complete enough to be understood on its own.", nil}),
		},
		{
			Name:        ReactivateAgent,
			Description: "Has an agent that finished go on. It remembers everything it did.",
			Parameters: object(property{"subAgentId", "The agent's id from the state block.", nil},
				property{"instruction", "What to do now.", nil}),
		},
	}
}

// AutoReply is the tool by which the orchestrator answers an agent in the name of
// the user.
func AutoReply() llm.Tool {
	return llm.Tool{
		Name:        ReplyToAgent,
		Description: "Answers the agent's question from what the user said before.",
		Parameters: object(property{"subAgentId", "The agent's id.", nil}, property{"content", "The answer.", nil},
			property{"basedOn", "The words of the user that the answer is based on, exactly as the user wrote them.", nil}),
	}
}

func createAgent(all *role.Roles, names []string) llm.Tool {
	var b strings.Builder
	b.WriteString("Starts an agent that works on one task by itself. Several calls in one reply run in parallel. Types:")
	for _, name := range names {
		fmt.Fprintf(&b, "\n- %s: %s", name, all.Roles[name].Description)
	}
	return llm.Tool{
		Name: CreateAgent, Description: b.String(),
		Parameters: object(property{"type", "The type of agent.", names},
			property{"instruction", "The task, complete: the agent sees nothing else of this conversation.", nil}),
	}
}

type property struct {
	name, description string
	values            []string // the only ones allowed, if any
}

// object is the schema of an object whose properties are all required texts.
func object(properties ...property) json.RawMessage {
	schemas := map[string]any{}
	var required []string
	for _, p := range properties {
		schema := map[string]any{"type": "string", "description": p.description}
		if p.values != nil {
			schema["enum"] = p.values
		}
		schemas[p.name] = schema
		required = append(required, p.name)
	}
	return chatdoc.Encode(map[string]any{
		"type": "object", "properties": schemas, "required": required, "additionalProperties": false,
	})
}

// Decode reads the arguments of a control call: an object with the texts named,
// none of them empty.
func Decode(arguments string, names ...string) (map[string]string, error) {
	var in map[string]json.RawMessage
	if err := json.Unmarshal([]byte(arguments), &in); err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the arguments are not a JSON object: %v", err)
	}
	out := map[string]string{}
	for name, value := range in {
		var s string
		if json.Unmarshal(value, &s) == nil {
			out[name] = wording.Storable(strings.TrimSpace(s))
		}
	}
	for _, name := range names {
		if out[name] == "" {
			return nil, nestor.Errorf(nestor.CodeInvalid, "%s is missing: give a text", name)
		}
	}
	return out, nil
}
