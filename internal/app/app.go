// Package app puts the parts together and runs them.
package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/agent"
	"github.com/nestorhq/nestor/internal/agent/remote"
	"github.com/nestorhq/nestor/internal/bus"
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/disk"
	"github.com/nestorhq/nestor/internal/domain/accounts"
	"github.com/nestorhq/nestor/internal/domain/connections"
	"github.com/nestorhq/nestor/internal/domain/export"
	"github.com/nestorhq/nestor/internal/domain/files"
	"github.com/nestorhq/nestor/internal/domain/graphs"
	"github.com/nestorhq/nestor/internal/domain/jobs"
	"github.com/nestorhq/nestor/internal/domain/marks"
	measured "github.com/nestorhq/nestor/internal/domain/metrics"
	"github.com/nestorhq/nestor/internal/domain/priority"
	"github.com/nestorhq/nestor/internal/domain/records"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/interrupt"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/recovery"
	"github.com/nestorhq/nestor/internal/replication"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres"
	"github.com/nestorhq/nestor/internal/store/sqlite"
	"github.com/nestorhq/nestor/internal/tool/toolset"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/webui"
	"github.com/nestorhq/nestor/internal/worker"
)

// Run serves until ctx ends, then stops gracefully: it accepts no new requests,
// running jobs finish or are given back, and everything that it started has
// ended.
func Run(ctx context.Context, cfg Config) error {
	s, err := Open(ctx, cfg)
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Run(ctx)
}

// Server is Nestor, put together and not yet at work.
type Server struct {
	cfg     Config
	log     *slog.Logger
	local   bool
	store   store.Store
	gate    *access.Gate
	feed    *feed.Feed
	bus     bus.Bus // nil if there can be no other nodes
	worker  *worker.Worker
	backlog *worker.Backlog
	disk    *disk.Quota
	modules []*module.Running
	// running has the work of the modules that interrupts stop.
	running    interrupt.Running
	interrupts []interrupt.Rule
	tools      *toolset.Set
	webhook    *trigger.Webhook
	api        http.Handler
	// closeFiles gives back what the storage of files holds.
	closeFiles func()
	// temporary is the folder of a database that is not kept.
	temporary string
	ends      ends
	// url is where it listens, once ready is closed.
	url   string
	ready chan struct{}
	// stop ends event streams, which have no end of their own.
	stop context.CancelFunc
}

// Open puts a server together. It must be closed.
func Open(ctx context.Context, cfg Config) (_ *Server, err error) {
	cfg = cfg.withDefaults()
	s := &Server{cfg: cfg, ready: make(chan struct{})}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if cfg.Temporary {
		if s.temporary, err = os.MkdirTemp("", "nestor-"); err != nil {
			return nil, nestor.Errorf(nestor.CodeUnavailable, "a temporary folder cannot be made: %w", err)
		}
		cfg.Data, s.cfg.Data = s.temporary, s.temporary
	}
	if s.log, err = logger(cfg); err != nil {
		return nil, err
	}
	if err := checkNATS(cfg); err != nil {
		return nil, err
	}
	if s.local, err = isLocal(cfg); err != nil {
		return nil, err
	}
	proxies, err := access.ParseProxies(cfg.TrustedProxies)
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "--trusted-proxies: %w", err)
	}
	public, err := access.ParsePublicURL(cfg.PublicURL)
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "--public-url: %w", err)
	}
	if err := checkToken(cfg, s.local && (!public.IsSet() || access.IsLoopbackHost(public.Host)), s.log); err != nil {
		return nil, err
	}
	if s.cfg.PublicURL = public.String(); public.IsSet() {
		cfg.Hosts = append(slices.Clone(cfg.Hosts), public.Host)
	}
	if cfg.UserConcurrency < 0 || cfg.AccountConcurrency < 0 || cfg.DBConnections < 0 {
		return nil, nestor.Errorf(nestor.CodeInvalid, "--user-concurrency, --account-concurrency and --db-connections are numbers from 1, or 0 for the default")
	}
	if cfg.DiskPerUser < 0 || cfg.DiskPerAccount < 0 {
		return nil, nestor.Errorf(nestor.CodeInvalid, "--disk-per-user and --disk-per-account are bytes, or 0 for no bound")
	}
	budget, err := userBudget(cfg)
	if err != nil {
		return nil, err
	}
	settings := agent.Settings{UserBudget: budget, ContextTokens: cfg.ContextTokens}
	if settings.Roles, err = loadRoles(cfg); err != nil {
		return nil, err
	}
	var triggers *trigger.Set // agents' settings depend on it, and it depends on the agents' triggers
	local := sync.OnceValue(func() func() bool { return localTools(triggers) })
	settings.Local = func() bool { return local()() }
	made := parts{recorder: measured.NewRecorder(cfg.NoMetrics)}
	mods := modules(cfg, settings, &made)
	if err := mods.Check(); err != nil {
		return nil, err
	}
	kinds, err := mods.Catalogue()
	if err == nil {
		err = replication.CheckShapes(kinds)
	}
	if err != nil {
		return nil, err
	}
	key, err := loadKey(cfg)
	if err != nil {
		return nil, err
	}
	// To compile the rules takes as long as to open the database.
	compiled := meanwhile(func() (*rules.Engine, error) { return loadRules(cfg, mods, key) })
	defer compiled()
	if triggers, err = loadTriggers(cfg, mods.Triggers(), s.log); err != nil {
		return nil, err
	}
	for _, warning := range triggers.Warnings() {
		s.log.Warn(warning)
	}
	s.backlog = worker.NewBacklog(worker.BacklogOptions{PerTenant: max(0, cfg.UserMaxWaiting), All: max(0, cfg.MaxWaiting), Logger: s.log})
	s.disk = disk.New(disk.Options{PerUser: cfg.DiskPerUser, PerAccount: cfg.DiskPerAccount, Log: cfg.LogRetention, Logger: s.log})
	if s.store, err = open(ctx, cfg, mods, store.Rules{Planner: triggers, Admit: s.backlog.Admit, Room: s.disk.Room, Runs: runs.Store, Participant: made.participant}); err != nil {
		return nil, err
	}
	s.backlog.Watch(s.store)
	s.disk.Watch(s.store)
	s.gate = access.New(access.Options{Store: s.store, Key: key, Token: cfg.Token, Proxies: proxies, Public: public, Hosts: cfg.Hosts, Logger: s.log})
	s.cfg.Token = "" // from here on only the gate knows it, by its hash
	if !s.local {
		if err := checkUsers(ctx, cfg, s.gate); err != nil {
			return nil, err
		}
	}
	may, err := compiled()
	if err != nil {
		return nil, err
	}
	made.key, made.gate = key, s.gate
	if made.models, err = openModels(cfg, s.store, key, made.recorder.ModelFailed); err != nil {
		return nil, err
	}

	library, closeFiles, err := openFiles(cfg, s.store)
	if err != nil {
		return nil, err
	}
	s.closeFiles, library.Room = closeFiles, s.disk.Upload

	m := newMetrics(s.store)
	if err := s.connect(ctx); err != nil {
		return nil, err
	}
	m.follow(s.feed, s.bus)
	var tools lateTools
	participants := func() (all []module.Participants) {
		for _, part := range s.modules {
			all = append(all, part.Participants...)
		}
		return all
	}
	host := module.Host{
		Store: s.store, Feed: s.feed, Running: &s.running, Triggers: triggers, Models: made.models, Embedders: made.models, Tools: &tools, Participants: participants, Metrics: made.recorder,
		Files: library, Room: s.disk.Check, UserBudget: budget, Logger: s.log,
	}
	if s.modules, err = mods.Start(ctx, host); err != nil {
		return nil, err
	}
	s.interrupts = mods.Interrupts()
	for _, part := range s.modules {
		m.registry.MustRegister(part.Metrics...)
		if part.Committed != nil {
			s.store.Observe(store.MemoryTurn, part.Committed)
		}
	}
	if s.tools, err = openTools(ctx, cfg, s.store, may, s.modules, s.log); err != nil {
		return nil, err
	}
	tools.Set = s.tools
	if err := settings.Roles.RestrictTools(s.tools.Roles()); err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "%s: %w", cfg.Tools, err)
	}
	s.webhook = trigger.NewWebhook(triggers, trigger.WebhookOptions{AllowPrivate: cfg.AllowPrivate, Token: writeBack(key, s.store)})
	handlers := module.AllHandlers(s.modules)
	s.worker = worker.New(s.store, worker.Options{
		Concurrency: cfg.Concurrency, Limits: store.Limits{Tenant: cfg.UserConcurrency, Account: cfg.AccountConcurrency}, Weights: tenantWeights(cfg),
		LeaseTTL: cfg.LeaseTTL,
		Drain:    cfg.Drain,
		Handlers: handlers,
		Webhook:  delivery(s.webhook, mods.Triggers(), handlers),
		Plan:     module.Plan(triggers),
		Hooks:    m.hooks(made.recorder.Job, s.ends.tell),
		Logger:   s.log,
	})
	m.load(s.backlog, s.worker)
	stopping, stop := context.WithCancel(context.Background())
	s.stop = stop
	var routes []httpapi.Route
	var doors []httpapi.Door
	for _, part := range s.modules {
		routes, doors = append(routes, part.Routes...), append(doors, part.Doors...)
	}
	s.api, err = httpapi.New(httpapi.Options{
		Routes: routes, Schemas: mods.APISchemas(), Doors: doors,
		Store: s.store, Tools: s.tools, Agents: made.agents, Runs: made.runs, Tells: runs.Tells, Participants: made.agents.Participants, Place: account.Place, Feed: s.feed, UserBudget: budget, Disk: s.disk.Standing,
		Gate: s.gate, Rules: may, Hosts: cfg.Hosts, Public: public, UI: webui.New(public.Prefix),
		StreamsPerUser: cfg.StreamsPerUser, Streams: cfg.Streams,
		Metrics: m.handler(), Ready: s.store.Ping, Stopping: stopping, Logger: s.log,
	})
	return s, err
}

// tenantWeights are the weights of users as the worker knows them.
func tenantWeights(cfg Config) map[string]int {
	weights := map[string]int{}
	for user, n := range cfg.UserWeights {
		weights["users/"+user] = n
	}
	return weights
}

// Handler answers requests. It works as long as [Server.Work] does.
func (s *Server) Handler() http.Handler { return s.api }

// Work runs jobs and tells of changes until ctx ends. Ready, if set, is called
// when jobs can run. Work returns its error.
func (s *Server) Work(ctx context.Context, ready func(context.Context) error) error {
	group, ctx := errgroup.WithContext(ctx)
	defer context.AfterFunc(ctx, s.stop)()
	group.Go(func() error { return s.worker.Run(ctx) })
	group.Go(func() error { return s.follow(ctx) })
	group.Go(func() error {
		return insist(ctx, s.log, func(ctx context.Context) error {
			s.running.Follow(ctx, s.feed, s.interrupts...)
			return nil
		})
	})
	group.Go(func() error { return s.backlog.Run(ctx) })
	group.Go(func() error { return s.disk.Run(ctx) })
	for _, part := range s.modules {
		if part.Run != nil {
			group.Go(func() error { return insist(ctx, s.log, part.Run) })
		}
	}
	for _, once := range []func(context.Context) (int, error){s.store.Sweep, s.gate.Sweep} {
		group.Go(func() error {
			return insist(ctx, s.log, func(ctx context.Context) error { return sweep(ctx, once, s.log) })
		})
	}
	group.Go(func() error {
		select {
		case <-s.worker.Joined(): // a server that cannot work is not announced
			return ready(ctx)
		case <-ctx.Done():
			return nil
		}
	})
	return errors.Join(group.Wait(), s.drained(context.WithoutCancel(ctx)))
}

// drainedTime bounds what modules do when nothing runs any more.
const drainedTime = 5 * time.Second

// drained lets modules do what they do last.
func (s *Server) drained(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, drainedTime, errors.New("the server stops"))
	defer cancel()
	for _, part := range s.modules {
		if part.Drained != nil {
			err = errors.Join(err, part.Drained(ctx))
		}
	}
	return err
}

// Run works, and listens on the address of the configuration, if there is one.
func (s *Server) Run(ctx context.Context) error {
	return s.Work(ctx, func(ctx context.Context) error {
		if s.cfg.Unlisted {
			close(s.ready)
			return nil
		}
		return serve(ctx, s.cfg, s.api, s.log, func(url string) error {
			s.url = url
			close(s.ready)
			return greet(ctx, s.cfg, s.gate, s.local, url)
		})
	})
}

// Ready is closed when Run runs jobs and accepts requests.
func (s *Server) Ready() <-chan struct{} { return s.ready }

// URL is where a server that is ready listens, "" if it listens nowhere.
func (s *Server) URL() string { return s.url }

// Link is a link to the server at the URL base that signs one browser in, as the
// person who runs the server.
func (s *Server) Link(ctx context.Context, base string) (string, error) {
	return newLink(ctx, s.gate, base)
}

// Close gives everything back that Open took.
func (s *Server) Close() error {
	var err error
	if s.stop != nil {
		s.stop()
	}
	if s.webhook != nil {
		s.webhook.Close()
	}
	if s.tools != nil {
		err = errors.Join(err, s.tools.Close())
	}
	if s.closeFiles != nil {
		s.closeFiles()
	}
	if s.store != nil {
		err = errors.Join(err, s.store.Close())
	}
	if s.temporary != "" {
		err = errors.Join(err, os.RemoveAll(s.temporary))
	}
	return err
}

// parts are what modules and the API share, once the server is put together.
type parts struct {
	agents   *agent.Agents
	graphs   *graphs.Graphs
	runs     *runs.Runs
	remote   *remote.Agents
	models   *connection.Connections
	key      *access.Key
	gate     *access.Gate
	recorder *measured.Recorder
}

// participant reports whether a user can talk to a participant. Nobody asks before the
// modules are opened.
func (p *parts) participant(r store.Reader, userID, participant string) (bool, error) {
	found, err := p.agents.Participants.Find(r, userID, participant)
	return found != nil, err
}

// asking is the model call that a job makes now.
func (p *parts) asking(job string) (runs.Asking, bool) {
	call, ok := p.agents.Call(job)
	return runs.Asking{Model: call.Model, Since: call.Since, Place: call.Place, Again: call.Again, Failure: call.Failure}, ok
}

// modules are the domains of the program. A new one is a line here.
func modules(cfg Config, agents agent.Settings, made *parts) module.List {
	agents.Remote = func() *remote.Agents { return made.remote }
	conversations := agent.Module(agents)
	conversations.Open = keep(conversations.Open, &made.agents)
	models := func() *connection.Connections { return made.models }
	steer := func(how func(*agent.Agents, context.Context, nestor.Path, string) error) func(context.Context, nestor.Path, string) error {
		return func(ctx context.Context, task nestor.Path, by string) error { return how(made.agents, ctx, task, by) }
	}
	drawn := graphs.Module(graphs.Options{
		AllowPrivate: cfg.AllowPrivate, Services: cfg.Nodes, Env: lookup(cfg), Key: func() *access.Key { return made.key },
		StopAgent: steer((*agent.Agents).Cancel), PauseAgent: steer((*agent.Agents).Pause), ResumeAgent: steer((*agent.Agents).Resume),
	})
	drawn.Open = keep(drawn.Open, &made.graphs)
	inChat := func(tx store.Tx, run *nestor.Run, by string) error { return made.agents.CancelRun(tx, run, by) }
	record := runs.Module(runs.Options{Asking: made.asking, Cancel: map[nestor.RunKind]func(store.Tx, *nestor.Run, string) error{
		nestor.RunOfMessage: inChat, nestor.RunOfTask: inChat,
		nestor.RunOfGraph:          func(tx store.Tx, run *nestor.Run, _ string) error { return made.graphs.Cancel(tx, run.Of(run.Root)) },
		nestor.RunOfPrioritisation: func(tx store.Tx, run *nestor.Run, _ string) error { return priority.Cancel(tx, run.Of(run.Root)) },
	}, Prompt: func(docs store.Reader, message nestor.Path) (*llm.Request, error) {
		return made.agents.Rebuild(docs, message)
	}})
	record.Open = keep(record.Open, &made.runs)
	metrics := measured.Module(measured.Options{Recorder: made.recorder, KeepPoints: cfg.MetricsPoints, Keep: measured.Keep{
		Minutes: cfg.MetricsMinutes, Hours: cfg.MetricsHours, Days: cfg.MetricsDays,
	}})
	attached := files.Module(files.Options{Max: cfg.MaxFile, Unused: cfg.UnusedFiles})
	list := module.List{
		conversations, elsewhere(cfg, agents, made), accounts.Module, connections.Module(models), jobs.Module, priority.Module, records.Module, marks.Module, attached, metrics, record, export.Module, answers,
	}
	list = slices.Concat(list, doors(cfg, agents, made), cfg.Modules)
	return append(list, drawn) // after all whose node types it takes
}

// keep opens a module and keeps what was opened for others.
func keep[T any](open func(context.Context, module.Host) (T, error), made *T) func(context.Context, module.Host) (T, error) {
	return func(ctx context.Context, host module.Host) (T, error) {
		var err error
		*made, err = open(ctx, host)
		return *made, err
	}
}

// answers is the module of the answers that the API keeps for repeated
// requests.
var answers = module.Of[struct{}]{Name: "answers", Keep: map[string]time.Duration{httpapi.Answers: httpapi.AnswersKept}}

// described are the modules for a command that does none of their work.
func described(cfg Config) module.List {
	return modules(cfg, agent.Settings{}, &parts{})
}

// Commands are those that the modules of the program add to it.
func Commands(cfg Config) (all []module.Command) {
	for _, m := range described(cfg) {
		all = append(all, m.Describe().Commands...)
	}
	return all
}

// Description is the API of the program in OpenAPI.
func Description() ([]byte, error) { return described(Config{}).Description() }

// open opens the database that cfg names, with the collections of modules.
func open(ctx context.Context, cfg Config, mods module.List, rules store.Rules) (store.Store, error) {
	var err error
	if rules.Catalogue, err = mods.Catalogue(); err != nil {
		return nil, err
	}
	rules.MaxBody = cfg.MaxBody
	log, err := logger(cfg)
	if err != nil {
		return nil, err
	}
	opts := store.Options{
		Rules: rules, Modules: mods.Schemas(), Logger: log,
		Retention: store.Retention{Log: cfg.LogRetention, Collections: mods.Keep()},
	}
	if err := checkDB(cfg); err != nil {
		return nil, err
	}
	if cfg.DB == "" {
		return opened(sqlite.Open(ctx, filepath.Join(cfg.Data, databaseFile), opts))
	}
	opts.Connections = cfg.DBConnections
	return opened(postgres.Open(ctx, cfg.DB, opts))
}

// databaseFile is the embedded database in the data folder.
const databaseFile = "nestor.db"

// checkDB refuses what is no URL of a database.
func checkDB(cfg Config) error {
	if cfg.DB == "" || strings.HasPrefix(cfg.DB, "postgres://") || strings.HasPrefix(cfg.DB, "postgresql://") {
		return nil
	}
	return nestor.Errorf(nestor.CodeInvalid, "--db is a URL such as postgres://user:password@host/name; leave it out for the embedded database")
}

// opened is the store, or a nil interface: not one that holds a nil pointer.
func opened[S store.Store](s S, err error) (store.Store, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// meanwhile does something on the side. What it returns waits for the result.
func meanwhile[T any](do func() (T, error)) func() (T, error) {
	var result T
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		result, err = do()
	}()
	return func() (T, error) {
		<-done
		return result, err
	}
}

func loadKey(cfg Config) (*access.Key, error) {
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the data folder cannot be made: %w", err)
	}
	return access.LoadKey(cfg.SecretKey, filepath.Join(cfg.Data, "key"))
}

// insist runs what works beside the jobs, and runs it again after a pause if it panics: the
// rest of the server goes on.
func insist(ctx context.Context, log *slog.Logger, run func(context.Context) error) error {
	for pause := minInsist; ; pause = min(2*pause, maxInsist) {
		err := recovery.Call(func() error { return run(ctx) })
		var panicked *recovery.Error
		if !errors.As(err, &panicked) {
			return err
		}
		log.Error("something beside the jobs panicked and begins anew", "in", pause, "error", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
	}
}

// The bounds of the pause before what panicked begins anew.
const (
	minInsist = time.Second
	maxInsist = time.Minute
)

// sweepPause is how long a sweeper rests when it finds nothing.
const sweepPause = time.Minute

// sweepBreath is what it leaves to others between two batches.
const sweepBreath = 5 * time.Millisecond

// sweep calls once, again and again, until ctx ends.
func sweep(ctx context.Context, once func(context.Context) (int, error), log *slog.Logger) error {
	for {
		n, err := once(ctx)
		if err != nil && ctx.Err() == nil {
			log.Warn("sweeping failed", "error", err)
		}
		pause := sweepPause
		if n > 0 && err == nil {
			pause = sweepBreath
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
	}
}

func logger(cfg Config) (*slog.Logger, error) {
	if cfg.Logger != nil {
		return cfg.Logger, nil
	}
	var level slog.Level
	if cfg.LogLevel != "" {
		if err := level.UnmarshalText([]byte(cfg.LogLevel)); err != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "--log-level is debug, info, warn or error, not %q", cfg.LogLevel)
		}
	}
	opts := &slog.HandlerOptions{Level: level}
	switch cfg.LogFormat {
	case "", "text":
		return slog.New(slog.NewTextHandler(cfg.Stderr, opts)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(cfg.Stderr, opts)), nil
	}
	return nil, nestor.Errorf(nestor.CodeInvalid, "--log-format is text or json, not %q", cfg.LogFormat)
}
