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
	CancelAgent     = "cancel_agent"
	NothingToAdd    = "nothing_to_add"
	FinalAnswer     = "final_answer"
	AskUser         = "ask_user"
)

// Has reports whether an agent has a control tool of this name.
func Has(name string) bool {
	return name == CreateAgent || name == FinalAnswer || name == AskUser
}

// Names are those of all control tools.
func Names() []string {
	return []string{CreateAgent, ReplyToAgent, ReactivateAgent, CancelAgent, NothingToAdd, FinalAnswer, AskUser}
}

// CarriedOut is what the orchestrator's model is told of a call that was carried out.
func CarriedOut(name string) string {
	switch name {
	case CreateAgent, ReactivateAgent:
		return "Started. It is not finished yet: its result comes as an event."
	case ReplyToAgent:
		return "Passed on."
	case CancelAgent:
		return "Cancelled."
	}
	return "Done."
}

// Understand checks a control call of an agent and returns the arguments.
// final_answer and ask_user become calls only if their arguments made no sense.
func Understand(name, arguments string, role role.Role, depth int) (map[string]string, error) {
	in, err := Decode(arguments, map[string][]string{CreateAgent: {"type", "instruction"}, AskUser: {"question"}}[name]...)
	switch {
	case err != nil:
		return nil, err
	case name == CreateAgent:
		if err := role.Allowed(in["type"], depth); err != nil {
			return nil, err
		}
		return in, CheckForm(in)
	}
	return nil, nestor.Errorf(nestor.CodeInvalid, "the arguments are ambiguous")
}

const endsTask = "Ends the task with its result. Calls beside it are carried out first."

// ends are the tools by which an agent stops working: it concludes, or asks.
var ends = []llm.Tool{
	{
		Name:        FinalAnswer,
		Description: endsTask,
		Parameters:  answerSchema,
	},
	{
		Name:        AskUser,
		Description: "Asks the user and waits. Only for what nobody but the user can know.",
		Parameters:  questionSchema(),
	},
}

// OfAgent are the control tools of an agent, whose result has a form unless that is nil. The
// list must not be changed: most agents share one.
func OfAgent(roles *role.Roles, agent *nestor.SubAgent, role role.Role, form *Form) []llm.Tool {
	ends := ends
	if form != nil {
		ends = []llm.Tool{form.Tool(), ends[1]}
	}
	if len(role.Agents) > 0 && agent.Depth < role.MaxDepth {
		return append(slices.Clip(ends), createAgent(roles, role.Agents, false))
	}
	return ends
}

// OfOrchestrator are the control tools of the orchestrator. Without agents there is nobody
// to speak to yet.
func OfOrchestrator(roles *role.Roles, agents bool) []llm.Tool {
	tools := []llm.Tool{createAgent(roles, roles.Names(), true)}
	if !agents {
		return tools
	}
	return append(tools,
		llm.Tool{
			Name:        ReplyToAgent,
			Description: "Answers a waiting agent's question, or tells a running agent something.",
			Parameters:  object([]property{{"agent", "Its handle, such as A1.", nil}, {"content", "The answer, complete enough to be understood on its own.", nil}}),
		},
		llm.Tool{
			Name:        ReactivateAgent,
			Description: "Has an agent that finished or failed go on. It remembers everything it did.",
			Parameters:  object([]property{{"agent", "Its handle, such as A1.", nil}, {"instruction", "What to do now.", nil}}),
		},
		llm.Tool{
			Name:        CancelAgent,
			Description: "Stops an agent whose work is not wanted any more.",
			Parameters:  object([]property{{"agent", "Its handle, such as A1.", nil}}),
		})
}

// Nothing is the tool by which the orchestrator leaves results as they are.
func Nothing() llm.Tool {
	return llm.Tool{Name: NothingToAdd, Description: "Ends your turn without a word: the results say it all.", Parameters: object(nil)}
}

// AutoReply is the tool by which the orchestrator answers an agent in the name of
// the user.
func AutoReply() llm.Tool {
	return llm.Tool{
		Name:        ReplyToAgent,
		Description: "Answers the agent's question from what the user said before.",
		Parameters: object([]property{
			{"content", "The answer.", nil}, {"basedOn", "The words of the user that the answer is based on, exactly as the user wrote them.", nil},
		}),
	}
}

// createAgent is the tool that starts an agent. One that is started from a chat has a
// title for people, and says where its result goes.
func createAgent(all *role.Roles, names []string, inChat bool) llm.Tool {
	var b strings.Builder
	b.WriteString("Starts an agent that works on one task by itself. Several calls in one reply run side by side. Types:")
	for _, name := range names {
		fmt.Fprintf(&b, "\n- %s: %s", name, all.Roles[name].Description)
	}
	properties := []property{
		{"type", "The type of agent.", names},
		{"instruction", "The task, complete, with every wish the user stated: the agent sees nothing else of this conversation.", nil},
	}
	optional := []property{
		{"title", "What it is about, for people: 3 to 6 words.", nil},
		{"result_schema", "A JSON Schema, if the result is to be data of that form.", nil},
	}
	if inChat {
		optional = append(optional,
			property{"deliver", "answer: the result answers the user as it is, and you are not called again (default for one agent). return: you go on with it, to compare or to take a next step (default for several).", []string{string(nestor.DeliverAnswer), string(nestor.DeliverReturn)}},
			property{"context", "Handles of agents whose results it needs, such as A1: it gets them word for word.", nil})
	}
	return llm.Tool{Name: CreateAgent, Description: b.String(), Parameters: object(properties, optional...)}
}

type property struct {
	name, description string
	values            []string // the only ones allowed, if any
}

// lists are the names of properties that are lists of texts, objects of those that are objects.
var (
	lists   = []string{"context"}
	objects = []string{"result_schema"}
)

// object is the schema of an object of texts.
func object(required []property, optional ...property) json.RawMessage {
	schemas := map[string]any{}
	for _, p := range slices.Concat(required, optional) {
		schema := map[string]any{"type": "string", "description": p.description}
		if p.values != nil {
			schema["enum"] = p.values
		}
		if slices.Contains(lists, p.name) {
			schema = map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "description": p.description}
		}
		if slices.Contains(objects, p.name) {
			schema["type"] = "object"
		}
		schemas[p.name] = schema
	}
	names := make([]string, len(required))
	for i, p := range required {
		names[i] = p.name
	}
	return chatdoc.Encode(map[string]any{
		"type": "object", "properties": schemas, "required": names, "additionalProperties": false,
	})
}

// Decode reads the arguments of a control call: an object with the texts named,
// none of them empty. A list of texts is one text, with commas; an object is its JSON.
func Decode(arguments string, names ...string) (map[string]string, error) {
	var in map[string]json.RawMessage
	if err := json.Unmarshal([]byte(arguments), &in); err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the arguments are not a JSON object: %v", err)
	}
	out := map[string]string{}
	for name, value := range in {
		var s string
		var several []string
		if json.Unmarshal(value, &s) == nil {
			out[name] = wording.Storable(strings.TrimSpace(s))
		} else if json.Unmarshal(value, &several) == nil {
			out[name] = wording.Storable(strings.Join(several, ", "))
		} else if json.Unmarshal(value, &map[string]any{}) == nil {
			out[name] = wording.Storable(string(value))
		}
	}
	for _, name := range names {
		if out[name] == "" {
			return nil, nestor.Errorf(nestor.CodeInvalid, "%s is missing: give a text", name)
		}
	}
	return out, nil
}
