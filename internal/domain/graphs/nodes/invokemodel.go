package nodes

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/engine"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/tool"
)

const defaultRounds = 8

var invokeModel = engine.NodeType{
	Type: graph.Type{
		ID: "invoke-language-model", Effect: tool.Idempotent,
		Description: "Asks a model. Tools of the thread and of the node are offered to it, and those that it calls are run until it answers.",
		Inputs: []graph.Port{
			run,
			{ID: "model", Type: graph.ChatModel},
			{ID: "thread", Type: graph.Thread},
			{ID: "tools", Type: graph.ToolSet, Description: "Offered beside those of the thread."},
			{ID: "system", Type: graph.String},
			{ID: "prompt", Type: graph.String, Required: true},
		},
		Outputs: []graph.Port{done, {ID: "text", Type: graph.String}, {ID: "thread", Type: graph.Thread}, {ID: "toolCalls", Type: graph.JSON}},
		Parameters: schema(`"system":{"type":"string"},"prompt":{"type":"string"},` +
			`"maxRounds":{"type":"integer","minimum":0,"maximum":20,"description":"How often the tools that the model calls are run before it has to answer. 8, if it is not given; 0 runs none."}`),
	},
	Run: ask,
}

// asking is one turn of a node that asks a model.
type asking struct {
	*engine.Call
	model  llm.Model
	req    *llm.Request
	tools  *tool.Registry // nil if none are offered
	thread thread
	calls  []toolCall
}

// toolCall is one that a model wanted, and what came of it.
type toolCall struct {
	Name      string                `json:"name"`
	Arguments json.RawMessage       `json:"arguments"`
	Status    nestor.ToolCallStatus `json:"status,omitempty"`
	Output    *string               `json:"output,omitempty"`
}

func ask(ctx context.Context, c *engine.Call) (engine.Outputs, error) {
	var with chatModel
	var system, prompt string
	var more []string
	a := asking{Call: c, calls: []toolCall{}}
	for port, into := range map[string]any{"model": &with, "thread": &a.thread, "system": &system, "prompt": &prompt, "tools": &more} {
		if err := read(c, port, into); err != nil {
			return nil, err
		}
	}
	var err error
	if a.model, err = c.Asker.Models.Open(ctx, c.UserID, with.ConnectionID); err != nil {
		return nil, err
	}
	a.req = &llm.Request{System: system, MaxTokens: with.MaxTokens, Temperature: with.Temperature}
	names := map[string]string{}
	for _, m := range a.thread.Messages {
		a.req.Messages = append(a.req.Messages, m.message(names))
	}
	a.thread.Tools = append(a.thread.Tools, more...)
	a.offer(ctx)
	a.add(said{Role: llm.RoleUser, Text: prompt}, llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: prompt}}})
	answer, err := a.converse(ctx)
	if err != nil {
		return nil, err
	}
	return engine.Outputs{"done": true, "text": answer, "thread": a.thread, "toolCalls": a.calls}, nil
}

func (a *asking) add(turn said, m llm.Message) {
	a.thread.Messages = append(a.thread.Messages, turn)
	a.req.Messages = append(a.req.Messages, m)
}

// offer offers the tools that the thread names. Those that need a person's approval are
// not among them: in a graph there is nobody to ask.
func (a *asking) offer(ctx context.Context) {
	if len(a.thread.Tools) == 0 {
		return
	}
	a.tools = a.Tools.ForRole(ctx, "", a.thread.Tools)
	for _, offered := range a.tools.Offer() {
		if t, _ := a.tools.Lookup(offered.Name); !t.NeedsApproval {
			a.req.Tools = append(a.req.Tools, offered)
		}
	}
}

// converse asks the model, and runs the tools that it calls, until it answers.
func (a *asking) converse(ctx context.Context) (string, error) {
	rounds := defaultRounds
	if n, given := a.Node.Parameters["maxRounds"].(float64); given {
		rounds = int(n)
	}
	for round := 1; ; round++ {
		r, err := a.say(ctx, round, rounds > 0)
		if err != nil {
			return "", err
		}
		if len(r.Calls) == 0 || rounds == 0 {
			for _, call := range r.Calls {
				a.calls = append(a.calls, toolCall{Name: call.Name, Arguments: tool.Recorded(call.Arguments)})
			}
			a.thread.Messages = append(a.thread.Messages, said{Role: llm.RoleAssistant, Text: r.Text})
			return r.Text, nil
		}
		if round > rounds {
			return "", nestor.Errorf(nestor.CodeTooLarge, "the model still called tools after %d rounds", rounds)
		}
		if err := a.runTools(ctx, round, r); err != nil {
			return "", err
		}
	}
}

// reply is what a model said, as it is noted.
type reply struct {
	Text      string          `json:"text,omitempty"`
	Reasoning []llm.Reasoning `json:"reasoning,omitempty"`
	Calls     []llm.ToolCall  `json:"calls,omitempty"`
}

// say asks the model, unless an earlier run of this turn did and noted what it said. A
// reply without calls of tools is not noted: it is the end of the turn.
func (a *asking) say(ctx context.Context, round int, runs bool) (r reply, err error) {
	name := fmt.Sprintf("reply %d", round)
	if found, _, err := a.Journal.Find(name, &r); found || err != nil {
		return r, err
	}
	said, err := a.Asker.Ask(ctx, a.Bill, a.model, a.req)
	if err != nil {
		return r, err
	}
	var text strings.Builder
	for _, p := range said.Message.Parts {
		switch p := p.(type) {
		case llm.Text:
			text.WriteString(p.Text)
		case llm.Reasoning:
			r.Reasoning = append(r.Reasoning, p)
		case llm.ToolCall:
			// Providers count calls anew, so ids of our own keep them apart in a thread.
			p.ProviderID = p.ID
			p.ID = nestor.DeriveID("call", a.Key, name, fmt.Sprint(len(r.Calls)))
			r.Calls = append(r.Calls, p)
		}
	}
	if r.Text = text.String(); len(r.Calls) > 0 && runs {
		err = a.Journal.Note(ctx, name, r)
	}
	return r, err
}

// runTools runs the calls of a reply, one after the other, and adds what came of them to
// the conversation.
func (a *asking) runTools(ctx context.Context, round int, r reply) error {
	asked, answered := llm.Message{Role: llm.RoleAssistant}, llm.Message{Role: llm.RoleTool}
	request, response := said{Role: llm.RoleAssistant, Text: r.Text}, said{Role: llm.RoleTool}
	for _, block := range r.Reasoning {
		asked.Parts = append(asked.Parts, block)
	}
	if r.Text != "" {
		asked.Parts = append(asked.Parts, llm.Text{Text: r.Text})
	}
	for i, call := range r.Calls {
		meant := call
		if a.tools != nil {
			meant.Name, meant.Arguments = a.tools.Meant(call.Name, call.Arguments)
		}
		outcome, err := a.runTool(ctx, fmt.Sprintf("call %d.%d", round, i+1), meant)
		if err != nil {
			return err
		}
		asked.Parts = append(asked.Parts, call)
		answered.Parts = append(answered.Parts, llm.ToolResult{
			CallID: call.ID, ProviderID: call.ProviderID, Name: call.Name, Content: outcome.Output, IsError: outcome.Status != nestor.ToolCallSuccess,
		})
		request.Partials = append(request.Partials, requested(call))
		response.Partials = append(response.Partials, responded(call.ID, outcome))
		a.calls = append(a.calls, toolCall{meant.Name, tool.Recorded(meant.Arguments), outcome.Status, &outcome.Output})
	}
	a.add(request, asked)
	a.add(response, answered)
	return nil
}

// toolOutcome is what came of a call, as it is noted.
type toolOutcome struct {
	Status nestor.ToolCallStatus `json:"status"`
	Output string                `json:"output"`
}

// maxToolOutput is how much of what a tool says goes into a thread, in bytes.
const maxToolOutput = 16 << 10

// runTool runs one call, unless an earlier run of this turn did and noted what came of it.
// One of once that was interrupted is not run again: the node fails.
func (a *asking) runTool(ctx context.Context, name string, call llm.ToolCall) (o toolOutcome, err error) {
	found, begun, err := a.Journal.Find(name, &o)
	if found || err != nil {
		return o, err
	}
	once := false
	if t, known := a.lookup(call.Name); known {
		once = t.Effect == tool.Once
	} else {
		o = toolOutcome{nestor.ToolCallFailed, fmt.Sprintf("there is no tool %s that can be run here", call.Name)}
		return o, a.Journal.Note(ctx, name, o)
	}
	if once && begun {
		return o, engine.Interrupted{Err: nestor.Errorf(nestor.CodeCancelled, "a call of the tool %s was interrupted", call.Name)}
	}
	if once {
		if err := a.Journal.Begin(ctx, name); err != nil {
			return o, err
		}
	}
	result := a.tools.Execute(ctx, tool.Call{
		Scope: tool.Scope{UserID: a.UserID, AskedBy: nestor.Askers{a.UserID}, Run: a.Run},
		ID:    call.ID, Name: call.Name, Arguments: call.Arguments, IdempotencyKey: call.ID,
	})
	switch {
	case result.Status == nestor.ToolCallUnknown:
		return o, engine.Interrupted{Err: nestor.Errorf(nestor.CodeCancelled, "a call of the tool %s: %s", call.Name, result.Error)}
	case ctx.Err() != nil && result.Status != nestor.ToolCallSuccess:
		return o, context.Cause(ctx)
	}
	o = toolOutcome{result.Status, shortened(result.Said())}
	return o, a.Journal.Note(ctx, name, o)
}

func (a *asking) lookup(name string) (*tool.Tool, bool) {
	if a.tools == nil {
		return nil, false
	}
	t, known := a.tools.Lookup(name)
	if !known || t.NeedsApproval {
		return nil, false
	}
	return t, true
}

// shortened keeps the beginning of a long text.
func shortened(text string) string {
	text = strings.ReplaceAll(text, "\x00", "\uFFFD")
	if len(text) <= maxToolOutput {
		return text
	}
	return strings.ToValidUTF8(text[:maxToolOutput], "") + fmt.Sprintf("\n[cut: the first %d of %d bytes are shown]", maxToolOutput, len(text))
}
