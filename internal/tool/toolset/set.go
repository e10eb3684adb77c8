package toolset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/tool/httptool"
	"github.com/nestorhq/nestor/internal/tool/mcptool"
	"github.com/nestorhq/nestor/internal/tool/secret"
)

// Options for opening a set.
type Options struct {
	// Builtin are the tools that are there without configuration.
	Builtin []*tool.Tool
	// Taken are names that no tool may have. Defaults to none.
	Taken []string
	// Env looks up the variables of ${NAME}. Defaults to os.LookupEnv.
	Env secret.Env
	// Logger is told of MCP servers that come and go, and of tools that panic.
	// Defaults to slog.Default().
	Logger *slog.Logger
}

// Set is all tools of a running system. It is safe for concurrent use.
type Set struct {
	config  *Config
	log     *slog.Logger
	fixed   []*tool.Tool // all but those of MCP servers
	servers []*mcptool.Server
	left    []tool.LeftOut // operations that cannot be offered

	mu   sync.Mutex
	down map[string]bool // MCP servers that are logged as unreachable
	// registries are those made last. Agents with the same tools share one.
	registries []*tool.Registry
}

// Open makes the tools of a configuration. It reads OpenAPI documents, and
// checks what needs all names to be known. MCP servers are not started before
// somebody asks for their tools. Close the set when it is no longer needed.
func Open(ctx context.Context, c *Config, opts Options) (*Set, error) {
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	s := &Set{config: c, log: opts.Logger, down: map[string]bool{}}
	var p problems
	owners := map[string]string{} // by name, as models see it
	for _, name := range opts.Taken {
		owners[name] = "the runtime"
	}
	add := func(owner, source string, at place, tools ...*tool.Tool) {
		for _, t := range tools {
			name := tool.CleanName(t.Name)
			if other, taken := owners[name]; taken {
				p.add(at, fmt.Sprintf("the tool %s is there already, from %s", t.Name, other))
				continue
			}
			if i := slices.IndexFunc(c.mcp, func(s located[mcptool.Config]) bool { return strings.HasPrefix(name, s.value.Prefix()) }); i >= 0 {
				p.add(at, fmt.Sprintf("the tool %s is named like those of the MCP server %s, which begin with %s", t.Name, c.mcp[i].value.Name, c.mcp[i].value.Prefix()))
			}
			if tagTaken(t.XML, opts.Taken) {
				p.add(at, fmt.Sprintf("the tool %s: the tag %s is one of the runtime", t.Name, t.XML.Tag))
			}
			owners[name] = owner
			t.Source = source
			s.fixed = append(s.fixed, t)
		}
	}
	add("the built-in tools", "built in", "", opts.Builtin...)
	httpOptions := httptool.Options{Env: opts.Env, Dir: c.dir}
	for _, entry := range c.http {
		t, err := httptool.New(entry.value, httpOptions)
		if err != nil {
			p.add(entry.at, err.Error())
			continue
		}
		add(string(entry.at), "HTTP tool", entry.at, t)
	}
	for _, entry := range c.openapi {
		tools, left, err := httptool.FromOpenAPI(ctx, entry.value, httpOptions)
		if err != nil {
			p.add(entry.at, err.Error())
			continue
		}
		source := "OpenAPI " + cmp.Or(entry.value.File, entry.value.URL)
		for _, l := range left {
			l.Source = source
			s.left = append(s.left, l)
			opts.Logger.Warn("operation cannot be offered as a tool", "operation", l.Name, "source", source, "reason", l.Reason)
		}
		add(string(entry.at), source, entry.at, tools...)
	}
	for _, entry := range c.mcp {
		server, err := mcptool.NewServer(entry.value, mcptool.Options{
			Environ: opts.Env, Logger: opts.Logger,
			OnChange: func() { opts.Logger.Info("MCP server has other tools now", "server", entry.value.Name) },
		})
		if err != nil {
			p.add(entry.at, err.Error())
			continue
		}
		s.servers = append(s.servers, server)
	}
	s.checkNames(&p, opts.Taken)
	if err := p.err(); err != nil {
		return nil, err
	}
	return s, nil
}

// tagTaken reports whether a form has the tag of a name that no tool may have.
func tagTaken(form *llm.XMLForm, taken []string) bool {
	return form != nil && slices.Contains(taken, form.Tag)
}

// checkNames finds names in roles and overrides that no tool has, and tags that none may
// have. Names of MCP tools are not known yet.
func (s *Set) checkNames(p *problems, taken []string) {
	check := func(at place, patterns []string) {
		for _, pattern := range patterns {
			if strings.ContainsAny(pattern, `*?[\`) || strings.HasPrefix(pattern, "mcp_") {
				continue
			}
			if len(tool.Select(s.fixed, []string{pattern})) == 0 {
				p.add(at, fmt.Sprintf("there is no tool %q", pattern))
			}
		}
	}
	for _, o := range s.config.overrides {
		if tagTaken(o.value.XML, taken) {
			p.add(o.at, fmt.Sprintf("the tag %s is one of the runtime", o.value.XML.Tag))
		}
		check(o.at, o.value.Tools)
		for _, t := range tool.Select(s.fixed, o.value.Tools) {
			if changed := o.value.of(t); changed.XML != nil {
				if err := tool.CheckXML(&changed.Spec); err != nil {
					p.add(o.at, err.Error())
				}
			}
		}
	}
	for _, r := range s.config.roles {
		check(r.at, r.value.Tools)
	}
	slices.Sort(p.list)
}

// ForRole is the registry of one run of a role: the tools that match the
// patterns or, for nil, those that the role's entry in the configuration names,
// those of the default entry if it has none, all tools if there is no such
// entry either. An MCP server that cannot be reached is logged, and the run
// goes on with the tools it had last, or none of it.
func (s *Set) ForRole(ctx context.Context, role string, patterns []string) *tool.Registry {
	if patterns == nil {
		patterns = s.config.patterns(role)
	}
	tools, _ := s.collect(ctx, patterns)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.registries {
		if r.Of(tools) {
			return r
		}
	}
	if len(s.registries) == maxRegistries {
		s.registries = slices.Delete(s.registries, 0, 1)
	}
	r := tool.NewRegistry(tools, tool.Options{Logger: s.log})
	s.registries = append(s.registries, r)
	return r
}

// maxRegistries is more than most configurations need.
const maxRegistries = 16

// Roles are the roles that the configuration has an entry for, and whether it has
// one for all others.
func (s *Set) Roles() (names []string, byDefault bool) {
	for name := range s.config.roles {
		if name == defaultRole {
			byDefault = true
		} else {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, byDefault
}

// Tools returns all tools, and an error for every MCP server that cannot be
// reached.
func (s *Set) Tools(ctx context.Context) ([]*tool.Tool, error) {
	return s.collect(ctx, []string{"*"})
}

// LeftOut are the tools that cannot be offered, of MCP servers those that were listed
// last.
func (s *Set) LeftOut() []tool.LeftOut {
	left := slices.Clone(s.left)
	for _, server := range s.servers {
		left = append(left, server.LeftOut()...)
	}
	return left
}

// Close ends all MCP servers.
func (s *Set) Close() error {
	var wg sync.WaitGroup
	errs := make([]error, len(s.servers))
	for i, server := range s.servers {
		wg.Go(func() { errs[i] = server.Close() })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// collect gathers the tools that match, from the servers in parallel. Servers
// that no pattern can concern are left alone.
func (s *Set) collect(ctx context.Context, patterns []string) ([]*tool.Tool, error) {
	lists := make([][]*tool.Tool, len(s.servers))
	errs := make([]error, len(s.servers))
	var wg sync.WaitGroup
	for i, server := range s.servers {
		if !concerns(patterns, s.config.mcp[i].value.Prefix()) {
			continue
		}
		wg.Go(func() {
			lists[i], errs[i] = server.Tools(ctx)
			if ctx.Err() == nil { // else it says nothing about the server
				s.report(server.Name(), errs[i])
			}
		})
	}
	wg.Wait()
	all := slices.Concat(append([][]*tool.Tool{s.fixed}, lists...)...)
	selected := tool.Select(all, patterns)
	for i, t := range selected {
		for _, o := range s.config.overrides {
			if len(tool.Select([]*tool.Tool{t}, o.value.Tools)) > 0 {
				t = o.value.of(t)
			}
		}
		selected[i] = t
	}
	return selected, errors.Join(errs...)
}

// report logs when a server becomes unreachable and when it is back, not in
// between.
func (s *Set) report(server string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil && !s.down[server]:
		s.log.Warn("MCP server cannot be reached", "server", server, "error", err.Error())
	case err == nil && s.down[server]:
		s.log.Info("MCP server is back", "server", server)
	}
	s.down[server] = err != nil
}

// concerns reports whether a pattern can match a name with that prefix.
func concerns(patterns []string, prefix string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		fixed := p
		if i := strings.IndexAny(p, `*?[\`); i >= 0 {
			fixed = p[:i]
		}
		return strings.HasPrefix(prefix, fixed) || strings.HasPrefix(fixed, prefix)
	})
}
