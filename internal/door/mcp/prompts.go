package mcp

import (
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor/internal/httpapi"
)

// listPrompts has a prompt for each participant of the caller, with the name of its tool:
// a person picks it to have the model of the client ask that participant.
func listPrompts(req *httpapi.Request) (*sdk.ListPromptsResult, error) {
	all, err := req.Participants()
	if err != nil {
		return nil, err
	}
	list := &sdk.ListPromptsResult{Cacheable: private, Prompts: []*sdk.Prompt{}}
	for _, p := range all {
		list.Prompts = append(list.Prompts, &sdk.Prompt{
			Name: toolOf(p), Title: "Ask " + p.Name, Description: describe(p),
			Arguments: []*sdk.PromptArgument{
				{Name: "message", Description: "What to ask.", Required: true},
				{Name: "thread", Description: "The conversation to go on with."},
			},
		})
	}
	return list, nil
}

// getPrompt is the prompt with a name, filled in.
func getPrompt(req *httpapi.Request, params *sdk.GetPromptParams) (*sdk.GetPromptResult, error) {
	all, err := req.Participants()
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		if toolOf(p) != params.Name {
			continue
		}
		given, err := json.Marshal(params.Arguments)
		if err != nil {
			return nil, err
		}
		a, err := decode[asked](promptArguments, given)
		if err != nil {
			return nil, err
		}
		text := "Call the tool " + params.Name + " with the message below"
		if a.Thread != "" {
			text += " in the thread " + a.Thread
		}
		text += ", and tell me what came of it. If it asks something that you do not know, ask me and call answer.\n\n" + a.Message
		return &sdk.GetPromptResult{
			Description: describe(p),
			Messages:    []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}},
		}, nil
	}
	return nil, errNotOurs
}
