package server

import (
	"io"
	"log/slog"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/role"
	"github.com/nestorhq/nestor/internal/app"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/model"
	"github.com/nestorhq/nestor/node"
	"github.com/nestorhq/nestor/tool"
)

// Config says what a server has. The zero value is a server that keeps its
// documents until it is closed, with the built-in tools and the model that the
// environment names, or the demo model.
type Config struct {
	// Data is the folder of the embedded database and of the key that encrypts
	// secrets. Defaults to a temporary one, which Close removes.
	Data string
	// DB is the URL of a PostgreSQL database, in place of the embedded one.
	DB string
	// Addr is where Run listens, such as 127.0.0.1:8787. Defaults to nowhere: the
	// program mounts Handler itself, or uses Client alone.
	Addr string
	// Token lets whoever has it do everything, as `Authorization: Bearer`.
	// Defaults to none.
	Token string
	// Hosts are the names under which browsers reach the server, besides those of
	// the machine itself.
	Hosts []string
	// PublicURL is the address of the server behind a reverse proxy, such as
	// https://example.org/agents. Defaults to none.
	PublicURL string

	// Roles are kinds of agents by name, besides general and researcher.
	Roles map[string]Role
	// Tools are what agents can call, besides the built-in ones.
	Tools []*tool.Tool
	// Nodes are types of nodes that users can draw into their agent graphs, besides
	// the built-in ones.
	Nodes []*node.Type
	// Triggers are added to the built-in ones, and Handlers are what does their
	// work, by the NAME of the action "POST /webhook/NAME".
	Triggers []nestor.Trigger
	Handlers map[string]Handler
	// Model answers where no other is chosen. Defaults to what the environment
	// says. Models are others, by the id of their connection.
	Model  model.Model
	Models map[string]model.Model
	// Modules are domains with documents of their own.
	Modules []Module

	// TriggersFile, RolesFile, ToolsFile, NodesFile and RulesFile are those of nestor
	// serve.
	TriggersFile, RolesFile, ToolsFile, NodesFile, RulesFile string
	// AllowPrivate lets webhooks, tools and everybody's model connections reach
	// private addresses.
	AllowPrivate bool
	// Files is where the bytes of files lie: "db", "dir:PATH" or an "s3://" URL, as
	// --files of nestor serve has it. Defaults to the database.
	Files string
	// MaxFile is the size limit of a file in bytes. Defaults to 20 MiB. UnusedFiles is how
	// long a file is kept that no message names. Defaults to 24 hours.
	MaxFile     int64
	UnusedFiles time.Duration
	// DiskPerUser and DiskPerAccount are how many bytes the documents and files of a user,
	// and those in the chats of an account, may take. Default to no bound.
	DiskPerUser, DiskPerAccount int64
	// NoMetrics keeps the runtime from recording metrics of what it does.
	NoMetrics bool
	// Env looks up environment variables. Defaults to os.Getenv.
	Env func(string) string
	// Drain is how long Run waits for running jobs when it stops. Defaults to
	// 10 seconds.
	Drain time.Duration
	// Logger defaults to slog.Default().
	Logger *slog.Logger
}

// Role is a kind of agent: its instructions, its tools, and the roles of the
// agents that it may create itself.
type Role = role.Role

// RemoteAgent does the work of a role elsewhere, by the Agent2Agent protocol.
type RemoteAgent = role.Remote

// app is the configuration of the program itself.
func (c Config) app() app.Config {
	cfg := app.Config{
		Data: c.Data, Temporary: c.Data == "", DB: c.DB, Addr: c.Addr, Unlisted: c.Addr == "", Token: c.Token, Hosts: c.Hosts, PublicURL: c.PublicURL, Roles: c.Roles, Models: map[string]model.Model{},
		Triggers: c.TriggersFile, Agents: c.RolesFile, Tools: c.ToolsFile, Nodes: c.NodesFile, Rules: c.RulesFile,
		Files: c.Files, MaxFile: c.MaxFile, DiskPerUser: c.DiskPerUser, DiskPerAccount: c.DiskPerAccount, UnusedFiles: c.UnusedFiles,
		AllowPrivate: c.AllowPrivate, NoMetrics: c.NoMetrics, Env: c.Env, Drain: c.Drain, Logger: c.Logger, Stdout: io.Discard,
		Modules: append(module.List{c.own()}, describe(c.Modules)...),
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	for id, m := range c.Models {
		cfg.Models[id] = m
	}
	if c.Model != nil {
		cfg.Models["default"] = c.Model
	}
	return cfg
}

// own is the module of what the configuration itself adds.
func (c Config) own() module.Module {
	return Module{Name: "program", Triggers: c.Triggers, Handlers: c.Handlers, Tools: c.Tools, Nodes: c.Nodes}.describe()
}
