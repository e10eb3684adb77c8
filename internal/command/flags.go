package command

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/app"
	"github.com/nestorhq/nestor/internal/module"
)

// flags are a command's settings. Every flag --some-name can also be set by
// NESTOR_SOME_NAME; the flag wins.
type flags struct {
	*flag.FlagSet
	cfg        app.Config
	filter     app.JobFilter
	change     app.TestEvent
	eventType  string
	connection string
	talk       app.ChatOptions
	linkURL    string
	args       []string
	newUser    app.NewUser
	key        app.NewKey
	runs       module.Run   // what a command of a module does
	own        flag.FlagSet // its own flags, which are among the others, too
	program    *program
}

func newFlags(p *program, c command) *flags {
	f := &flags{FlagSet: flag.NewFlagSet("nestor "+c.name, flag.ContinueOnError), cfg: p.base, program: p}
	f.SetOutput(os.Stdout)
	f.Usage = func() {
		fmt.Fprintf(f.Output(), "Usage: nestor %s\n\n%s.\n", strings.TrimSpace(c.name+" [flags] "+c.args), c.summary)
		if c.detail != "" {
			fmt.Fprintf(f.Output(), "\n%s\n", c.detail)
		}
		isOwn := func(fl *flag.Flag) bool { return f.own.Lookup(fl.Name) != nil }
		others := "Flags"
		if f.explain("Flags", isOwn) {
			others = "Other flags"
		}
		f.explain(others, func(fl *flag.Flag) bool { return !isOwn(fl) })
	}
	return f
}

// explain prints some flags below a heading, and reports whether there are any.
func (f *flags) explain(heading string, some func(*flag.Flag) bool) (found bool) {
	f.VisitAll(func(fl *flag.Flag) {
		if !some(fl) {
			return
		}
		if !found {
			fmt.Fprintf(f.Output(), "\n%s:\n", heading)
			found = true
		}
		fmt.Fprintf(f.Output(), "  --%s\n      %s\n      env %s", fl.Name, fl.Usage, variable(fl.Name))
		if fl.DefValue != "" && fl.DefValue != "false" && fl.DefValue != "0" && fl.DefValue != "0s" {
			fmt.Fprintf(f.Output(), ", default %s", fl.DefValue)
		}
		fmt.Fprintln(f.Output())
	})
	return found
}

func variable(flag string) string {
	return "NESTOR_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// parse reads the environment, then the arguments.
func (f *flags) parse(args []string) error {
	var bad error
	f.VisitAll(func(fl *flag.Flag) {
		if v, ok := os.LookupEnv(variable(fl.Name)); ok && v != "" {
			if err := f.Set(fl.Name, v); err != nil {
				bad = fmt.Errorf("%s: %w", variable(fl.Name), err)
			}
		}
	})
	if bad != nil {
		return bad
	}
	// Secrets are taken from the environment only: arguments can be seen by
	// every user of the machine.
	f.cfg.Token, f.cfg.SecretKey = os.Getenv("NESTOR_TOKEN"), os.Getenv("NESTOR_SECRET_KEY")
	// Flags may stand before and after other arguments.
	for {
		if err := f.FlagSet.Parse(args); err != nil {
			return err
		}
		rest := f.FlagSet.Args()
		if len(rest) == 0 {
			return nil
		}
		if n := len(args) - len(rest); n > 0 && args[n-1] == "--" {
			f.args = append(f.args, rest...)
			return nil
		}
		f.args, args = append(f.args, rest[0]), rest[1:]
	}
}

// Args are the arguments that are no flags.
func (f *flags) Args() []string { return f.args }

// Arg is the argument at i, "" if there is none.
func (f *flags) Arg(i int) string {
	if i < len(f.args) {
		return f.args[i]
	}
	return ""
}

// one returns the only argument.
func (f *flags) one(what string) (string, error) {
	if len(f.args) != 1 {
		return "", fmt.Errorf("%s needs %s", f.Name(), what)
	}
	return f.Arg(0), nil
}

func (f *flags) database() {
	f.StringVar(&f.cfg.Data, "data", "./nestor-data", "folder for the embedded database and the key")
	f.StringVar(&f.cfg.DB, "db", "", "URL of a PostgreSQL database to use instead of the embedded one")
	f.IntVar(&f.cfg.DBConnections, "db-connections", 0, "connections to PostgreSQL that a server shares among all it does (pool_max_conns of the URL, or 32); three more hold its lease and talk to other nodes")
}

func (f *flags) server() {
	f.StringVar(&f.cfg.Addr, "addr", "127.0.0.1:8787", "address to listen on; port 0 takes a free one")
	f.StringVar(&f.cfg.NATS, "nats", "", "URL of a NATS server, or several with commas, that carries live text and wake-ups between nodes instead of PostgreSQL")
	f.StringVar(&f.cfg.NATSCreds, "nats-creds", "", "file with the credentials of a user of --nats")
	f.Func("hosts", "names under which browsers reach the server, separated by commas", f.setHosts)
	f.StringVar(&f.cfg.PublicURL, "public-url", "", "address at which browsers and clients reach the server through a reverse proxy, such as https://example.org/agents; a path in it is where the proxy has the server")
	f.Func("trusted-proxies", "addresses and networks of reverse proxies, separated by commas, whose X-Forwarded-For and X-Forwarded-Proto are believed", f.setProxies)
	f.StringVar(&f.cfg.TLSCert, "tls-cert", "", "file with a certificate chain in PEM form, to speak HTTPS; it is read anew when it changes")
	f.StringVar(&f.cfg.TLSKey, "tls-key", "", "file with the key of --tls-cert")
	f.StringVar(&f.cfg.Rules, "rules", "", "file of access rules that replaces the built-in ones")
	f.StringVar(&f.cfg.Triggers, "triggers", "", "triggers file that replaces or extends the built-in triggers")
	f.tools()
	f.StringVar(&f.cfg.Nodes, "nodes", "", "file of services that are types of graph nodes")
	f.StringVar(&f.cfg.Agents, "agents", "", "file of agent roles that adds to or replaces the built-in ones")
	f.Int64Var(&f.cfg.UserTokens, "user-tokens", 0, "tokens that each user may use in all; 0 sets no bound")
	f.Float64Var(&f.cfg.UserCost, "user-cost", 0, "US dollars that each user may spend in all; 0 sets no bound")
	f.Int64Var(&f.cfg.UserTokensPerDay, "user-tokens-per-day", 0, "tokens that each user may use per day (UTC); 0 sets no bound")
	f.Int64Var(&f.cfg.UserTokensPerMonth, "user-tokens-per-month", 0, "tokens that each user may use per month (UTC); 0 sets no bound")
	f.Float64Var(&f.cfg.UserCostPerDay, "user-cost-per-day", 0, "US dollars that each user may spend per day (UTC); 0 sets no bound")
	f.Float64Var(&f.cfg.UserCostPerMonth, "user-cost-per-month", 0, "US dollars that each user may spend per month (UTC); 0 sets no bound")
	f.IntVar(&f.cfg.ContextTokens, "context-tokens", 0, "size from which conversations are condensed (120000, or 80% of the model's window)")
	f.IntVar(&f.cfg.MaxBody, "max-body", 1<<20, "size limit of a document's body in bytes")
	f.StringVar(&f.cfg.Files, "files", "db", "where the bytes of files lie: db, dir:PATH, or s3://BUCKET/PREFIX?endpoint=URL&region=NAME with keys from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	f.Int64Var(&f.cfg.MaxFile, "max-file", 20<<20, "size limit of a file in bytes")
	f.Int64Var(&f.cfg.DiskPerUser, "disk-per-user", 5<<30, "bytes that the documents and files of one user may take before more are refused (507); 0 sets no bound")
	f.Int64Var(&f.cfg.DiskPerAccount, "disk-per-account", 50<<30, "bytes that all in the chats of one account may take before more is refused (507); 0 sets no bound")
	f.DurationVar(&f.cfg.UnusedFiles, "unused-files", 0, "how long a file is kept that no message names (24h)")
	f.IntVar(&f.cfg.StreamsPerUser, "streams-per-user", 256, "event and replication streams that one user may have open")
	f.IntVar(&f.cfg.Streams, "streams", 4096, "event and replication streams that all users together may have open")
	f.IntVar(&f.cfg.Concurrency, "concurrency", 4096, "jobs that run at once")
	f.IntVar(&f.cfg.UserConcurrency, "user-concurrency", 0, "jobs of one user that run at once on all servers; 0 sets no bound")
	f.IntVar(&f.cfg.AccountConcurrency, "account-concurrency", 0, "jobs in the chats of one account that run at once on all servers, unless the account has a limit of its own; 0 sets no bound")
	f.Func("user-weights", "jobs that users have run in their turn when others wait, too, such as alice=4,bob=2; 1 for all others", f.setWeights)
	f.IntVar(&f.cfg.UserMaxWaiting, "user-max-waiting-jobs", 100_000, "jobs of one user that may wait before requests for more work are refused (429); -1 sets no bound")
	f.IntVar(&f.cfg.MaxWaiting, "max-waiting-jobs", 1_000_000, "jobs of all users that may wait before requests for more work are refused (429); -1 sets no bound")
	f.DurationVar(&f.cfg.LeaseTTL, "lease", 0, "time after its last sign of life when a server counts as gone (5s)")
	f.DurationVar(&f.cfg.Drain, "drain", 0, "time that running jobs get to finish when the server stops (10s)")
	f.DurationVar(&f.cfg.LogRetention, "log-retention", 0, "how far back the change log reaches (168h)")
	f.BoolVar(&f.cfg.NoMetrics, "no-metrics", false, "the runtime records no metrics; what clients send is recorded all the same")
	f.DurationVar(&f.cfg.MetricsPoints, "metrics-points", 0, "how long points that clients sent can be read one by one (48h)")
	f.DurationVar(&f.cfg.MetricsMinutes, "metrics-minutes", 0, "how long metrics are kept by minute (168h)")
	f.DurationVar(&f.cfg.MetricsHours, "metrics-hours", 0, "how long metrics are kept by hour (2160h)")
	f.DurationVar(&f.cfg.MetricsDays, "metrics-days", 0, "how long metrics are kept by day (17520h)")
	f.StringVar(&f.cfg.LogFormat, "log-format", "text", "text or json")
	f.StringVar(&f.cfg.LogLevel, "log-level", "info", "debug, info, warn or error")
}

func (f *flags) setHosts(list string) error {
	f.cfg.Hosts = split(list)
	return nil
}

// setWeights reads a list such as alice=4,bob=2.
func (f *flags) setWeights(list string) error {
	f.cfg.UserWeights = map[string]int{}
	for _, item := range split(list) {
		user, weight, _ := strings.Cut(item, "=")
		n, err := strconv.Atoi(weight)
		if err != nil || n < 1 || n > 1000 || nestor.CheckID(user) != nil {
			return fmt.Errorf("%q is not a user id and a number from 1 to 1000, such as alice=4", item)
		}
		f.cfg.UserWeights[user] = n
	}
	return nil
}

func (f *flags) setProxies(list string) error {
	f.cfg.TrustedProxies = split(list)
	return nil
}

// split reads a list with commas.
func split(list string) (items []string) {
	for item := range strings.SplitSeq(list, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}

func (f *flags) tools() {
	f.StringVar(&f.cfg.Tools, "tools", "", "tools file that adds HTTP, OpenAPI and MCP tools to the built-in ones")
	f.BoolVar(&f.cfg.AllowPrivate, "allow-private", false, "let webhooks, web_fetch and the model connections of all users reach private and loopback addresses")
}

func (f *flags) user() {
	f.StringVar(&f.key.User, "user", "local", "id of the user; local is the person who runs the server")
}

func (f *flags) users() {
	f.StringVar(&f.newUser.Name, "name", "", "name to show, the id if left out")
	f.StringVar(&f.newUser.Email, "email", "", "address that the user can log in with, too")
	f.BoolVar(&f.newUser.Admin, "admin", false, "may look after users, keys, jobs and triggers")
}

func (f *flags) keys() {
	f.user()
	f.StringVar(&f.key.Scopes, "scopes", "write", "read, write or admin, and patterns of paths, separated by commas")
	f.DurationVar(&f.key.Expires, "expires", 0, "how long the key is good for; 0 is for ever")
}

func (f *flags) chat() {
	f.elsewhere()
	f.StringVar(&f.talk.ChatID, "chat", "", "id of a chat to go on with")
	f.StringVar(&f.talk.Fork, "fork", "", "`CHAT[@MESSAGE]` that a new chat goes on from")
	f.StringVar(&f.talk.Participant, "participant", "", "who answers in a new chat: agent:ROLE, model:CONNECTION or graph:ID; the orchestrator if left out")
	f.StringVar(&f.talk.SystemPrompt, "system", "", "what whoever answers in a new chat is told beforehand")
}

// elsewhere is for commands that talk to a server.
func (f *flags) elsewhere() {
	f.StringVar(&f.talk.URL, "url", "", "address of a running server, whose token is in NESTOR_TOKEN")
	f.Lookup("log-level").DefValue = "error"
	f.cfg.LogLevel = "error"
}

func (f *flags) link() {
	f.StringVar(&f.linkURL, "url", "", "address of the server as the browser reaches it; the one that runs on --data if left out")
}

func (f *flags) jobs() {
	f.StringVar((*string)(&f.filter.State), "state", "", "ready, running, blocked or dead; empty lists all but the dead")
	f.StringVar(&f.filter.Trigger, "trigger", "", "only jobs of this trigger")
	f.IntVar(&f.filter.Limit, "limit", 100, "how many to list at most")
}

func (f *flags) event() {
	f.StringVar(&f.cfg.Triggers, "triggers", "", "triggers file; without it the built-in triggers are tried")
	f.StringVar(&f.change.Path, "path", "", "path of the document")
	f.StringVar(&f.eventType, "event", "create", "create, update or delete")
	f.StringVar(&f.change.Doc, "doc", "", "file with the document as JSON")
	f.StringVar(&f.change.Before, "before", "", "file with the document before an update or delete")
}
