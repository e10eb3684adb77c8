package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/domain/runs/need"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
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
		calls = append(calls, called{id: callID(chat, e.AgentID, e.CallID), name: e.Tool, args: args})
	}
	return calls
}

func callID(chat nestor.Path, agent, call string) string {
	return callPrefix + strings.Join([]string{chat.ID(), agent, call}, "_")
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

// given are results that a caller sends, with the calls that they are of.
type given struct {
	results []message
	chat    nestor.Path
	run     string
	paths   []nestor.Path
	calls   []nestor.ToolCall
}

// findCalls finds the calls of results: calls of one run that the caller runs.
func findCalls(req *httpapi.Request, results []message) (*given, error) {
	g := &given{results: results}
	for _, result := range results {
		missing := nestor.Errorf(nestor.CodeInvalid, "there is no call %.200q that waits for a result", result.callID).With("field", "tool_call_id")
		p, err := callAt(req.UserID(), result.callID)
		if err != nil {
			return nil, missing
		}
		doc, err := req.Get(p)
		if nestor.CodeOf(err) == nestor.CodeNotFound {
			return nil, missing
		}
		if err != nil {
			return nil, err
		}
		call, err := nestor.As[nestor.ToolCall](doc)
		if err != nil {
			return nil, err
		}
		if g.run == "" {
			g.run, g.chat = call.RunID, p.Parent().Parent()
		}
		if !call.Client || call.RunID != g.run || p.Parent().Parent() != g.chat {
			return nil, missing
		}
		g.paths, g.calls = append(g.paths, p), append(g.calls, call)
	}
	return g, nil
}

// complete fails if the run waits for results of other calls, too. Whoever was told of
// several calls gives all their results at once.
func (g *given) complete(req *httpapi.Request) error {
	return req.View(func(docs store.Reader) error {
		agents, err := docs.Query(store.Query{
			Collection: string(g.chat) + "/sub-agents", Where: store.Where("status", store.Eq, nestor.SubAgentActive), Limit: store.MaxLimit,
		})
		if err != nil {
			return err
		}
		for _, agent := range agents.Items {
			calls, err := docs.Query(store.Query{
				Collection: string(agent.Path) + "/tool-calls", Where: store.Where("status", store.Eq, nestor.ToolCallRunning), Limit: store.MaxLimit,
			})
			if err != nil {
				return err
			}
			for _, d := range calls.Items {
				call, err := nestor.As[nestor.ToolCall](d)
				if err != nil {
					return err
				}
				if kind, open := need.OfCall(&call); open && kind == need.Result && call.RunID == g.run && !slices.Contains(g.paths, d.Path) {
					id := callID(g.chat, agent.Path.ID(), call.ID)
					return nestor.Errorf(nestor.CodeInvalid, "the call %s waits for its result, too: give those of all calls at once", id).With("field", "tool_call_id")
				}
			}
		}
		return nil
	})
}

// give gives the results that were not given before.
func (g *given) give(req *httpapi.Request) error {
	for i, c := range g.calls {
		if c.Status.Ended() {
			continue
		}
		if err := req.Decide(g.paths[i], nestor.Decision{Action: nestor.GiveResult, Reason: g.results[i].text}); err != nil {
			return err
		}
	}
	return nil
}

// resume gives the results of calls to the run that waits for them. A result that was
// given before stays as it is: then the request is a repeated one, and its answer is
// told from there on.
func (d *Door) resume(req *httpapi.Request, a *ask) (b begun, err error) {
	g, err := findCalls(req, a.results)
	if err != nil {
		return b, err
	}
	if err := g.complete(req); err != nil {
		return b, err
	}
	result, err := d.runs().Result(req.Context(), runAt(req.UserID(), g.run), 0)
	if err != nil {
		return b, err
	}
	b.chat, b.at = g.chat, result.Run.UpdatedAt/1000
	b.place.Run, b.place.Resumes = g.run, result.Run.Resumes
	// The answer begins where the run waits, or where the first result was given.
	from := result.Run.Seq
	if slices.ContainsFunc(g.calls, func(c nestor.ToolCall) bool { return c.Status.Ended() }) {
		for _, c := range g.calls {
			from = min(from, c.Seq-1)
		}
	} else {
		b.place.Used = result.Run.Usage
	}
	b.place.From = fmt.Sprint(from)
	ids := []string{"openai-results"}
	for _, p := range g.paths {
		ids = append(ids, string(p))
		b.place.Given = append(b.place.Given, strings.TrimPrefix(string(p), string(b.chat)+"/"))
	}
	b.id = nestor.DeriveID(ids...)
	return b, g.give(req)
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
