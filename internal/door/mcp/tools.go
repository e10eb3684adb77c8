package mcp

import (
	"encoding/json"
	"regexp"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
)

// The tools beside those that are participants.
const (
	toolStatus = "run_status"
	toolCancel = "run_cancel"
	toolAnswer = "answer"
)

// listTools are the tools of a caller: whom they can talk to, and what is done about
// runs.
func listTools(req *httpapi.Request) (*sdk.ListToolsResult, error) {
	all, err := req.Participants()
	if err != nil {
		return nil, err
	}
	list := &sdk.ListToolsResult{Cacheable: private, Tools: []*sdk.Tool{}}
	for _, p := range all {
		list.Tools = append(list.Tools, &sdk.Tool{
			Name: toolOf(p), Title: p.Name, Description: describe(p), InputSchema: askArguments.Parameters, OutputSchema: outcomeSchema,
			Annotations: &sdk.ToolAnnotations{Title: p.Name, OpenWorldHint: new(true)},
		})
	}
	list.Tools = append(list.Tools, &sdk.Tool{
		Name: toolStatus, Title: "Status of a run", InputSchema: statusArguments.Parameters, OutputSchema: outcomeSchema,
		Description: "How a run stands and what came of it: also of a run whose call broke off. Waits for its end if told to.",
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true},
	}, &sdk.Tool{
		Name: toolCancel, Title: "Cancel a run", InputSchema: cancelArguments.Parameters, OutputSchema: outcomeSchema,
		Description: "Ends everything that a run has under way. A run that has ended stays as it is.",
		Annotations: &sdk.ToolAnnotations{IdempotentHint: true, DestructiveHint: new(true)},
	}, &sdk.Tool{
		Name: toolAnswer, Title: "Answer a run", InputSchema: answerArguments.Parameters, OutputSchema: outcomeSchema,
		Description: "Gives a run that waits what it waits for: the answer to its question, or the decision about a call of a tool. Then follows the run as ask does.",
		Annotations: &sdk.ToolAnnotations{OpenWorldHint: new(true)},
	})
	return list, nil
}

// describe says what a tool that is a participant does.
func describe(p nestor.Participant) string {
	if p.Description == "" {
		return "Asks " + p.Name + "."
	}
	return p.Description
}

// otherThanName are the characters that not all clients take in the name of a tool.
var otherThanName = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// maxName is how long a name is that all clients take.
const maxName = 64

// toolOf is the name of the tool that a participant is.
func toolOf(p nestor.Participant) string {
	kind, id := nestor.ParseParticipant(p.ID)
	name := kind + "_" + id
	switch kind {
	case nestor.KindOrchestrator:
		return "ask"
	case nestor.KindAgent:
		name = "ask_" + id
	}
	plain := otherThanName.ReplaceAllString(name, "_")
	if plain == name && len(name) <= maxName {
		return name
	}
	// Another name could become the same.
	mark := "_" + nestor.DeriveID("mcp-tool", p.ID)[:8]
	return plain[:min(len(plain), maxName-len(mark))] + mark
}

// run makes a call of a tool. What goes wrong is told in the result, so that the model
// of the client can see it.
func (c *call) run(params *sdk.CallToolParamsRaw) (*sdk.CallToolResult, error) {
	do, err := c.find(params.Name)
	if err != nil {
		return nil, err
	}
	res, err := do(params.Arguments)
	if err != nil {
		return failed(c.door.tell(err), nestor.CodeOf(err)), nil
	}
	return res, nil
}

// find is what the tool with a name does.
func (c *call) find(name string) (func(json.RawMessage) (*sdk.CallToolResult, error), error) {
	switch name {
	case toolStatus:
		return c.status, nil
	case toolCancel:
		return c.cancel, nil
	case toolAnswer:
		return c.answer, nil
	}
	all, err := c.req.Participants()
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		if toolOf(p) == name {
			return func(args json.RawMessage) (*sdk.CallToolResult, error) { return c.ask(p, args) }, nil
		}
	}
	return nil, errNotOurs
}
