// Package toolset reads tools.json and puts together, run by run, the tools of
// a role: built-in ones, HTTP endpoints, OpenAPI documents and MCP servers.
// The file examples/tools.json shows everything it can hold.
package toolset

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/tool/httptool"
	"github.com/nestorhq/nestor/internal/tool/mcptool"
)

// Config is what tools.json says. The zero value is an empty file: the
// built-in tools, for every role.
type Config struct {
	http      []located[httptool.Config]
	openapi   []located[httptool.OpenAPI]
	mcp       []located[mcptool.Config]
	overrides []located[override]
	roles     map[string]located[role]
	dir       string // where relative names of files start
}

// located is an entry and where it stands, for errors.
type located[T any] struct {
	value T
	at    place
}

// override changes settings of tools, wherever they come from.
type override struct {
	Comment string `json:"$comment,omitempty"`
	// Tools are names and globs.
	Tools []string `json:"tools"`
	// XML says how models write a call that call tools in their text.
	XML *llm.XMLForm `json:"xml,omitempty"`
	tool.Settings
}

// role is the set of tools that agents of one role have.
type role struct {
	Comment string `json:"$comment,omitempty"`
	// Tools are names and globs.
	Tools []string `json:"tools"`
}

// defaultRole is the entry for roles without one of their own.
const defaultRole = "default"

// Load reads and checks a file. Its error lists every problem with the file's
// name, line and column, the entry and the reason. Nothing is contacted yet,
// and no variable needs to be set.
func Load(file string) (*Config, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the tool configuration cannot be read: %w", err)
	}
	c, err := parse(file, data)
	if err != nil {
		return nil, err
	}
	c.dir = filepath.Dir(file)
	return c, nil
}

func parse(file string, data []byte) (*Config, error) {
	src := &source{file: file, data: data}
	entries, err := src.entries()
	if err != nil {
		return nil, err
	}
	c := &Config{roles: map[string]located[role]{}}
	var p problems
	for _, e := range entries {
		switch e.section {
		case "http":
			c.http = decode(&p, src, e, c.http, checkHTTP)
		case "openapi":
			c.openapi = decode(&p, src, e, c.openapi, httptool.OpenAPI.Check)
		case "mcp":
			c.mcp = decode(&p, src, e, c.mcp, mcptool.Config.Check)
		case "mcpServers":
			for _, foreign := range decode(&p, src, e, nil, foreignServer.check) {
				if foreign.value.off() {
					continue
				}
				server := foreign.value.config(e.name)
				if err := server.Check(); err != nil {
					p.add(e.at, err.Error())
					continue
				}
				c.mcp = append(c.mcp, located[mcptool.Config]{value: server, at: e.at})
			}
		case "overrides":
			c.overrides = decode(&p, src, e, c.overrides, override.check)
		case "roles":
			for _, r := range decode(&p, src, e, nil, role.check) {
				if _, twice := c.roles[e.name]; twice {
					p.add(e.at, "the role is there twice")
				}
				c.roles[e.name] = r
			}
		}
	}
	seen := map[string]bool{}
	for _, server := range c.mcp {
		if seen[server.value.Name] {
			p.add(server.at, "another MCP server has this name")
		}
		seen[server.value.Name] = true
	}
	return c, p.err()
}

// decode adds an entry to list, unless it has a problem.
func decode[T any](p *problems, src *source, e entry, list []located[T], check func(T) error) []located[T] {
	var value T
	if err := src.strict(e, &value); err != nil {
		p.list = append(p.list, err.Error())
		return list
	}
	if err := check(value); err != nil {
		p.add(e.at, err.Error())
		return list
	}
	return append(list, located[T]{value: value, at: e.at})
}

// checkHTTP makes the tool and throws it away, which checks all there is.
func checkHTTP(c httptool.Config) error {
	_, err := httptool.New(c, httptool.Options{Env: func(string) (string, bool) { return "", false }})
	return err
}

func (o override) check() error {
	if len(o.Tools) == 0 {
		return nestor.Errorf(nestor.CodeInvalid, "tools is missing: say which tools to change")
	}
	if err := checkPatterns(o.Tools); err != nil {
		return err
	}
	return o.Settings.Check()
}

// of is a tool as the override changes it.
func (o override) of(t *tool.Tool) *tool.Tool {
	t = t.With(o.Settings)
	if o.XML != nil {
		t.XML = o.XML
	}
	return t
}

func (r role) check() error {
	if r.Tools == nil {
		return nestor.Errorf(nestor.CodeInvalid, "tools is missing: list names and globs, or [] for none")
	}
	return checkPatterns(r.Tools)
}

func checkPatterns(patterns []string) error {
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil || p == "" {
			return nestor.Errorf(nestor.CodeInvalid, "%q is not a name or a glob such as mcp_*", p)
		}
	}
	return nil
}

// patterns returns what a role may use: its own entry, else the default entry,
// else everything.
func (c *Config) patterns(name string) []string {
	for _, key := range []string{name, defaultRole} {
		if r, ok := c.roles[key]; ok {
			return r.value.Tools
		}
	}
	return []string{"*"}
}

// named reads the name an entry gives itself, to say where a problem is.
func named(raw json.RawMessage) string {
	var e struct {
		Name string `json:"name"`
		File string `json:"file"`
		URL  string `json:"url"`
	}
	_ = json.Unmarshal(raw, &e) // an entry that is no object has no name
	for _, name := range []string{e.Name, e.File, e.URL} {
		if name != "" {
			return name
		}
	}
	return ""
}
