package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/tool"
)

// Tools are the tools of the system.
type Tools interface {
	// Tools returns all tools that there are now, and an error that tells of
	// sources which could not be asked.
	Tools(ctx context.Context) ([]*tool.Tool, error)
	// LeftOut are those that the sources have and that cannot be offered.
	LeftOut() []tool.LeftOut
}

// toolInfo is a tool as the API shows it, under the name that models see.
type toolInfo struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Source says who made the tool and wrote its description.
	Source        string          `json:"source"`
	Parameters    json.RawMessage `json:"parameters"`
	Effect        tool.Effect     `json:"effect"`
	NeedsApproval bool            `json:"needsApproval"`
	// Needs says what to do before the tool can work. Until then no model is offered it.
	Needs string `json:"needs,omitempty"`
}

func (s *server) listTools(r *http.Request) (response, error) {
	registry, problems := s.registry(r.Context())
	items := []toolInfo{}
	for name, t := range registry.All() {
		needs := t.Needs
		if needs != "" && !callerOf(r).Admin { // it tells of the machine
			needs = "an administrator has to set it up"
		}
		items = append(items, toolInfo{name, t.Description, t.Source, t.Parameters, t.Effect, t.NeedsApproval, needs})
	}
	body := map[string]any{"items": items}
	if callerOf(r).Admin { // problems tell of the machine
		var told []string
		if problems != nil {
			told = strings.Split(problems.Error(), "\n")
		}
		for _, l := range s.Tools.LeftOut() {
			told = append(told, l.String())
		}
		if told != nil {
			body["problems"] = told
		}
	}
	return response{body: body}, nil
}

type newCall struct {
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// callTool runs a tool for the person who asks, which is their approval, too. A
// failed call is an answer; only a tool that does not exist is an error.
func (s *server) callTool(r *http.Request) (response, error) {
	var req newCall
	if err := web.Read(r, &req); err != nil {
		return response{}, err
	}
	registry, _ := s.registry(r.Context())
	name := r.PathValue("name")
	if _, ok := registry.Lookup(name); !ok {
		return response{}, nestor.Errorf(nestor.CodeNotFound, "there is no tool %s: GET /api/v1/tools lists them", name)
	}
	id := nestor.NewID()
	result := registry.Execute(r.Context(), tool.Call{
		Scope: tool.Scope{UserID: callerOf(r).UserID, AskedBy: nestor.Askers{callerOf(r).UserID}}, ID: id, IdempotencyKey: id,
		Name: name, Arguments: cmp.Or(string(req.Arguments), "{}"),
	})
	again, err := newRequest(r, s).Recheck() // a call may take long
	if err == nil {
		err = again.Caller().RequireAdmin()
	}
	if err != nil {
		return response{}, err
	}
	return response{body: called{
		Status: result.Status, Output: result.Output, Media: result.Media, Error: result.Error, Code: result.Code,
		Truncated: result.Truncated, DurationMS: result.Duration.Milliseconds(),
	}}, nil
}

// called is the result of a call.
type called struct {
	Status nestor.ToolCallStatus `json:"status"`
	Output string                `json:"output,omitempty"`
	// Media are the images and files that Output describes.
	Media      []nestor.Media `json:"media,omitempty"`
	Error      string         `json:"error,omitempty"`
	Code       nestor.Code    `json:"code,omitempty"`
	Truncated  bool           `json:"truncated,omitempty"`
	DurationMS int64          `json:"durationMs"`
}

func (s *server) registry(ctx context.Context) (*tool.Registry, error) {
	tools, problems := s.Tools.Tools(ctx)
	return tool.NewRegistry(tools, tool.Options{Logger: s.Logger}), problems
}
