package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/tool"
)

// Bounds of what a server may list.
const (
	maxTools    = 500
	maxPages    = 100
	maxToolName = 128
)

// list refreshes the tools if the server announced a change.
func (s *Server) list(ctx context.Context, conn *connection) error {
	s.mu.Lock()
	stale := s.stale
	s.stale = false // a change announced from here on makes it stale again
	s.mu.Unlock()
	if !stale {
		return nil
	}
	described, err := s.describe(ctx, conn)
	if err != nil {
		s.markStale()
		if errors.Is(err, nestor.ErrTimeout) { // so that not every run waits for it
			s.drop(conn)
			s.mu.Lock()
			s.backoff.failed(time.Now(), err)
			s.mu.Unlock()
		}
		return err
	}
	tools := s.offer(conn, described)
	s.mu.Lock()
	before := s.tools
	s.tools, s.backoff.failures = tools, 0
	s.mu.Unlock()
	s.reportChange(before, tools)
	return nil
}

// describe reads all pages of the list, within the time that the server has for
// anything else that holds up a run.
func (s *Server) describe(ctx context.Context, conn *connection) ([]*mcp.Tool, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.dial.timeout,
		nestor.Errorf(nestor.CodeTimeout, "it did not list its tools within %s", s.dial.timeout))
	defer cancel()
	var all []*mcp.Tool
	params := &mcp.ListToolsParams{}
	for range maxPages {
		page, err := conn.session.ListTools(ctx, params)
		if err != nil {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return nil, err
		}
		all = append(all, page.Tools...)
		if page.NextCursor == "" || len(all) > maxTools {
			return all, nil
		}
		params = &mcp.ListToolsParams{Cursor: page.NextCursor}
	}
	return nil, nestor.Errorf(nestor.CodeTooLarge, "MCP server %s: its list of tools has more than %d pages", s.config.Name, maxPages)
}

// offer makes the tools that can be offered, by name. Of several with one name, in
// the form in which models see it, only the first is: what a person allowed for
// that name must not hold for another tool.
func (s *Server) offer(conn *connection, described []*mcp.Tool) []*tool.Tool {
	byName := map[string]*tool.Tool{}
	for _, t := range described {
		made, err := s.tool(t)
		switch {
		case err != nil:
		case conn.demands.has(t.Name):
			err = nestor.Errorf(nestor.CodeInvalid, "it can only be called as a task, which is not supported")
		case len(byName) == maxTools:
			err = nestor.Errorf(nestor.CodeTooLarge, "the server has more than %d tools", maxTools)
		case byName[tool.CleanName(made.Name)] != nil:
			err = nestor.Errorf(nestor.CodeExists, "another tool of the server has the same name")
		}
		if err != nil {
			s.opts.Logger.Warn("MCP tool cannot be offered", "server", s.config.Name, "tool", excerpt(t.Name), "reason", err.Error())
			continue
		}
		byName[tool.CleanName(made.Name)] = made
	}
	return slices.SortedFunc(maps.Values(byName), func(a, b *tool.Tool) int { return strings.Compare(a.Name, b.Name) })
}

func (s *Server) tool(t *mcp.Tool) (*tool.Tool, error) {
	if len(t.Name) > maxToolName {
		return nil, nestor.Errorf(nestor.CodeTooLarge, "its name has more than %d characters", maxToolName)
	}
	parameters, err := json.Marshal(t.InputSchema)
	if err != nil {
		return nil, err
	}
	spec := tool.Spec{
		Name:        "mcp_" + s.config.Name + "_" + t.Name,
		Description: visible(t.Description),
		Parameters:  parameters,
		Effect:      effectOf(t.Annotations),
		Source:      "MCP server " + s.config.Name,
	}
	if spec.Description == "" {
		spec.Description = visible(t.Title)
	}
	s.config.Settings.Apply(&spec)
	return tool.New(spec, func(ctx context.Context, call tool.Call) (tool.Output, error) {
		output, lost, err := s.call(ctx, t.Name, call)
		err = s.dial.mask.HideError(err)
		if lost {
			err = tool.Unknown(err)
		}
		output.Text = s.dial.mask.Hide(output.Text)
		output.Media = slices.DeleteFunc(output.Media, func(m nestor.Media) bool { // no part of them can be hidden
			return s.dial.mask.Finds(string(m.Bytes())) || s.dial.mask.Finds(m.URI)
		})
		return output, err
	})
}

// effectOf believes what a server says about its tool; silence means once.
func effectOf(a *mcp.ToolAnnotations) tool.Effect {
	switch {
	case a != nil && a.ReadOnlyHint:
		return tool.Pure
	case a != nil && a.IdempotentHint:
		return tool.Idempotent
	default:
		return tool.Once
	}
}

// visible drops what a model would read and a person would not see: control
// characters, and marks without a form of their own.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r)) {
			return -1
		}
		return r
	}, text)
}

func excerpt(name string) string {
	name = visible(name)
	if len(name) > maxToolName {
		return strings.ToValidUTF8(name[:maxToolName], "") + "…"
	}
	return name
}

// reportChange logs which tools a server changed since a person may have looked at
// them.
func (s *Server) reportChange(before, after []*tool.Tool) {
	if before == nil {
		return
	}
	old := map[string]*tool.Tool{}
	for _, t := range before {
		old[t.Name] = t
	}
	var added, changed []string
	for _, t := range after {
		was := old[t.Name]
		delete(old, t.Name)
		switch {
		case was == nil:
			added = append(added, t.Name)
		case was.Description != t.Description || string(was.Parameters) != string(t.Parameters) || was.Effect != t.Effect:
			changed = append(changed, t.Name)
		}
	}
	removed := slices.Sorted(maps.Keys(old))
	if len(added)+len(changed)+len(removed) > 0 {
		s.opts.Logger.Warn("MCP server has other tools than before", "server", s.config.Name,
			"added", added, "changed", changed, "removed", removed)
	}
}
