package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/app"
)

// command is one thing the program does.
type command struct {
	name    string // one or two words
	args    string // what follows, for the usage
	summary string
	detail  string
	flags   func(*flags)
	run     func(ctx context.Context, f *flags) error
}

// builtIn are the commands that every program has.
func builtIn() []command {
	return []command{
		{
			name: "serve", summary: "Run the server",
			detail: `Serves the API and runs jobs until it is interrupted. Without any flag it keeps
everything in one SQLite file under ./nestor-data and listens on 127.0.0.1:8787
with a link for the browser that it prints. With --db any number of servers share a PostgreSQL
database; give them the same NESTOR_SECRET_KEY.

  nestor serve
  nestor serve --triggers my-triggers.json
  nestor serve --db postgres://nestor:secret@db/nestor --addr 0.0.0.0:8787`,
			flags: func(f *flags) { f.database(); f.server() },
			run:   func(ctx context.Context, f *flags) error { return app.Run(ctx, f.cfg) },
		},
		{
			name: "link", summary: "Print a link that signs a browser in to a running server",
			detail: `The link works once, within an hour, and signs in as the person who runs the server.
It is for the server that runs on --data, and needs the database that the server uses:
give --data and --db as serve was given them, also with --url.

  nestor link --data /var/lib/nestor
  nestor link --db postgres://nestor:secret@db/nestor --url https://nestor.example.com`,
			flags: func(f *flags) { f.database(); f.link() },
			run:   func(ctx context.Context, f *flags) error { return app.Link(ctx, f.cfg, f.linkURL) },
		},
		{
			name: "chat", args: `["MESSAGE"]`, summary: "Talk to the agents in the terminal",
			detail: `Shows the answer as it is written and the agents at work as a tree, lets you answer
their questions, and approve what needs it. With a message it ends when all is
answered; without one it goes on until the input ends (Ctrl-D). Ctrl-C stops what
is under way, and once more ends the chat.

  nestor chat "Compute 6*7, and tell me the time in Tokyo"
  nestor chat --participant agent:researcher --system "Answer in German."
  NESTOR_TOKEN=… nestor chat --url http://127.0.0.1:8787
  nestor chat --fork CHAT@MESSAGE "And if it were 8?"

Without --url a server runs inside the program, on the same data as serve.`,
			flags: func(f *flags) { f.database(); f.server(); f.chat() },
			run:   chat,
		},
		{
			name: "migrate", summary: "Bring the database schema up to date",
			detail: `serve does this by itself. With several servers on one PostgreSQL do it once, with the
new program, before any server is replaced. Then replace them one by one: old
and new ones work together meanwhile.

  nestor migrate --db postgres://nestor:secret@db/nestor      # 1. the new program, once
  kill -TERM …                                                # 2. stop an old server: it drains
  nestor serve --db postgres://nestor:secret@db/nestor        # 3. start the new one; repeat from 2

A step of the schema that only adds something leaves old servers at work, which
say that they are old, also when they are started again. For one that does not,
the release notes say so: then stop all old servers first. One that is left stops
by itself, and none starts. See docs/upgrade.md.`,
			flags: (*flags).database,
			run:   func(ctx context.Context, f *flags) error { return app.Migrate(ctx, f.cfg) },
		},
		{
			name: "users add", args: "ID", summary: "Add a user who logs in with a password",
			detail: `Asks for the password, or reads it from the first line of the input.

  nestor users add ann --admin --email ann@example.org
  pass show nestor/ann | nestor users add ann`,
			flags: func(f *flags) { f.database(); f.users() },
			run:   addUser,
		},
		{
			name: "users ls", summary: "List the users",
			flags: (*flags).database,
			run:   func(ctx context.Context, f *flags) error { return app.ListUsers(ctx, f.cfg) },
		},
		{
			name: "users rm", args: "ID", summary: "Delete a user with all their data",
			detail: `Deletes the user's chats and other documents, sessions, keys and secrets, and ends
their part in accounts. It cannot be undone: export them first to keep a copy.

  nestor export --user ann ann.jsonl && nestor users rm ann`,
			flags: (*flags).database,
			run: func(ctx context.Context, f *flags) error {
				id, err := f.one("the id of a user, as users ls shows it")
				if err != nil {
					return err
				}
				return app.RemoveUser(ctx, f.cfg, id)
			},
		},
		{
			name: "keys create", args: "NAME", summary: "Make an API key and print it once",
			detail: `Scopes are read, write or admin, and patterns of paths that the key is limited to.

  nestor keys create ci --user ann --scopes read --expires 720h`,
			flags: func(f *flags) { f.database(); f.keys() },
			run: func(ctx context.Context, f *flags) (err error) {
				if f.key.Name, err = f.one("a name for the key"); err != nil {
					return err
				}
				return app.CreateKey(ctx, f.cfg, f.key)
			},
		},
		{
			name: "keys ls", summary: "List the API keys of a user",
			flags: func(f *flags) { f.database(); f.user() },
			run:   func(ctx context.Context, f *flags) error { return app.ListKeys(ctx, f.cfg, f.key.User) },
		},
		{
			name: "keys revoke", args: "ID", summary: "End an API key",
			detail: "Servers that run notice within a second.",
			flags:  func(f *flags) { f.database(); f.user() },
			run: func(ctx context.Context, f *flags) error {
				id, err := f.one("the id of a key, as keys ls shows it")
				if err != nil {
					return err
				}
				return app.RevokeKey(ctx, f.cfg, f.key.User, id)
			},
		},
		{
			name: "export", args: "[FILE]", summary: "Write all documents of a user as JSON lines",
			detail: `One document per line, in an order in which they can be written again. Secrets are not
among them.

  nestor export --user ann ann.jsonl`,
			flags: func(f *flags) { f.database(); f.user() },
			run: func(ctx context.Context, f *flags) error {
				return output(f.Arg(0), func(w io.Writer) error { return app.Export(ctx, f.cfg, f.key.User, w) })
			},
		},
		{
			name: "import", args: "[FILE]", summary: "Read documents that export wrote",
			detail: `Documents keep their ids and times; those that are there already are left as they are.
Nothing is triggered: what was done is not done again. With --user they
become that user's.

  nestor import --user bob ann.jsonl`,
			flags: func(f *flags) { f.database(); f.user() },
			run: func(ctx context.Context, f *flags) error {
				return input(f.Arg(0), func(r io.Reader) error { return app.Import(ctx, f.cfg, f.key.User, r) })
			},
		},
		{
			name: "jobs ls", summary: "List jobs",
			detail: `Lists the jobs that wait or run, oldest first; with --state dead the dead letters.

  nestor jobs ls --state dead`,
			flags: func(f *flags) { f.database(); f.jobs() },
			run:   func(ctx context.Context, f *flags) error { return app.ListJobs(ctx, f.cfg, f.filter) },
		},
		{
			name: "jobs retry", args: "ID", summary: "Queue a dead letter again",
			detail: "The job starts over, at the end of its key's order, on whichever server has room.",
			flags:  (*flags).database,
			run: func(ctx context.Context, f *flags) error {
				id, err := f.one("the id of a dead job, as jobs ls --state dead shows it")
				if err != nil {
					return err
				}
				return app.RetryJob(ctx, f.cfg, id)
			},
		},
		{
			name: "triggers check", args: "FILE", summary: "Explain what is wrong with a triggers file",
			detail: "Says ok, or every problem with its line and column.",
			run: func(_ context.Context, f *flags) (err error) {
				if f.cfg.Triggers, err = f.one("a triggers file"); err != nil {
					return err
				}
				return app.CheckTriggers(f.cfg)
			},
		},
		{
			name: "triggers test", summary: "Say which triggers fire on a change, and why not",
			detail: `Tries a change on the triggers without storing anything.

  echo '{"role":"user","content":"hi"}' > message.json
  nestor triggers test --path users/u1/orch-chats/c1/messages/m1 --doc message.json`,
			flags: (*flags).event,
			run: func(_ context.Context, f *flags) error {
				f.change.Type = nestor.ChangeType(f.eventType)
				return app.TestTriggers(f.cfg, f.change)
			},
		},
		{
			name: "rules", summary: "Print the built-in access rules",
			detail: `A server without --rules goes by them: who may do what with which documents.
Begin rules of your own with them.

  nestor rules > rules.json`,
			run: func(_ context.Context, f *flags) error { return app.PrintRules(f.cfg) },
		},
		{
			name: "models ls", summary: "List the model connections, or what a provider offers",
			detail: `The one with the id default comes from the environment: NESTOR_MODEL and the keys of the providers.
DEFAULT tells which one is called where none is named.
With --connection it asks the provider of that connection which models it offers.`,
			flags: func(f *flags) {
				f.database()
				f.StringVar(&f.connection, "connection", "", "id of a model connection: list the models that its provider offers")
			},
			run: func(ctx context.Context, f *flags) error {
				if f.connection != "" {
					return app.ListOfferedModels(ctx, f.cfg, f.connection)
				}
				return app.ListModels(ctx, f.cfg)
			},
		},
		{
			name: "models default", args: "ID", summary: "Choose the model that is called where none is named",
			detail: `Chats, agents and graphs that name no model connection call this one from then on.
The id default is the connection of the environment.

  nestor models default fast`,
			flags: (*flags).database,
			run: func(ctx context.Context, f *flags) error {
				id, err := f.one("the id of a model connection, as models ls shows it")
				if err != nil {
					return err
				}
				return app.ChooseModel(ctx, f.cfg, id)
			},
		},
		{
			name: "models test", args: "ID", summary: "Make a real call to a model",
			detail: `Says what came back, how long it took and what it cost, or what is wrong.

  NESTOR_MODEL=openai:gpt-6.1-terra nestor models test default`,
			flags: (*flags).database,
			run: func(ctx context.Context, f *flags) error {
				id, err := f.one("the id of a model connection, as models ls shows it")
				if err != nil {
					return err
				}
				return app.TestModel(ctx, f.cfg, id)
			},
		},
		{
			name: "tools ls", summary: "List the tools",
			detail: "Lists the built-in tools and those of --tools. It starts the MCP servers to ask them.",
			flags:  func(f *flags) { f.database(); f.tools() },
			run:    func(ctx context.Context, f *flags) error { return app.ListTools(ctx, f.cfg) },
		},
		{
			name: "tools call", args: "NAME [JSON]", summary: "Call a tool and print its result",
			detail: `Calls it at once, even if agents would need approval for it.

  nestor tools call calculator '{"expression":"6*7"}'`,
			flags: func(f *flags) { f.database(); f.tools() },
			run: func(ctx context.Context, f *flags) error {
				if len(f.args) < 1 || len(f.args) > 2 {
					return fmt.Errorf("%s needs the name of a tool, and its arguments as JSON if it has any", f.Name())
				}
				return app.CallTool(ctx, f.cfg, f.Arg(0), f.Arg(1))
			},
		},
		{
			name: "completion", args: "SHELL", summary: "Print a script that completes commands and flags in bash, zsh or fish",
			detail: `Put one of these lines into the file that your shell reads when it starts.

  source <(nestor completion bash)
  source <(nestor completion zsh)
  nestor completion fish | source`,
			run: func(_ context.Context, f *flags) error { return complete(os.Stdout, f.program, f.args) },
		},
		{
			name: "version", summary: "Print the version",
			run: func(_ context.Context, f *flags) error {
				_, err := fmt.Println(version())
				return err
			},
		},
	}
}

// find returns the command that the words begin with, the longest name first,
// and how many words name it.
func find(commands []command, words []string) (c command, n int, ok bool) {
	for n := min(2, len(words)); n > 0; n-- {
		for _, c := range commands {
			if c.name == strings.Join(words[:n], " ") {
				return c, n, true
			}
		}
	}
	return command{}, 0, false
}

func (p *program) execute(ctx context.Context, c command, args []string) error {
	f := c.newFlags(p)
	if err := f.parse(args); err != nil {
		return err
	}
	return c.run(ctx, f)
}

// newFlags are the flags of the command.
func (c command) newFlags(p *program) *flags {
	f := newFlags(p, c)
	if c.flags != nil {
		c.flags(f)
	}
	return f
}

func (p *program) usage(w io.Writer) {
	fmt.Fprintln(w, "Nestor is a durable runtime for nested AI agents.\n\nCommands:")
	p.list(w)
	fmt.Fprintln(w, "\nStart with `nestor serve`. `nestor COMMAND --help` tells more.")
}

// list prints a line for each command.
func (p *program) list(w io.Writer) {
	for _, c := range p.commands {
		fmt.Fprintf(w, "  nestor %-22s %s\n", strings.TrimSpace(c.name+" "+c.args), c.summary)
	}
}

// startingWith are the commands of two words that have this first one.
func (p *program) startingWith(word string) *program {
	some := &program{base: p.base}
	for _, c := range p.commands {
		if strings.HasPrefix(c.name, word+" ") {
			some.commands = append(some.commands, c)
		}
	}
	return some
}

func version() string {
	v := "nestor devel"
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" && info.Main.Version != "(devel)" {
			v = "nestor " + info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				v += " " + s.Value[:min(12, len(s.Value))]
			}
		}
	}
	return fmt.Sprintf("%s %s %s/%s", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
