package toolset

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/tool/mcptool"
)

// foreignServer is an entry of mcpServers, as desktop clients and editors write it.
// Settings of this program's own may stand beside. A field that nobody here knows is
// an error like everywhere: it might have been a restriction.
type foreignServer struct {
	Comment     string `json:"$comment,omitempty"`
	Name        string `json:"name,omitempty"`        // for people
	Description string `json:"description,omitempty"` // for people
	// Type is stdio, http or a spelling of those.
	Type      string `json:"type,omitempty"`
	Transport string `json:"transport,omitempty"`

	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Cwd     string            `json:"cwd,omitempty"`

	URL       string            `json:"url,omitempty"`
	ServerURL string            `json:"serverUrl,omitempty"`
	HTTPURL   string            `json:"httpUrl,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`

	Disabled bool  `json:"disabled,omitempty"`
	Enabled  *bool `json:"enabled,omitempty"`

	// What these clients run without asking. Nothing is asked here unless
	// needsApproval says so, so they change nothing.
	AutoApprove json.RawMessage `json:"autoApprove,omitempty"`
	AlwaysAllow json.RawMessage `json:"alwaysAllow,omitempty"`
	Trust       json.RawMessage `json:"trust,omitempty"`

	AllowPrivate   bool          `json:"allowPrivate,omitempty"`
	ConnectTimeout tool.Duration `json:"connectTimeout,omitempty"`
	tool.Settings
}

// foreignVariable is a form of ${…} that only other clients fill in.
var foreignVariable = regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*:[^}]*\}`)

// envVariable is their form for the environment, which is ${NAME} here.
var envVariable = regexp.MustCompile(`\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}`)

func (f foreignServer) check() error {
	switch kind := strings.ToLower(cmp.Or(f.Type, f.Transport)); kind {
	case "", "stdio", "local", "http", "remote", "streamable-http", "streamable_http", "streamablehttp":
	case "sse":
		return nestor.Errorf(nestor.CodeInvalid,
			"type sse is MCP's transport of before 2025, which is not supported: most servers offer streamable HTTP as well, often at /mcp")
	default:
		return nestor.Errorf(nestor.CodeInvalid, "type %q is neither stdio nor http", kind)
	}
	for _, text := range f.texts() {
		if found := foreignVariable.FindString(*text); found != "" && !envVariable.MatchString(found) {
			return nestor.Errorf(nestor.CodeInvalid, "%s is filled in by other clients only: use ${NAME} for an environment variable", found)
		}
	}
	return nil
}

// texts are the values in which variables may stand.
func (f *foreignServer) texts() []*string {
	list := []*string{&f.URL, &f.ServerURL, &f.HTTPURL}
	for i := range f.Args {
		list = append(list, &f.Args[i])
	}
	for _, values := range []map[string]string{f.Env, f.Headers} {
		for _, value := range values {
			list = append(list, &value)
		}
	}
	return list
}

func (f foreignServer) off() bool { return f.Disabled || f.Enabled != nil && !*f.Enabled }

// notInName are the characters that the name of a server cannot have, since it
// becomes part of the names of its tools.
var notInName = regexp.MustCompile(`[^a-zA-Z0-9-]+`)

// config is the entry in this program's own terms. Its name is the one of the map.
func (f foreignServer) config(name string) mcptool.Config {
	c := mcptool.Config{
		Name:    strings.Trim(notInName.ReplaceAllString(name, "-"), "-"),
		Command: f.Command, Dir: f.Cwd,
		URL: ours(cmp.Or(f.URL, f.ServerURL, f.HTTPURL)), AllowPrivate: f.AllowPrivate,
		ConnectTimeout: f.ConnectTimeout, Settings: f.Settings,
		Env: oursIn(f.Env), Headers: oursIn(f.Headers),
	}
	for _, arg := range f.Args {
		c.Args = append(c.Args, ours(arg))
	}
	return c
}

func ours(text string) string { return envVariable.ReplaceAllString(text, "${$1}") }

func oursIn(values map[string]string) map[string]string {
	out := make(map[string]string, len(values))
	for name, value := range values {
		out[name] = ours(value)
	}
	return out
}
