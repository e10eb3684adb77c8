package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/httpapi"
)

// toolSpec is a tool of the caller. Chat completions have its function in a field,
// responses have the same beside the type.
type toolSpec struct {
	Type     string    `json:"type"`
	Function *function `json:"function"`
	function
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// toolsOf are the tools that a request offers to a participant.
func toolsOf(model string, specs []toolSpec, choice json.RawMessage) ([]nestor.ClientTool, error) {
	switch choice = bytes.TrimSpace(choice); string(choice) {
	case "", "null", `"auto"`:
	case `"none"`:
		return nil, nil
	default:
		return nil, unsupported("tool_choice", "tool_choice is auto or none: an agent decides itself what it calls")
	}
	var tools []nestor.ClientTool
	for _, s := range specs {
		if s.Type != "function" {
			return nil, unsupported("tools", "a tool is a function, not a %.100q: participants have tools of their own", s.Type)
		}
		f := s.function
		if s.Function != nil {
			f = *s.Function
		}
		if string(f.Parameters) == "null" {
			f.Parameters = nil
		}
		tools = append(tools, nestor.ClientTool{Name: f.Name, Description: f.Description, Parameters: f.Parameters})
	}
	if kind, _ := nestor.ParseParticipant(model); len(tools) > 0 && kind != nestor.KindOrchestrator && kind != nestor.KindAgent {
		return nil, unsupported("tools", "%.200s calls no tools: ask the orchestrator, or an agent such as agent:general", model)
	}
	return tools, nil
}

// callPrefix begins the ids of calls. What follows says where a call lies: its chat, its
// agent and its own id.
const callPrefix = "call_"

// callsOf are the calls that wait for the caller, as the caller is told them.
func callsOf(chat nestor.Path, pending []runs.Event) (calls []called) {
	for _, e := range pending {
		args := string(e.Args)
		if args == "" {
			args = "{}"
		}
		calls = append(calls, called{id: callPrefix + strings.Join([]string{chat.ID(), e.AgentID, e.CallID}, "_"), name: e.Tool, args: args})
	}
	return calls
}

// callAt is where a call of the user lies, by the id that they were told.
func callAt(user, id string) (nestor.Path, error) {
	bare, ok := strings.CutPrefix(id, callPrefix)
	ids := strings.SplitN(bare, "_", 3)
	if !ok || len(ids) != 3 {
		return "", fmt.Errorf("%.200q is no call of this server", id)
	}
	return nestor.ParsePath("users/" + user + "/orch-chats/" + ids[0] + "/sub-agents/" + ids[1] + "/tool-calls/" + ids[2])
}

// resume gives the results of calls to the run that waits for them. A result that was
// given before stays as it is: then the request is a repeated one, and its answer is
// told from there on.
func (d *Door) resume(req *httpapi.Request, a *ask) (b begun, err error) {
	paths := make([]nestor.Path, len(a.results))
	calls := make([]nestor.ToolCall, len(a.results))
	ids := []string{"openai-results"}
	for i, result := range a.results {
		missing := nestor.Errorf(nestor.CodeInvalid, "there is no call %.200q that waits for a result", result.callID).With("field", "tool_call_id")
		if paths[i], err = callAt(req.UserID(), result.callID); err != nil {
			return b, missing
		}
		doc, err := req.Get(paths[i])
		if nestor.CodeOf(err) == nestor.CodeNotFound {
			return b, missing
		}
		if err != nil {
			return b, err
		}
		if calls[i], err = nestor.As[nestor.ToolCall](doc); err != nil {
			return b, err
		}
		if calls[i].RunID != calls[0].RunID || !calls[i].Client {
			return b, missing
		}
		ids = append(ids, string(paths[i]))
	}
	b.chat = paths[0].Parent().Parent()
	b.place.Run = calls[0].RunID
	b.id = nestor.DeriveID(ids...)
	result, err := d.runs().Result(req.Context(), runAt(req.UserID(), b.place.Run), 0)
	if err != nil {
		return b, err
	}
	b.at = result.Run.UpdatedAt / 1000
	// The answer begins where the run waits, or where the first result was given.
	from := result.Run.Seq
	if slices.ContainsFunc(calls, func(c nestor.ToolCall) bool { return c.Status.Ended() }) {
		for _, c := range calls {
			from = min(from, c.Seq-1)
		}
	} else {
		b.place.Used = result.Run.Usage
	}
	b.place.From = fmt.Sprint(from)
	for i, c := range calls {
		b.place.Given = append(b.place.Given, strings.TrimPrefix(string(paths[i]), string(b.chat)+"/"))
		if c.Status.Ended() {
			continue
		}
		if err := req.Decide(paths[i], nestor.Decision{Action: nestor.GiveResult, Reason: a.results[i].text}); err != nil {
			return b, err
		}
	}
	return b, nil
}

// sameTools reports whether a chat has the tools of a request.
func sameTools(has, want []nestor.ClientTool) bool {
	first, err := json.Marshal(has)
	if err != nil {
		return false
	}
	second, err := json.Marshal(want)
	return err == nil && bytes.Equal(first, second)
}
