package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/tool"
)

// Bounds of what a server may list.
const (
	maxTools    = 500
	maxPages    = 100
	maxToolName = 128
	// maxOffer bounds what models read of all tools of a server in bytes.
	maxOffer = 1 << 20
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
	tools, left, err := s.describe(ctx, conn)
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
	s.mu.Lock()
	before := s.tools
	s.tools, s.left, s.backoff.failures = tools, left, 0
	s.mu.Unlock()
	s.reportChange(before, tools)
	return nil
}

// describe reads all pages of the list, within the time that the server has for
// anything else that holds up a run. Of each page only the tools that can be offered
// are kept, and of some others why they cannot.
func (s *Server) describe(ctx context.Context, conn *connection) ([]*tool.Tool, []tool.LeftOut, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.dial.timeout,
		nestor.Errorf(nestor.CodeTimeout, "it did not list its tools within %s", s.dial.timeout))
	defer cancel()
	o := offer{byName: map[string]*tool.Tool{}}
	params := &mcp.ListToolsParams{}
	for range maxPages {
		page, err := conn.session.ListTools(ctx, params)
		if err != nil {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return nil, nil, err
		}
		for _, t := range page.Tools {
			if err := s.add(&o, conn, t); err != nil && len(o.left) < maxTools {
				o.left = append(o.left, tool.LeftOut{Name: excerpt(t.Name), Source: s.source(), Reason: excerpt(err.Error())})
				s.opts.Logger.Warn("MCP tool cannot be offered", "server", s.config.Name, "tool", excerpt(t.Name), "reason", excerpt(err.Error()))
			}
		}
		if o.seen += len(page.Tools); page.NextCursor == "" || o.seen > maxTools {
			return o.named(), o.left, nil
		}
		params = &mcp.ListToolsParams{Cursor: page.NextCursor}
	}
	return nil, nil, nestor.Errorf(nestor.CodeTooLarge, "MCP server %s: its list of tools has more than %d pages", s.config.Name, maxPages)
}

// offer is what a server offers as far as its list was read.
type offer struct {
	byName map[string]*tool.Tool
	seen   int            // tools that were listed
	left   []tool.LeftOut // of them those that the log says are not offered
	size   int            // bytes of what models read of those that are
}

// named are the tools in the order of their names. Where models would see several by one
// name, they are numbered in the order of their own names: the order of the server's list
// changes nothing.
func (o *offer) named() []*tool.Tool {
	own := slices.Sorted(maps.Keys(o.byName))
	names := tool.Names(own)
	tools := make([]*tool.Tool, len(own))
	for i, name := range own {
		if tools[i] = o.byName[name]; names[i] != name {
			tools[i] = tools[i].As(names[i])
		}
	}
	slices.SortFunc(tools, func(a, b *tool.Tool) int { return strings.Compare(a.Name, b.Name) })
	return tools
}

// add takes a tool in, if it can be offered. Of several with the same name only the first
// can be: a call could not say which one it means.
func (s *Server) add(o *offer, conn *connection, t *mcp.Tool) error {
	made, err := s.tool(t)
	if err != nil {
		return err
	}
	name, size := made.Name, len(made.Name)+len(made.Description)+len(made.Parameters)
	switch {
	case conn.demands.has(t.Name):
		return nestor.Errorf(nestor.CodeInvalid, "it can only be called as a task, which is not supported")
	case len(o.byName) == maxTools:
		return nestor.Errorf(nestor.CodeTooLarge, "the server has more than %d tools", maxTools)
	case o.byName[name] != nil:
		return nestor.Errorf(nestor.CodeExists, "another tool of the server has the same name")
	case o.size+size > maxOffer:
		return nestor.Errorf(nestor.CodeTooLarge, "the server describes its tools with more than %d bytes", maxOffer)
	}
	o.byName[name] = made
	o.size += size
	return nil
}

func (s *Server) tool(t *mcp.Tool) (*tool.Tool, error) {
	switch {
	case len(t.Name) > maxToolName:
		return nil, nestor.Errorf(nestor.CodeTooLarge, "its name has more than %d characters", maxToolName)
	case t.Name == "" || tool.Visible(t.Name) != t.Name || strings.ContainsAny(t.Name, "\n\t"):
		return nil, nestor.Errorf(nestor.CodeInvalid, "its name is empty, or has control or invisible characters")
	case len(t.Description)+len(t.Title) > maxOffer:
		return nil, nestor.Errorf(nestor.CodeTooLarge, "its description has more than %d bytes", maxOffer)
	}
	schema, err := tool.VisibleValue(t.InputSchema)
	if err != nil {
		return nil, err
	}
	parameters, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	spec := tool.Spec{
		Name:        s.config.Prefix() + t.Name,
		Description: s.dial.mask.Hide(tool.Visible(t.Description)),
		Parameters:  parameters,
		Effect:      effectOf(t.Annotations),
		Source:      s.source(),
	}
	if spec.Description == "" {
		spec.Description = s.dial.mask.Hide(tool.Visible(t.Title))
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

func excerpt(text string) string { return firstOf(tool.Visible(text), maxToolName) }

// firstOf is the beginning of a text.
func firstOf(text string, most int) string {
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
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
