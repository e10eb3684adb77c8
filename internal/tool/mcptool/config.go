package mcptool

import (
	"log/slog"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/tool/secret"
)

// Config describes an MCP server: a command to run, or a URL to connect to.
type Config struct {
	Comment string `json:"$comment,omitempty"`
	// Name becomes part of the names of the server's tools.
	Name string `json:"name"`

	// Command and Args start a server that speaks over stdio. In Args and Env,
	// ${NAME} takes an environment variable. The process inherits only basic
	// variables such as PATH and HOME, never our secrets.
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	// Dir is where the process starts. Defaults to the working directory.
	Dir string `json:"dir,omitempty"`

	// URL is the endpoint of a server that speaks streamable HTTP; Headers go
	// with every request. In both, ${NAME} takes an environment variable.
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	// AllowPrivate permits a URL that is not on the public internet.
	AllowPrivate bool `json:"allowPrivate,omitempty"`

	// ConnectTimeout bounds starting and greeting the server. Defaults to 30s.
	ConnectTimeout tool.Duration `json:"connectTimeout,omitempty"`
	// Settings for every tool of the server.
	tool.Settings
}

// Options for a server.
type Options struct {
	// Environ looks up the variables of ${NAME} and those that a process
	// inherits. Defaults to os.LookupEnv.
	Environ secret.Env
	// Logger is told of tools that cannot be offered. Defaults to slog.Default().
	Logger *slog.Logger
	// OnChange is called when the server announces that its tools changed.
	// Defaults to nothing.
	OnChange func()
}

// Prefix begins the names of the server's tools, and of no others.
func (c Config) Prefix() string { return "mcp_" + c.Name + "_" }

var validName = regexp.MustCompile(`^[a-zA-Z0-9-]{1,32}$`)

// Check reports what makes no sense before anything is started.
func (c Config) Check() error {
	switch {
	case !validName.MatchString(c.Name):
		return nestor.Errorf(nestor.CodeInvalid, "name %q is not 1 to 32 letters, digits and hyphens", c.Name)
	case (c.Command == "") == (c.URL == ""):
		return nestor.Errorf(nestor.CodeInvalid, "give either command or url")
	case c.Command == "" && (len(c.Args) > 0 || len(c.Env) > 0 || c.Dir != ""):
		return nestor.Errorf(nestor.CodeInvalid, "args, env and dir go with command, not with url")
	case c.URL == "" && (len(c.Headers) > 0 || c.AllowPrivate):
		return nestor.Errorf(nestor.CodeInvalid, "headers and allowPrivate go with url, not with command")
	case c.URL != "" && !strings.HasPrefix(c.URL, "https://") && !strings.HasPrefix(c.URL, "http://"):
		return nestor.Errorf(nestor.CodeInvalid, "url %q is not an http or https address", c.URL)
	case c.ConnectTimeout < 0:
		return nestor.Errorf(nestor.CodeInvalid, "connectTimeout %q is negative", time.Duration(c.ConnectTimeout))
	}
	return c.Settings.Check()
}

func (o Options) withDefaults() Options {
	if o.Environ == nil {
		o.Environ = os.LookupEnv
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.OnChange == nil {
		o.OnChange = func() {}
	}
	return o
}
